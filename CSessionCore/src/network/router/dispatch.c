/* Chooses the node to call, and the path. No callbacks run here: failures are reported later in the step. */
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

static outcome without_path(sc_delivery *delivery, sc_path_choice choice) {
  switch (choice) {
  case SC_PATH_WAIT:
    return STOPS;
  case SC_PATH_NO_NODES:
    /* To fetch a list for the sake of those that fetch one would be in vain. */
    if (!delivery->first->own)
      return await_nodes(delivery, SC_ERR_NETWORK_NO_NODES);
    sc_delivery_doom(delivery, SC_ERR_NETWORK_NO_NODES, 0);
    return HANDLED;
  case SC_PATH_NO_MEMORY:
    sc_delivery_doom(delivery, SC_ERR_NO_MEMORY, 0);
    return HANDLED;
  case SC_PATH_CONFLICT:
  case SC_PATH_FOUND:
    break;
  }
  return STAYS;
}

static outcome send_to(sc_delivery *delivery, const sc_node *target) {
  sc_path *path;
  sc_path_choice choice = sc_apart_choose(&path, delivery, target != NULL ? target->key : NULL);
  return choice == SC_PATH_FOUND ? launch(delivery, path, target) : without_path(delivery, choice);
}

/* ---- members of a swarm ---- */

/* True if the last failure may have been that of the path alone. */
static bool may_path_have_failed(const sc_delivery *delivery) {
  return delivery->why == SC_ERR_REQUEST_TIMEOUT || delivery->why == SC_ERR_NETWORK_PATH;
}

static outcome send_to_one_of(sc_delivery *delivery, const sc_node *const *nodes, size_t count) {
  sc_path *path;
  const sc_node *target;
  sc_path_choice choice = sc_candidates_choose(&path, &target, delivery, nodes, count);
  return choice == SC_PATH_FOUND ? launch(delivery, path, target) : without_path(delivery, choice);
}

/* If no other is left, a member that was called before: over a dead guard, none of them received the request.
 */
static outcome send_to_member(sc_delivery *delivery, const sc_swarm *swarm) {
  const sc_node *nodes[SC_STORAGE_MAX_SWARM];
  size_t count = sc_candidates_list(nodes, delivery, swarm);
  if (count == 0 && may_path_have_failed(delivery))
    count = sc_candidates_called(nodes, delivery, swarm);
  if (count > 0)
    return send_to_one_of(delivery, nodes, count);
  sc_delivery_note_end(delivery);
  sc_delivery_doom(delivery, delivery->why != SC_OK ? delivery->why : SC_ERR_NO_SWARM, delivery->code);
  return HANDLED;
}

static bool is_first_read(const sc_delivery *delivery) {
  return delivery->kind == SC_REQUEST_READS && delivery->attempts == 0;
}

/* The hint to follow now. One that is kept leads every other read, and what a member has refused. */
static bool find_hint(uint64_t *out, const sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  if (delivery->was_not_refreshed && delivery->is_hint_agreed) {
    *out = delivery->hint;
    return true;
  }
  return sc_moved_hint(out, &network->moved, &key, network->moment.now) &&
         (delivery->refusals > 0 || (is_first_read(delivery) && sc_moved_is_turn(&network->moved, &key)));
}

/* Without a newer list, one attempt goes to the swarm that two members named. All others go to the swarm that
 * the list gives. */
static bool follow_hint(sc_swarm *swarm, const sc_delivery *delivery) {
  sc_swarm hinted;
  uint64_t hint;
  if (delivery->has_followed || !find_hint(&hint, delivery) ||
      !sc_nodes_of_swarm(&hinted, delivery->network->nodes, hint))
    return false;
  *swarm = hinted;
  return true;
}

/* The attempt has left. */
static void note_left(sc_delivery *delivery, bool was_first_read, bool follows) {
  sc_network *network = delivery->network;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  delivery->has_followed |= follows;
  if (was_first_read)
    sc_moved_note_read(&network->moved, &key, follows);
  if (follows && delivery->was_not_refreshed && delivery->is_hint_agreed)
    sc_moved_keep_hint(&network->moved, &key, delivery->hint, network->moment.now);
}

static bool is_elsewhere(const sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  return delivery->has_account && sc_moved_is_held(&network->moved, &key, network->moment.now);
}

static outcome refuse(sc_delivery *delivery) {
  enum { code_moved = 421 };
  sc_delivery_doom(delivery, SC_ERR_REQUEST_FAILED, code_moved);
  return HANDLED;
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
  if (is_elsewhere(delivery))
    return refuse(delivery);
  bool follows = follow_hint(&swarm, delivery), was_first_read = is_first_read(delivery);
  outcome out = send_to_member(delivery, &swarm);
  if (out == LEFT)
    note_left(delivery, was_first_read, follows);
  return out;
}

static outcome send_to_node(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_node *node = sc_nodes_find(network->nodes, delivery->node);
  if (is_elsewhere(delivery))
    return refuse(delivery);
  return node != NULL ? send_to(delivery, node) : await_nodes(delivery, SC_ERR_NETWORK_UNKNOWN_NODE);
}

static outcome send_to_any(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  sc_path *path;
  if (sc_nodes_pool(network->nodes)->count == 0)
    return await_nodes(delivery, SC_ERR_NETWORK_NO_NODES);
  sc_path_choice choice = sc_apart_choose(&path, delivery, NULL);
  if (choice != SC_PATH_FOUND)
    return without_path(delivery, choice);
  const sc_node *node = sc_candidates_any(delivery, path);
  if (node != NULL)
    return launch(delivery, path, node);
  if (delivery->apart == NULL)
    return await_nodes(delivery, SC_ERR_NETWORK_NO_NODES);
  sc_delivery_doom(delivery, SC_ERR_NETWORK_NO_NODES, 0);
  return HANDLED;
}

static outcome send_one(sc_delivery *delivery) {
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

/* True if its account has not begun yet since the start, or since the last guard came back. */
static bool is_early(const sc_delivery *delivery) {
  sc_network *network = delivery->network;
  uint64_t account = delivery->path_key.local_account;
  if (account == 0 || delivery->is_interactive || delivery->finds_swarm || !network->has_guard ||
      sc_starts_are_over(&network->starts, network->options.start_spread, network->moment.now))
    return false;
  uint64_t at = sc_starts_of(&network->starts, account, network->options.start_spread);
  if (at <= network->moment.now)
    return false;
  network->starts_due_at = at < network->starts_due_at ? at : network->starts_due_at;
  return true;
}

/* Deliveries that call no node proceed even without a guard. */
static void dispatch(sc_network *network, sc_network_category category) {
  bool stopped = false;
  sc_delivery *next;
  for (sc_delivery *delivery = network->queued[category].first; delivery != NULL; delivery = next) {
    next = delivery->next;
    if ((!stopped || delivery->finds_swarm) && !is_early(delivery))
      stopped |= send_one(delivery) == STOPS;
  }
}

void sc_network_dispatch(sc_network *network) {
  network->queues_due = false;
  network->starts_due_at = SC_NEVER;
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    dispatch(network, (sc_network_category)i);
  sc_network_begin_seconds(network);
}
