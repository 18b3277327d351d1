/* Hedging: an interactive request without a reply for some time is sent again over another path, while the
 * first attempt continues, and a third time if that is silent as well. A lost request may leave no trace, so
 * it would otherwise wait for the whole timeout of an attempt. */
#include "../moment.h"
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
  if (!may_begin(delivery) || options->hedge_initial == 0)
    return SC_NEVER;
  uint64_t delay =
      sc_hedge_delay(&network->hedge, delivery->timeout, options->hedge_min, options->hedge_initial);
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

static bool launch(sc_delivery *delivery, sc_path *path, const sc_node *target) {
  return sc_delivery_launch(delivery, path, target) == SC_OK;
}

static bool send_to(sc_delivery *delivery, const sc_node *target) {
  sc_path *path;
  const uint8_t *key = target != NULL ? target->key : NULL;
  return sc_apart_choose(&path, delivery, key) == SC_PATH_FOUND && launch(delivery, path, target);
}

static bool send_to_swarm(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_node *candidates[SC_STORAGE_MAX_SWARM], *target;
  sc_swarm swarm;
  sc_path *path;
  if (sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, delivery->account + 1, false) != SC_OK)
    return false;
  size_t count = sc_candidates_list(candidates, delivery, &swarm);
  return sc_candidates_choose(&path, &target, delivery, candidates, count) == SC_PATH_FOUND &&
         launch(delivery, path, target);
}

static bool send_to_node(sc_delivery *delivery) {
  const sc_node *node = sc_nodes_find(delivery->network->nodes, delivery->node);
  return node != NULL && send_to(delivery, node);
}

static bool send_to_any(sc_delivery *delivery) {
  sc_path *path;
  if (sc_apart_choose(&path, delivery, NULL) != SC_PATH_FOUND)
    return false;
  const sc_node *node = sc_candidates_any(delivery, path);
  return node != NULL && launch(delivery, path, node);
}

static bool begin_second(sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  bool is_hedge = !delivery->lost_one;
  if (!may_begin(delivery) || (is_hedge && !sc_hedge_may(&network->hedge, network->moment.now)))
    return false;
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
  return send_to(delivery, NULL);
}

void sc_network_begin_seconds(sc_network *network) {
  sc_delivery *next;
  for (sc_delivery *delivery = network->overdue.first; delivery != NULL; delivery = next) {
    next = delivery->next;
    if (!begin_second(delivery))
      sc_delivery_move(delivery, SC_DELIVERY_SENT, SC_NEVER);
  }
}
