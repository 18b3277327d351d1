/* Second attempts: a request that somebody waits for, and that was not answered for some time, is made once
 * more over another path, without giving up the first attempt. Of what dies on the way nobody else may ever
 * tell, so that the request would wait as long as an attempt may take. */
#include "../later.h"
#include "../paths/delay.h"
#include "candidates.h"
#include "network.h"

/* Requests that ended meanwhile would have no place in a batch that is sent again. */
static bool may_begin(const sc_parcel *parcel) {
  return parcel->may_hedge && parcel->in_flight_count < sc_parcel_most_in_flight &&
         parcel->attempts < parcel->most_attempts && parcel->count == parcel->sent_count;
}

uint64_t sc_parcel_second_at(const sc_parcel *parcel) {
  const sc_network *network = parcel->network;
  const sc_network_options *options = &network->options;
  if (!may_begin(parcel) || options->hedge_unknown == 0)
    return SC_NEVER;
  return sc_later(network->moment.now, sc_hedge_delay(&network->hedge, parcel->timeout, options->hedge_least,
                                                      options->hedge_unknown));
}

void sc_parcel_note_overdue(sc_parcel *parcel) {
  sc_network *network = parcel->network;
  const sc_attempt *first = parcel->in_flight[0];
  if (!parcel->lost_one) {
    first->path->is_late = true;
    if (first->has_target)
      sc_late_nodes_add(&network->late, first->target.key, network->moment.now);
  }
  sc_parcel_move(parcel, SC_PARCEL_OVERDUE, 0);
  network->queues_due = true;
}

void sc_parcel_replace_lost(sc_parcel *parcel) {
  const sc_network *network = parcel->network;
  const sc_network_options *options = &network->options;
  uint64_t delay = sc_delay_after(parcel->attempts, options->retry_delay, options->retry_delay_most);
  parcel->lost_one = true;
  sc_parcel_move(parcel, SC_PARCEL_SENT, may_begin(parcel) ? sc_later(network->moment.now, delay) : SC_NEVER);
}

/* ---- where it goes ---- */

typedef enum outcome {
  LEFT,
  STAYS, /* a path that it can take is being built */
  NONE,  /* there is none, and there will be none */
} outcome;

static const sc_path *path_of_first(const sc_parcel *parcel) {
  return parcel->in_flight[0]->path;
}

static outcome launch(sc_parcel *parcel, sc_path *path, const sc_node *target) {
  return sc_parcel_launch(parcel, path, target) == SC_OK ? LEFT : NONE;
}

static outcome await_path(const sc_parcel *parcel, const uint8_t *destination) {
  return sc_paths_want_beside(&parcel->network->paths, path_of_first(parcel), destination) ? STAYS : NONE;
}

/* Over a path other than `besides`, to the first of the nodes that one leads to. */
static bool launch_to_one_of(outcome *out, sc_parcel *parcel, const sc_node *const *nodes, size_t count,
                             const sc_path *besides) {
  for (size_t i = 0; i < count; i++) {
    sc_path *path;
    if (sc_paths_choose(&path, &parcel->network->paths, parcel->category, nodes[i]->key, besides) !=
        SC_PATH_FOUND)
      continue;
    *out = launch(parcel, path, nodes[i]);
    return true;
  }
  return false;
}

/* Another member over the same path is better than none. */
static outcome send_to_swarm(sc_parcel *parcel) {
  sc_network *network = parcel->network;
  const sc_node *candidates[SC_STORAGE_MAX_SWARM];
  sc_swarm swarm;
  outcome out = NONE;
  if (sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, parcel->account + 1, false) != SC_OK)
    return NONE;
  size_t count = sc_candidates_list(candidates, parcel, &swarm);
  if (count == 0 || launch_to_one_of(&out, parcel, candidates, count, path_of_first(parcel)))
    return out;
  if (await_path(parcel, NULL) == STAYS)
    return STAYS;
  (void)launch_to_one_of(&out, parcel, candidates, count, NULL);
  return out;
}

static outcome send_to_node(sc_parcel *parcel) {
  const sc_node *node = sc_nodes_find(parcel->network->nodes, parcel->node);
  outcome out = NONE;
  if (node == NULL || launch_to_one_of(&out, parcel, &node, 1, path_of_first(parcel)))
    return out;
  return await_path(parcel, node->key);
}

static outcome send_to_any(sc_parcel *parcel) {
  sc_network *network = parcel->network;
  const sc_node *nodes[2];
  sc_path *path;
  if (sc_paths_choose(&path, &network->paths, parcel->category, NULL, path_of_first(parcel)) != SC_PATH_FOUND)
    return await_path(parcel, NULL);
  size_t count = sc_paths_targets(nodes, &network->paths, 2, path);
  bool is_first_asked = count > 0 && sc_parcel_has_tried(parcel, nodes[0]->key);
  if (count == 0 || (is_first_asked && count == 1))
    return NONE;
  return launch(parcel, path, nodes[is_first_asked]);
}

static outcome send_to_server(sc_parcel *parcel) {
  sc_path *path;
  if (sc_paths_choose(&path, &parcel->network->paths, parcel->category, NULL, path_of_first(parcel)) ==
      SC_PATH_FOUND)
    return launch(parcel, path, NULL);
  return await_path(parcel, NULL);
}

static outcome begin_second(sc_parcel *parcel) {
  const sc_network *network = parcel->network;
  bool is_hedge = !parcel->lost_one;
  if (!may_begin(parcel) || (is_hedge && !sc_hedge_may(&network->hedge, network->moment.now)))
    return NONE;
  switch (parcel->to) {
  case SC_NETWORK_TO_SWARM:
    return send_to_swarm(parcel);
  case SC_NETWORK_TO_NODE:
    return send_to_node(parcel);
  case SC_NETWORK_TO_ANY_NODE:
    return send_to_any(parcel);
  case SC_NETWORK_TO_SERVER:
    break;
  }
  return send_to_server(parcel);
}

void sc_network_begin_seconds(sc_network *network) {
  sc_parcel *next;
  for (sc_parcel *parcel = network->overdue.first; parcel != NULL; parcel = next) {
    next = parcel->next;
    if (begin_second(parcel) == NONE)
      sc_parcel_move(parcel, SC_PARCEL_SENT, SC_NEVER);
  }
}
