#include "apart.h"

#include "network.h"

static void list_used(sc_used_hops *out, const sc_delivery *delivery) {
  for (size_t i = 0; i < delivery->heard.count; i++) {
    const sc_heard *heard = &delivery->heard.list[i];
    sc_used_hops_add(out, heard->hops[0], sizeof heard->hops[0], heard->hop_count);
    if (heard->has_node)
      sc_used_hops_add_destination(out, heard->node);
  }
  for (size_t i = 0; i < delivery->in_flight_count; i++) {
    const sc_attempt *attempt = delivery->in_flight[i];
    sc_used_hops_add(out, attempt->hops[0].ed25519, sizeof attempt->hops[0], attempt->hop_count);
    if (attempt->has_target)
      sc_used_hops_add_destination(out, attempt->target.key);
  }
}

static bool is_on_its_way_over(const sc_attempt *attempt, const uint8_t *key) {
  bool is_part = attempt->has_target && memcmp(attempt->target.key, key, SC_KEY_BYTES) == 0;
  for (size_t i = 0; i < attempt->hop_count; i++)
    is_part |= memcmp(attempt->hops[i].ed25519, key, SC_KEY_BYTES) == 0;
  return is_part;
}

bool sc_apart_is_suspect(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]) {
  bool is_small = sc_nodes_pool(delivery->network->nodes)->count < sc_sample_few_nodes;
  if (!is_small || delivery->heard.count + delivery->in_flight_count == 0)
    return false;
  for (size_t i = 0; i < delivery->heard.count; i++)
    if (!sc_heard_implicates(&delivery->heard.list[i], key))
      return false;
  for (size_t i = 0; i < delivery->in_flight_count; i++)
    if (!is_on_its_way_over(delivery->in_flight[i], key))
      return false;
  return true;
}

static void list_suspects(sc_used_hops *out, const sc_delivery *delivery) {
  const sc_node_pool *pool = sc_nodes_pool(delivery->network->nodes);
  for (size_t i = 0; i < pool->count && pool->count < sc_sample_few_nodes; i++)
    if (sc_apart_is_suspect(delivery, pool->nodes[i].key))
      sc_used_hops_add_always(out, pool->nodes[i].key);
}

sc_path_choice sc_apart_choose(sc_path **out, const sc_delivery *delivery, const uint8_t *destination) {
  sc_used_hops used = {0};
  size_t attempts = delivery->heard.count + delivery->in_flight_count;
  list_used(&used, delivery);
  list_suspects(&used, delivery);
  const sc_path_wish wish = {.key = delivery->path_key,
                             .category = delivery->category,
                             .destination = destination,
                             .used = attempts > 0 ? &used : NULL,
                             .attempts = attempts,
                             .alone = delivery->first->own};
  return sc_paths_choose(out, &delivery->network->paths, &wish);
}

bool sc_apart_has_hop(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < delivery->heard.count; i++)
    for (size_t hop = 0; hop < delivery->heard.list[i].hop_count; hop++)
      if (memcmp(delivery->heard.list[i].hops[hop], key, SC_KEY_BYTES) == 0)
        return true;
  for (size_t i = 0; i < delivery->in_flight_count; i++)
    for (size_t hop = 0; hop < delivery->in_flight[i]->hop_count; hop++)
      if (memcmp(delivery->in_flight[i]->hops[hop].ed25519, key, SC_KEY_BYTES) == 0)
        return true;
  return false;
}
