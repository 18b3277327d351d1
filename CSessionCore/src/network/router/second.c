/* Hedging: an interactive request without a reply for some time is sent again over another path, while the
 * first attempt continues, and a third time if that is silent as well. A lost request may leave no trace, so
 * it would otherwise wait for the whole timeout of an attempt. */
#include "../../base/backoff.h"
#include "../later.h"
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

static void note_late(const sc_attempt *attempt) {
  sc_network *network = attempt->network;
  attempt->path->is_late = true;
  for (size_t i = 1; i < attempt->hop_count; i++)
    sc_late_nodes_add(&network->paths.late, attempt->hops[i].ed25519, network->moment.now);
  if (attempt->has_target)
    sc_late_nodes_add(&network->paths.late, attempt->target.key, network->moment.now);
}

void sc_delivery_note_overdue(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_attempt *last = delivery->in_flight[delivery->in_flight_count - 1];
  if (!delivery->lost_one) {
    note_late(last);
  }
  sc_delivery_move(delivery, SC_DELIVERY_OVERDUE, 0);
  network->queues_due = true;
}

void sc_delivery_replace_lost(sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  const sc_network_options *options = &network->options;
  uint64_t delay = sc_backoff(delivery->attempts, options->retry_delay, options->retry_delay_most);
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

/* Any node of the attempts in flight may be the silent one. */
static outcome await_path(const sc_delivery *delivery, const uint8_t *destination) {
  sc_node avoided[sc_path_most_avoided];
  size_t count = 0;
  for (size_t i = 0; i < delivery->in_flight_count; i++) {
    const sc_attempt *attempt = delivery->in_flight[i];
    for (size_t hop = 0; hop < attempt->path->length && count < sc_path_most_avoided; hop++)
      avoided[count++] = attempt->path->nodes[hop];
    if (attempt->has_target && count < sc_path_most_avoided)
      avoided[count++] = attempt->target;
  }
  return sc_paths_want_beside(&delivery->network->paths, delivery->category, destination, avoided, count)
             ? STAYS
             : NONE;
}

/* To the first of the nodes that a path leads to; with `prompt`, one that lets no requests wait. */
static bool launch_to_one_of(outcome *out, sc_delivery *delivery, const sc_node *const *nodes, size_t count,
                             bool prompt) {
  for (size_t i = 0; i < count; i++) {
    sc_path *path;
    if (sc_paths_choose(&path, &delivery->network->paths, delivery->category, nodes[i]->key, prompt) !=
        SC_PATH_FOUND)
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
  if (sc_paths_choose(&path, &delivery->network->paths, delivery->category, NULL, true) != SC_PATH_FOUND)
    return await_path(delivery, NULL);
  const sc_node *node = sc_candidates_any(delivery, path);
  return node != NULL ? launch(delivery, path, node) : NONE;
}

static outcome send_to_server(sc_delivery *delivery) {
  sc_path *path;
  if (sc_paths_choose(&path, &delivery->network->paths, delivery->category, NULL, true) == SC_PATH_FOUND)
    return launch(delivery, path, NULL);
  return await_path(delivery, NULL);
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
