#include "oracle.h"

#include <stdarg.h>
#include <stdlib.h>

#include "flaw.h"
#include "memory.h"
#include "world.h"

void oracle_init(world *w) {
  oracle *o = &w->oracle;
  o->exposed_to = memory_new((w->client_count + 1) * w->most_nodes, sizeof *o->exposed_to);
  o->redirects = memory_new(w->client_count + 1, sizeof *o->redirects);
  o->trips = memory_new(oracle_trips, sizeof *o->trips);
}

void oracle_free(world *w) {
  oracle *o = &w->oracle;
  for (size_t i = 0; i < o->promise_count; i++)
    free(o->promises[i].keepers);
  free(o->promises);
  free(o->exposed_to);
  free(o->redirects);
  free(o->trips);
}

void oracle_break(world *w, const char *format, ...) {
  oracle *o = &w->oracle;
  va_list arguments;
  if (o->broken)
    return;
  o->broken = true;
  va_start(arguments, format);
  vsnprintf(o->what, sizeof o->what, format, arguments);
  va_end(arguments);
  trace_say(&w->trace, "BROKEN: %s", o->what);
}

/* Replies */

static const uint64_t lateness = SIM_SECOND; /* that a completion may have, for timers that go off together */

static void judge_time(const ask *a) {
  world *w = a->by->world;
  uint64_t took = w->agenda.now - a->made_at + (flaw_hits(a, FLAW_LATE) ? 1000 * SIM_SECOND : 0);
  if (a->done > 1)
    oracle_break(w, "request %llu of client %u is completed %zu times", (unsigned long long)a->number,
                 a->by->index, a->done);
  if (a->overall != 0 && took > a->overall + lateness)
    oracle_break(w, "request %llu of client %u ends after %llu s, its time was %llu s",
                 (unsigned long long)a->number, a->by->index, (unsigned long long)(took / SIM_SECOND),
                 (unsigned long long)(a->overall / SIM_SECOND));
}

/* What both sides write the same, whatever carried it. */
static bool canonical(sc_buffer *out, const ask *a, const sc_network_reply *reply) {
  sc_storage_parsed_reply parsed;
  if (a->kind == ASK_SERVER)
    return sc_buffer_append(out, reply->body) == SC_OK;
  if (reply->status != SC_OK)
    return true;
  if (sc_storage_reply_parse(&parsed, NULL, &a->request, reply->body) != SC_OK)
    return false;
  sc_status status = sc_storage_reply_write(out, SC_STORAGE_JSON, &a->request, &parsed.reply);
  sc_storage_parsed_reply_free(&parsed);
  return status == SC_OK;
}

static bool made_it(world *w, const ask *a, ledger_entry *entry, const sc_network_reply *reply) {
  if (a->kind != ASK_SERVER) {
    const node *n = reply->node == NULL ? NULL : node_find(w, reply->node->key);
    entry->host = n == NULL ? ledger_anybody : n->host;
    return ledger_has(&w->ledger, entry);
  }
  for (size_t i = 0; i < world_server_count; i++) {
    entry->host = w->servers[i].host;
    if (ledger_has(&w->ledger, entry))
      return true;
  }
  return false;
}

static void judge_origin(const ask *a, const sc_network_reply *reply) {
  world *w = a->by->world;
  ledger_entry entry = {.client = a->by->index + 1, .code = reply->code};
  sc_buffer body;
  if (reply->status != SC_OK && reply->status != SC_ERR_REQUEST_FAILED)
    return;
  sc_buffer_init(&body, NULL);
  bool readable = canonical(&body, a, reply);
  entry.body = sc_buffer_bytes(&body);
  if (readable && !made_it(w, a, &entry, reply))
    oracle_break(w, "client %u takes a reply to request %llu (%s, code %d) that its destination did not make",
                 a->by->index, (unsigned long long)a->number, ask_kind_name(a->kind), reply->code);
  sc_buffer_free(&body);
}

void oracle_judge(ask *a, const sc_network_reply *reply) {
  sc_network_reply shown = *reply;
  a->done += flaw_hits(a, FLAW_TWICE);
  flaw_reply(a, &shown);
  judge_time(a);
  judge_origin(a, &shown);
}

/* Promises */

void oracle_promise(ask *a, const sc_storage_members *members) {
  world *w = a->by->world;
  oracle *o = &w->oracle;
  o->promises = memory_grow(o->promises, o->promise_count, &o->promise_capacity, sizeof *o->promises);
  promise *p = &o->promises[o->promise_count];
  *p = (promise){.keepers = memory_new(members->count, sizeof *p->keepers)};
  memcpy(p->account, a->request.account, sizeof p->account);
  sc_storage_message_hash(p->hash, p->account, a->request.of.store.number, a->request.of.store.data);
  for (size_t i = 0; i < members->count; i++) {
    const node *n = members->list[i].failed ? NULL : node_find(w, members->list[i].node);
    if (n != NULL && node_is_honest(n))
      p->keepers[p->keeper_count++] = n->index;
  }
  /* Where nobody honest signed, liars have lied, and nobody can know better. */
  if (p->keeper_count == 0)
    free(p->keepers);
  else
    o->promise_count++;
}

static bool keeps(const node *n, const promise *p) {
  return !n->gone && node_is_honest(n) && node_store_find(&n->store, sc_bytes_text(p->hash)) != NULL;
}

static bool is_kept_by_swarm(const world *w, const promise *p, bool *has_honest) {
  const registry_list *list = w->registry.newest;
  const registry_swarm *swarm = registry_swarm_of(list, p->account);
  *has_honest = false;
  for (uint32_t i = 0; swarm != NULL && i < swarm->count; i++) {
    const node *n = &w->nodes[list->nodes[swarm->first + i]];
    *has_honest = *has_honest || (!n->gone && node_is_honest(n));
    if (keeps(n, p))
      return true;
  }
  return false;
}

/* While the network changes, it is enough that somebody keeps it who will hand it on. */
static void check_promise(world *w, const promise *p, bool at_last) {
  bool has_honest, kept = is_kept_by_swarm(w, p, &has_honest), left = true;
  for (size_t i = 0; i < p->keeper_count; i++) {
    const node *n = &w->nodes[p->keepers[i]];
    left = left && n->gone;
    kept = kept || (!at_last && keeps(n, p));
  }
  if (kept || !has_honest)
    return;
  if (left && at_last)
    w->oracle.died++;
  else if (!left)
    oracle_break(w, "the acknowledged message %s is lost: %zu honest nodes had signed for it", p->hash,
                 p->keeper_count);
}

static void check_promises(world *w) {
  enum { each_second = 20 };
  oracle *o = &w->oracle;
  for (size_t i = 0; i < each_second && i < o->promise_count; i++) {
    o->next_promise = (o->next_promise + 1) % o->promise_count;
    check_promise(w, &o->promises[o->next_promise], false);
  }
}

/* Ways */

static bool is_bad(const node *n) {
  return !node_is_honest(n) || n->blemished;
}

static void expose(world *w, uint64_t client, uint32_t node, uint32_t bad) {
  uint16_t *to = &w->oracle.exposed_to[client * w->most_nodes + node];
  uint16_t mark = (uint16_t)(bad + 1);
  if (node != bad)
    *to = *to == 0 || *to == mark ? mark : UINT16_MAX;
}

static void meet(world *w, const trip *t, uint32_t a, uint32_t b) {
  if (is_bad(&w->nodes[a]))
    expose(w, oracle_client_of(t->tag), b, a);
  if (is_bad(&w->nodes[b]))
    expose(w, oracle_client_of(t->tag), a, b);
}

static trip *trip_of(world *w, uint64_t tag) {
  trip *t = &w->oracle.trips[(tag >> 16) % oracle_trips];
  if (t->tag != tag)
    *t = (trip){.tag = tag};
  return t;
}

static bool is_of_client(const world *w, uint64_t tag) {
  uint64_t client = oracle_client_of(tag);
  return client > 0 && client <= w->client_count;
}

void oracle_name(world *w, uint64_t tag, const node *n) {
  if (!is_of_client(w, tag))
    return;
  const trip *t = trip_of(w, tag);
  for (uint32_t i = 0; i < t->count; i++)
    meet(w, t, t->nodes[i], n->index);
}

void oracle_visit(world *w, uint64_t tag, const node *n) {
  if (!is_of_client(w, tag))
    return;
  oracle_name(w, tag, n);
  trip *t = trip_of(w, tag);
  if (t->count < trip_most_nodes)
    t->nodes[t->count++] = n->index;
}

void oracle_redirected(world *w, uint64_t tag) {
  if (is_of_client(w, tag))
    w->oracle.redirects[oracle_client_of(tag)]++;
}

/* Each second */

static void second_passes(void *user, uint64_t number) {
  world *w = user;
  (void)number;
  flaw_strike(w);
  check_promises(w);
  oracle_look(w);
  agenda_add(&w->agenda, w->agenda.now + SIM_SECOND, second_passes, w, 0);
}

void oracle_begin(world *w) {
  agenda_add(&w->agenda, w->agenda.now + SIM_SECOND, second_passes, w, 0);
}

void oracle_conclude(world *w) {
  for (size_t i = 0; i < w->oracle.promise_count; i++)
    check_promise(w, &w->oracle.promises[i], true);
  for (size_t i = 0; i < w->client_count; i++)
    for (const ask *a = w->clients[i].asks; a != NULL; a = a->next)
      if (a->done == 0)
        oracle_break(w, "request %llu (%s) of client %zu was never completed", (unsigned long long)a->number,
                     ask_kind_name(a->kind), i);
}
