/* Waiting for real nodes. Hosts do not allocate from the test's environment, which counts without locks. */
#include "session-core/runtime/call.h"

#include <stdio.h>

#include "network/router/real_nodes.h"
#include "runtime/toy.h"

enum { grace_s = 5, node_count = 6 };

static sc_status start(sc_network_host **out, const real_nodes *nodes, sc_node *seed) {
  sc_network_options options;
  *out = NULL;
  sc_network_options_default(&options, SC_NETWORK_PRIVATE);
  *seed = nodes->list[0].node;
  options.nodes.seeds = seed;
  options.nodes.seed_count = 1;
  options.request_timeout = 20 * SC_NODE_SECOND;
  options.guard_timeout = 20 * SC_NODE_SECOND;
  sc_status status = sc_network_host_new(out, NULL, &options, &(sc_network_host_options){0});
  return status == SC_OK ? sc_network_host_start(*out, true) : status;
}

static const char retrieve_7[] = "{\"method\":\"retrieve\",\"params\":{\"namespace\":7,\"pubkey\":"
                                 "\"030000000000000000000000000000000000000000000000000000000000000000\"}}";

static void the_caller_waits_for_the_reply(sc_test *t) {
  static real_nodes nodes;
  sc_network_host *host = NULL;
  sc_node seed;
  sc_buffer body = {0};
  int code;
  OK(real_nodes_start(&nodes, node_count));
  OK(start(&host, &nodes, &seed));
  for (int16_t number = 1; number < 4; number++) {
    char expected[24];
    const sc_storage_request storage = {
        .method = SC_STORAGE_RETRIEVE, .account = {3}, .of.retrieve.number = number};
    const sc_network_request request = {.to = SC_NETWORK_TO_SWARM, .storage = &storage};
    OK(sc_network_host_request(&body, &code, host, &request));
    CHECK(code == 200);
    snprintf(expected, sizeof expected, "\"number\":%d,", number);
    OK(sc_buffer_append_byte(&body, 0));
    CHECK(strstr((const char *)body.ptr, expected) != NULL);
  }
  OK(sc_network_host_call(&body, &code, host, sc_bytes_text(retrieve_7), 30 * SC_NS_PER_SECOND));
  OK(sc_buffer_append_byte(&body, 0));
  CHECK(code == 200 && strstr((const char *)body.ptr, "\"number\":7,") != NULL);
done:
  sc_buffer_free(&body);
  sc_network_host_free(host);
  real_nodes_end(&nodes);
}

static void an_invalid_call_is_refused(sc_test *t) {
  static real_nodes nodes;
  sc_network_host *host = NULL;
  sc_node seed;
  sc_buffer body = {0};
  int code;
  OK(real_nodes_start(&nodes, 1));
  OK(start(&host, &nodes, &seed));
  FAILS(SC_ERR_STORAGE_SYNTAX, sc_network_host_call(&body, &code, host, sc_bytes_text("what?"), 0));
  FAILS(SC_ERR_STORAGE_METHOD,
        sc_network_host_call(&body, &code, host, sc_bytes_text("{\"method\":\"x\",\"params\":{}}"), 0));
  CHECK(body.len == 0 && code == 0);
done:
  sc_network_host_free(host);
  real_nodes_end(&nodes);
}

typedef struct attempt {
  sc_network_host *host;
  sc_status status;
  toy_latch done;
} attempt;

static void call_from_within(void *user, sc_network *network, uint64_t now) {
  attempt *a = user;
  sc_buffer body = {0};
  int code;
  (void)network;
  (void)now;
  a->status = sc_network_host_call(&body, &code, a->host, sc_bytes_text(retrieve_7), 0);
  toy_latch_add(&a->done, 1);
}

static void waiting_on_the_runtimes_own_thread_is_refused(sc_test *t) {
  static real_nodes nodes;
  attempt a = {.done = TOY_LATCH};
  sc_node seed;
  OK(real_nodes_start(&nodes, 1));
  OK(start(&a.host, &nodes, &seed));
  OK(sc_network_host_post(a.host, call_from_within, &a));
  CHECK(toy_latch_wait(&a.done, 1));
  FAILS(SC_ERR_RUNTIME_THREAD, a.status);
done:
  sc_network_host_free(a.host);
  real_nodes_end(&nodes);
}

static void waiting_on_a_stopped_runtime_is_refused(sc_test *t) {
  const sc_node seed = {.key = {1}, .ip = {127, 0, 0, 1}, .quic_port = 9};
  sc_network_host *host = NULL;
  sc_network_options options;
  sc_buffer body = {0};
  int code;
  sc_network_options_default(&options, SC_NETWORK_PRIVATE);
  options.nodes.seeds = &seed;
  options.nodes.seed_count = 1;
  OK(sc_network_host_new(&host, NULL, &options, &(sc_network_host_options){0}));
  FAILS(SC_ERR_STATE, sc_network_host_call(&body, &code, host, sc_bytes_text(retrieve_7), 0));
  OK(sc_network_host_start(host, false));
  OK(sc_network_host_stop(host, grace_s * SC_NS_PER_SECOND));
  FAILS(SC_ERR_RUNTIME_STOPPED, sc_network_host_call(&body, &code, host, sc_bytes_text(retrieve_7), 0));
done:
  sc_network_host_free(host);
}

typedef struct waiting {
  sc_network_host *host;
  sc_status status;
  toy_latch begun, ended;
} waiting;

static void *wait_in_vain(void *user) {
  waiting *w = user;
  sc_buffer body = {0};
  int code;
  w->status = sc_network_host_call(&body, &code, w->host, sc_bytes_text(retrieve_7), 0);
  sc_buffer_free(&body);
  toy_latch_add(&w->ended, 1);
  return NULL;
}

/* Checks again, turn after turn, until the network has the request. */
static void look_for_request(void *user, sc_network *network, uint64_t now) {
  waiting *w = user;
  sc_network_counts counts;
  (void)now;
  sc_network_count(&counts, network);
  if (counts.requests > 0 || sc_network_host_post(w->host, look_for_request, w) != SC_OK)
    toy_latch_add(&w->begun, 1);
}

/* There is no node at the seed's address, so the request waits. */
static void stopping_ends_the_wait(sc_test *t) {
  const sc_node seed = {.key = {1}, .ip = {127, 0, 0, 1}, .quic_port = 9};
  waiting w = {.begun = TOY_LATCH, .ended = TOY_LATCH};
  sc_network_options options;
  pthread_t thread;
  bool runs = false;
  sc_network_options_default(&options, SC_NETWORK_PRIVATE);
  options.nodes.seeds = &seed;
  options.nodes.seed_count = 1;
  options.nodes.list_timeout = 600 * SC_NODE_SECOND;
  options.guard_timeout = 600 * SC_NODE_SECOND;
  OK(sc_network_host_new(&w.host, NULL, &options, &(sc_network_host_options){0}));
  OK(sc_network_host_start(w.host, false));
  runs = pthread_create(&thread, NULL, wait_in_vain, &w) == 0;
  CHECK(runs);
  OK(sc_network_host_post(w.host, look_for_request, &w));
  CHECK(toy_latch_wait(&w.begun, 1));
  OK(sc_network_host_stop(w.host, 0));
  CHECK(toy_latch_wait(&w.ended, 1));
  FAILS(SC_ERR_NETWORK_SUSPENDED, w.status);
done:
  if (runs) {
    sc_status status = sc_network_host_stop(w.host, 0);
    (void)status; /* earlier work is done */
    pthread_join(thread, NULL);
  }
  sc_network_host_free(w.host);
}

static void an_invalid_network_file_is_refused(sc_test *t) {
  sc_network_host *host;
  FAILS(SC_ERR_NODE_LIST, sc_network_host_open(&host, NULL, sc_bytes_text("{}"), NULL));
  CHECK(host == NULL);
done:;
}

SUITE(runtime_call, "runtime/call", {"the caller waits for the reply", the_caller_waits_for_the_reply},
      {"an invalid call is refused", an_invalid_call_is_refused},
      {"waiting on the runtime's own thread is refused", waiting_on_the_runtimes_own_thread_is_refused},
      {"waiting on a stopped runtime is refused", waiting_on_a_stopped_runtime_is_refused},
      {"stopping ends the wait", stopping_ends_the_wait},
      {"an invalid network file is refused", an_invalid_network_file_is_refused});
