/* 421: a member does not keep an account. Its word is worth as much as the member: the swarm is the one that
 * the list of nodes gives, and the body of the reply is a hint at most. */
#include "network.h"

enum { code_moved = 421 };

/* The key whose swarm the delivery is for, or NULL. */
static const uint8_t *swarm_of(const sc_delivery *delivery) {
  return delivery->has_account ? delivery->account + 1 : NULL;
}

/* Returns the place of the called node; `swarm->count` if it is not a member. */
static size_t place_in(const sc_delivery *delivery, const sc_swarm *swarm) {
  size_t place = 0;
  while (place < swarm->count && !sc_node_same(swarm->nodes[place], &delivery->target))
    place++;
  return place;
}

/* Two members must give the same one, or the only one. */
static void take_hint(sc_delivery *delivery, uint64_t hint, size_t members) {
  bool is_same = delivery->has_hint && delivery->hint == hint;
  bool is_apart = !delivery->network->options.nodes.subnet_diversity ||
                  !sc_node_same_subnet(&delivery->hint_from, &delivery->target);
  delivery->is_hint_agreed = members == 1 || (is_same && is_apart);
  if (is_same)
    return;
  delivery->has_hint = true;
  delivery->hint = hint;
  delivery->hint_from = delivery->target;
}

static void read_hint(sc_delivery *delivery, sc_bytes body, size_t members) {
  const sc_network *network = delivery->network;
  sc_storage_parsed_swarm parsed;
  uint64_t hint;
  if (sc_storage_swarm_parse(&parsed, network->env, body) != SC_OK)
    return;
  if (sc_nodes_hint(&hint, network->nodes, delivery->account + 1, &parsed.swarm))
    take_hint(delivery, hint, members);
  sc_storage_parsed_swarm_free(&parsed);
}

static void refreshed(void *user, bool good) {
  sc_delivery *delivery = user;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  delivery->was_not_refreshed = !good;
  if (good)
    sc_moved_note_refreshed(&delivery->network->moved, &key);
  sc_delivery_enqueue(delivery, true);
}

/* More than one member says so: a new list of nodes is fetched before the next attempt. */
static void await_refresh(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  delivery->waiter = (sc_refresh_waiter){.done = refreshed, .user = delivery};
  sc_delivery_move(delivery, SC_DELIVERY_AWAITS_NODES, 0);
  sc_refresh_want want = sc_nodes_want_evidence(network->nodes, network->moment.now, network->moment.wall,
                                                swarm_of(delivery), &delivery->waiter);
  if (want != SC_REFRESH_WAIT)
    refreshed(delivery, want == SC_REFRESH_NEEDLESS);
}

void sc_network_doubt_list(sc_network *network, const uint8_t *account) {
  sc_refresh_want want =
      sc_nodes_want_evidence(network->nodes, network->moment.now, network->moment.wall, account, NULL);
  (void)want;
}

/* The results of a batch are about the accounts of its requests, place by place. */
void sc_delivery_note_moved(sc_delivery *delivery, const sc_reply_facts *facts) {
  const sc_request *request = delivery->first;
  sc_network *network = delivery->network;
  for (size_t i = 0; i < facts->result_count && i < request->account_count; i++) {
    if (facts->results[i].code != code_moved)
      continue;
    const sc_swarm_key key = sc_swarm_key_make(delivery->path_key.local_account, request->accounts[i]);
    sc_avoided_add(&network->paths.avoided, delivery->target.key, &key, network->moment.now,
                   sc_nodes_pool(network->nodes)->count);
    sc_network_doubt_list(network, request->accounts[i] + 1);
  }
}

/* Once more than usual after the list was fetched. */
static bool has_attempts(sc_delivery *delivery) {
  if (delivery->attempts < delivery->most_attempts)
    return true;
  return delivery->redirects++ < delivery->network->options.redirect_retries;
}

void sc_delivery_note_end(const sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  if (delivery->has_account && delivery->code == code_moved)
    sc_moved_note_end(&network->moved, &key, network->moment.now);
}

void sc_delivery_note_kept(const sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  sc_swarm swarm;
  if (delivery->has_account && delivery->has_target &&
      sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, delivery->account + 1, true) == SC_OK &&
      place_in(delivery, &swarm) < swarm.count)
    sc_moved_note_kept(&network->moved, &key);
}

sc_status sc_delivery_swarm(sc_swarm *out, const sc_delivery *delivery) {
  const sc_network *network = delivery->network;
  out->count = 0;
  if (!delivery->has_account)
    return SC_ERR_NO_SWARM;
  sc_status status = sc_nodes_swarm(out, network->nodes, network->moment.wall, delivery->account + 1, true);
  if (status != SC_OK || !delivery->has_followed || place_in(delivery, out) < out->count)
    return status;
  const sc_node *node = sc_nodes_find(network->nodes, delivery->target.key);
  return node != NULL && sc_nodes_of_swarm(out, network->nodes, node->swarm) ? SC_OK : SC_ERR_NO_SWARM;
}

static void take_refusal(sc_delivery *delivery, const sc_swarm *swarm, sc_bytes body) {
  sc_network *network = delivery->network;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  network->counts.redirects++;
  sc_delivery_avoid_member(delivery);
  sc_moved_note_refusal(&network->moved, &key, place_in(delivery, swarm), swarm->count, network->moment.now);
  read_hint(delivery, body, swarm->count);
}

bool sc_delivery_redirect(sc_delivery *delivery, sc_bytes body) {
  sc_network *network = delivery->network;
  sc_swarm swarm;
  delivery->why = SC_ERR_REQUEST_FAILED;
  delivery->code = code_moved;
  if (!delivery->has_account || !delivery->has_target ||
      sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, delivery->account + 1, true) != SC_OK)
    return false;
  bool was_asked_as_member = place_in(delivery, &swarm) < swarm.count;
  if (was_asked_as_member)
    take_refusal(delivery, &swarm, body);
  if (!has_attempts(delivery) || (!was_asked_as_member && !delivery->has_followed)) {
    sc_delivery_note_end(delivery);
    return false;
  }
  delivery->to = SC_NETWORK_TO_SWARM;
  delivery->refusals++;
  sc_delivery_start_timeouts(delivery);
  if (delivery->refusals > 1 && !delivery->was_not_refreshed) {
    await_refresh(delivery);
    return true;
  }
  sc_network_doubt_list(network, swarm_of(delivery));
  sc_delivery_enqueue(delivery, true);
  return true;
}
