/* How requests end without a reply: cancelled, timed out, or refused over a limit. */
#include "world.h"

static void a_request_can_be_cancelled_at_any_stage(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  OK(sc_network_cancel(w.network, w.now, w.outcomes[0].ticket));
  HOLDS(world_connect(&w));
  OK(world_call_swarm(&w, &request));
  world_pass(&w, WORLD_MS);
  HOLDS(sc_network_cancel(w.network, w.now, w.outcomes[1].ticket) == SC_OK);
  for (size_t i = 0; i < 2; i++) {
    HOLDS(w.outcomes[i].status == SC_ERR_REQUEST_CANCELLED);
    FAILS(SC_ERR_NOT_FOUND, sc_network_cancel(w.network, w.now, w.outcomes[i].ticket));
  }
  sc_network_counts counts;
  world_pass(&w, WORLD_SECOND);
  sc_network_count(&counts, w.network);
  HOLDS(counts.requests == 0 && counts.bytes == 0 && counts.in_flight == 0);
done:
  world_end(&w, t);
}

static void the_overall_timeout_counts_from_the_start(sc_test *t) {
  WORLD(12, 4);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_SILENT;
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  uint64_t begun = w.now;
  OK(world_send(&w, &(sc_network_request){
                        .to = SC_NETWORK_TO_SWARM, .storage = &request, .overall = 12 * WORLD_SECOND}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT && w.outcomes[0].code == 408);
  HOLDS(w.now - begun == 12 * WORLD_SECOND);
done:
  world_end(&w, t);
}

static void waiting_for_a_path_counts_against_the_timeout(sc_test *t) {
  WORLD(12, 4);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  uint64_t begun = w.now;
  OK(world_send(&w, &(sc_network_request){
                        .to = SC_NETWORK_TO_SWARM, .storage = &request, .timeout = 2 * WORLD_SECOND}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT && w.now - begun == 2 * WORLD_SECOND);
done:
  world_end(&w, t);
}

static void the_number_of_requests_is_limited(sc_test *t) {
  WORLD(12, 4);
  w.options.max_requests = 3;
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  for (size_t i = 0; i < 3; i++)
    OK(world_call_swarm(&w, &request));
  FAILS(SC_ERR_NETWORK_FULL, world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 3));
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 4));
done:
  world_end(&w, t);
}

static void request_bytes_are_limited(sc_test *t) {
  WORLD(12, 4);
  w.options.max_bytes = 10;
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  FAILS(SC_ERR_NETWORK_FULL, world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
done:
  world_end(&w, t);
}

/* The backoff between two attempts does not count against the timeout of either. */
static void the_backoff_does_not_count_against_the_attempts_timeout(sc_test *t) {
  WORLD(12, 4);
  for (size_t i = 4; i < 8; i++) {
    w.nodes[i].mood = WORLD_ANSWERS;
    w.nodes[i].code = 503;
    w.nodes[i].text = "busy";
  }
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_send(
      &w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .timeout = 50 * WORLD_MS}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 503);
  HOLDS(w.outcomes[0].attempts >= 3);
done:
  world_end(&w, t);
}

static void an_infinite_timeout_is_accepted(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_send(&w,
                &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .overall = SC_NEVER}));
  OK(world_send(&w,
                &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .timeout = SC_NEVER}));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[1].status == SC_OK);
done:
  world_end(&w, t);
}

/* Silences the nodes behind the guard of the only path. */
static sc_status silence_path(world *w) {
  sc_network_path path;
  if (!world_connect(w) || !world_path(&path, w, SC_NETWORK_STANDARD))
    return SC_ERR_NO_MEMORY;
  w->nodes[world_index(w, path.nodes[1].key)].mood = WORLD_SILENT;
  return SC_OK;
}

static sc_status call_in_vain(world *w, uint64_t overall, size_t times) {
  const sc_storage_request request = world_retrieve(w, 5, 0);
  sc_status status = SC_OK;
  for (size_t i = 0; i < times && status == SC_OK; i++) {
    status = world_send(
        w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .overall = overall});
    if (status == SC_OK && !world_wait(w, w->outcome_count))
      status = SC_ERR_NO_MEMORY;
  }
  return status;
}

/* A program's timeouts may always be shorter than an attempt's: the path is still to blame. */
static void timed_out_requests_make_their_path_doubted(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  OK(silence_path(&w));
  const sc_path *before = w.network->paths.first;
  OK(call_in_vain(&w, 9 * WORLD_SECOND, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT);
  HOLDS(before->is_doubted && before->failure_count == 1);
  OK(call_in_vain(&w, 9 * WORLD_SECOND, 1));
  HOLDS(w.network->paths.first != before);
done:
  world_end(&w, t);
}

static void a_very_short_timeout_says_nothing_of_the_path(sc_test *t) {
  WORLD(12, 12);
  sc_network_path path;
  OK(world_start(&w));
  OK(silence_path(&w));
  OK(call_in_vain(&w, 7 * WORLD_SECOND, 4));
  HOLDS(w.outcomes[3].status == SC_ERR_REQUEST_TIMEOUT);
  HOLDS(world_path(&path, &w, SC_NETWORK_STANDARD) && path.failures == 0);
done:
  world_end(&w, t);
}

typedef struct leftover {
  const sc_network *network;
  size_t in_flight;
  size_t times;
} leftover;

static void note_leftover(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  leftover *l = user;
  sc_network_counts counts;
  (void)ticket;
  (void)reply;
  sc_network_count(&counts, l->network);
  l->in_flight = counts.in_flight;
  l->times++;
}

static void nothing_is_in_flight_when_the_result_is_reported(sc_test *t) {
  WORLD(12, 4);
  leftover l = {.in_flight = 9};
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  l.network = w.network;
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  sc_network_ticket ticket;
  OK(sc_network_send(&ticket, w.network, w.now,
                     &(sc_network_request){
                         .to = SC_NETWORK_TO_SWARM, .storage = &request, .done = note_leftover, .user = &l}));
  world_pass(&w, WORLD_MS);
  HOLDS(sc_network_cancel(w.network, w.now, ticket) == SC_OK);
  HOLDS(l.times == 1 && l.in_flight == 0);
done:
  world_end(&w, t);
}

/* A driver's clock that goes back counts as standing still. */
static void time_does_not_go_backwards(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  for (size_t i = 4; i < 8; i++)
    w.nodes[i].mood = WORLD_SILENT;
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  uint64_t begun = w.now;
  w.now = 1;
  OK(world_send(&w, &(sc_network_request){
                        .to = SC_NETWORK_TO_SWARM, .storage = &request, .overall = 2 * WORLD_SECOND}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT && w.now - begun == 2 * WORLD_SECOND);
done:
  world_end(&w, t);
}

SUITE(network_router_ends, "network/router/ends",
      {"a request can be cancelled at any stage", a_request_can_be_cancelled_at_any_stage},
      {"the overall timeout counts from the start", the_overall_timeout_counts_from_the_start},
      {"waiting for a path counts against the timeout", waiting_for_a_path_counts_against_the_timeout},
      {"the number of requests is limited", the_number_of_requests_is_limited},
      {"request bytes are limited", request_bytes_are_limited},
      {"the backoff does not count against the attempt's timeout",
       the_backoff_does_not_count_against_the_attempts_timeout},
      {"an infinite timeout is accepted", an_infinite_timeout_is_accepted},
      {"timed-out requests make their path doubted", timed_out_requests_make_their_path_doubted},
      {"a very short timeout says nothing of the path", a_very_short_timeout_says_nothing_of_the_path},
      {"nothing is in flight when the result is reported", nothing_is_in_flight_when_the_result_is_reported},
      {"time does not go backwards", time_does_not_go_backwards});
