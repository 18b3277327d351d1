/* Hedging: an interactive request without a reply for some time is sent again over another path, while the
 * first attempt continues, and a third time if that is silent as well. A lost request may leave no trace, so
 * it would otherwise wait for the whole timeout of an attempt. */
#include "../later.h"
#include "apart.h"
#include "candidates.h"
#include "network.h"

/* Requests that ended meanwhile would have no place in a batch that is sent again. */
static bool may_begin(const sc_delivery *delivery) {
  return delivery->may_hedge && delivery->in_flight_count < sc_delivery_most_in_flight &&
         delivery->attempts < delivery->most_attempts && delivery->count == delivery->sent_count;
}

uint64_t sc_delivery_second_at(const sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  const sc_network_options *options = &network->options;
  if (!may_begin(delivery) || options->hedge_unknown == 0)
    return SC_NEVER;
  uint64_t delay =
      sc_hedge_delay(&network->hedge, delivery->timeout, options->hedge_least, options->hedge_unknown);
  /* When two are silent it is the nodes, and not a slow network. */
  return sc_later(network->moment.now, delivery->in_flight_count > 1 ? delay / 2 : delay);
}

void sc_delivery_note_overdue(sc_delivery *delivery) {
  const sc_attempt *last = delivery->in_flight[delivery->in_flight_count - 1];
  if (!delivery->lost_one)
    last->path->is_doubted = true;
  sc_delivery_move(delivery, SC_DELIVERY_OVERDUE, 0);
  delivery->network->queues_due = true;
}

void sc_delivery_replace_lost(sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  uint64_t delay = sc_delivery_backoff(delivery);
  delivery->lost_one = true;
  sc_delivery_move(delivery, SC_DELIVERY_SENT,
                   may_begin(delivery) ? sc_later(network->moment.now, delay) : SC_NEVER);
}

/* ---- where it goes ---- */

typedef enum outcome {
  LEFT,
  STAYS, /* a path that it can take is being built */
  NONE,  /* there is none, and there will be none */
} outcome;

static outcome launch(sc_delivery *delivery, sc_path *path, const sc_node *target) {
  return sc_delivery_launch(delivery, path, target) == SC_OK ? LEFT : NONE;
}

static outcome await_path(const sc_delivery *delivery, const uint8_t *destination) {
  return sc_apart_want(delivery, destination) ? STAYS : NONE;
}

/* To the first of the nodes that a path leads to, one apart from the others if `apart`. */
static bool launch_to_one_of(outcome *out, sc_delivery *delivery, const sc_node *const *nodes, size_t count,
                             bool apart) {
  sc_paths *paths = &delivery->network->paths;
  for (size_t i = 0; i < count; i++) {
    sc_path *path;
    bool found =
        apart ? sc_apart_choose(&path, delivery, nodes[i]->key)
              : sc_paths_choose(&path, paths, delivery->category, nodes[i]->key, NULL) == SC_PATH_FOUND;
    if (!found)
      continue;
    *out = launch(delivery, path, nodes[i]);
    return true;
  }
  return false;
}

/* Another member over the same path is better than none. */
static outcome send_to_swarm(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_node *candidates[SC_STORAGE_MAX_SWARM];
  sc_swarm swarm;
  outcome out = NONE;
  if (sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, delivery->account + 1, false) != SC_OK)
    return NONE;
  size_t count = sc_candidates_list(candidates, delivery, &swarm);
  if (count == 0 || launch_to_one_of(&out, delivery, candidates, count, true))
    return out;
  if (await_path(delivery, NULL) == STAYS)
    return STAYS;
  (void)launch_to_one_of(&out, delivery, candidates, count, false);
  return out;
}

static outcome send_to_node(sc_delivery *delivery) {
  const sc_node *node = sc_nodes_find(delivery->network->nodes, delivery->node);
  outcome out = NONE;
  if (node == NULL || launch_to_one_of(&out, delivery, &node, 1, true))
    return out;
  return await_path(delivery, node->key);
}

static outcome send_to_any(sc_delivery *delivery) {
  sc_path *path;
  if (!sc_apart_choose(&path, delivery, NULL))
    return await_path(delivery, NULL);
  const sc_node *node = sc_candidates_any(delivery, path);
  return node != NULL ? launch(delivery, path, node) : NONE;
}

static outcome send_to_server(sc_delivery *delivery) {
  sc_path *path;
  return sc_apart_choose(&path, delivery, NULL) ? launch(delivery, path, NULL) : await_path(delivery, NULL);
}

static outcome begin_second(sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  bool is_hedge = !delivery->lost_one;
  if (!may_begin(delivery) || (is_hedge && !sc_hedge_may(&network->hedge, network->moment.now)))
    return NONE;
  switch (delivery->to) {
  case SC_NETWORK_TO_SWARM:
    return send_to_swarm(delivery);
  case SC_NETWORK_TO_NODE:
    return send_to_node(delivery);
  case SC_NETWORK_TO_ANY_NODE:
    return send_to_any(delivery);
  case SC_NETWORK_TO_SERVER:
    break;
  }
  return send_to_server(delivery);
}

void sc_network_begin_seconds(sc_network *network) {
  sc_delivery *next;
  for (sc_delivery *delivery = network->overdue.first; delivery != NULL; delivery = next) {
    next = delivery->next;
    if (begin_second(delivery) == NONE)
      sc_delivery_move(delivery, SC_DELIVERY_SENT, SC_NEVER);
  }
}
