#include "session-core/network/quic_pool.h"

#include "pair.h"

typedef struct pooled_pair {
  pair p;
  sc_quic_pool *pool;
  sc_quic_pool_options options;
  sc_quic_node node;
  size_t failures;
  size_t opened, closed;
  sc_status reason; /* of the last that closed */
  size_t done;
  size_t made; /* calls */
  sc_status status;
  sc_status sent_again;
} pooled_pair;

static void note_failed(void *user, const sc_quic_node *node, sc_status reason) {
  pooled_pair *pp = user;
  (void)node;
  pp->failures++;
  pp->reason = reason;
}

static void note_opened(void *user, const sc_quic_node *node) {
  pooled_pair *pp = user;
  (void)node;
  pp->opened++;
}

static void note_closed(void *user, const sc_quic_node *node, sc_status reason) {
  pooled_pair *pp = user;
  (void)node;
  pp->closed++;
  pp->reason = reason;
}

static void note_done(void *user, sc_quic_call call, const sc_quic_result *result) {
  pooled_pair *pp = user;
  (void)call;
  pp->done++;
  pp->status = result->status;
}

static void prepare(pooled_pair *pp, const sc_env *env, uint64_t seed) {
  *pp = (pooled_pair){.status = SC_OK};
  pair_init(&pp->p, env, seed);
  sc_quic_pool_options_default(&pp->options);
  pp->options.user = pp;
  pp->options.failed = note_failed;
  pp->node.address = pp->p.target.address;
  memcpy(pp->node.key, pp->p.target.key, SC_KEY_BYTES);
}

static sc_status start(pooled_pair *pp) {
  sc_status status = pair_start(&pp->p);
  return status == SC_OK
             ? sc_quic_pool_new(&pp->pool, pp->p.env, pp->p.sides[pair_client].endpoint, &pp->options)
             : status;
}

static void finish(pooled_pair *pp, sc_test *t) {
  sc_quic_pool_free(pp->pool);
  pair_end(&pp->p, t);
  if (pp->done != pp->made)
    sc_test_fail(t, __FILE__, __LINE__, "every call ends once");
}

static sc_status call(pooled_pair *pp, const char *name, sc_bytes body) {
  sc_quic_command command = {.name = sc_bytes_text(name), .body = body, .done = note_done, .user = pp};
  sc_status status = sc_quic_pool_send(NULL, pp->pool, pp->p.net.now, &pp->node, &command);
  pp->made += status == SC_OK;
  return status;
}

static uint64_t connections_made(const pooled_pair *pp) {
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, pp->p.sides[pair_client].endpoint);
  return counts.made;
}

static void calls_to_a_node_share_a_connection(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 90);
  HOLDS(start(&pp) == SC_OK);
  for (size_t i = 0; i < 5; i++) {
    HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
    if (i == 2)
      pair_pass(&pp.p, second);
  }
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 5 && pp.status == SC_OK);
  HOLDS(connections_made(&pp) == 1 && sc_quic_pool_count(pp.pool) == 1);
  HOLDS(pp.p.sides[pair_server].opened == 1);
done:
  finish(&pp, t);
}

static void an_unused_connection_is_closed_and_reopened_on_demand(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 91);
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, 59 * second);
  HOLDS(sc_quic_pool_count(pp.pool) == 1);
  pair_pass(&pp.p, 3 * second);
  HOLDS(sc_quic_pool_count(pp.pool) == 0 && pp.failures == 0);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 2 && pp.status == SC_OK && connections_made(&pp) == 2);
done:
  finish(&pp, t);
}

static void a_failure_is_reported_once(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 92);
  pp.node.address = net_address(99, 9);
  HOLDS(start(&pp) == SC_OK);
  for (size_t i = 0; i < 3; i++)
    HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, 4 * second);
  HOLDS(pp.done == 3 && pp.status == SC_ERR_QUIC_UNREACHABLE);
  HOLDS(pp.failures == 1 && pp.reason == SC_ERR_QUIC_UNREACHABLE);
  HOLDS(sc_quic_pool_count(pp.pool) == 0);
done:
  finish(&pp, t);
}

static void a_wrong_key_is_reported(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 93);
  pp.node.key[3] ^= 1;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 1 && pp.status == SC_ERR_QUIC_KEY && pp.failures == 1 && pp.reason == SC_ERR_QUIC_KEY);
done:
  finish(&pp, t);
}

static void a_connection_with_a_broken_stream_is_replaced(sc_test *t) {
  static uint8_t body[5000];
  pooled_pair pp;
  prepare(&pp, t->env, 94);
  pp.p.options[pair_server].limits.frame = 1000;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call(&pp, "size", SC_BYTES(body)) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 1 && pp.status == SC_ERR_QUIC_STREAM);
  HOLDS(call(&pp, "size", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 2 && pp.status == SC_OK && connections_made(&pp) == 2 && pp.failures == 0);
done:
  finish(&pp, t);
}

/* Enough calls at once that another stream would carry some, and then as many again. */
static bool many_are_answered(pooled_pair *pp) {
  enum { at_once = 6 };
  for (size_t round = 0; round < 2; round++) {
    size_t before = pp->made;
    for (size_t i = 0; i < at_once; i++) {
      sc_quic_command command = {.name = sc_bytes_text("echo"),
                                 .body = sc_bytes_text("x"),
                                 .stream = SC_QUIC_ANY_STREAM,
                                 .done = note_done,
                                 .user = pp};
      if (sc_quic_pool_send(NULL, pp->pool, pp->p.net.now, &pp->node, &command) != SC_OK)
        return false;
      pp->made++;
    }
    pair_pass(&pp->p, second);
    if (pp->made != before + at_once || pp->done != pp->made || pp->status != SC_OK)
      return false;
  }
  return true;
}

static void a_node_that_may_be_old_is_called_on_the_first_stream(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 101);
  pp.p.first_stream_alone = true;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(many_are_answered(&pp) && pp.p.on_other_streams == 0);
done:
  finish(&pp, t);
}

static void a_new_node_is_called_on_every_stream(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 102);
  pp.node.all_streams = true;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(many_are_answered(&pp) && pp.p.on_other_streams == 6);
done:
  finish(&pp, t);
}

/* Its replies outweigh the list's entry, on later connections too. */
static void a_node_that_replied_on_another_stream_is_remembered(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 103);
  pp.node.all_streams = true;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(many_are_answered(&pp));
  sc_quic_pool_close_all(pp.pool, pp.p.net.now);
  pp.node.all_streams = false;
  HOLDS(many_are_answered(&pp) && pp.p.on_other_streams == 12 && connections_made(&pp) == 2);
done:
  finish(&pp, t);
}

/* It costs one timeout in total, not one per connection. */
static void a_node_silent_on_another_stream_is_remembered(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 104);
  pp.p.first_stream_alone = true;
  pp.node.all_streams = true;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(!many_are_answered(&pp));
  pair_pass(&pp.p, 20 * second);
  HOLDS(pp.done == pp.made && pp.status == SC_ERR_REQUEST_TIMEOUT);
  sc_quic_pool_close_all(pp.pool, pp.p.net.now);
  size_t elsewhere = pp.p.on_other_streams;
  HOLDS(many_are_answered(&pp) && pp.p.on_other_streams == elsewhere && connections_made(&pp) == 2);
done:
  finish(&pp, t);
}

static void a_full_pool_closes_unused_connections(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 95);
  pp.options.nodes = 1;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call(&pp, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&pp.p, second);
  pp.node.address = net_address(99, 9);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_ERR_QUIC_BUSY);
  HOLDS(sc_quic_reply(pp.p.sides[pair_server].endpoint, pp.p.kept[0], sc_bytes_text("")) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 1);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(sc_quic_pool_count(pp.pool) == 1 && connections_made(&pp) == 2);
done:
  finish(&pp, t);
}

static void every_connection_is_reported(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 97);
  pp.options.opened = note_opened;
  pp.options.closed = note_closed;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pp.opened == 0);
  pair_pass(&pp.p, second);
  HOLDS(pp.opened == 1 && pp.closed == 0);
  pair_pass(&pp.p, 62 * second);
  HOLDS(pp.opened == 1 && pp.closed == 1 && pp.reason == SC_ERR_QUIC_STOPPED && pp.failures == 0);
  pp.node.key[3] ^= 1;
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.opened == 1 && pp.closed == 2 && pp.failures == 1 && pp.reason == SC_ERR_QUIC_KEY);
done:
  finish(&pp, t);
}

static sc_status connect_to(pooled_pair *pp, bool *open, uint64_t timeout) {
  return sc_quic_pool_connect(open, pp->pool, pp->p.net.now, &pp->node, timeout);
}

static void a_node_can_be_connected_without_a_call(sc_test *t) {
  pooled_pair pp;
  bool open = true;
  prepare(&pp, t->env, 98);
  pp.options.opened = note_opened;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(connect_to(&pp, &open, 0) == SC_OK && !open);
  HOLDS(connect_to(&pp, &open, 0) == SC_OK && !open);
  pair_pass(&pp.p, second);
  HOLDS(pp.opened == 1 && pp.p.sides[pair_server].opened == 1);
  HOLDS(connect_to(&pp, &open, 0) == SC_OK && open);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 1 && pp.status == SC_OK && connections_made(&pp) == 1);
done:
  finish(&pp, t);
}

static void an_unreachable_node_is_reported_after_its_timeout(sc_test *t) {
  pooled_pair pp;
  bool open = true;
  prepare(&pp, t->env, 99);
  pp.options.closed = note_closed;
  pp.node.address = net_address(99, 9);
  HOLDS(start(&pp) == SC_OK);
  HOLDS(connect_to(&pp, &open, second) == SC_OK && !open);
  pair_pass(&pp.p, 900 * millisecond);
  HOLDS(pp.closed == 0 && sc_quic_pool_count(pp.pool) == 1);
  pair_pass(&pp.p, 200 * millisecond);
  HOLDS(pp.closed == 1 && pp.failures == 1 && pp.reason == SC_ERR_QUIC_UNREACHABLE);
  HOLDS(sc_quic_pool_count(pp.pool) == 0);
done:
  finish(&pp, t);
}

static void one_node_can_be_closed(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 100);
  pp.options.closed = note_closed;
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call(&pp, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&pp.p, second);
  sc_quic_node here = pp.node;
  pp.node.address = net_address(99, 9);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(sc_quic_pool_close(pp.pool, pp.p.net.now, &here) == SC_OK);
  HOLDS(pp.done == 1 && pp.status == SC_ERR_QUIC_STOPPED && pp.closed == 1 && pp.failures == 0);
  HOLDS(sc_quic_pool_count(pp.pool) == 1);
  HOLDS(sc_quic_pool_close(pp.pool, pp.p.net.now, &here) == SC_ERR_NOT_FOUND);
  pair_pass(&pp.p, second);
  HOLDS(pp.p.sides[pair_server].closed == 1 && pp.p.sides[pair_server].reason == SC_ERR_QUIC_CLOSED);
done:
  finish(&pp, t);
}

/* A program that keeps retrying. */
static void call_again(void *user, sc_quic_call done, const sc_quic_result *result) {
  pooled_pair *pp = user;
  note_done(user, done, result);
  if (result->status != SC_OK && pp->made < 10)
    pp->sent_again = call(pp, "echo", sc_bytes_text("again"));
}

static sc_status call_stubbornly(pooled_pair *pp) {
  sc_quic_command command = {.name = sc_bytes_text("later"), .done = call_again, .user = pp};
  sc_status status = sc_quic_pool_send(NULL, pp->pool, pp->p.net.now, &pp->node, &command);
  pp->made += status == SC_OK;
  return status;
}

static void no_connection_starts_while_all_are_being_closed(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 101);
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call_stubbornly(&pp) == SC_OK);
  pair_pass(&pp.p, second);
  sc_quic_pool_close_all(pp.pool, pp.p.net.now);
  HOLDS(pp.done == 1 && pp.sent_again == SC_ERR_QUIC_STOPPED && sc_quic_pool_count(pp.pool) == 0);
  HOLDS(call(&pp, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.done == 2 && pp.status == SC_OK);
done:
  finish(&pp, t);
}

static void a_failed_call_can_be_retried_at_once(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 102);
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call_stubbornly(&pp) == SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(sc_quic_close(pp.p.sides[pair_server].endpoint, pp.p.net.now, pp.p.sides[pair_server].connection) ==
        SC_OK);
  pair_pass(&pp.p, second);
  HOLDS(pp.failures == 1 && pp.reason == SC_ERR_QUIC_CLOSED && pp.sent_again == SC_OK);
  HOLDS(pp.done == 2 && pp.status == SC_OK && connections_made(&pp) == 2);
  HOLDS(sc_quic_pool_count(pp.pool) == 1);
done:
  finish(&pp, t);
}

static void freeing_ends_all_calls(sc_test *t) {
  pooled_pair pp;
  prepare(&pp, t->env, 96);
  HOLDS(start(&pp) == SC_OK);
  HOLDS(call(&pp, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&pp.p, second);
  sc_quic_pool_free(pp.pool);
  pp.pool = NULL;
  HOLDS(pp.done == 1 && pp.status == SC_ERR_QUIC_STOPPED && pp.failures == 0);
done:
  finish(&pp, t);
}

SUITE(network_quic_pool, "network/quic/pool",
      {"calls to a node share a connection", calls_to_a_node_share_a_connection},
      {"an unused connection is closed and reopened on demand",
       an_unused_connection_is_closed_and_reopened_on_demand},
      {"a failure is reported once", a_failure_is_reported_once},
      {"a wrong key is reported", a_wrong_key_is_reported},
      {"a node that may be old is called on the first stream",
       a_node_that_may_be_old_is_called_on_the_first_stream},
      {"a new node is called on every stream", a_new_node_is_called_on_every_stream},
      {"a node that replied on another stream is remembered",
       a_node_that_replied_on_another_stream_is_remembered},
      {"a node silent on another stream is remembered", a_node_silent_on_another_stream_is_remembered},
      {"a connection with a broken stream is replaced", a_connection_with_a_broken_stream_is_replaced},
      {"a full pool closes unused connections", a_full_pool_closes_unused_connections},
      {"every connection is reported", every_connection_is_reported},
      {"a node can be connected without a call", a_node_can_be_connected_without_a_call},
      {"an unreachable node is reported after its timeout",
       an_unreachable_node_is_reported_after_its_timeout},
      {"one node can be closed", one_node_can_be_closed},
      {"no connection starts while all are being closed", no_connection_starts_while_all_are_being_closed},
      {"a failed call can be retried at once", a_failed_call_can_be_retried_at_once},
      {"freeing ends all calls", freeing_ends_all_calls});
