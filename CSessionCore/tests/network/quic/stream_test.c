#include "pair.h"

static sc_quic_endpoint *server_of(const pair *p) {
  return p->sides[pair_server].endpoint;
}

static void large_bodies_are_carried_both_ways(sc_test *t) {
  static uint8_t body[4000000];
  pair p;
  pair_init(&p, t->env, 50);
  p.net.conditions.delay = millisecond;
  size_t len = t->torture ? 40000 : sizeof body;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_make(body, len)) == SC_OK);
  HOLDS(pair_wait(&p, 1, 60 * second));
  HOLDS(p.outcome.status == SC_OK && p.outcome.body_len == len);
done:
  pair_end(&p, t);
}

/* Larger than any window: credit is granted as bytes are consumed. */
static void frames_may_exceed_the_flow_control_window(sc_test *t) {
  static uint8_t body[300000];
  pair p;
  pair_init(&p, t->env, 51);
  p.options[pair_server].limits.stream_window = 20000;
  p.options[pair_server].limits.window = 20000;
  HOLDS(pair_open(&p) == SC_OK);
  for (uint32_t i = 0; i < 3; i++)
    HOLDS(pair_call_on(&p, i, "size", SC_BYTES(body)) == SC_OK);
  HOLDS(pair_wait(&p, 3, 60 * second));
  HOLDS(p.outcome.failed == 0);
done:
  pair_end(&p, t);
}

typedef struct watched {
  pair *p;
  size_t most_send;
  size_t most_receive;
  uint32_t most_open;
} watched;

static bool watch(void *user) {
  watched *w = user;
  sc_quic_connection_info info;
  if (sc_quic_connection_inspect(&info, server_of(w->p), w->p->sides[pair_server].connection) == SC_OK) {
    w->most_send = info.send_memory > w->most_send ? info.send_memory : w->most_send;
    w->most_receive = info.receive_memory > w->most_receive ? info.receive_memory : w->most_receive;
    w->most_open = info.open_requests > w->most_open ? info.open_requests : w->most_open;
  }
  return w->p->outcome.done == w->p->calls;
}

/* Many small requests for large replies: pending bytes stay within the limit, and all are answered. */
static void a_server_reads_no_more_than_it_can_reply_to(sc_test *t) {
  pair p;
  watched w = {.p = &p};
  pair_init(&p, t->env, 52);
  p.options[pair_server].limits.frame = 100000;
  p.options[pair_server].limits.receive_memory = 100000;
  p.options[pair_server].limits.send_memory = 400000;
  p.options[pair_client].limits.window = 100000;
  p.options[pair_client].limits.stream_window = 100000;
  p.options[pair_client].call_timeout = 600 * second;
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < (t->torture ? 10U : 200U); i++)
    HOLDS(pair_call_on(&p, (uint32_t)(i % 4), "large", sc_bytes_text("90000")) == SC_OK);
  HOLDS(net_run(&p.net, p.net.now + 600 * second, watch, &w));
  HOLDS(p.outcome.failed == 0);
  HOLDS(w.most_send <= 400000 && (t->torture || w.most_send > 200000));
done:
  pair_end(&p, t);
}

static void a_server_limits_its_open_requests(sc_test *t) {
  pair p;
  watched w = {.p = &p};
  pair_init(&p, t->env, 53);
  p.options[pair_server].limits.open_requests = 3;
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < 8; i++)
    HOLDS(pair_call(&p, "later", sc_bytes_text("")) == SC_OK);
  (void)net_run(&p.net, p.net.now + second, watch, &w);
  HOLDS(p.kept_count == 3 && w.most_open == 3);
  for (size_t i = 0; i < 8; i++) {
    HOLDS(sc_quic_reply(server_of(&p), p.kept[i], sc_bytes_text("")) == SC_OK);
    (void)net_run(&p.net, p.net.now + second, watch, &w);
  }
  HOLDS(p.outcome.done == 8 && p.outcome.failed == 0 && w.most_open == 3);
done:
  pair_end(&p, t);
}

static void an_abandoned_request_frees_its_slot(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 60);
  p.options[pair_server].limits.open_requests = 1;
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < 2; i++)
    HOLDS(pair_call(&p, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&p, 200 * millisecond);
  HOLDS(p.kept_count == 1);
  sc_quic_drop_request(server_of(&p), p.kept[0]);
  pair_pass(&p, millisecond);
  HOLDS(p.kept_count == 2);
done:
  pair_end(&p, t);
}

/* Held requests use up the credit of the whole connection; releasing them returns it. */
static void exhausted_credit_is_renewed(sc_test *t) {
  static uint8_t body[15000];
  pair p;
  pair_init(&p, t->env, 61);
  p.options[pair_server].limits.open_requests = 1;
  p.options[pair_server].limits.stream_window = 20000;
  p.options[pair_server].limits.window = 20000;
  HOLDS(pair_open(&p) == SC_OK);
  for (uint32_t i = 0; i < 4; i++)
    HOLDS(pair_call_on(&p, i, "later", SC_BYTES(body)) == SC_OK);
  for (size_t i = 0; i < 4; i++) {
    pair_pass(&p, second);
    HOLDS(p.kept_count == i + 1);
    HOLDS(sc_quic_reply(server_of(&p), p.kept[i], sc_bytes_text("")) == SC_OK);
  }
  HOLDS(pair_wait(&p, 4, second));
  HOLDS(p.outcome.failed == 0);
done:
  pair_end(&p, t);
}

static void an_oversized_reply_becomes_an_error(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 54);
  p.options[pair_server].limits.frame = 1000;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "large", sc_bytes_text("1000")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_ERR_REQUEST_FAILED);
  SAME(sc_bytes_text("An error occurred while processing the request"),
       sc_bytes_make(p.outcome.body, p.outcome.body_len));
done:
  pair_end(&p, t);
}

/* The stream of an oversized request is closed; the connection and its other streams are not. */
static void an_oversized_request_closes_only_its_stream(sc_test *t) {
  static uint8_t body[5000];
  pair p;
  pair_init(&p, t->env, 55);
  p.options[pair_server].limits.frame = 1000;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call_on(&p, 1, "size", SC_BYTES(body)) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_ERR_QUIC_STREAM);
  HOLDS(pair_call(&p, "size", sc_bytes_text("abc")) == SC_OK);
  HOLDS(pair_wait(&p, 2, second));
  HOLDS(p.outcome.status == SC_OK && p.outcome.body[0] == '3');
  pair_pass(&p, second);
  HOLDS(pair_call_on(&p, 1, "size", sc_bytes_text("abcd")) == SC_OK); /* a new stream in its place */
  HOLDS(pair_wait(&p, 3, second));
  HOLDS(p.outcome.status == SC_OK && p.outcome.body[0] == '4');
done:
  pair_end(&p, t);
}

/* A closing stream makes room for another, any number of times. */
static void closed_streams_are_returned(sc_test *t) {
  static uint8_t body[5000];
  pair p;
  pair_init(&p, t->env, 59);
  p.options[pair_server].limits.frame = 1000;
  p.options[pair_server].limits.streams = 3;
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < (t->torture ? 4U : 12U); i++) {
    HOLDS(pair_call_on(&p, 1, "size", SC_BYTES(body)) == SC_OK);
    HOLDS(pair_wait(&p, i + 1, second));
    HOLDS(p.outcome.status == SC_ERR_QUIC_STREAM);
    pair_pass(&p, second);
  }
done:
  pair_end(&p, t);
}

static void the_first_stream_is_not_replaced(sc_test *t) {
  static uint8_t body[5000];
  pair p;
  pair_init(&p, t->env, 56);
  p.options[pair_server].limits.frame = 1000;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "size", SC_BYTES(body)) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_ERR_QUIC_STREAM);
  HOLDS(pair_call(&p, "size", sc_bytes_text("")) == SC_ERR_QUIC_STREAM);
done:
  pair_end(&p, t);
}

/* Half a request on each of many streams exceeds what the server keeps. */
static void incomplete_requests_are_limited(sc_test *t) {
  static uint8_t body[60000];
  pair p;
  watched w = {.p = &p};
  pair_init(&p, t->env, 57);
  p.options[pair_server].limits.frame = 100000;
  p.options[pair_server].limits.receive_memory = 200000;
  p.net.conditions.jitter = 5 * millisecond;
  HOLDS(pair_open(&p) == SC_OK);
  for (uint32_t i = 0; i < 16; i++)
    HOLDS(pair_call_on(&p, i, "size", SC_BYTES(body)) == SC_OK);
  HOLDS(net_run(&p.net, p.net.now + 60 * second, watch, &w));
  HOLDS(p.outcome.failed > 0 && p.outcome.failed < 16);
  HOLDS(w.most_receive <= 200000 + 60100);
done:
  pair_end(&p, t);
}

static void the_number_of_streams_is_limited(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 58);
  p.options[pair_server].limits.streams = 2;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call_on(&p, 0, "echo", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_call_on(&p, 7, "echo", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_call_on(&p, 1, "echo", sc_bytes_text("")) == SC_ERR_QUIC_STREAM);
  HOLDS(pair_wait(&p, 2, second));
  HOLDS(p.outcome.failed == 0);
done:
  pair_end(&p, t);
}

/* Both sides call, and both reply. */
typedef struct exchange {
  pair p;
  size_t to_come[2];
  size_t answered[2];
  size_t refused[2];
} exchange;

typedef struct asker {
  exchange *both;
  size_t side;
} asker;

static void note_answer(void *user, sc_quic_call call, const sc_quic_result *result) {
  asker *a = user;
  (void)call;
  a->both->to_come[a->side]--;
  a->both->answered[a->side] += result->status == SC_OK;
  a->both->refused[a->side] += result->status == SC_ERR_REQUEST_FAILED && result->code == 503;
}

static bool all_came(void *user) {
  const exchange *both = user;
  return both->to_come[0] + both->to_come[1] == 0;
}

static void answer_much(void *user, const sc_quic_incoming *incoming) {
  static uint8_t body[90000];
  exchange *both = user;
  sc_quic_endpoint *client = both->p.sides[pair_client].endpoint;
  if (sc_quic_reply(client, incoming->request, SC_BYTES(body)) != SC_OK)
    sc_quic_drop_request(client, incoming->request);
}

static sc_status send_request(asker *a, size_t count) {
  const pair_side *side = &a->both->p.sides[a->side];
  const sc_quic_command command = {
      .name = sc_bytes_text("large"), .body = sc_bytes_text("90000"), .done = note_answer, .user = a};
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    status = sc_quic_send(NULL, side->endpoint, a->both->p.net.now, side->connection, &command);
    a->both->to_come[a->side] += status == SC_OK;
  }
  return status;
}

static void narrow(pair *p) {
  for (size_t i = 0; i < 2; i++) {
    sc_quic_limits *limits = &p->options[i].limits;
    limits->frame = limits->receive_memory = limits->window = limits->stream_window = 100000;
    limits->send_memory = 400000;
  }
}

/* Each side owes the other more than the limit before it has read a reply. Neither may wait for the other to
 * read first. */
static void two_sides_cannot_deadlock(sc_test *t) {
  exchange both = {0};
  asker askers[2] = {{&both, pair_client}, {&both, pair_server}};
  pair *p = &both.p;
  size_t count = t->torture ? 6 : 60;
  pair_init(p, t->env, 62);
  narrow(p);
  for (size_t i = 0; i < 2; i++)
    p->options[i].call_timeout = 600 * second;
  HOLDS(pair_open(p) == SC_OK);
  HOLDS(sc_quic_handle(p->sides[pair_client].endpoint, sc_bytes_text("large"), answer_much, &both) == SC_OK);
  HOLDS(pair_call(p, "echo", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_wait(p, 1, second));
  for (size_t i = 0; i < 2; i++)
    HOLDS(send_request(&askers[i], count) == SC_OK);
  HOLDS(net_run(&p->net, p->net.now + 60 * second, all_came, &both));
  for (size_t i = 0; i < 2; i++) {
    HOLDS(both.answered[i] >= 3);
    HOLDS(both.answered[i] + both.refused[i] == count);
  }
done:
  pair_end(&both.p, t);
}

/* Calls of the server that the client has not answered. */
typedef struct kept_requests {
  sc_quic_request requests[8];
  size_t count;
} kept_requests;

static void keep_request(void *user, const sc_quic_incoming *incoming) {
  kept_requests *kept = user;
  if (kept->count < sizeof kept->requests / sizeof kept->requests[0])
    kept->requests[kept->count++] = incoming->request;
}

static size_t sent_and_waiting(const pair *p, size_t side) {
  sc_quic_connection_info info;
  sc_status status = sc_quic_connection_inspect(&info, p->sides[side].endpoint, p->sides[side].connection);
  return status == SC_OK ? info.send_memory : 0;
}

/* Four commands without a reply callback, and their replies, which are sent when both sides have them. */
static sc_status call_and_forget(pair *p, size_t side) {
  const sc_quic_command command = {.name = sc_bytes_text("later")};
  sc_status status = SC_OK;
  for (size_t i = 0; i < 4 && status == SC_OK; i++)
    status = sc_quic_send(NULL, p->sides[side].endpoint, p->net.now, p->sides[side].connection, &command);
  return status;
}

static sc_status answer_all(sc_quic_endpoint *endpoint, const sc_quic_request *requests) {
  static uint8_t body[90000];
  sc_status status = SC_OK;
  for (size_t i = 0; i < 4 && status == SC_OK; i++)
    status = sc_quic_reply(endpoint, requests[i], SC_BYTES(body));
  return status;
}

/* Unclaimed replies fill the memory of both sides, and neither reads on before the other has. */
static void unclaimed_replies_do_not_block_both_sides_for_good(sc_test *t) {
  pair p;
  kept_requests kept = {.count = 0};
  pair_init(&p, t->env, 64);
  narrow(&p);
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(sc_quic_handle(p.sides[pair_client].endpoint, sc_bytes_text("later"), keep_request, &kept) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  for (size_t i = 0; i < 2; i++)
    HOLDS(call_and_forget(&p, i) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.kept_count == 4 && kept.count == 4);
  HOLDS(answer_all(p.sides[pair_server].endpoint, p.kept) == SC_OK);
  HOLDS(answer_all(p.sides[pair_client].endpoint, kept.requests) == SC_OK);
  pair_pass(&p, 5 * second);
  HOLDS(sent_and_waiting(&p, pair_client) > 200000 && sent_and_waiting(&p, pair_server) > 200000);
  pair_pass(&p, 10 * second);
  HOLDS(sent_and_waiting(&p, pair_client) == 0 && sent_and_waiting(&p, pair_server) == 0);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 2, second) && p.outcome.status == SC_OK);
done:
  pair_end(&p, t);
}

/* Commands the peer does not read leave room for the replies it waits for. */
static void commands_leave_room_for_replies(sc_test *t) {
  static uint8_t body[90000];
  exchange both = {0};
  asker server = {&both, pair_server};
  pair *p = &both.p;
  pair_init(p, t->env, 65);
  narrow(p);
  p->options[pair_server].limits.open_requests = 1;
  HOLDS(pair_open(p) == SC_OK);
  HOLDS(sc_quic_handle(p->sides[pair_client].endpoint, sc_bytes_text("large"), answer_much, &both) == SC_OK);
  HOLDS(pair_call(p, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(p, 200 * millisecond);
  sc_status status = SC_OK;
  for (size_t i = 0; i < 10 && status == SC_OK; i++) {
    status = pair_call(p, "size", SC_BYTES(body));
    pair_pass(p, 200 * millisecond);
  }
  HOLDS(status == SC_ERR_QUIC_BUSY);
  HOLDS(sent_and_waiting(p, pair_client) > 100000 && sent_and_waiting(p, pair_client) <= 200000);
  HOLDS(send_request(&server, 1) == SC_OK);
  HOLDS(net_run(&p->net, p->net.now + second, all_came, &both));
  HOLDS(both.answered[pair_server] == 1);
done:
  pair_end(&both.p, t);
}

/* Unread requests are examined when this side begins to wait for the peer. */
static void making_a_call_reads_held_input(sc_test *t) {
  exchange both = {0};
  asker server = {&both, pair_server};
  pair *p = &both.p;
  pair_init(p, t->env, 63);
  p->options[pair_server].limits.open_requests = 1;
  HOLDS(pair_open(p) == SC_OK);
  for (size_t i = 0; i < 3; i++)
    HOLDS(pair_call(p, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(p, 200 * millisecond);
  HOLDS(p->kept_count == 1 && p->outcome.done == 0);
  HOLDS(send_request(&server, 1) == SC_OK);
  HOLDS(pair_wait(p, 2, second));
  HOLDS(p->kept_count == 1 && p->outcome.failed == 2 && p->outcome.code == 503);
done:
  pair_end(&both.p, t);
}

SUITE(network_quic_stream, "network/quic/stream",
      {"large bodies are carried both ways", large_bodies_are_carried_both_ways},
      {"frames may exceed the flow-control window", frames_may_exceed_the_flow_control_window},
      {"a server reads no more than it can reply to", a_server_reads_no_more_than_it_can_reply_to},
      {"a server limits its open requests", a_server_limits_its_open_requests},
      {"an abandoned request frees its slot", an_abandoned_request_frees_its_slot},
      {"exhausted credit is renewed", exhausted_credit_is_renewed},
      {"an oversized reply becomes an error", an_oversized_reply_becomes_an_error},
      {"an oversized request closes only its stream", an_oversized_request_closes_only_its_stream},
      {"closed streams are returned", closed_streams_are_returned},
      {"the first stream is not replaced", the_first_stream_is_not_replaced},
      {"incomplete requests are limited", incomplete_requests_are_limited},
      {"the number of streams is limited", the_number_of_streams_is_limited},
      {"two sides cannot deadlock", two_sides_cannot_deadlock},
      {"unclaimed replies do not block both sides for good",
       unclaimed_replies_do_not_block_both_sides_for_good},
      {"commands leave room for replies", commands_leave_room_for_replies},
      {"making a call reads held input", making_a_call_reads_held_input});
