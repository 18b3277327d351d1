#include "apart.h"

#include "network.h"

static void list_used(sc_used_hops *out, const sc_delivery *delivery) {
  out->count = 0;
  for (size_t i = 0; i < delivery->heard.count; i++) {
    const sc_heard *heard = &delivery->heard.list[i];
    if (heard->hop_count > 0)
      sc_used_hops_add(out, heard->hops[0], heard->hops[heard->hop_count - 1]);
  }
  for (size_t i = 0; i < delivery->in_flight_count; i++) {
    const sc_attempt *attempt = delivery->in_flight[i];
    if (attempt->hop_count > 0)
      sc_used_hops_add(out, attempt->hops[0].ed25519, attempt->hops[attempt->hop_count - 1].ed25519);
  }
}

bool sc_apart_choose(sc_path **out, const sc_delivery *delivery, const uint8_t *destination) {
  sc_used_hops used;
  list_used(&used, delivery);
  return sc_paths_choose(out, &delivery->network->paths, delivery->category, destination, &used) ==
         SC_PATH_FOUND;
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

static size_t add(sc_node *list, size_t count, const sc_delivery *delivery, const uint8_t *key) {
  const sc_node *node = sc_nodes_find(delivery->network->nodes, key);
  if (node != NULL && count < sc_path_most_avoided)
    list[count++] = *node;
  return count;
}

bool sc_apart_want(const sc_delivery *delivery, const uint8_t *destination) {
  sc_node avoided[sc_path_most_avoided];
  size_t count = 0;
  for (size_t i = 0; i < delivery->in_flight_count; i++) {
    const sc_attempt *attempt = delivery->in_flight[i];
    for (size_t hop = 0; hop < attempt->hop_count; hop++)
      count = add(avoided, count, delivery, attempt->hops[hop].ed25519);
    if (attempt->has_target)
      count = add(avoided, count, delivery, attempt->target.key);
  }
  for (size_t i = 0; i < delivery->heard.count; i++) {
    const sc_heard *heard = &delivery->heard.list[i];
    for (size_t hop = 0; hop < heard->hop_count; hop++)
      count = add(avoided, count, delivery, heard->hops[hop]);
  }
  return sc_paths_want_beside(&delivery->network->paths, delivery->category, destination, avoided, count,
                              delivery->heard.count + delivery->in_flight_count);
}
