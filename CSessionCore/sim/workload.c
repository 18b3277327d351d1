/* The user of a client: makes requests of every kind, now and then, and has faults hit the client meanwhile.
 */
#include <stdlib.h>

#include "client.h"
#include "flaw.h"
#include "memory.h"
#include "oracle.h"
#include "report.h"
#include "world.h"

const char *client_call_kind_name(client_call_kind kind) {
  static const char *const names[] = {
      "store",         "send",    "retrieve",   "server",   "info",         "delete",          "delete all",
      "delete before", "expire",  "expire all", "expiries", "member store", "member retrieve", "revoke",
      "unrevoke",      "revoked", "swarm",      "nodes",    "name",         "batch",           "sequence",
      "branch",        "poll"};
  return names[kind];
}

static client_call *new_call(client *c, client_call_kind kind) {
  client_call *a = memory_new(1, sizeof *a);
  a->by = c;
  a->kind = kind;
  a->number = ++c->world->ask_count;
  a->made_at = c->world->agenda.now;
  return a;
}

static void free_call(client_call *a) {
  blob_drop(a->data);
  free(a);
}

/* Requests stay in the list after they are done, for a while, to catch a second completion. */
void client_drop_asks(client *c) {
  while (c->calls != NULL) {
    client_call *a = c->calls;
    c->calls = a->next;
    free_call(a);
  }
}

static void done(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  client_call *a = user;
  client *c = a->by;
  world *w = c->world;
  if (flaw_hits(a, FLAW_NEVER))
    return;
  a->done++;
  a->ended_at = a->ended_at == 0 ? w->agenda.now : a->ended_at;
  c->open -= a->done == 1;
  trace_say(&w->trace, "client %u: %s %llu ends: %s %d after %u attempts", c->index,
            client_call_kind_name(a->kind), (unsigned long long)a->number, sc_status_text(reply->status),
            reply->code, reply->attempts);
  (void)ticket;
  oracle_judge(a, reply);
  report_count(w, a, reply);
  client_take_reply(a, reply);
}

/* Making requests */

static sc_status send_storage(client_call *a, sc_network_request *request) {
  client *c = a->by;
  bool to_any = !sc_storage_method_has_account(a->request.method) && a->request.method != SC_STORAGE_BATCH &&
                a->request.method != SC_STORAGE_SEQUENCE;
  request->to = a->kind == CALL_POLL ? SC_NETWORK_TO_NODE
                : to_any             ? SC_NETWORK_TO_ANY_NODE
                                     : SC_NETWORK_TO_SWARM;
  memcpy(request->node, a->member_key, sizeof request->node);
  request->storage = &a->request;
  return sc_network_send(&a->ticket, c->network, c->world->agenda.now, request);
}

static sc_status send_server(client_call *a, sc_network_request *request) {
  client *c = a->by;
  world *w = c->world;
  const sc_onion_server server = server_address(&w->servers[draw_below(&c->chance, world_server_count)]);
  const sc_onion_request http = {.method = SC_ONION_POST,
                                 .endpoint = sc_bytes_text("/echo"),
                                 .has_body = true,
                                 .body = blob_bytes(a->data)};
  request->to = SC_NETWORK_TO_SERVER;
  request->server = &server;
  request->http = &http;
  return sc_network_send(&a->ticket, c->network, w->agenda.now, request);
}

/* Several accounts use the program: the one whose mailbox it reads, and others that write. */
static uint64_t local_account_of(const client_call *a) {
  size_t accounts = a->by->world->plan.accounts;
  accounts = accounts > 0 ? accounts : plan_usual_accounts;
  return a->kind == CALL_SEND || a->kind == CALL_SERVER ? 1 + a->number % accounts : 1;
}

static bool send(client_call *a) {
  client *c = a->by;
  sc_network_request request = {.done = done, .user = a};
  if (draw_one_in(&c->chance, 2))
    a->overall = request.overall = (5 + draw_below(&c->chance, 56)) * SIM_SECOND;
  request.small = draw_one_in(&c->chance, 2);
  request.alone = draw_one_in(&c->chance, 4);
  request.interactive = draw_one_in(&c->chance, 2);
  request.local_account = local_account_of(a);
  sc_status status = a->kind == CALL_SERVER ? send_server(a, &request) : send_storage(a, &request);
  /* It may be another one by the time of the reply. */
  if (a->kind == CALL_RETRIEVE)
    a->request.of.retrieve.last_hash = (sc_bytes){0};
  if (status != SC_OK) {
    trace_say(&c->world->trace, "client %u: %s is refused: %s", c->index, client_call_kind_name(a->kind),
              sc_status_text(status));
    report_refused(c->world, status);
    free_call(a);
    return false;
  }
  trace_say(&c->world->trace, "client %u: %s %llu begins", c->index, client_call_kind_name(a->kind),
            (unsigned long long)a->number);
  a->next = c->calls;
  c->calls = a;
  c->open++;
  c->called_at = a->made_at;
  oracle_withdraw(a);
  client_woken(c);
  return true;
}

/* Mostly what clients mostly do. */
static client_call_kind some_kind(client *c) {
  static const uint8_t often[client_call_kind_count] = {[CALL_STORE] = 14,
                                                        [CALL_SEND] = 10,
                                                        [CALL_RETRIEVE] = 14,
                                                        [CALL_SERVER] = 5,
                                                        [CALL_INFO] = 3,
                                                        [CALL_DELETE] = 3,
                                                        [CALL_DELETE_ALL] = 1,
                                                        [CALL_DELETE_BEFORE] = 1,
                                                        [CALL_EXPIRE] = 2,
                                                        [CALL_EXPIRE_ALL] = 1,
                                                        [CALL_EXPIRIES] = 1,
                                                        [CALL_MEMBER_STORE] = 2,
                                                        [CALL_MEMBER_RETRIEVE] = 3,
                                                        [CALL_REVOKE] = 1,
                                                        [CALL_UNREVOKE] = 1,
                                                        [CALL_REVOKED] = 1,
                                                        [CALL_SWARM] = 1,
                                                        [CALL_NODES] = 1,
                                                        [CALL_NAME] = 1,
                                                        [CALL_BATCH] = 1,
                                                        [CALL_SEQUENCE] = 1,
                                                        [CALL_BRANCH] = 1};
  uint32_t all = 0, kind = 0;
  for (size_t i = 0; i < client_call_kind_count; i++)
    all += often[i];
  for (uint32_t chosen = draw_below(&c->chance, all); chosen >= often[kind]; kind++)
    chosen -= often[kind];
  return (client_call_kind)kind;
}

/* Falls back to another kind of request when the client has nothing to make this one about. */
static client_call *prepared(client *c, client_call_kind kind) {
  client_call *a = new_call(c, kind);
  if (!client_prepare(a)) {
    a->kind = CALL_INFO;
    a->member = NULL;
    a->request = (sc_storage_request){0};
    (void)client_prepare(a);
  }
  return a;
}

bool client_poll(client *c) {
  client_call *a = new_call(c, CALL_POLL);
  if (client_prepare(a))
    return send(a);
  free_call(a);
  return false;
}

bool client_ask(client *c) {
  return send(prepared(c, some_kind(c)));
}

void client_ask_for_all(client *c) {
  client_call *a = new_call(c, CALL_RETRIEVE);
  client_prepare_to_retrieve_all(a);
  (void)send(a);
}

void client_ask_to_delete(client *c) {
  (void)send(prepared(c, CALL_DELETE));
}

/* Living */

static void time_to_ask(void *user, uint64_t number) {
  enum { usual_pause_ms = 3000, most_at_once = 6 };
  client *c = user;
  (void)number;
  if (c->to_make == 0)
    return;
  uint32_t about_ms = c->world->plan.pause_ms == 0 ? usual_pause_ms : c->world->plan.pause_ms;
  uint32_t times = draw_one_in(&c->chance, 8) ? 1 + draw_below(&c->chance, most_at_once) : 1;
  for (; times > 0 && c->to_make > 0 && c->network != NULL && !c->suspended; times--)
    c->to_make -= client_ask(c);
  uint64_t pause = (1 + draw_below(&c->chance, 2 * about_ms)) * SIM_MILLISECOND;
  agenda_add(&c->world->agenda, c->world->agenda.now + pause, time_to_ask, c, 0);
}

static void recovers(void *user, uint64_t what) {
  client *c = user;
  if (what == 0)
    client_cut(c, false);
  else if (c->network == NULL)
    client_start(c);
  else
    client_resume(c);
}

static uint64_t some_while(client *c, uint32_t about_s) {
  return (1 + draw_below(&c->chance, 2 * about_s)) * SIM_SECOND;
}

static void befall(void *user, uint64_t number) {
  enum { usual_pause_s = 120 };
  client *c = user;
  world *w = c->world;
  (void)number;
  if (w->weather.fair)
    return;
  bool whole = c->network != NULL && !c->suspended && !w->wire.ends[c->host].link.cut;
  bool is_outage = draw_one_in(&c->chance, 2);
  uint64_t until = w->agenda.now + some_while(c, 30);
  if (whole && is_outage && plan_has(&w->plan, FAULT_OUTAGES)) {
    client_cut(c, true);
    agenda_add(&w->agenda, until, recovers, c, 0);
  } else if (whole && !is_outage && plan_has(&w->plan, FAULT_SUSPENDS)) {
    client_suspend(c);
    if (draw_one_in(&c->chance, 3))
      client_stop(c);
    agenda_add(&w->agenda, until, recovers, c, 1);
  }
  agenda_add(&w->agenda, w->agenda.now + some_while(c, usual_pause_s), befall, c, 0);
}

static void time_to_start(void *user, uint64_t number) {
  (void)number;
  client_start(user);
}

void client_live(client *c) {
  uint64_t now = c->world->agenda.now, first = draw_below(&c->chance, 5000) * SIM_MILLISECOND;
  agenda_add(&c->world->agenda, now + first, time_to_start, c, 0);
  agenda_add(&c->world->agenda, now + first + SIM_SECOND, time_to_ask, c, 0);
  poll_begin(c);
  if (plan_has(&c->world->plan, FAULT_OUTAGES) || plan_has(&c->world->plan, FAULT_SUSPENDS))
    agenda_add(&c->world->agenda, now + first + some_while(c, 60), befall, c, 0);
}
