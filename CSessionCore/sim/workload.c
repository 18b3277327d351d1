/* What people do with a client: requests of every kind, and what they make of the replies. */
#include <stdlib.h>

#include "client.h"
#include "flaw.h"
#include "memory.h"
#include "oracle.h"
#include "report.h"
#include "world.h"

static const int16_t namespaces[client_namespaces] = {0, 2, 3};
static const uint64_t day_ms = (uint64_t)24 * 60 * 60 * 1000;

const char *ask_kind_name(ask_kind kind) {
  static const char *const names[] = {"store", "send", "retrieve", "server", "info"};
  return names[kind];
}

static ask *new_ask(client *c, ask_kind kind) {
  ask *a = memory_new(1, sizeof *a);
  a->by = c;
  a->kind = kind;
  a->number = ++c->world->ask_count;
  a->made_at = c->world->agenda.now;
  return a;
}

static void free_ask(ask *a) {
  blob_drop(a->data);
  blob_drop(a->reply);
  free(a);
}

/* Requests stay in the list after they are done, for a while, to catch a second completion. */
void client_drop_asks(client *c) {
  while (c->asks != NULL) {
    ask *a = c->asks;
    c->asks = a->next;
    free_ask(a);
  }
}

/* What came of a store: only those who are known to be of the swarm count. */

static void swarm_found(void *user, sc_network_ticket ticket, sc_status status, const sc_node *nodes,
                        size_t count) {
  ask *a = user;
  sc_storage_parsed_reply parsed;
  sc_storage_tally tally;
  (void)ticket;
  blob *body = a->reply;
  a->reply = NULL;
  if (status != SC_OK || count == 0 || body == NULL) {
    blob_drop(body);
    return;
  }
  uint8_t(*keys)[SC_KEY_BYTES] = memory_new(count, sizeof *keys);
  for (size_t i = 0; i < count; i++)
    memcpy(keys[i], nodes[i].key, SC_KEY_BYTES);
  if (sc_storage_reply_parse(&parsed, &a->by->env, &a->request, blob_bytes(body)) == SC_OK) {
    const uint8_t(*swarm)[SC_KEY_BYTES] = (const uint8_t(*)[SC_KEY_BYTES])keys;
    bool good =
        sc_storage_reply_verify(&tally, &a->by->env, &a->request, &parsed.reply, swarm, count) == SC_OK;
    if (good && tally.enough)
      oracle_promise(a, &parsed.reply.of.members);
    sc_storage_parsed_reply_free(&parsed);
  }
  free(keys);
  blob_drop(body);
}

static void consider_store(ask *a, const sc_network_reply *reply) {
  client *c = a->by;
  sc_network_ticket ticket;
  if (reply->status != SC_OK)
    return;
  a->reply = blob_make(reply->body);
  if (sc_network_find_swarm(&ticket, c->network, c->world->agenda.now, a->request.account, swarm_found, a) !=
      SC_OK) {
    blob_drop(a->reply);
    a->reply = NULL;
  }
}

static size_t place_of(int16_t number) {
  size_t place = 0;
  while (namespaces[place] != number)
    place++;
  return place;
}

/* Hashes mean something only to the node that said them. */
static void remember_place(ask *a, const sc_network_reply *reply) {
  client *c = a->by;
  sc_storage_parsed_reply parsed;
  if (reply->status != SC_OK || reply->node == NULL)
    return;
  if (sc_storage_reply_parse(&parsed, &c->env, &a->request, reply->body) != SC_OK)
    return;
  const sc_storage_messages *messages = &parsed.reply.of.messages;
  size_t place = place_of(a->request.of.retrieve.number);
  if (messages->count > 0) {
    const node *n = node_find(c->world, reply->node->key);
    memcpy(c->last_hash[place], messages->list[messages->count - 1].hash.ptr, SC_STORAGE_HASH_CHARS);
    c->last_hash_node[place] = n == NULL ? 0 : n->index + 1;
  }
  sc_storage_parsed_reply_free(&parsed);
}

static void done(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  ask *a = user;
  client *c = a->by;
  world *w = c->world;
  if (flaw_hits(a, FLAW_NEVER))
    return;
  a->done++;
  c->open -= a->done == 1;
  trace_say(&w->trace, "client %u: %s %llu ends: %s %d after %u attempts", c->index, ask_kind_name(a->kind),
            (unsigned long long)a->number, sc_status_text(reply->status), reply->code, reply->attempts);
  (void)ticket;
  oracle_judge(a, reply);
  report_count(w, a, reply);
  if (a->kind == ASK_STORE || a->kind == ASK_SEND)
    consider_store(a, reply);
  else if (a->kind == ASK_RETRIEVE)
    remember_place(a, reply);
}

/* Making requests */

static blob *some_data(client *c) {
  static const size_t sizes[] = {60, 200, 600, 2000, 9000};
  uint8_t bytes[9000];
  size_t len = sizes[draw_below(&c->chance, sizeof sizes / sizeof sizes[0])];
  draws_fill(&c->chance, bytes, len);
  return blob_make(sc_bytes_make(bytes, len));
}

static void sign(ask *a) {
  sc_storage_signer signer = sc_storage_account_signer(&a->by->account.keys.ed);
  if (sc_storage_request_sign(&a->request, &a->by->env, &signer) != SC_OK)
    abort();
}

static void prepare_store(ask *a) {
  client *c = a->by;
  world *w = c->world;
  uint64_t now = sc_network_time(c->network, w->agenda.now);
  const client *to = a->kind == ASK_SEND ? &w->clients[draw_below(&c->chance, (uint32_t)w->client_count)] : c;
  int16_t number = a->kind == ASK_SEND ? namespaces[0] : namespaces[1 + draw_below(&c->chance, 2)];
  a->data = some_data(c);
  a->request.method = SC_STORAGE_STORE;
  memcpy(a->request.account, to->account.id, sizeof a->request.account);
  a->request.of.store = (sc_storage_store){number, now, now + day_ms, now, blob_bytes(a->data)};
  if (a->kind == ASK_STORE)
    sign(a);
}

static void prepare_retrieve(ask *a, bool all) {
  client *c = a->by;
  size_t place = draw_below(&c->chance, client_namespaces);
  a->request.method = SC_STORAGE_RETRIEVE;
  memcpy(a->request.account, c->account.id, sizeof a->request.account);
  a->request.of.retrieve =
      (sc_storage_retrieve){.number = namespaces[place],
                            .max_size = -(int64_t)(1 + draw_below(&c->chance, 200)),
                            .signed_at = sc_network_time(c->network, c->world->agenda.now)};
  if (!all && c->last_hash[place][0] != '\0')
    a->request.of.retrieve.last_hash = sc_bytes_text(c->last_hash[place]);
  sign(a);
}

static sc_status send_storage(ask *a, sc_network_request *request) {
  client *c = a->by;
  bool to_any = a->kind == ASK_INFO;
  request->to = to_any ? SC_NETWORK_TO_ANY_NODE : SC_NETWORK_TO_SWARM;
  request->storage = &a->request;
  return sc_network_send(&a->ticket, c->network, c->world->agenda.now, request);
}

static sc_status send_server(ask *a, sc_network_request *request) {
  client *c = a->by;
  world *w = c->world;
  const sc_onion_server server = server_address(&w->servers[draw_below(&c->chance, world_server_count)]);
  a->data = some_data(c);
  const sc_onion_request http = {.method = SC_ONION_POST,
                                 .endpoint = sc_bytes_text("/echo"),
                                 .has_body = true,
                                 .body = blob_bytes(a->data)};
  request->to = SC_NETWORK_TO_SERVER;
  request->server = &server;
  request->http = &http;
  return sc_network_send(&a->ticket, c->network, w->agenda.now, request);
}

static bool send(ask *a) {
  client *c = a->by;
  sc_network_request request = {.done = done, .user = a};
  if (draw_one_in(&c->chance, 2))
    a->overall = request.overall = (5 + draw_below(&c->chance, 56)) * SIM_SECOND;
  request.small = draw_one_in(&c->chance, 2);
  request.alone = draw_one_in(&c->chance, 4);
  sc_status status = a->kind == ASK_SERVER ? send_server(a, &request) : send_storage(a, &request);
  a->request.of.retrieve.last_hash =
      a->kind == ASK_RETRIEVE ? (sc_bytes){0} : a->request.of.retrieve.last_hash;
  if (status != SC_OK) {
    trace_say(&c->world->trace, "client %u: %s is refused: %s", c->index, ask_kind_name(a->kind),
              sc_status_text(status));
    report_refused(c->world, status);
    free_ask(a);
    return false;
  }
  trace_say(&c->world->trace, "client %u: %s %llu begins", c->index, ask_kind_name(a->kind),
            (unsigned long long)a->number);
  a->next = c->asks;
  c->asks = a;
  c->open++;
  c->asked_at = a->made_at;
  client_woken(c);
  return true;
}

static ask_kind some_kind(client *c) {
  static const ask_kind kinds[] = {ASK_STORE,    ASK_STORE,    ASK_STORE,    ASK_SEND,   ASK_SEND,
                                   ASK_RETRIEVE, ASK_RETRIEVE, ASK_RETRIEVE, ASK_SERVER, ASK_INFO};
  return kinds[draw_below(&c->chance, sizeof kinds / sizeof kinds[0])];
}

bool client_ask(client *c) {
  ask *a = new_ask(c, some_kind(c));
  if (a->kind == ASK_STORE || a->kind == ASK_SEND)
    prepare_store(a);
  else if (a->kind == ASK_RETRIEVE)
    prepare_retrieve(a, false);
  else if (a->kind == ASK_INFO)
    a->request.method = SC_STORAGE_INFO;
  return send(a);
}

void client_ask_for_all(client *c) {
  ask *a = new_ask(c, ASK_RETRIEVE);
  prepare_retrieve(a, true);
  (void)send(a);
}

/* Living */

static void time_to_ask(void *user, uint64_t number) {
  enum { usual_pause_ms = 3000, most_at_once = 6 };
  client *c = user;
  (void)number;
  if (c->to_make == 0)
    return;
  uint32_t times = draw_one_in(&c->chance, 8) ? 1 + draw_below(&c->chance, most_at_once) : 1;
  for (; times > 0 && c->to_make > 0 && c->network != NULL && !c->suspended; times--)
    c->to_make -= client_ask(c);
  uint64_t pause = (1 + draw_below(&c->chance, 2 * usual_pause_ms)) * SIM_MILLISECOND;
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
  if (plan_has(&c->world->plan, FAULT_OUTAGES) || plan_has(&c->world->plan, FAULT_SUSPENDS))
    agenda_add(&c->world->agenda, now + first + some_while(c, 60), befall, c, 0);
}
