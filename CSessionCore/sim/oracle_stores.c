/* The promises of swarms to clients: an acknowledged message stays until a client ends it, a deleted message
 * stays deleted, revoked members stay outside, and each node signs its changes. */
#include <stdlib.h>

#include "memory.h"
#include "oracle.h"
#include "world.h"

void oracle_free_stores(oracle *o) {
  for (size_t i = 0; i < o->promise_count; i++)
    free(o->promises[i].keepers);
  for (size_t i = 0; i < o->burial_count; i++)
    free(o->burials[i].signers);
  free(o->promises);
  free(o->burials);
  free(o->withdrawals);
}

/* The honest nodes that say, signed, that they did it. The caller frees the list. */
static size_t honest_signers(uint32_t **out, world *w, const sc_storage_members *members) {
  size_t count = 0;
  *out = memory_new(members->count, sizeof **out);
  for (size_t i = 0; i < members->count; i++) {
    const node *n = members->list[i].failed ? NULL : node_find(w, members->list[i].node);
    if (n != NULL && node_is_honest(n))
      (*out)[count++] = n->index;
  }
  return count;
}

/* Requests that end a promise */

static bool is_at(sc_storage_namespace where, int16_t number) {
  return where.all || where.number == number;
}

static bool is_of_hash(const client_call *a) {
  return a->kind == CALL_DELETE || a->kind == CALL_EXPIRE;
}

static bool covers(const client_call *a, const promise *p) {
  const sc_storage_sweep *sweep = &a->request.of.sweep;
  if (memcmp(a->request.account, p->account, sizeof p->account) != 0)
    return false;
  if (is_of_hash(a))
    return strcmp(a->hash, p->hash) == 0;
  return is_at(sweep->where, p->number) && (a->kind != CALL_DELETE_BEFORE || p->timestamp <= sweep->time);
}

static void shorten(promise *p, uint64_t expiry) {
  p->expiry = expiry < p->expiry ? expiry : p->expiry;
}

static void end_promise(promise *p, const client_call *a) {
  if (!covers(a, p))
    return;
  if (a->kind == CALL_EXPIRE_ALL)
    shorten(p, a->request.of.sweep.time);
  else if (a->kind != CALL_EXPIRE)
    p->withdrawn = true;
  else if (a->request.of.expire.mode != SC_STORAGE_EXPIRE_EXTEND)
    shorten(p, a->expiries[0]);
}

static bool ends_promises(const client_call *a) {
  return is_of_hash(a) || a->kind == CALL_DELETE_ALL || a->kind == CALL_DELETE_BEFORE ||
         a->kind == CALL_EXPIRE_ALL;
}

void oracle_withdraw(const client_call *a) {
  oracle *o = &a->by->world->oracle;
  if (!ends_promises(a))
    return;
  o->withdrawals =
      memory_grow(o->withdrawals, o->withdrawal_count, &o->withdrawal_capacity, sizeof(const client_call *));
  o->withdrawals[o->withdrawal_count++] = a;
  for (size_t i = 0; i < o->promise_count; i++)
    end_promise(&o->promises[i], a);
}

/* A request made earlier may have arrived after the store. */
static void end_at_once(promise *p, const oracle *o, const client_call *store) {
  for (size_t i = 0; i < o->withdrawal_count; i++) {
    const client_call *a = o->withdrawals[i];
    if (is_of_hash(a) || a->ended_at == 0 || a->ended_at + ORACLE_ECHO_TIME > store->made_at)
      end_promise(p, a);
  }
}

/* Promises */

void oracle_promise(client_call *a, const sc_storage_members *members) {
  world *w = a->by->world;
  oracle *o = &w->oracle;
  const sc_storage_store *store = &a->request.of.store;
  o->promises = memory_grow(o->promises, o->promise_count, &o->promise_capacity, sizeof *o->promises);
  promise *p = &o->promises[o->promise_count];
  *p = (promise){.number = store->number, .timestamp = store->timestamp, .expiry = store->expiry};
  memcpy(p->account, a->request.account, sizeof p->account);
  sc_storage_message_hash(p->hash, p->account, store->number, store->data);
  p->keeper_count = honest_signers(&p->keepers, w, members);
  end_at_once(p, o, a);
  /* Without an honest signer the reply is a lie that no client can detect. */
  if (p->keeper_count == 0) {
    free(p->keepers);
    return;
  }
  o->promise_count++;
  oracle_expect(w, p);
}

static bool keeps(const node *n, const char *hash) {
  return !n->gone && node_is_honest(n) && node_store_find(&n->store, sc_bytes_text(hash)) != NULL;
}

static bool is_kept_by_swarm(const world *w, const promise *p, bool *has_honest) {
  const registry_list *list = w->registry.newest;
  const registry_swarm *swarm = registry_swarm_of(list, p->account);
  *has_honest = false;
  for (uint32_t i = 0; swarm != NULL && i < swarm->count; i++) {
    const node *n = &w->nodes[list->nodes[swarm->first + i]];
    *has_honest = *has_honest || (!n->gone && node_is_honest(n));
    if (keeps(n, p->hash))
      return true;
  }
  return false;
}

/* Clocks of nodes may be ten minutes ahead. */
static bool has_ended(const world *w, const promise *p) {
  enum { clocks_ms = 700000 };
  return p->withdrawn || p->expiry < world_wall(w) + clocks_ms;
}

/* While the network changes, one node that keeps the message and will hand it on is enough. */
static void check_promise(world *w, const promise *p, bool at_last) {
  bool has_honest, kept, left = true;
  if (has_ended(w, p))
    return;
  kept = is_kept_by_swarm(w, p, &has_honest);
  for (size_t i = 0; i < p->keeper_count; i++) {
    const node *n = &w->nodes[p->keepers[i]];
    left = left && n->gone;
    kept = kept || (!at_last && keeps(n, p->hash));
  }
  if (kept || !has_honest)
    return;
  if (left && at_last)
    w->oracle.died++;
  else if (!left)
    oracle_break(w, "the acknowledged message %s is lost: %zu honest nodes had signed for it", p->hash,
                 p->keeper_count);
}

/* Deletions: clients delete what only one attempt was made to store, so that no copy can come after them. */

static void bury(const client_call *a, const sc_storage_members *members) {
  oracle *o = &a->by->world->oracle;
  o->burials = memory_grow(o->burials, o->burial_count, &o->burial_capacity, sizeof *o->burials);
  burial *b = &o->burials[o->burial_count];
  *b = (burial){0};
  memcpy(b->hash, a->hash, sizeof b->hash);
  b->signer_count = honest_signers(&b->signers, a->by->world, members);
  if (b->signer_count == 0)
    free(b->signers);
  else
    o->burial_count++;
}

static void check_burial(world *w, const burial *b) {
  for (size_t i = 0; i < b->signer_count; i++)
    if (keeps(&w->nodes[b->signers[i]], b->hash))
      oracle_break(w, "the message %s is there again at node %u, which had signed that it was deleted",
                   b->hash, b->signers[i]);
}

void oracle_check_stores(world *w, bool at_last) {
  enum { each_second = 20 };
  oracle *o = &w->oracle;
  size_t promises = at_last || o->promise_count < each_second ? o->promise_count : each_second;
  size_t burials = at_last || o->burial_count < each_second ? o->burial_count : each_second;
  for (size_t i = 0; i < promises; i++) {
    o->next_promise = (o->next_promise + 1) % o->promise_count;
    check_promise(w, &o->promises[o->next_promise], at_last);
  }
  for (size_t i = 0; i < burials; i++) {
    o->next_burial = (o->next_burial + 1) % o->burial_count;
    check_burial(w, &o->burials[o->next_burial]);
  }
}

/* Members */

/* Without churn, every node knows the members of a swarm. */
static void check_swarm(const client_call *a, const sc_storage_members *members) {
  world *w = a->by->world;
  for (size_t i = 0; i < members->count && !plan_has(&w->plan, FAULT_CHURN); i++) {
    const node *n = node_find(w, members->list[i].node);
    if (n == NULL || !registry_is_member(w->registry.newest, n->index, a->request.account))
      oracle_break(w,
                   "an honest node says of somebody who is not of the swarm what they did for request %llu",
                   (unsigned long long)a->number);
  }
}

static void note_revocation(client_call *a, const sc_storage_members *members) {
  group_member *member = a->member;
  member->signer_count = honest_signers(&member->signers, a->by->world, members);
  member->revoked = a->by->world->agenda.now;
}

void oracle_check_members(client_call *a, const sc_network_reply *reply) {
  world *w = a->by->world;
  sc_storage_parsed_reply parsed;
  sc_storage_tally tally;
  const node *n = reply->node == NULL ? NULL : node_find(w, reply->node->key);
  if (sc_storage_reply_parse(&parsed, &a->by->env, &a->request, reply->body) != SC_OK)
    return;
  const sc_storage_members *members = &parsed.reply.of.members;
  bool is_signed = sc_storage_reply_verify(&tally, &a->by->env, &a->request, &parsed.reply, NULL) == SC_OK;
  if (n != NULL && node_is_honest(n)) {
    if (!is_signed)
      oracle_break(w, "what an honest node says to request %llu (%s) is not signed by those who did it",
                   (unsigned long long)a->number, client_call_kind_name(a->kind));
    check_swarm(a, members);
  }
  if (is_signed && a->kind == CALL_DELETE)
    bury(a, members);
  else if (is_signed && a->kind == CALL_REVOKE)
    note_revocation(a, members);
  sc_storage_parsed_reply_free(&parsed);
}

/* Revocations */

void oracle_check_admission(const client_call *a, const sc_network_reply *reply) {
  world *w = a->by->world;
  const group_member *member = a->member;
  const node *n = reply->node == NULL ? NULL : node_find(w, reply->node->key);
  bool is_shut_out = member->revoked != 0 && !member->unrevoking && a->made_at > member->revoked;
  for (size_t i = 0; i < member->signer_count && n != NULL && is_shut_out; i++)
    if (member->signers[i] == n->index)
      oracle_break(w, "node %u lets in a member whose rights it had signed to be taken back", n->index);
}
