/* Redirects: a node does not store an account and names the nodes that do. It is believed as far as the pool
 * knows those nodes. */
#include "network.h"

enum { code_moved = 421 };

/* The key whose swarm the delivery is for, or NULL. */
static const uint8_t *swarm_of(const sc_delivery *delivery) {
  return delivery->has_account ? delivery->account + 1 : NULL;
}

/* Takes the redirect of one account. False when it cannot be followed. */
static bool follow(sc_network *network, const uint8_t *account, sc_bytes body, bool *wants_refresh) {
  sc_storage_parsed_swarm parsed;
  sc_redirect_verdict verdict = {0};
  if (sc_storage_swarm_parse(&parsed, network->env, body) != SC_OK)
    return false;
  if (sc_nodes_redirect(&verdict, network->nodes, account + 1, &parsed.swarm) != SC_OK)
    verdict = (sc_redirect_verdict){0};
  sc_storage_parsed_swarm_free(&parsed);
  *wants_refresh |= verdict.wants_refresh;
  network->counts.redirects += verdict.known > 0;
  return verdict.known > 0;
}

/* The results of a batch are about the accounts of its requests, place by place. */
static bool follow_all(sc_delivery *delivery, const sc_reply_facts *facts, bool *wants_refresh) {
  const sc_request *request = delivery->first;
  bool followed = false;
  for (size_t i = 0; i < facts->result_count && i < request->account_count; i++)
    if (facts->results[i].code == code_moved)
      followed |= follow(delivery->network, request->accounts[i], facts->results[i].body, wants_refresh);
  return followed;
}

static void refreshed(void *user, bool good) {
  sc_delivery *delivery = user;
  if (good)
    sc_delivery_enqueue(delivery, true);
  else
    sc_delivery_doom(delivery, delivery->why, delivery->code);
}

/* No redirect could be followed: fetch the list of nodes again and trust that. */
static void await_refresh(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  delivery->waiter = (sc_refresh_waiter){.done = refreshed, .user = delivery};
  sc_delivery_move(delivery, SC_DELIVERY_AWAITS_NODES, 0);
  sc_refresh_want want = sc_nodes_want_evidence(network->nodes, network->moment.now, network->moment.wall,
                                                swarm_of(delivery), &delivery->waiter);
  if (want == SC_REFRESH_REFUSED)
    sc_delivery_doom(delivery, delivery->why, delivery->code);
  else if (want == SC_REFRESH_NEEDLESS)
    sc_delivery_enqueue(delivery, true);
}

void sc_network_doubt_list(sc_network *network, const uint8_t *account) {
  sc_refresh_want want =
      sc_nodes_want_evidence(network->nodes, network->moment.now, network->moment.wall, account, NULL);
  (void)want;
}

void sc_delivery_note_moved(sc_delivery *delivery, const sc_reply_facts *facts) {
  bool wants_refresh = false;
  (void)follow_all(delivery, facts, &wants_refresh);
  if (wants_refresh)
    sc_network_doubt_list(delivery->network, swarm_of(delivery));
}

bool sc_delivery_redirect(sc_delivery *delivery, sc_bytes body, const sc_reply_facts *all) {
  sc_network *network = delivery->network;
  bool wants_refresh = false, followed = false;
  delivery->why = SC_ERR_REQUEST_FAILED;
  delivery->code = code_moved;
  if (all != NULL)
    followed = follow_all(delivery, all, &wants_refresh);
  else if (delivery->has_account)
    followed = follow(network, delivery->account, body, &wants_refresh);
  if (wants_refresh)
    sc_network_doubt_list(network, swarm_of(delivery));
  bool again = delivery->has_account && delivery->redirects < network->options.redirect_retries &&
               delivery->attempts < delivery->most_attempts + network->options.redirect_retries;
  if (!again)
    return false;
  delivery->redirects++;
  delivery->to = SC_NETWORK_TO_SWARM;
  sc_delivery_set_patience(delivery);
  if (followed)
    sc_delivery_enqueue(delivery, true);
  else
    await_refresh(delivery);
  return true;
}
