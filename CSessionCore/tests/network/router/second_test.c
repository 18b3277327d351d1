/* Second attempts: a lost interactive request costs one second at most. */
#include "world.h"

enum { round_trips_ms = 5 * world_latency_ms };

static const uint64_t most_time = WORLD_SECOND + round_trips_ms * WORLD_MS;

static sc_status call_interactively(world *w) {
  const sc_storage_request request = world_retrieve(w, 5, 0);
  return world_send(
      w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .interactive = true});
}

/* Silences the node at this place of the only path. */
static void silence(world *w, size_t place) {
  sc_network_path path;
  if (world_path(&path, w, SC_NETWORK_STANDARD))
    w->nodes[world_index(w, path.nodes[place].key)].mood = WORLD_SILENT;
}

static uint64_t hedges_of(const world *w) {
  sc_network_counts counts;
  sc_network_count(&counts, w->network);
  return counts.hedges;
}

/* No request is in flight, and no path carries any. */
static bool is_idle(const world *w) {
  sc_network_path paths[16];
  sc_network_counts counts;
  sc_network_count(&counts, w->network);
  size_t count = sc_network_paths(paths, 16, w->network), carried = 0;
  for (size_t i = 0; i < count; i++)
    carried += paths[i].requests;
  return counts.requests == 0 && counts.in_flight == 0 && carried == 0;
}

static void a_silent_node_costs_one_second(sc_test *t) {
  for (size_t place = 0; place < (t->torture ? 1 : 3); place++) {
    WORLD(24, 4);
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    silence(&w, place);
    uint64_t begun = w.now;
    OK(call_interactively(&w));
    HOLDS(world_wait(&w, 1));
    HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
    HOLDS(w.now - begun <= most_time);
    /* The next request avoids that path. */
    begun = w.now;
    OK(call_interactively(&w));
    HOLDS(world_wait(&w, 2));
    HOLDS(w.outcomes[1].status == SC_OK && w.now - begun < WORLD_SECOND / 2);
  done:
    world_end(&w, t);
  }
}

static void a_silent_member_costs_one_second(sc_test *t) {
  WORLD(24, 2);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.nodes[5].mood = WORLD_SILENT;
  for (size_t i = 1; i <= 4; i++) {
    uint64_t begun = w.now;
    OK(call_interactively(&w));
    HOLDS(world_wait(&w, i));
    HOLDS(w.outcomes[i - 1].status == SC_OK && w.now - begun <= most_time);
  }
done:
  world_end(&w, t);
}

static void two_silent_nodes_of_twelve_cost_a_second_and_a_half(sc_test *t) {
  for (size_t first = 0; first < (t->torture ? 2 : 6); first += 2) {
    WORLD(12, 3);
    w.nodes[first].mood = WORLD_SILENT;
    w.nodes[first + 6].mood = WORLD_SILENT;
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    uint64_t begun = w.now;
    OK(call_interactively(&w));
    HOLDS(world_wait(&w, 1));
    HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts <= 3);
    HOLDS(w.now - begun <= WORLD_SECOND / 2 + most_time);
  done:
    world_end(&w, t);
  }
}

static void without_hedging_the_first_attempt_is_awaited(sc_test *t) {
  WORLD(24, 4);
  w.options.hedge_initial = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  silence(&w, 1);
  uint64_t begun = w.now;
  OK(call_interactively(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(hedges_of(&w) == 0 && w.now - begun >= w.options.request_timeout);
done:
  world_end(&w, t);
}

static void only_interactive_requests_are_hedged(sc_test *t) {
  WORLD(24, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  silence(&w, 1);
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(w.outcomes[0].times == 0 && hedges_of(&w) == 0);
  HOLDS(world_wait(&w, 1));
done:
  world_end(&w, t);
}

static sc_status call_server(world *w, sc_onion_method method, bool repeatable) {
  sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(server.x25519, w->server.x.public_key, SC_KEY_BYTES);
  const sc_onion_request http = {.method = method, .endpoint = sc_bytes_text("/one")};
  return world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER,
                                             .server = &server,
                                             .http = &http,
                                             .interactive = true,
                                             .repeatable = repeatable});
}

static void server_requests_are_hedged_only_if_harmless(sc_test *t) {
  static const struct {
    sc_onion_method method;
    bool repeatable, is_made_twice;
  } cases[] = {{SC_ONION_GET, false, true},
               {SC_ONION_PUT, false, true},
               {SC_ONION_POST, false, false},
               {SC_ONION_POST, true, true}};
  for (size_t i = 0; i < (t->torture ? 1 : sizeof cases / sizeof cases[0]); i++) {
    WORLD(24, 4);
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    silence(&w, 1);
    OK(call_server(&w, cases[i].method, cases[i].repeatable));
    world_pass(&w, most_time);
    HOLDS((hedges_of(&w) == 1) == cases[i].is_made_twice);
    HOLDS((w.outcomes[0].times == 1) == cases[i].is_made_twice);
  done:
    world_end(&w, t);
  }
}

static void a_late_reply_is_dropped(sc_test *t) {
  WORLD(24, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.late_calls = 1;
  w.late_by = 3 * WORLD_SECOND / 2;
  OK(call_interactively(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && !is_idle(&w));
  world_pass(&w, WORLD_SECOND);
  sc_network_counts counts;
  sc_network_count(&counts, w.network);
  HOLDS(is_idle(&w) && counts.ignored == 1 && counts.succeeded == 1);
done:
  world_end(&w, t);
}

static void the_first_reply_wins(sc_test *t) {
  WORLD(24, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.late_calls = 2;
  w.late_by = 7 * WORLD_SECOND / 5;
  uint64_t begun = w.now;
  OK(call_interactively(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
  HOLDS(w.now - begun < 2 * WORLD_SECOND);
  world_pass(&w, 2 * WORLD_SECOND);
  HOLDS(is_idle(&w));
done:
  world_end(&w, t);
}

static void a_failed_attempt_leaves_the_other_running(sc_test *t) {
  WORLD(24, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path path;
  HOLDS(world_path(&path, &w, SC_NETWORK_STANDARD));
  w.late_calls = 2;
  w.late_by = 3 * WORLD_SECOND;
  OK(call_interactively(&w));
  world_pass(&w, most_time);
  HOLDS(hedges_of(&w) == 1);
  world_break(&w, world_index(&w, path.nodes[0].key), SC_ERR_QUIC_CLOSED);
  HOLDS(w.outcomes[0].times == 0);
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && hedges_of(&w) == 1);
  /* Another attempt replaced the failed one, and was faster than the late reply. */
  HOLDS(w.outcomes[0].attempts == 3);
  world_pass(&w, 4 * WORLD_SECOND);
  HOLDS(is_idle(&w));
done:
  world_end(&w, t);
}

static void cancelling_ends_both_attempts(sc_test *t) {
  WORLD(24, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.late_calls = 2;
  w.late_by = 3 * WORLD_SECOND;
  OK(call_interactively(&w));
  world_pass(&w, most_time);
  HOLDS(hedges_of(&w) == 1);
  HOLDS(sc_network_cancel(w.network, w.now, w.outcomes[0].ticket) == SC_OK);
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_CANCELLED && is_idle(&w));
done:
  world_end(&w, t);
}

static void freeing_the_network_ends_both_attempts(sc_test *t) {
  WORLD(24, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.late_calls = 2;
  w.late_by = 3 * WORLD_SECOND;
  OK(call_interactively(&w));
  world_pass(&w, most_time);
  HOLDS(hedges_of(&w) == 1);
  sc_network_suspend(w.network, w.now);
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_SUSPENDED && is_idle(&w));
done:
  world_end(&w, t);
}

static void one_attempt_in_four_may_be_hedged(sc_test *t) {
  size_t requests = t->torture ? 4 : 60;
  WORLD(24, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.late_calls = world_most_events;
  w.late_by = 7 * WORLD_SECOND;
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  for (size_t i = 0; i < requests; i++)
    OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM,
                                            .storage = &request,
                                            .alone = true,
                                            .interactive = true,
                                            .overall = 8 * WORLD_SECOND}));
  world_pass(&w, 5 * WORLD_SECOND);
  sc_network_counts counts;
  sc_network_count(&counts, w.network);
  HOLDS(t->torture || (counts.hedges > sc_hedge_allowance && counts.hedges * sc_hedge_share <= counts.sent));
  HOLDS(world_wait(&w, requests));
done:
  world_end(&w, t);
}

SUITE(network_router_second, "network/router/second",
      {"a silent node costs one second", a_silent_node_costs_one_second},
      {"a silent member costs one second", a_silent_member_costs_one_second},
      {"two silent nodes of twelve cost a second and a half",
       two_silent_nodes_of_twelve_cost_a_second_and_a_half},
      {"without hedging the first attempt is awaited", without_hedging_the_first_attempt_is_awaited},
      {"only interactive requests are hedged", only_interactive_requests_are_hedged},
      {"server requests are hedged only if harmless", server_requests_are_hedged_only_if_harmless},
      {"a late reply is dropped", a_late_reply_is_dropped}, {"the first reply wins", the_first_reply_wins},
      {"a failed attempt leaves the other running", a_failed_attempt_leaves_the_other_running},
      {"cancelling ends both attempts", cancelling_ends_both_attempts},
      {"freeing the network ends both attempts", freeing_the_network_ends_both_attempts},
      {"one attempt in four may be hedged", one_attempt_in_four_may_be_hedged});
