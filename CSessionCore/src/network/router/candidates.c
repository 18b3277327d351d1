#include "candidates.h"

#include "../../base/draws.h"
#include "../../base/sort.h"
#include "apart.h"
#include "network.h"

typedef struct candidate {
  const sc_node *node;
  size_t doubts;
  size_t index; /* in the swarm */
} candidate;

static void shuffle(candidate *list, size_t count, sc_draws *draws) {
  for (size_t i = count; i > 1; i--) {
    size_t other = sc_draws_below(draws, (uint32_t)i);
    candidate kept = list[i - 1];
    list[i - 1] = list[other];
    list[other] = kept;
  }
}

static size_t doubts_of(const sc_delivery *delivery, const sc_node *node) {
  sc_network *network = delivery->network;
  enum { of_guard = 1000, of_middle = 500 /* asked only if there is no other member */ };
  if (sc_guards_is_reserved(&network->guards, node->key))
    return of_guard;
  if (sc_guards_has_middle(&network->guards, node->key))
    return of_middle;
  const uint8_t *account = delivery->has_account ? delivery->account : NULL;
  size_t is_set_aside = sc_nodes_is_struck_out(network->nodes, network->moment.wall, node->key);
  bool is_avoided = sc_avoided_has(&network->paths.avoided, node->key, account, network->moment.now) ||
                    sc_apart_has_hop(delivery, node->key);
  return 2 * is_set_aside + is_avoided;
}

static int order_candidates(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  int order = sc_order_numbers(a->doubts, b->doubts);
  return order != 0 ? order : sc_order_numbers(a->index, b->index);
}

/* Those that were not asked yet, the least doubted first. */
static size_t sort_candidates(candidate out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                              const sc_swarm *swarm) {
  size_t count = 0;
  for (size_t i = 0; i < swarm->count; i++) {
    const sc_node *node = swarm->nodes[i];
    if (sc_delivery_has_tried(delivery, node->key))
      continue;
    out[count++] = (candidate){node, doubts_of(delivery, node), i};
  }
  sc_sort(out, count, sizeof *out, order_candidates);
  return count;
}

size_t sc_candidates_list(const sc_node *out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                          const sc_swarm *swarm) {
  candidate list[SC_STORAGE_MAX_SWARM];
  size_t count = sort_candidates(list, delivery, swarm);
  sc_draws draws;
  sc_draws_init(&draws, delivery->network->env, count);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && list[end].doubts == list[first].doubts; end++)
      continue;
    shuffle(list + first, end - first, &draws);
  }
  for (size_t i = 0; i < count; i++)
    out[i] = list[i].node;
  return count;
}

size_t sc_candidates_asked(const sc_node *out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                           const sc_swarm *swarm) {
  size_t count = 0;
  for (size_t i = 0; i < swarm->count; i++)
    if (sc_delivery_has_asked(delivery, swarm->nodes[i]->key))
      out[count++] = swarm->nodes[i];
  return count;
}

/* True if the node is in the same network of 65536 addresses as one that was asked before. */
static bool is_near_asked(const sc_delivery *delivery, const sc_node *node) {
  const sc_asked_nodes *apart = delivery->apart;
  const sc_network *network = delivery->network;
  for (size_t i = 0; apart != NULL && i < apart->count && network->options.nodes.subnet_diversity; i++) {
    const sc_node *asked = sc_nodes_find(network->nodes, apart->keys[i]);
    if (asked != NULL && sc_node_is_near(asked, node))
      return true;
  }
  return false;
}

const sc_node *sc_candidates_any(const sc_delivery *delivery, const sc_path *path) {
  enum { most_nodes = 8 };
  const sc_node *nodes[most_nodes], *near = NULL, *again = NULL;
  size_t count = sc_paths_targets(nodes, &delivery->network->paths, most_nodes, path);
  for (size_t i = 0; i < count; i++) {
    bool is_new = !sc_delivery_has_tried(delivery, nodes[i]->key);
    if (is_new && !is_near_asked(delivery, nodes[i]))
      return nodes[i];
    if (is_new)
      near = nodes[i];
    if (sc_delivery_has_asked(delivery, nodes[i]->key))
      again = nodes[i];
  }
  return near != NULL ? near : again;
}
