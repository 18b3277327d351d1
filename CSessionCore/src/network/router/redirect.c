/* A node says that it does not keep the messages of an account, and who does. It is believed as far as the
 * pool knows those nodes. */
#include "network.h"

enum { code_moved = 421 };

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
static bool follow_all(sc_parcel *parcel, const sc_reply_facts *facts, bool *wants_refresh) {
  const sc_request *request = parcel->first;
  bool followed = false;
  for (size_t i = 0; i < facts->result_count && i < request->account_count; i++)
    if (facts->results[i].code == code_moved)
      followed |= follow(parcel->network, request->accounts[i], facts->results[i].body, wants_refresh);
  return followed;
}

static void refreshed(void *user, bool good) {
  sc_parcel *parcel = user;
  if (good)
    sc_parcel_enqueue(parcel, true);
  else
    sc_parcel_doom(parcel, parcel->why, parcel->code);
}

/* No redirect could be followed: fetch the list of nodes again and trust that. */
static void await_refresh(sc_parcel *parcel) {
  sc_network *network = parcel->network;
  parcel->waiter = (sc_refresh_waiter){.done = refreshed, .user = parcel};
  sc_parcel_move(parcel, SC_PARCEL_AWAITS_NODES, 0);
  sc_refresh_want want =
      sc_nodes_want_evidence(network->nodes, network->moment.now, network->moment.wall, &parcel->waiter);
  if (want == SC_REFRESH_REFUSED)
    sc_parcel_doom(parcel, parcel->why, parcel->code);
  else if (want == SC_REFRESH_NEEDLESS)
    sc_parcel_enqueue(parcel, true);
}

static void ask_for_list(sc_network *network) {
  sc_refresh_want want =
      sc_nodes_want_evidence(network->nodes, network->moment.now, network->moment.wall, NULL);
  (void)want;
}

void sc_parcel_note_moved(sc_parcel *parcel, const sc_reply_facts *facts) {
  bool wants_refresh = false;
  (void)follow_all(parcel, facts, &wants_refresh);
  if (wants_refresh)
    ask_for_list(parcel->network);
}

bool sc_parcel_redirect(sc_parcel *parcel, sc_bytes body, const sc_reply_facts *all) {
  sc_network *network = parcel->network;
  bool wants_refresh = false, followed = false;
  parcel->why = SC_ERR_REQUEST_FAILED;
  parcel->code = code_moved;
  if (all != NULL)
    followed = follow_all(parcel, all, &wants_refresh);
  else if (parcel->has_account)
    followed = follow(network, parcel->account, body, &wants_refresh);
  if (wants_refresh)
    ask_for_list(network);
  bool again = parcel->has_account && parcel->redirects < network->options.redirect_retries &&
               parcel->attempts < parcel->most_attempts + network->options.redirect_retries;
  if (!again)
    return false;
  parcel->redirects++;
  parcel->to = SC_NETWORK_TO_SWARM;
  sc_parcel_set_patience(parcel);
  if (followed)
    sc_parcel_enqueue(parcel, true);
  else
    await_refresh(parcel);
  return true;
}
