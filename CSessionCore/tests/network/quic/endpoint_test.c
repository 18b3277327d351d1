/* Two endpoints and a bad network, all in virtual time: thousands of requests, large bodies both ways, loss,
 * reordering, duplication, corruption, a client that moves, key updates. Every request is answered once and
 * correctly, and the same seed sends the same packets. */
#include <stdlib.h>

#include "network/quic/endpoint.h"
#include "pair.h"
#include "support/test_env.h"

enum {
  most_large = 4000000,
};

typedef struct storm {
  pair p;
  size_t calls;
  size_t made;
  size_t done;
  size_t right;
  size_t large; /* one call in this many carries a large body */
  size_t large_bytes;
  uint64_t interval; /* between batches of calls */
} storm;

/* One byte of the body of call `i`. */
static uint8_t pattern(size_t call, size_t at) {
  return (uint8_t)(call * 131 + at * 7 + (at >> 8));
}

typedef struct one_call {
  storm *s;
  size_t index;
  size_t len;
} one_call;

static one_call *expected; /* as many as there are calls */

static void check_echo(void *user, sc_quic_call call, const sc_quic_result *result) {
  const one_call *one = user;
  (void)call;
  bool right = result->status == SC_OK && result->body.len == one->len;
  for (size_t i = 0; right && i < one->len; i += one->len < 1000 ? 1 : 997)
    right = result->body.ptr[i] == pattern(one->index, i);
  one->s->done++;
  one->s->right += right;
}

static sc_status make_call(storm *s, size_t index) {
  static uint8_t body[most_large];
  one_call *one = &expected[index];
  bool large = index < s->large;
  *one = (one_call){s, index, large ? s->large_bytes : 1 + index % 200};
  for (size_t i = 0; i < one->len; i++)
    body[i] = pattern(index, i);
  sc_quic_command command = {.name = sc_bytes_text("echo"),
                             .body = {body, one->len},
                             .timeout = 3600 * second,
                             .stream = (uint32_t)(index % 8),
                             .done = check_echo,
                             .user = one};
  sc_status status =
      sc_quic_send(NULL, s->p.sides[pair_client].endpoint, s->p.net.now, s->p.connection, &command);
  s->made += status == SC_OK;
  return status;
}

static bool all_done(void *user) {
  const storm *s = user;
  return s->done == s->made;
}

static bool both_are_sure(void *user) {
  const storm *s = user;
  return s->p.sides[pair_server].opened == 1;
}

/* Makes the calls in batches with an event in between, and waits for the replies. */
static sc_status run(storm *s) {
  enum { batches = 20 };
  for (size_t batch = 0; batch < batches; batch++) {
    for (size_t i = batch * s->calls / batches; i < (batch + 1) * s->calls / batches; i++) {
      sc_status status = make_call(s, i);
      if (status != SC_OK)
        return status;
    }
    pair_pass(&s->p, s->interval);
    sc_status updated = sc_quic_update_keys(s->p.sides[pair_client].endpoint, s->p.net.now, s->p.connection);
    if (updated != SC_OK && updated != SC_ERR_STATE) /* the last change may still be pending */
      return updated;
    if (batch == 5 || batch == 12)
      s->p.net.parties[pair_client].address = net_address(77, (uint16_t)(1000 + batch));
  }
  (void)net_run(&s->p.net, s->p.net.now + 3000 * second, all_done, s);
  return SC_OK;
}

static void weather(sc_test *t, uint64_t seed, net_conditions conditions, size_t calls, size_t large,
                    size_t large_bytes) {
  storm s = {.calls = t->torture ? 20 : calls,
             .large = t->torture ? 0 : large,
             .large_bytes = large_bytes,
             .interval = 100 * millisecond};
  one_call room[64];
  pair_init(&s.p, t->env, seed);
  s.p.options[pair_client].limits.calls = 20000;
  s.p.options[pair_client].limits.send_memory = 256000000;
  s.p.target.keep_alive = 5 * second;
  s.p.target.handshake_timeout = 60 * second;
  s.p.options[pair_server].handshake_timeout = 60 * second;
  s.p.options[pair_client].idle_timeout = 60 * second;
  s.p.options[pair_server].idle_timeout = 60 * second;
  expected = t->torture ? room : malloc(s.calls * sizeof *expected);
  CHECK(expected != NULL);
  s.p.net.conditions = conditions;
  HOLDS(pair_open(&s.p) == SC_OK);
  HOLDS(net_run(&s.p.net, s.p.net.now + 60 * second, both_are_sure, &s)); /* no migration before that */
  HOLDS(run(&s) == SC_OK);
  HOLDS(s.made == s.calls && s.done == s.calls && s.right == s.calls);
  HOLDS(s.p.handled == s.calls); /* no request arrived twice */
  HOLDS(s.p.sides[pair_client].closed == 0);
  s.p.net.conditions = (net_conditions){.delay = millisecond};
  s.p.net.parties[pair_server].dead = true;
  pair_pass(&s.p, 130 * second);
  HOLDS(s.p.sides[pair_client].closed == 1 && s.p.sides[pair_client].reason == SC_ERR_QUIC_IDLE);
done:
  pair_end(&s.p, t);
  if (!t->failed && s.done != s.made)
    sc_test_fail(t, __FILE__, __LINE__, "every call ends once");
  if (expected != room)
    free(expected);
  expected = NULL;
}

static void calls_succeed_in_fair_weather(sc_test *t) {
  weather(t, 1, (net_conditions){.delay = 5 * millisecond}, 10000, 2, most_large);
}

static void calls_succeed_with_every_kind_of_fault(sc_test *t) {
  net_conditions conditions = {
      .delay = 10 * millisecond, .jitter = 10 * millisecond, .lost = 20, .doubled = 50, .damaged = 20};
  weather(t, 2, conditions, 10000, 1, most_large);
}

static void calls_succeed_with_a_tenth_of_datagrams_lost(sc_test *t) {
  net_conditions conditions = {.delay = 10 * millisecond, .jitter = 5 * millisecond, .lost = 100};
  weather(t, 3, conditions, 3000, 1, 400000);
}

static void calls_succeed_with_a_third_of_datagrams_lost(sc_test *t) {
  net_conditions conditions = {
      .delay = 10 * millisecond, .jitter = 30 * millisecond, .lost = 300, .doubled = 100};
  weather(t, 4, conditions, 500, 0, 0);
}

static void calls_succeed_with_many_corrupted_datagrams(sc_test *t) {
  net_conditions conditions = {.delay = 10 * millisecond, .damaged = 200};
  weather(t, 5, conditions, 500, 1, 40000);
}

/* The packets a run with this seed sends. */
static bool fingerprint(sc_test *t, uint64_t seed, uint64_t *digest, uint64_t *sent) {
  pair p;
  sc_test_env env;
  bool right = false;
  sc_test_env_init(&env, seed);
  pair_init(&p, &env.env, seed);
  p.net.conditions = (net_conditions){
      .delay = 10 * millisecond, .jitter = 10 * millisecond, .lost = 50, .doubled = 50, .damaged = 50};
  if (pair_open(&p) == SC_OK) {
    for (size_t i = 0; i < 50; i++)
      if (pair_call(&p, "large", sc_bytes_text("5000")) != SC_OK)
        break;
    right = pair_wait(&p, 50, 60 * second);
  }
  *digest = p.net.digest;
  *sent = p.net.sent;
  sc_test inner = {.env = &env.env};
  pair_end(&p, &inner);
  (void)t;
  return right && !inner.failed;
}

static void the_same_seed_sends_the_same_packets(sc_test *t) {
  uint64_t digests[3], sent[3];
  CHECK(fingerprint(t, 1001, &digests[0], &sent[0]));
  CHECK(fingerprint(t, 1001, &digests[1], &sent[1]));
  CHECK(fingerprint(t, 1002, &digests[2], &sent[2]));
  CHECK(digests[0] == digests[1] && sent[0] == sent[1] && sent[0] > 200);
  CHECK(digests[0] != digests[2]);
done:;
}

static void contradictory_options_are_refused(sc_test *t) {
  static const uint8_t seed[32] = {1};
  sc_ed25519_pair key;
  sc_quic_options good, options;
  sc_quic_endpoint *endpoint = NULL;
  sc_ed25519_pair_from_seed(&key, seed);
  sc_quic_options_default(&good);
  options = good;
  options.accepts = true; /* without an identity */
  FAILS(SC_ERR_ARGUMENT, sc_quic_endpoint_new(&endpoint, t->env, &options));
  options = good;
  options.protocol = sc_bytes_text("");
  FAILS(SC_ERR_ARGUMENT, sc_quic_endpoint_new(&endpoint, t->env, &options));
  options.protocol = sc_bytes_text("a protocol with a name that is too long");
  FAILS(SC_ERR_ARGUMENT, sc_quic_endpoint_new(&endpoint, t->env, &options));
  options = good;
  options.limits.streams = SC_QUIC_MAX_STREAMS + 1;
  FAILS(SC_ERR_ARGUMENT, sc_quic_endpoint_new(&endpoint, t->env, &options));
  options = good;
  options.limits.frame = SC_QUIC_MAX_FRAME_BYTES + 1;
  FAILS(SC_ERR_ARGUMENT, sc_quic_endpoint_new(&endpoint, t->env, &options));
  options = good;
  options.limits.send_memory = 2 * options.limits.frame - 1;
  FAILS(SC_ERR_ARGUMENT, sc_quic_endpoint_new(&endpoint, t->env, &options));
  CHECK(endpoint == NULL);
  good.identity = &key;
  good.accepts = true;
  OK(sc_quic_endpoint_new(&endpoint, t->env, &good));
  CHECK(sc_driven_deadline(sc_quic_driven(endpoint)) == SC_NEVER);
done:
  sc_quic_endpoint_free(endpoint);
}

static void ignore(void *user, const sc_quic_incoming *incoming) {
  (void)user;
  (void)incoming;
}

static void the_number_of_commands_is_limited(sc_test *t) {
  sc_quic_options options;
  sc_quic_endpoint *endpoint = NULL;
  char name[] = "command-00";
  sc_quic_options_default(&options);
  OK(sc_quic_endpoint_new(&endpoint, t->env, &options));
  FAILS(SC_ERR_REQUEST_NAME, sc_quic_handle(endpoint, sc_bytes_text(""), ignore, NULL));
  for (int i = 0; i < SC_QUIC_MAX_COMMANDS; i++) {
    name[8] = (char)('0' + i / 10);
    name[9] = (char)('0' + i % 10);
    OK(sc_quic_handle(endpoint, sc_bytes_text(name), ignore, NULL));
  }
  OK(sc_quic_handle(endpoint, sc_bytes_text(name), ignore, NULL));
  FAILS(SC_ERR_TOO_LARGE, sc_quic_handle(endpoint, sc_bytes_text("one more"), ignore, NULL));
done:
  sc_quic_endpoint_free(endpoint);
}

SUITE(network_quic_endpoint, "network/quic/endpoint",
      {"calls succeed in fair weather", calls_succeed_in_fair_weather},
      {"calls succeed with every kind of fault", calls_succeed_with_every_kind_of_fault},
      {"calls succeed with a tenth of datagrams lost", calls_succeed_with_a_tenth_of_datagrams_lost},
      {"calls succeed with a third of datagrams lost", calls_succeed_with_a_third_of_datagrams_lost},
      {"calls succeed with many corrupted datagrams", calls_succeed_with_many_corrupted_datagrams},
      {"the same seed sends the same packets", the_same_seed_sends_the_same_packets},
      {"contradictory options are refused", contradictory_options_are_refused},
      {"the number of commands is limited", the_number_of_commands_is_limited});
