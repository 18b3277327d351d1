#include "oracle.h"

#include <stdarg.h>
#include <stdlib.h>

#include "flaw.h"
#include "memory.h"
#include "world.h"

void oracle_init(world *w) {
  oracle *o = &w->oracle;
  o->exposed_to = memory_new((w->client_count + 1) * w->most_nodes, sizeof *o->exposed_to);
  o->hint_lost_at = memory_new(w->client_count + 1, sizeof *o->hint_lost_at);
  o->astray_in_a_row = memory_new(w->client_count + 1, sizeof *o->astray_in_a_row);
  o->redirects = memory_new(w->client_count + 1, sizeof *o->redirects);
  o->guards = memory_new(w->client_count + 1, sizeof *o->guards);
  o->polls = memory_new(w->client_count + 1, sizeof *o->polls);
  o->known_guards = memory_new(w->client_count + 1, sizeof *o->known_guards);
  o->lists = memory_new(w->client_count + 1, sizeof *o->lists);
  o->seen = memory_new(w->client_count + 1, sizeof *o->seen);
  oracle_note_list(w);
  o->trips = memory_new(oracle_trips, sizeof *o->trips);
}

void oracle_free(world *w) {
  oracle *o = &w->oracle;
  oracle_free_stores(o);
  oracle_free_lists(w);
  oracle_free_polls(w);
  free(o->guards);
  free(o->known_guards);
  free(o->seen);
  free(o->exposed_to);
  free(o->astray_in_a_row);
  free(o->hint_lost_at);
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

static void judge_time(const client_call *a) {
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

static bool form_of(sc_buffer *out, const client_call *a, const sc_network_reply *reply) {
  if (a->kind == CALL_SERVER)
    return sc_buffer_append(out, reply->body) == SC_OK;
  return reply->status != SC_OK || ledger_form(out, &a->request, reply->body);
}

static bool made_it(world *w, const client_call *a, ledger_entry *entry, const sc_network_reply *reply) {
  if (a->kind != CALL_SERVER) {
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

static void judge_origin(const client_call *a, const sc_network_reply *reply) {
  world *w = a->by->world;
  ledger_entry entry = {.client = a->by->index + 1, .code = reply->code};
  sc_buffer body;
  if (reply->status != SC_OK && reply->status != SC_ERR_REQUEST_FAILED)
    return;
  sc_buffer_init(&body, NULL);
  bool readable = form_of(&body, a, reply);
  entry.body = sc_buffer_bytes(&body);
  if (readable && !made_it(w, a, &entry, reply))
    oracle_break(w, "client %u takes a reply to request %llu (%s, code %d) that its destination did not make",
                 a->by->index, (unsigned long long)a->number, client_call_kind_name(a->kind), reply->code);
  sc_buffer_free(&body);
}

void oracle_judge(client_call *a, const sc_network_reply *reply) {
  sc_network_reply shown = *reply;
  a->done += flaw_hits(a, FLAW_TWICE);
  flaw_reply(a, &shown);
  judge_time(a);
  judge_origin(a, &shown);
  oracle_count_service(a, reply);
  oracle_check_hint(a, reply);
}

/* Ways */

static bool is_bad(const node *n) {
  return !node_is_honest(n) || n->blemished;
}

/* A guard is on all paths, so that it alone can make a node look bad. */
static void expose(world *w, uint64_t client, uint32_t node, uint32_t bad) {
  uint16_t *to = &w->oracle.exposed_to[client * w->most_nodes + node];
  bool is_guard = oracle_is_guard(&w->clients[client - 1], w->nodes[bad].keys->ed.public_key);
  uint16_t mark = is_guard ? UINT16_MAX : (uint16_t)(bad + 1);
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
  for (uint32_t i = 0; i < t->count; i++)
    if (t->nodes[i] == n->index || (flaw_returns(w) && i > 0))
      oracle_break(w, "a request of client %llu comes twice to one node",
                   (unsigned long long)oracle_client_of(tag) - 1);
  if (t->count < trip_most_nodes)
    t->nodes[t->count++] = n->index;
}

void oracle_redirected(world *w, uint64_t tag) {
  if (is_of_client(w, tag))
    w->oracle.redirects[oracle_client_of(tag)]++;
}

/* Sizes */

/* Counted by itself: 512 bytes up to 4 KiB, above it an eighth of the power of two below. */
void oracle_check_size(world *w, size_t size) {
  size_t power = 4096;
  while (power * 2 <= size)
    power *= 2;
  if (flaw_size(w, size) % (power / 8) != 0)
    oracle_break(w, "a request to a node has %zu bytes, which tells what it is", size);
}

/* Each second */

static void second_passes(void *user, uint64_t number) {
  world *w = user;
  (void)number;
  flaw_strike(w);
  oracle_check_stores(w, false);
  oracle_look(w);
  oracle_check_line(w);
  agenda_add(&w->agenda, w->agenda.now + SIM_SECOND, second_passes, w, 0);
}

void oracle_begin(world *w) {
  agenda_add(&w->agenda, w->agenda.now + SIM_SECOND, second_passes, w, 0);
}

void oracle_conclude(world *w) {
  oracle_check_stores(w, true);
  oracle_check_service(w);
  for (size_t i = 0; i < w->client_count; i++)
    for (const client_call *a = w->clients[i].calls; a != NULL; a = a->next)
      if (a->done == 0)
        oracle_break(w, "request %llu (%s) of client %zu was never completed", (unsigned long long)a->number,
                     client_call_kind_name(a->kind), i);
}
