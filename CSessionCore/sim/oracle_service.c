/* Requests that must be served in worlds where little is wrong. Hostile nodes that all do the same neither
 * lead requests astray nor make more of them fail than they could by standing in the way of three attempts.
 * In a small network everything is served for which there is a node. */
#include <math.h>

#include "flaw.h"
#include "line.h"
#include "oracle.h"
#include "world.h"

static bool is_conspiracy(const world *w) {
  return w->plan.strategy != 0 && w->plan.faults == 0 && w->plan.line == LINE_HONEST;
}

static bool must_serve_all(const world *w) {
  return plan_is_small(&w->plan) && w->plan.faults == 0 && w->plan.line == LINE_HONEST &&
         w->plan.strategy == 0;
}

/* Everybody has the true list there, unless lists are the strategy. Only the hint of two members may lead
 * requests astray: the one that they refused, and then every other read of that account for ten minutes. So
 * there is no small share of requests that may go astray: of an account that is polled every few seconds,
 * half of the reads may for as long as a hint is kept. What holds always is that no account is captured,
 * since requests go to the right swarm in between, and that a hint costs one request in ten minutes, since
 * honest nodes of the wrong swarm send the others back. */
void oracle_check_place(const node *n, uint64_t tag, const uint8_t account[static SC_STORAGE_ACCOUNT_BYTES]) {
  enum { most_in_a_row = 4 };
  world *w = n->world;
  if (!is_conspiracy(w) || (w->plan.strategy & TRAIT_CAPTURE) == 0)
    return;
  uint32_t *in_a_row = &w->oracle.astray_in_a_row[oracle_client_of(tag)];
  bool is_astray = !registry_is_member(w->registry.newest, n->index, account) || flaw_leads_astray(w);
  w->oracle.placed++;
  w->oracle.astray += is_astray;
  *in_a_row = is_astray ? *in_a_row + 1 : 0;
  if (*in_a_row > most_in_a_row)
    oracle_break(w, "client %llu asks node %u, the last of %u in a row, for an account that is not there",
                 (unsigned long long)oracle_client_of(tag) - 1, n->index, *in_a_row);
}

void oracle_check_hint(const client_call *a, const sc_network_reply *reply) {
  const uint64_t once_in = 600 * SIM_SECOND;
  world *w = a->by->world;
  const node *n = reply->node == NULL ? NULL : node_find(w, reply->node->key);
  if (!is_conspiracy(w) || (w->plan.strategy & TRAIT_CAPTURE) == 0 || a->kind == CALL_SERVER || n == NULL ||
      !sc_storage_method_has_account(a->request.method) || a->request.method == SC_STORAGE_GET_SWARM ||
      registry_is_member(w->registry.newest, n->index, a->request.account))
    return;
  uint64_t *last = &w->oracle.hint_lost_at[a->by->index];
  if (*last != 0 && w->agenda.now - *last < once_in)
    oracle_break(w, "client %u loses two requests to hints within ten minutes", a->by->index);
  *last = w->agenda.now;
}

/* A hostile guard stands in the way of all attempts. */
static bool has_hostile_guard(const client *c) {
  sc_network_guard guards[SC_NETWORK_MAX_GUARDS];
  size_t count = sc_network_guards(guards, SC_NETWORK_MAX_GUARDS, c->network);
  for (size_t i = 0; i < count; i++) {
    const node *n = node_find(c->world, guards[i].node.key);
    if (guards[i].is_in_use && (n == NULL || !node_is_honest(n)))
      return true;
  }
  return false;
}

static bool failed(const sc_network_reply *reply) {
  enum { code_moved = 421 };
  if (reply->status == SC_ERR_REQUEST_FAILED)
    return reply->code == code_moved;
  return reply->status != SC_OK;
}

/* False if all nodes that keep the request's account die: a swarm may have one node. */
static bool has_keeper(const client_call *a) {
  const world *w = a->by->world;
  sc_storage_method method = a->request.method;
  if (!sc_storage_method_has_account(method) && method != SC_STORAGE_BATCH && method != SC_STORAGE_SEQUENCE)
    return true;
  for (uint32_t i = 0; i < w->node_count; i++)
    if (!w->nodes[i].blemished && registry_is_member(w->registry.newest, i, a->request.account))
      return true;
  return false;
}

/* For a poll there is no other member to call. */
static bool polls_hostile(const client_call *a) {
  const node *n = a->kind == CALL_POLL ? node_find(a->by->world, a->member_key) : NULL;
  return n != NULL && !node_is_honest(n);
}

void oracle_count_service(const client_call *a, const sc_network_reply *reply) {
  world *w = a->by->world;
  bool is_tried_thrice =
      is_conspiracy(w) && a->kind != CALL_SERVER && !polls_hostile(a) && !has_hostile_guard(a->by);
  bool is_small = must_serve_all(w) && a->kind != CALL_SERVER && has_keeper(a);
  if (a->overall != 0 || !(is_tried_thrice || is_small))
    return;
  w->oracle.due++;
  w->oracle.lost += failed(reply) || flaw_loses(w);
}

/* An attempt fails over a hostile middle, last hop or member. Of the few middles of a client, more may be
 * hostile than of all nodes. */
void oracle_check_service(world *w) {
  if (must_serve_all(w)) {
    if (w->oracle.lost > 0)
      oracle_break(w, "%zu of %zu requests fail in a small network", w->oracle.lost, w->oracle.due);
    return;
  }
  double honest = 1 - 2 * (double)w->plan.hostile / 1000, due = (double)w->oracle.due;
  double share = pow(1 - honest * honest * honest, 3);
  double most = due * share + 3 * sqrt(due * share * (1 - share)) + 1;
  if ((double)w->oracle.lost > most)
    oracle_break(w, "%zu of %zu requests over honest guards fail; %.1f should at most", w->oracle.lost,
                 w->oracle.due, most);
}
