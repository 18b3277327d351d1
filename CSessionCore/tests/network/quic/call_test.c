#include "network/quic/endpoint.h"
#include "pair.h"

static sc_quic_endpoint *client_of(const pair *p) {
  return p->sides[pair_client].endpoint;
}

static bool answered(const pair *p, const char *body) {
  size_t len = p->outcome.body_len < sizeof p->outcome.body ? p->outcome.body_len : sizeof p->outcome.body;
  return p->outcome.status == SC_OK &&
         sc_bytes_same(sc_bytes_make(p->outcome.body, len), sc_bytes_text(body));
}

static void many_calls_on_many_streams_are_answered(sc_test *t) {
  pair p;
  size_t calls = t->torture ? 40 : 2000;
  pair_init(&p, t->env, 30);
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < calls; i++)
    HOLDS(pair_call_on(&p, (uint32_t)(i % SC_QUIC_MAX_STREAMS), "echo", sc_bytes_text("hello")) == SC_OK);
  HOLDS(pair_wait(&p, calls, 10 * second));
  HOLDS(p.outcome.failed == 0 && p.handled == calls);
done:
  pair_end(&p, t);
}

typedef struct own_answer {
  size_t right;
  uint8_t body;
} own_answer;

static void note_own(void *user, sc_quic_call call, const sc_quic_result *result) {
  own_answer *own = user;
  (void)call;
  own->right += result->status == SC_OK && result->body.len == 1 && result->body.ptr[0] == own->body;
}

/* Each stream numbers its calls from 0: the number alone is not unique. */
static void replies_belong_to_their_stream(sc_test *t) {
  pair p;
  enum { rounds = 10 };
  own_answer own[SC_QUIC_MAX_STREAMS * rounds] = {{0}};
  size_t calls = t->torture ? SC_QUIC_MAX_STREAMS : SC_QUIC_MAX_STREAMS * rounds;
  pair_init(&p, t->env, 41);
  p.net.conditions.jitter = 10 * millisecond;
  HOLDS(pair_open(&p) == SC_OK);
  for (uint32_t i = 0; i < calls; i++) {
    own[i].body = (uint8_t)(i % 251);
    sc_quic_command command = {.name = sc_bytes_text("echo"),
                               .body = {&own[i].body, 1},
                               .stream = i % SC_QUIC_MAX_STREAMS,
                               .done = note_own,
                               .user = &own[i]};
    HOLDS(sc_quic_send(NULL, client_of(&p), p.net.now, p.connection, &command) == SC_OK);
  }
  pair_pass(&p, second);
  for (size_t i = 0; i < calls; i++)
    HOLDS(own[i].right == 1);
done:
  pair_end(&p, t);
}

static uint32_t open_streams(const pair *p) {
  sc_quic_connection_info info;
  return sc_quic_connection_inspect(&info, client_of(p), p->connection) == SC_OK ? info.streams : 0;
}

/* The number of calls by which the busiest stream, stream 0 excluded, is ahead of the quietest. */
static uint32_t unevenness(const pair *p) {
  const sc_quic_link *link = sc_slots_find(&client_of(p)->links, p->connection);
  uint32_t least = UINT32_MAX, most = 0;
  for (uint32_t i = 0; link != NULL && i < link->stream_count; i++) {
    uint32_t count = link->streams[i]->call_count;
    if (link->streams[i]->number == 0)
      continue;
    least = count < least ? count : least;
    most = count > most ? count : most;
  }
  return most - least;
}

static void calls_on_any_stream_do_not_wait_for_each_other(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 42);
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < 3; i++) {
    HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
    HOLDS(pair_wait(&p, i + 1, second));
  }
  HOLDS(open_streams(&p) == 2); /* the first, which is always open, and a reused idle one */
  for (size_t i = 0; i < 3; i++)
    HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(open_streams(&p) == 4);
  for (size_t i = 0; i < 100; i++)
    HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(open_streams(&p) == SC_QUIC_MAX_STREAMS && unevenness(&p) == 1);
  HOLDS(pair_wait(&p, 106, second) && p.outcome.failed == 0);
done:
  pair_end(&p, t);
}

static void any_stream_means_the_first_if_there_is_no_other(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 43);
  p.options[pair_server].limits.streams = 1;
  HOLDS(pair_start(&p) == SC_OK && pair_connect(&p) == SC_OK);
  HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 2, second) && p.outcome.failed == 0 && open_streams(&p) == 1);
done:
  pair_end(&p, t);
}

/* Old nodes ignore every stream but the first. */
static void any_stream_means_the_first_if_others_stay_silent(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 44);
  p.options[pair_client].call_timeout = second;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "later", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_wait(&p, 1, 2 * second) && p.outcome.status == SC_ERR_REQUEST_TIMEOUT);
  for (size_t i = 0; i < 5; i++)
    HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(open_streams(&p) == 2);
  HOLDS(pair_wait(&p, 6, second) && p.outcome.status == SC_OK);
done:
  pair_end(&p, t);
}

static void one_late_reply_does_not_demote_a_peer_that_replied_before(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 45);
  p.options[pair_client].call_timeout = second;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "later", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_wait(&p, 2, 2 * second) && p.outcome.status == SC_ERR_REQUEST_TIMEOUT);
  for (size_t i = 0; i < 5; i++)
    HOLDS(pair_call_on(&p, SC_QUIC_ANY_STREAM, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(open_streams(&p) == 6);
done:
  pair_end(&p, t);
}

typedef struct order {
  size_t count;
  char seen[8];
} order;

static void note_order(void *user, sc_quic_call call, const sc_quic_result *result) {
  order *seen = user;
  (void)call;
  if (result->status == SC_OK && result->body.len == 1 && seen->count < sizeof seen->seen)
    seen->seen[seen->count++] = (char)result->body.ptr[0];
}

static sc_status call_noted(pair *p, order *seen, const char *name, const char *body) {
  sc_quic_command command = {
      .name = sc_bytes_text(name), .body = sc_bytes_text(body), .done = note_order, .user = seen};
  return sc_quic_send(NULL, client_of(p), p->net.now, p->connection, &command);
}

static void replies_may_arrive_in_any_order(sc_test *t) {
  pair p;
  order seen = {0};
  pair_init(&p, t->env, 31);
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < 3; i++)
    HOLDS(call_noted(&p, &seen, "later", "") == SC_OK);
  HOLDS(call_noted(&p, &seen, "echo", "e") == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.kept_count == 3);
  sc_quic_endpoint *server = p.sides[pair_server].endpoint;
  HOLDS(sc_quic_reply(server, p.kept[2], sc_bytes_text("c")) == SC_OK);
  HOLDS(sc_quic_reply(server, p.kept[0], sc_bytes_text("a")) == SC_OK);
  HOLDS(sc_quic_reply(server, p.kept[1], sc_bytes_text("b")) == SC_OK);
  HOLDS(sc_quic_reply(server, p.kept[1], sc_bytes_text("again")) == SC_ERR_NOT_FOUND);
  pair_pass(&p, second);
  HOLDS(seen.count == 4 && memcmp(seen.seen, "ecab", 4) == 0);
done:
  pair_end(&p, t);
}

static void an_error_reply_gives_its_code(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 32);
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "fail", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_ERR_REQUEST_FAILED && p.outcome.code == 404);
  SAME(sc_bytes_text("404 Not Found\n\nno"), sc_bytes_make(p.outcome.body, p.outcome.body_len));
done:
  pair_end(&p, t);
}

static void an_unknown_command_is_answered_with_its_name(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 33);
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "nope", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_ERR_REQUEST_FAILED && p.outcome.code == 0);
  SAME(sc_bytes_text("Invalid endpoint 'nope'"), sc_bytes_make(p.outcome.body, p.outcome.body_len));
done:
  pair_end(&p, t);
}

/* A later reply is ignored. */
static void a_call_ends_at_its_timeout(sc_test *t) {
  pair p;
  order seen = {0};
  pair_init(&p, t->env, 34);
  HOLDS(pair_open(&p) == SC_OK);
  sc_quic_command command = {
      .name = sc_bytes_text("later"), .timeout = 2 * second, .done = note_order, .user = &seen};
  HOLDS(pair_call(&p, "later", sc_bytes_text("")) == SC_OK);
  HOLDS(sc_quic_send(NULL, client_of(&p), p.net.now, p.connection, &command) == SC_OK);
  uint64_t start = p.net.now;
  HOLDS(pair_wait(&p, 1, 60 * second));
  HOLDS(p.outcome.status == SC_ERR_REQUEST_TIMEOUT);
  HOLDS(p.net.now - start == 10 * second);
  for (size_t i = 0; i < p.kept_count; i++)
    HOLDS(sc_quic_reply(p.sides[pair_server].endpoint, p.kept[i], sc_bytes_text("l")) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("after")) == SC_OK);
  HOLDS(pair_wait(&p, 2, second));
  HOLDS(answered(&p, "after"));
  HOLDS(seen.count == 0 && p.outcome.done == 2);
done:
  pair_end(&p, t);
}

static void note_cancelled(void *user, sc_quic_call call, const sc_quic_result *result) {
  (void)call;
  *(size_t *)user += result->status == SC_ERR_REQUEST_CANCELLED ? 1 : 100;
}

static void a_cancelled_call_ends_at_once(sc_test *t) {
  pair p;
  size_t cancelled = 0;
  sc_quic_call call = 0;
  pair_init(&p, t->env, 35);
  HOLDS(pair_open(&p) == SC_OK);
  sc_quic_command command = {.name = sc_bytes_text("later"), .done = note_cancelled, .user = &cancelled};
  HOLDS(sc_quic_send(&call, client_of(&p), p.net.now, p.connection, &command) == SC_OK);
  HOLDS(sc_quic_cancel(client_of(&p), call) == SC_OK);
  HOLDS(cancelled == 1);
  HOLDS(sc_quic_cancel(client_of(&p), call) == SC_ERR_NOT_FOUND);
  pair_pass(&p, second);
  HOLDS(cancelled == 1 && p.kept_count == 1);
  HOLDS(sc_quic_reply(p.sides[pair_server].endpoint, p.kept[0], sc_bytes_text("x")) == SC_OK);
  pair_pass(&p, second);
  HOLDS(cancelled == 1);
done:
  pair_end(&p, t);
}

static void a_command_may_expect_no_reply(sc_test *t) {
  pair p;
  sc_quic_call call = 1;
  sc_quic_connection_info info;
  pair_init(&p, t->env, 36);
  HOLDS(pair_open(&p) == SC_OK);
  sc_quic_command command = {.name = sc_bytes_text("echo"), .body = sc_bytes_text("x")};
  HOLDS(sc_quic_send(&call, client_of(&p), p.net.now, p.connection, &command) == SC_OK);
  HOLDS(call == 0);
  HOLDS(sc_quic_connection_inspect(&info, client_of(&p), p.connection) == SC_OK);
  HOLDS(info.calls == 0);
  pair_pass(&p, second);
  HOLDS(p.handled == 1);
done:
  pair_end(&p, t);
}

static void pushed(void *user, const sc_quic_incoming *incoming) {
  pair *p = user;
  p->handled += 1000;
  if (sc_quic_reply(p->sides[pair_client].endpoint, incoming->request, sc_bytes_text("thanks")) != SC_OK)
    sc_quic_drop_request(p->sides[pair_client].endpoint, incoming->request);
}

/* Both sides number their commands from 0 on the same stream. */
static void servers_may_call_too(sc_test *t) {
  pair p;
  order seen = {0};
  pair_init(&p, t->env, 37);
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(sc_quic_handle(client_of(&p), sc_bytes_text("notify"), pushed, &p) == SC_OK);
  sc_quic_command command = {.name = sc_bytes_text("notify"), .done = note_order, .user = &seen};
  const pair_side *server = &p.sides[pair_server];
  pair_pass(&p, second);
  HOLDS(sc_quic_send(NULL, server->endpoint, p.net.now, server->connection, &command) == SC_ERR_QUIC_STREAM);
  HOLDS(pair_call(&p, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&p, second);
  HOLDS(sc_quic_send(NULL, server->endpoint, p.net.now, server->connection, &command) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.handled == 1001);
  HOLDS(p.outcome.done == 0 && seen.count == 0);
  HOLDS(sc_quic_reply(server->endpoint, p.kept[0], sc_bytes_text("")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(answered(&p, ""));
done:
  pair_end(&p, t);
}

static void an_unsendable_command_is_refused_at_once(sc_test *t) {
  static uint8_t body[4000];
  static const char long_name[257] = {[0] = 'x'};
  pair p;
  pair_init(&p, t->env, 38);
  p.options[pair_client].limits.frame = 3000;
  p.options[pair_client].limits.send_memory = 12000;
  p.options[pair_client].limits.calls = 4;
  HOLDS(pair_start(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  HOLDS(pair_call(&p, "", sc_bytes_text("")) == SC_ERR_REQUEST_NAME);
  sc_quic_command command = {.name = sc_bytes_make(long_name, 256)};
  HOLDS(sc_quic_send(NULL, client_of(&p), p.net.now, p.connection, &command) == SC_ERR_REQUEST_NAME);
  HOLDS(pair_call(&p, "size", sc_bytes_make(body, 3000)) == SC_ERR_REQUEST_TOO_LARGE);
  HOLDS(pair_call_on(&p, SC_QUIC_MAX_STREAMS, "size", sc_bytes_text("")) == SC_ERR_QUIC_STREAM);
  HOLDS(pair_call(&p, "size", sc_bytes_make(body, 2900)) == SC_OK);
  HOLDS(pair_call(&p, "size", sc_bytes_make(body, 2900)) == SC_OK);
  HOLDS(pair_call(&p, "size", sc_bytes_make(body, 2900)) == SC_ERR_QUIC_BUSY);
  HOLDS(pair_call(&p, "size", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_call(&p, "size", sc_bytes_text("")) == SC_OK);
  HOLDS(pair_call(&p, "size", sc_bytes_text("")) == SC_ERR_QUIC_BUSY);
  HOLDS(pair_wait(&p, 4, second));
  HOLDS(p.outcome.failed == 0);
  HOLDS(pair_call(&p, "size", sc_bytes_make(body, 2900)) == SC_OK);
  HOLDS(pair_wait(&p, 5, second));
done:
  pair_end(&p, t);
}

static void count_return(void *owner) {
  ++*(size_t *)owner;
}

static sc_status call_with_lent(pair *p, sc_bytes body, size_t *returns) {
  const sc_quic_command command = {
      .name = sc_bytes_text("size"), .body = body, .lender = {count_return, returns}};
  return sc_quic_send(NULL, client_of(p), p->net.now, p->connection, &command);
}

static void a_lent_body_is_returned_once(sc_test *t) {
  static uint8_t body[50000];
  pair p;
  size_t returns = 0;
  pair_init(&p, t->env, 46);
  p.options[pair_client].limits.frame = 60000;
  p.net.conditions.lost = 100;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(call_with_lent(&p, SC_BYTES(body), &returns) == SC_OK);
  HOLDS(returns == 0);
  pair_pass(&p, 20 * second);
  HOLDS(returns == 1 && p.handled == 1);
  HOLDS(call_with_lent(&p, sc_bytes_make(body, 60000), &returns) == SC_ERR_REQUEST_TOO_LARGE);
  HOLDS(returns == 1);
  HOLDS(call_with_lent(&p, SC_BYTES(body), &returns) == SC_OK);
  HOLDS(sc_quic_close(client_of(&p), p.net.now, p.connection) == SC_OK);
  pair_pass(&p, second);
  HOLDS(returns == 2);
done:
  pair_end(&p, t);
}

static void a_lent_reply_is_returned_once(sc_test *t) {
  static uint8_t body[50000];
  pair p;
  size_t returns = 0;
  const sc_quic_lender lender = {count_return, &returns};
  pair_init(&p, t->env, 47);
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&p, second);
  sc_quic_endpoint *server = p.sides[pair_server].endpoint;
  HOLDS(sc_quic_reply_lent(server, p.kept[0], SC_BYTES(body), lender) == SC_OK && returns == 0);
  HOLDS(sc_quic_reply_lent(server, p.kept[0], SC_BYTES(body), lender) == SC_ERR_NOT_FOUND);
  pair_pass(&p, second);
  HOLDS(p.outcome.done == 1 && p.outcome.status == SC_OK && p.outcome.body_len == sizeof body);
  HOLDS(returns == 1);
done:
  pair_end(&p, t);
}

typedef struct chain {
  pair *p;
  size_t left;
  size_t ended;
} chain;

static sc_status call_next(chain *c);

static void go_on(void *user, sc_quic_call call, const sc_quic_result *result) {
  chain *c = user;
  (void)call;
  c->ended++;
  if (result->status == SC_OK && c->left > 0) {
    c->left--;
    if (call_next(c) != SC_OK)
      c->left = 0;
  }
}

static sc_status call_next(chain *c) {
  sc_quic_command command = {
      .name = sc_bytes_text("echo"), .body = sc_bytes_text("x"), .done = go_on, .user = c};
  return sc_quic_send(NULL, client_of(c->p), c->p->net.now, c->p->connection, &command);
}

static void a_call_may_be_made_from_anothers_callback(sc_test *t) {
  pair p;
  chain c = {.p = &p, .left = 9};
  pair_init(&p, t->env, 39);
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(call_next(&c) == SC_OK);
  pair_pass(&p, 5 * second);
  HOLDS(c.ended == 10);
done:
  pair_end(&p, t);
}

static void close_in_answer(void *user, sc_quic_call call, const sc_quic_result *result) {
  chain *c = user;
  (void)call;
  (void)result;
  c->ended++;
  if (sc_quic_close(client_of(c->p), c->p->net.now, c->p->connection) == SC_OK)
    c->left++;
}

static void a_connection_may_be_closed_from_a_calls_callback(sc_test *t) {
  pair p;
  chain c = {.p = &p};
  pair_init(&p, t->env, 40);
  HOLDS(pair_open(&p) == SC_OK);
  sc_quic_command command = {
      .name = sc_bytes_text("echo"), .body = sc_bytes_text("x"), .done = close_in_answer, .user = &c};
  for (size_t i = 0; i < 5; i++)
    HOLDS(sc_quic_send(NULL, client_of(&p), p.net.now, p.connection, &command) == SC_OK);
  pair_pass(&p, second);
  HOLDS(c.ended == 5 && c.left == 1);
  HOLDS(p.sides[pair_client].closed == 1);
done:
  pair_end(&p, t);
}

SUITE(network_quic_call, "network/quic/call",
      {"many calls on many streams are answered", many_calls_on_many_streams_are_answered},
      {"replies belong to their stream", replies_belong_to_their_stream},
      {"calls on any stream do not wait for each other", calls_on_any_stream_do_not_wait_for_each_other},
      {"any stream means the first if there is no other", any_stream_means_the_first_if_there_is_no_other},
      {"any stream means the first if others stay silent", any_stream_means_the_first_if_others_stay_silent},
      {"one late reply does not demote a peer that replied before",
       one_late_reply_does_not_demote_a_peer_that_replied_before},
      {"replies may arrive in any order", replies_may_arrive_in_any_order},
      {"an error reply gives its code", an_error_reply_gives_its_code},
      {"an unknown command is answered with its name", an_unknown_command_is_answered_with_its_name},
      {"a call ends at its timeout", a_call_ends_at_its_timeout},
      {"a cancelled call ends at once", a_cancelled_call_ends_at_once},
      {"a command may expect no reply", a_command_may_expect_no_reply},
      {"servers may call too", servers_may_call_too},
      {"an unsendable command is refused at once", an_unsendable_command_is_refused_at_once},
      {"a lent body is returned once", a_lent_body_is_returned_once},
      {"a lent reply is returned once", a_lent_reply_is_returned_once},
      {"a call may be made from another's callback", a_call_may_be_made_from_anothers_callback},
      {"a connection may be closed from a call's callback",
       a_connection_may_be_closed_from_a_calls_callback});
