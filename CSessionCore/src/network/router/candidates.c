#include "candidates.h"

#include "../../base/draws.h"
#include "../../base/sort.h"
#include "apart.h"
#include "attempt.h"
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
  enum { of_guard = 1000, of_middle = 500 /* called only if there is no other member */ };
  if (sc_guards_is_reserved(&network->guards, node->key))
    return of_guard;
  if (sc_guards_has_middle(&network->guards, node->key))
    return of_middle;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  size_t is_set_aside = sc_nodes_is_struck_out(network->nodes, network->moment.wall, node->key);
  size_t is_guard = sc_guards_has(&network->guards, node->key); /* in a small network */
  bool is_avoided = sc_avoided_has(&network->paths.avoided, node->key, &key, network->moment.now) ||
                    sc_apart_has_hop(delivery, node->key) ||
                    sc_paths_are_near(&network->paths, &delivery->path_key, delivery->category, node);
  return 4 * is_set_aside + 2 * (size_t)is_avoided + is_guard;
}

/* A member that an attempt does not reach, through no fault of its own. */
static bool may_be_asked_again(const sc_delivery *delivery, const sc_node *node) {
  bool is_awaited = false;
  for (size_t i = 0; i < delivery->heard.count; i++) {
    const sc_heard *heard = &delivery->heard.list[i];
    is_awaited |= heard->has_node && memcmp(heard->node, node->key, SC_KEY_BYTES) == 0;
  }
  for (size_t i = 0; i < delivery->in_flight_count; i++)
    is_awaited |= sc_node_same(&delivery->in_flight[i]->target, node);
  return is_awaited && !sc_apart_is_suspect(delivery, node->key);
}

static bool is_small(const sc_delivery *delivery) {
  return sc_nodes_pool(delivery->network->nodes)->count < sc_sample_few_nodes;
}

static int order_candidates(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  int order = sc_order_numbers(a->doubts, b->doubts);
  return order != 0 ? order : sc_order_numbers(a->index, b->index);
}

/* Members that were not called yet, the least doubted first. In a small network it is better to call a member
 * again than one that was part of every failed attempt. */
static size_t sort_candidates(candidate out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                              const sc_swarm *swarm) {
  size_t count = 0;
  for (size_t i = 0; i < swarm->count; i++) {
    enum { of_asked = 8, of_suspect = 16 };
    const sc_node *node = swarm->nodes[i];
    bool was_asked = sc_delivery_has_tried(delivery, node->key);
    if (was_asked && !(is_small(delivery) && may_be_asked_again(delivery, node)))
      continue;
    size_t doubts = doubts_of(delivery, node) + (was_asked ? of_asked : 0);
    out[count++] = (candidate){node, doubts + (sc_apart_is_suspect(delivery, node->key) ? of_suspect : 0), i};
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

size_t sc_candidates_called(const sc_node *out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                            const sc_swarm *swarm) {
  size_t count = 0;
  for (size_t i = 0; i < swarm->count; i++)
    if (sc_delivery_has_called(delivery, swarm->nodes[i]->key))
      out[count++] = swarm->nodes[i];
  return count;
}

static bool is_doubted(const sc_delivery *delivery, const sc_path *path) {
  return path->is_doubted || sc_apart_is_suspect(delivery, sc_path_guard(path)->key);
}

sc_path_choice sc_candidates_choose(sc_path **path, const sc_node **target, const sc_delivery *delivery,
                                    const sc_node *const *nodes, size_t count) {
  sc_path_choice choice = SC_PATH_WAIT;
  sc_path *doubted = NULL;
  for (size_t i = 0; i < count; i++) {
    choice = sc_apart_choose(path, delivery, nodes[i]->key);
    bool is_found = choice == SC_PATH_FOUND;
    if (is_found && (doubted == NULL || !is_doubted(delivery, *path))) {
      *target = nodes[i];
      doubted = *path;
    }
    if ((is_found && !is_doubted(delivery, *path)) || choice == SC_PATH_WAIT || choice == SC_PATH_NO_MEMORY)
      break;
  }
  *path = doubted;
  return doubted != NULL ? SC_PATH_FOUND : choice;
}

/* True if the node is in the same /16 network as one called before. */
static bool is_near_called(const sc_delivery *delivery, const sc_node *node) {
  const sc_called_nodes *apart = delivery->apart;
  const sc_network *network = delivery->network;
  for (size_t i = 0; apart != NULL && i < apart->count && network->options.nodes.subnet_diversity; i++) {
    const sc_node *called = sc_nodes_find(network->nodes, apart->keys[i]);
    if (called != NULL && sc_node_is_near(called, node))
      return true;
  }
  return false;
}

const sc_node *sc_candidates_any(const sc_delivery *delivery, const sc_path *path) {
  enum { most_nodes = 8 };
  const sc_node *nodes[most_nodes], *near = NULL, *again = NULL, *suspect = NULL;
  bool is_first = delivery->heard.count + delivery->in_flight_count == 0;
  /* One of two nodes may be dead, and the guard is not. */
  if (!is_first && sc_path_is_alone(path, sc_path_guard(path)->key))
    return sc_path_guard(path);
  size_t count = sc_paths_targets(nodes, &delivery->network->paths, most_nodes, path);
  for (size_t i = 0; i < count; i++) {
    bool is_new = !sc_delivery_has_tried(delivery, nodes[i]->key);
    if (sc_apart_is_suspect(delivery, nodes[i]->key)) {
      suspect = suspect == NULL ? nodes[i] : suspect;
      continue;
    }
    if (is_new && !is_near_called(delivery, nodes[i]))
      return nodes[i];
    if (is_new)
      near = nodes[i];
    if (sc_delivery_has_called(delivery, nodes[i]->key))
      again = nodes[i];
  }
  near = near != NULL ? near : again;
  return near != NULL ? near : suspect;
}
