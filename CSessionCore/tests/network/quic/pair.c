#include "pair.h"

#include <stdio.h>
#include <stdlib.h>

#include "network/quic/endpoint.h"
#include "support/seeded_tls.h"
#include "support/test_env.h"

static void note_opened(void *user, sc_quic_connection connection, const uint8_t *peer_key) {
  pair_side *side = user;
  side->opened++;
  side->connection = connection;
  side->had_key = peer_key != NULL;
  if (peer_key != NULL)
    memcpy(side->peer_key, peer_key, SC_KEY_BYTES);
}

static void note_closed(void *user, sc_quic_connection connection, sc_status reason) {
  pair_side *side = user;
  (void)connection;
  side->closed++;
  side->reason = reason;
}

void pair_init(pair *p, const sc_env *env, uint64_t seed) {
  static const uint8_t server_seed[32] = {1};
  *p = (pair){.env = env};
  sc_test_seed_tls(seed);
  net_init(&p->net, seed);
  sc_ed25519_pair_from_seed(&p->server_key, server_seed);
  sc_quic_options_default(&p->options[pair_client]);
  sc_quic_options_default(&p->options[pair_server]);
  p->options[pair_server].identity = &p->server_key;
  p->options[pair_server].accepts = true;
  p->options[pair_server].accepted =
      (sc_quic_events){.user = &p->sides[pair_server], .opened = note_opened, .closed = note_closed};
  p->target = (sc_quic_target){
      .address = net_address(2, 4433),
      .events = {.user = &p->sides[pair_client], .opened = note_opened, .closed = note_closed},
  };
  memcpy(p->target.key, p->server_key.public_key, SC_KEY_BYTES);
}

/* Counts a request. True if the server ignores it. */
static bool swallows(pair *p, const sc_quic_incoming *incoming) {
  sc_quic_endpoint *server = p->sides[pair_server].endpoint;
  const sc_quic_pending_request *pending = sc_slots_find(&server->requests, incoming->request);
  bool elsewhere = pending != NULL && pending->stream->id > 0;
  p->handled++;
  p->on_other_streams += elsewhere;
  if (elsewhere && p->first_stream_alone)
    sc_quic_drop_request(server, incoming->request);
  return elsewhere && p->first_stream_alone;
}

/* A reply without memory is lost, as in any program. */
static void reply(pair *p, sc_quic_request request, sc_bytes body) {
  if (sc_quic_reply(p->sides[pair_server].endpoint, request, body) != SC_OK)
    sc_quic_drop_request(p->sides[pair_server].endpoint, request);
}

static void echo(void *user, const sc_quic_incoming *incoming) {
  pair *p = user;
  if (!swallows(p, incoming))
    reply(p, incoming->request, incoming->body);
}

static void tell_size(void *user, const sc_quic_incoming *incoming) {
  pair *p = user;
  char text[24];
  if (swallows(p, incoming))
    return;
  int len = snprintf(text, sizeof text, "%zu", incoming->body.len);
  reply(p, incoming->request, sc_bytes_make(text, (size_t)len));
}

static void send_large(void *user, const sc_quic_incoming *incoming) {
  pair *p = user;
  char text[24] = {0};
  if (swallows(p, incoming))
    return;
  memcpy(text, incoming->body.ptr, incoming->body.len < sizeof text ? incoming->body.len : sizeof text - 1);
  size_t len = (size_t)strtoull(text, NULL, 10);
  uint8_t *bytes = calloc(1, len + 1);
  if (bytes == NULL)
    abort();
  for (size_t i = 0; i < len; i++)
    bytes[i] = (uint8_t)(i * 31 >> 3);
  reply(p, incoming->request, sc_bytes_make(bytes, len));
  free(bytes);
}

static void keep(void *user, const sc_quic_incoming *incoming) {
  pair *p = user;
  if (swallows(p, incoming))
    return;
  if (p->kept_count < sizeof p->kept / sizeof p->kept[0])
    p->kept[p->kept_count++] = incoming->request;
}

static void fail(void *user, const sc_quic_incoming *incoming) {
  pair *p = user;
  if (swallows(p, incoming))
    return;
  if (sc_quic_reply_error(p->sides[pair_server].endpoint, incoming->request,
                          sc_bytes_text("404 Not Found\n\nno")) != SC_OK)
    sc_quic_drop_request(p->sides[pair_server].endpoint, incoming->request);
}

static sc_status add_handlers(pair *p) {
  static const struct {
    const char *name;
    sc_quic_handler handler;
  } handlers[] = {
      {"echo", echo}, {"size", tell_size}, {"large", send_large}, {"later", keep}, {"fail", fail}};
  sc_status status = SC_OK;
  for (size_t i = 0; i < sizeof handlers / sizeof handlers[0] && status == SC_OK; i++)
    status = sc_quic_handle(p->sides[pair_server].endpoint, sc_bytes_text(handlers[i].name),
                            handlers[i].handler, p);
  return status;
}

sc_status pair_start(pair *p) {
  for (size_t i = 0; i < 2; i++) {
    sc_status status = sc_quic_endpoint_new(&p->sides[i].endpoint, p->env, &p->options[i]);
    if (status != SC_OK)
      return status;
    (void)net_add(&p->net, sc_quic_driven(p->sides[i].endpoint));
  }
  return add_handlers(p);
}

sc_status pair_connect(pair *p) {
  sc_status status = sc_quic_connect(&p->connection, p->sides[pair_client].endpoint, p->net.now, &p->target);
  p->connects += status == SC_OK;
  return status;
}

static bool settled(void *user) {
  const pair *p = user;
  return p->sides[pair_client].opened + p->sides[pair_client].closed > 0;
}

sc_status pair_open(pair *p) {
  sc_status status = pair_start(p);
  if (status == SC_OK)
    status = pair_connect(p);
  if (status != SC_OK)
    return status;
  if (!net_run(&p->net, p->net.now + 60 * SC_QUIC_SECOND, settled, p))
    return SC_ERR_REQUEST_TIMEOUT;
  return p->sides[pair_client].opened > 0 ? SC_OK : p->sides[pair_client].reason;
}

bool pair_is_excused(sc_test *t) {
  const sc_test_env *env = t->env->user;
  t->out_of_memory = t->out_of_memory || env->refused;
  return env->refused;
}

void pair_end(pair *p, sc_test *t) {
  sc_quic_endpoint_free(p->sides[pair_client].endpoint);
  sc_quic_endpoint_free(p->sides[pair_server].endpoint);
  net_free(&p->net);
  (void)pair_is_excused(t);
  if (p->outcome.done != p->calls)
    sc_test_fail(t, __FILE__, __LINE__, "every call ends once");
  if (p->sides[pair_client].closed > p->connects)
    sc_test_fail(t, __FILE__, __LINE__, "each connection closes once");
}

static void note_done(void *user, sc_quic_call call, const sc_quic_result *result) {
  pair_outcome *outcome = user;
  (void)call;
  outcome->done++;
  outcome->failed += result->status != SC_OK;
  outcome->status = result->status;
  outcome->code = result->code;
  outcome->body_len = result->body.len;
  if (result->body.len > 0)
    memcpy(outcome->body, result->body.ptr,
           result->body.len < sizeof outcome->body ? result->body.len : sizeof outcome->body);
}

sc_status pair_call_on(pair *p, uint32_t stream, const char *name, sc_bytes body) {
  sc_quic_command command = {
      .name = sc_bytes_text(name), .body = body, .stream = stream, .done = note_done, .user = &p->outcome};
  sc_status status = sc_quic_send(NULL, p->sides[pair_client].endpoint, p->net.now, p->connection, &command);
  p->calls += status == SC_OK;
  return status;
}

sc_status pair_call(pair *p, const char *name, sc_bytes body) {
  return pair_call_on(p, 0, name, body);
}

typedef struct awaited {
  const pair *p;
  size_t done;
} awaited;

static bool are_done(void *user) {
  const awaited *wanted = user;
  return wanted->p->outcome.done >= wanted->done;
}

bool pair_wait(pair *p, size_t done, uint64_t time) {
  awaited wanted = {p, done};
  return net_run(&p->net, p->net.now + time, are_done, &wanted);
}

void pair_pass(pair *p, uint64_t time) {
  (void)net_run(&p->net, p->net.now + time, NULL, NULL);
}
