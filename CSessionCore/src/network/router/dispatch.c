/* Chooses the node to ask, and the path. No callbacks run here: failures are reported later in the step. */
#include "apart.h"
#include "candidates.h"
#include "network.h"

typedef enum outcome {
  LEFT,    /* it was sent */
  STAYS,   /* waits for another path; those behind it may continue */
  STOPS,   /* there is no path: those behind it cannot continue either */
  HANDLED, /* it waits elsewhere, or failed */
} outcome;

/* ---- nodes are needed first ---- */

static void nodes_came(void *user, bool refreshed) {
  sc_delivery *delivery = user;
  if (refreshed)
    sc_delivery_enqueue(delivery, true);
  else
    sc_delivery_doom(delivery, delivery->why, delivery->code);
}

/* Waits for a refresh of the pool, once, or fails with `why`. */
static outcome await_nodes(sc_delivery *delivery, sc_status why) {
  sc_network *network = delivery->network;
  const sc_moment *moment = &network->moment;
  delivery->why = why;
  delivery->code = 0;
  if (!delivery->refreshed) {
    delivery->refreshed = true;
    sc_delivery_move(delivery, SC_DELIVERY_AWAITS_NODES, 0);
    delivery->waiter = (sc_refresh_waiter){.done = nodes_came, .user = delivery};
    if (sc_nodes_want(network->nodes, moment->now, moment->wall, &delivery->waiter) == SC_REFRESH_WAIT)
      return HANDLED;
  }
  sc_delivery_doom(delivery, why, 0);
  return HANDLED;
}

/* ---- sending to one node or server ---- */

static outcome launch(sc_delivery *delivery, sc_path *path, const sc_node *target) {
  sc_network *network = delivery->network;
  sc_status status = sc_delivery_launch(delivery, path, target);
  if (status == SC_OK)
    return LEFT;
  bool is_unusable = status == SC_ERR_KEY_INVALID && target != NULL;
  if (is_unusable) {
    sc_paths_set_aside(&network->paths, target->key);
    sc_delivery_note_tried(delivery, target->key);
  }
  if (is_unusable || status == SC_ERR_QUIC_BUSY || status == SC_ERR_QUIC_STOPPED ||
      status == SC_ERR_QUIC_STREAM) {
    bool has_others = is_unusable && delivery->to == SC_NETWORK_TO_SWARM;
    delivery->attempts += has_others ? 0 : 1;
    sc_delivery_retry(delivery, status, 0, sc_delivery_backoff(delivery));
    return HANDLED;
  }
  sc_delivery_doom(delivery, status, 0);
  return HANDLED;
}

/* The network's own requests do not justify another path. */
static outcome without_path(sc_delivery *delivery, sc_path_choice choice, const uint8_t *destination) {
  sc_network *network = delivery->network;
  if (choice == SC_PATH_WAIT) {
    sc_paths_want(&network->paths, delivery->category);
    return STOPS;
  }
  if (!delivery->first->own && sc_paths_want_without(&network->paths, delivery->category, destination))
    return STAYS;
  sc_delivery_doom(delivery, SC_ERR_NETWORK_DESTINATION, 0);
  return HANDLED;
}

/* Once an attempt failed, the next takes a path apart from it, and waits for one that is being built. False
 * if there is none and will be none: any path is better than none then. */
static bool send_apart(outcome *out, sc_delivery *delivery, const sc_node *const *targets, size_t count) {
  sc_path *path;
  if (delivery->heard.count == 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    if (!sc_apart_choose(&path, delivery, targets[i] != NULL ? targets[i]->key : NULL))
      continue;
    *out = launch(delivery, path, targets[i]);
    return true;
  }
  *out = STAYS;
  return count > 0 && !delivery->first->own &&
         sc_apart_want(delivery, count == 1 && targets[0] != NULL ? targets[0]->key : NULL);
}

static outcome send_to(sc_delivery *delivery, const sc_node *target) {
  sc_path *path;
  outcome apart;
  const uint8_t *key = target != NULL ? target->key : NULL;
  if (send_apart(&apart, delivery, &target, 1))
    return apart;
  sc_path_choice choice = sc_paths_choose(&path, &delivery->network->paths, delivery->category, key, NULL);
  return choice == SC_PATH_FOUND ? launch(delivery, path, target) : without_path(delivery, choice, key);
}

/* ---- members of a swarm ---- */

/* True if the last failure may have been that of the path alone. */
static bool may_path_have_failed(const sc_delivery *delivery) {
  return delivery->why == SC_ERR_REQUEST_TIMEOUT || delivery->why == SC_ERR_NETWORK_PATH;
}

/* To a member that was asked before, when no other is left: over a dead guard, none of them heard of it.
 * False if there is none. */
static bool send_again(outcome *out, sc_delivery *delivery, const sc_swarm *swarm) {
  const sc_node *asked[SC_STORAGE_MAX_SWARM];
  size_t count = may_path_have_failed(delivery) ? sc_candidates_asked(asked, delivery, swarm) : 0;
  for (size_t i = 0; i < count; i++) {
    sc_path *path;
    if (sc_paths_choose(&path, &delivery->network->paths, delivery->category, asked[i]->key, NULL) ==
        SC_PATH_FOUND) {
      *out = launch(delivery, path, asked[i]);
      return true;
    }
  }
  return false;
}

/* To another member over a path that answers, rather than to this one over a path that lets wait. */
static outcome send_to_member(sc_delivery *delivery, const sc_swarm *swarm) {
  sc_network *network = delivery->network;
  const sc_node *candidates[SC_STORAGE_MAX_SWARM];
  size_t count = sc_candidates_list(candidates, delivery, swarm);
  sc_path_choice choice = SC_PATH_WAIT;
  sc_path *doubted = NULL;
  const sc_node *doubted_target = NULL;
  outcome apart;
  if (send_apart(&apart, delivery, candidates, count))
    return apart;
  for (size_t i = 0; i < count; i++) {
    sc_path *path;
    choice = sc_paths_choose(&path, &network->paths, delivery->category, candidates[i]->key, NULL);
    if (choice == SC_PATH_FOUND && !path->is_doubted)
      return launch(delivery, path, candidates[i]);
    if (choice == SC_PATH_FOUND && doubted == NULL) {
      doubted = path;
      doubted_target = candidates[i];
    }
    if (choice == SC_PATH_WAIT)
      break;
  }
  outcome again;
  if (doubted != NULL)
    return launch(delivery, doubted, doubted_target);
  if ((count == 0 || network->options.single_path) && send_again(&again, delivery, swarm))
    return again;
  if (count > 0)
    return without_path(delivery, choice, candidates[0]->key);
  sc_delivery_doom(delivery, delivery->why != SC_OK ? delivery->why : SC_ERR_NO_SWARM, delivery->code);
  return HANDLED;
}

/* Without a newer list, one request goes to the swarm that two members named. All others go to the swarm that
 * the list gives. */
static bool follow_hint(sc_swarm *swarm, const sc_delivery *delivery) {
  sc_swarm hinted;
  if (!delivery->was_not_refreshed || !delivery->is_hint_agreed || delivery->has_followed ||
      !sc_nodes_of_swarm(&hinted, delivery->network->nodes, delivery->hint))
    return false;
  *swarm = hinted;
  return true;
}

static outcome send_to_swarm(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  sc_swarm swarm;
  sc_refresh_want want = sc_nodes_want(network->nodes, network->moment.now, network->moment.wall, NULL);
  (void)want; /* only an old list is to be noticed; the one there is will do */
  sc_status status =
      sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, delivery->account + 1, false);
  if (status == SC_ERR_NO_MEMORY) {
    sc_delivery_doom(delivery, status, 0);
    return HANDLED;
  }
  if (status != SC_OK || swarm.count == 0)
    return await_nodes(delivery, SC_ERR_NETWORK_NO_NODES);
  if (delivery->finds_swarm) {
    sc_delivery_doom(delivery, SC_OK, 0);
    return HANDLED;
  }
  bool follows = follow_hint(&swarm, delivery);
  outcome out = send_to_member(delivery, &swarm);
  if (follows && out == LEFT)
    delivery->has_followed = true;
  return out;
}

static outcome send_to_node(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_node *node = sc_nodes_find(network->nodes, delivery->node);
  return node != NULL ? send_to(delivery, node) : await_nodes(delivery, SC_ERR_NETWORK_UNKNOWN_NODE);
}

static outcome send_to_any(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  sc_path *path;
  if (sc_nodes_pool(network->nodes)->count == 0)
    return await_nodes(delivery, SC_ERR_NETWORK_NO_NODES);
  sc_path_choice choice = sc_paths_choose(&path, &network->paths, delivery->category, NULL, NULL);
  if (choice != SC_PATH_FOUND)
    return without_path(delivery, choice, NULL);
  const sc_node *node = sc_candidates_any(delivery, path);
  if (node != NULL)
    return launch(delivery, path, node);
  if (delivery->apart == NULL)
    return await_nodes(delivery, SC_ERR_NETWORK_NO_NODES);
  sc_delivery_doom(delivery, SC_ERR_NETWORK_NO_NODES, 0);
  return HANDLED;
}

/* A probe goes over the path that it is to prove, or not at all. */
static outcome send_pinned(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  sc_path *path = sc_paths_find(&network->paths, delivery->pinned);
  const sc_node *node = sc_nodes_find(network->nodes, delivery->node);
  if (path != NULL && path->state == SC_PATH_AWAITS_PROBE && node != NULL)
    return launch(delivery, path, node);
  sc_delivery_doom(delivery, SC_ERR_NETWORK_PATH, 0);
  return HANDLED;
}

static outcome send_one(sc_delivery *delivery) {
  if (delivery->pinned != 0)
    return send_pinned(delivery);
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

/* Deliveries that call no node proceed even without a path. */
static void dispatch(sc_network *network, sc_network_category category) {
  bool stopped = false;
  sc_delivery *next;
  for (sc_delivery *delivery = network->queued[category].first; delivery != NULL; delivery = next) {
    next = delivery->next;
    if (!stopped || delivery->finds_swarm || delivery->pinned != 0)
      stopped |= send_one(delivery) == STOPS;
  }
}

void sc_network_dispatch(sc_network *network) {
  network->queues_due = false;
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    dispatch(network, (sc_network_category)i);
  sc_network_begin_seconds(network);
}
