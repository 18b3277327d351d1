/* The clock: measured by calling nodes, corrected by their median, and measured again when a destination
 * reports that it is wrong. */
#include "world.h"

/* Without rotations, whose probes ask for the time too. */
#define CLOCKED(count)                                                                                       \
  WORLD((count), 4);                                                                                         \
  w.options.path_life = 24 * 3600 * WORLD_SECOND;                                                            \
  w.options.clock_nodes = 3

static sc_network_status status_of(const world *w) {
  sc_network_status status;
  sc_network_inspect(&status, w->network);
  return status;
}

static void let_all_be_ahead(world *w, int64_t offset) {
  for (size_t i = 0; i < w->node_count; i++)
    w->nodes[i].clock_offset = offset;
}

/* defect of the reference: half of the round trip is added, not subtracted. */
static void defect_half_of_the_round_trip_is_added(sc_test *t) {
  CLOCKED(12);
  let_all_be_ahead(&w, 90000);
  OK(world_start(&w));
  world_pass(&w, 5 * WORLD_SECOND);
  /* Nodes read their clock as the request leaves, and the reply arrives 10 ms later. */
  HOLDS(status_of(&w).clock_is_known);
  HOLDS(status_of(&w).clock_offset == 90000 - world_latency_ms + world_latency_ms / 2);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 3);
done:
  world_end(&w, t);
}

/* defect of the reference: with fewer nodes than wanted it never finishes. */
static void defect_fewer_nodes_than_wanted_are_enough(sc_test *t) {
  CLOCKED(5);
  let_all_be_ahead(&w, 1000);
  OK(world_start(&w));
  world_pass(&w, 15 * WORLD_SECOND);
  HOLDS(status_of(&w).clock_is_known && world_count_seen(&w, SC_STORAGE_INFO) > 0);
  HOLDS(!w.network->clock.running);
done:
  world_end(&w, t);
}

/* N13 */
static void times_more_than_ten_years_off_move_no_clock(sc_test *t) {
  static const int64_t years[] = {11, -11, 1000, -50};
  for (size_t i = 0; i < sizeof years / sizeof years[0]; i++) {
    CLOCKED(12);
    let_all_be_ahead(&w, years[i] * 366 * 24 * 3600 * 1000);
    OK(world_start(&w));
    world_pass(&w, 10 * WORLD_SECOND);
    HOLDS(!status_of(&w).clock_is_known && status_of(&w).clock_offset == 0);
    HOLDS(sc_network_time(w.network, w.now) == WORLD_WALL + w.now / WORLD_MS);
  done:
    world_end(&w, t);
  }
}

/* T3: half of the nodes say one thing and half another, so the clock stays. */
static void without_agreement_the_clock_stays_and_is_measured_less_and_less_often(sc_test *t) {
  static const uint64_t minutes[] = {1, 2, 4, 8, 16, 32, 60, 60};
  CLOCKED(12);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].clock_offset = 90000 * (int64_t)(i + 1);
  OK(world_start(&w));
  world_pass(&w, 10 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 6);
  for (size_t i = 0; i < sizeof minutes / sizeof minutes[0]; i++) {
    world_pass(&w, minutes[i] * 60 * WORLD_SECOND - 15 * WORLD_SECOND);
    HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 6 + 6 * i);
    world_pass(&w, 15 * WORLD_SECOND);
    HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 12 + 6 * i);
  }
  HOLDS(!status_of(&w).clock_is_known && status_of(&w).clock_offset == 0);
done:
  world_end(&w, t);
}

/* One of three may lie, in either direction. */
static void the_median_is_used(sc_test *t) {
  static world w;
  size_t count = t->torture ? 1 : 6;
  for (size_t liar = 0; liar < count; liar++) {
    world_init(&w, t->env, 6, 6);
    w.options.clock_nodes = 3;
    let_all_be_ahead(&w, 2000);
    w.nodes[liar].clock_offset = liar % 2 == 0 ? 500000 : -500000;
    OK(world_start(&w));
    world_pass(&w, 15 * WORLD_SECOND);
    HOLDS(status_of(&w).clock_is_known);
    HOLDS(status_of(&w).clock_offset == 2000 - world_latency_ms / 2);
    if (liar + 1 < count)
      world_end(&w, t);
  }
done:
  world_end(&w, t);
}

static void with_two_samples_the_mean_is_used(sc_test *t) {
  CLOCKED(5);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].clock_offset = (int64_t)i * 1000;
  w.options.clock_nodes = 2;
  OK(world_start(&w));
  world_pass(&w, 15 * WORLD_SECOND);
  int64_t sum = 0;
  for (size_t i = 0; i < w.seen_count; i++)
    sum += w.nodes[w.seen[i].node].clock_offset;
  HOLDS(w.seen_count == 2);
  HOLDS(status_of(&w).clock_offset == sum / 2 - world_latency_ms / 2);
done:
  world_end(&w, t);
}

static void implausible_times_are_ignored(sc_test *t) {
  CLOCKED(12);
  let_all_be_ahead(&w, INT64_C(11) * 366 * 24 * 3600 * 1000);
  OK(world_start(&w));
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(!status_of(&w).clock_is_known && status_of(&w).clock_offset == 0);
done:
  world_end(&w, t);
}

static void a_failed_measurement_is_repeated_later(sc_test *t) {
  CLOCKED(12);
  let_all_be_ahead(&w, INT64_C(11) * 366 * 24 * 3600 * 1000);
  OK(world_start(&w));
  world_pass(&w, 5 * WORLD_SECOND);
  let_all_be_ahead(&w, 1000);
  world_pass(&w, 70 * WORLD_SECOND);
  HOLDS(status_of(&w).clock_is_known);
done:
  world_end(&w, t);
}

static void the_time_is_corrected(sc_test *t) {
  CLOCKED(12);
  let_all_be_ahead(&w, 60000);
  OK(world_start(&w));
  world_pass(&w, 5 * WORLD_SECOND);
  uint64_t wall = WORLD_WALL + w.now / WORLD_MS;
  HOLDS(sc_network_time(w.network, w.now) == wall + 60000 - world_latency_ms / 2);
  HOLDS(sc_network_time(w.network, w.now + WORLD_SECOND) == wall + 61000 - world_latency_ms / 2);
done:
  world_end(&w, t);
}

/* T5 */
static void a_406_from_a_node_triggers_a_measurement(sc_test *t) {
  CLOCKED(12);
  w.options.clock_min_interval = 60 * WORLD_SECOND;
  OK(world_start(&w));
  world_pass(&w, 61 * WORLD_SECOND);
  let_all_be_ahead(&w, 600000);
  size_t infos = world_count_seen(&w, SC_STORAGE_INFO);
  for (size_t i = 4; i < 8; i++) {
    w.nodes[i].mood = WORLD_ANSWERS;
    w.nodes[i].code = 406;
    w.nodes[i].text = "check your clock";
  }
  for (size_t i = 0; i < 4; i++)
    w.nodes[i].mood = WORLD_FINE;
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_CLOCK && w.outcomes[0].code == 406);
  HOLDS(w.outcomes[0].attempts == 1);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) > infos);
done:
  world_end(&w, t);
}

/* T5: its own clock is wrong. */
static void a_406_soon_after_a_measurement_sends_the_request_to_another_node(sc_test *t) {
  CLOCKED(12);
  OK(world_start(&w));
  world_pass(&w, 500 * WORLD_SECOND);
  size_t infos = world_count_seen(&w, SC_STORAGE_INFO), asked = 0, answered = 0;
  /* Until the request reaches the node whose clock is wrong. */
  for (; asked < 96 && answered == asked; asked++) {
    for (size_t i = 0; i < w.node_count; i++)
      w.nodes[i].mood = i == asked % w.node_count ? WORLD_ANSWERS : WORLD_FINE;
    w.nodes[asked % w.node_count].code = 406;
    w.nodes[asked % w.node_count].text = "check your clock";
    const sc_storage_request request = world_retrieve(&w, 5, 0);
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, asked + 1));
    HOLDS(w.outcomes[asked].status == SC_OK && world_count_seen(&w, SC_STORAGE_INFO) == infos);
    answered += w.outcomes[asked].attempts;
  }
  HOLDS(answered == asked + 1);
done:
  world_end(&w, t);
}

/* The user set this machine's clock. */
static void two_nodes_that_say_406_cause_a_measurement_at_any_time(sc_test *t) {
  CLOCKED(20);
  OK(world_start(&w));
  world_pass(&w, 5 * WORLD_SECOND);
  size_t infos = world_count_seen(&w, SC_STORAGE_INFO);
  let_all_be_ahead(&w, 600000);
  for (size_t i = 4; i < 8; i++) {
    w.nodes[i].mood = WORLD_ANSWERS;
    w.nodes[i].code = 406;
    w.nodes[i].text = "check your clock";
  }
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_CLOCK && w.outcomes[0].attempts == 2);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) > infos && status_of(&w).clock_offset > 590000);
done:
  world_end(&w, t);
}

/* T5: nothing is measured more than once in ten minutes for such reasons. */
static void a_406_without_reason_sends_the_request_to_another_node(sc_test *t) {
  CLOCKED(12);
  OK(world_start(&w));
  world_pass(&w, 601 * WORLD_SECOND);
  size_t infos = world_count_seen(&w, SC_STORAGE_INFO);
  for (size_t i = 4; i < 6; i++) {
    w.nodes[i].mood = WORLD_ANSWERS;
    w.nodes[i].code = 406;
    w.nodes[i].text = "check your clock";
  }
  for (size_t i = 0; i < 4; i++) {
    const sc_storage_request request = world_retrieve(&w, 5, 0);
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, i + 1));
    HOLDS(w.outcomes[i].status == SC_OK && world_count_seen(&w, SC_STORAGE_INFO) <= infos + 3);
  }
done:
  world_end(&w, t);
}

static void a_425_from_a_server_triggers_a_measurement(sc_test *t) {
  CLOCKED(12);
  OK(world_start(&w));
  world_pass(&w, 601 * WORLD_SECOND);
  let_all_be_ahead(&w, 600000);
  OK(world_call_server(&w, "/early"));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_CLOCK && w.outcomes[0].code == 425);
  HOLDS(status_of(&w).clock_offset > 590000);
done:
  world_end(&w, t);
}

static void without_nodes_a_measurement_fails_at_once(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  OK(world_call_server(&w, "/early"));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_CLOCK);
done:
  world_end(&w, t);
}

static void the_fork_is_learnt_along_the_way(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  for (size_t i = 0; i < 8; i++) {
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, i + 1));
    HOLDS(i > 0 || !status_of(&w).fork_is_known); /* one node alone is not believed */
  }
  HOLDS(status_of(&w).fork_is_known && status_of(&w).fork[0] == 19 && status_of(&w).fork[1] == 6);
done:
  world_end(&w, t);
}

/* A silent node, on the path or called directly, costs the delay before a second attempt. */
static void a_silent_node_delays_the_measurement_by_one_second(sc_test *t) {
  for (size_t silent = 0; silent < (t->torture ? 5 : 12); silent += 5) {
    CLOCKED(16);
    let_all_be_ahead(&w, 90000);
    w.nodes[silent].mood = WORLD_SILENT;
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    world_pass(&w, WORLD_SECOND + 10 * world_latency_ms * WORLD_MS);
    HOLDS(status_of(&w).clock_is_known);
    HOLDS(status_of(&w).clock_offset == 90000 - world_latency_ms / 2);
  done:
    world_end(&w, t);
  }
}

/* If two of three are silent, the third is trusted at once only when it agrees with this machine. */
static void a_single_node_moves_the_clock_only_a_little(sc_test *t) {
  static const struct {
    int64_t offset;
    bool is_believed;
  } cases[] = {{29000, true}, {-29000, true}, {31000, false}, {-31000, false}};
  size_t met = 0, count = 2 * sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; i++) {
    CLOCKED(4);
    w.options.path_length = 1;
    let_all_be_ahead(&w, cases[i / 2].offset);
    w.nodes[i % 4].mood = w.nodes[(i + 1) % 4].mood = WORLD_SILENT;
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    world_pass(&w, WORLD_SECOND + 10 * world_latency_ms * WORLD_MS);
    bool one_alone = w.network->clock.sample_count == 1;
    met += one_alone;
    HOLDS(!one_alone || status_of(&w).clock_is_known == cases[i / 2].is_believed);
    HOLDS(i + 1 < count || met > 0);
  done:
    world_end(&w, t);
  }
}

/* The guards are connected again for the sake of the measurement. */
static void the_clock_is_measured_after_connections_were_closed(sc_test *t) {
  CLOCKED(12);
  let_all_be_ahead(&w, 90000);
  OK(world_start(&w));
  HOLDS(w.network->clock.awaits_guard);
  sc_network_close_connections(w.network, w.now);
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(status_of(&w).clock_is_known);
done:
  world_end(&w, t);
}

static void the_fork_is_not_learnt_from_servers(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  OK(world_call_server(&w, "/forked"));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && strstr(w.outcomes[0].body, "\"hf\"") != NULL);
  HOLDS(!status_of(&w).fork_is_known);
done:
  world_end(&w, t);
}

static void concurrent_requests_share_one_measurement(sc_test *t) {
  CLOCKED(12);
  OK(world_start(&w));
  world_pass(&w, 601 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 3);
  for (size_t i = 0; i < 4; i++)
    OK(world_call_server(&w, "/early"));
  HOLDS(world_wait(&w, 4));
  for (size_t i = 0; i < 4; i++)
    HOLDS(w.outcomes[i].status == SC_ERR_NETWORK_CLOCK && w.outcomes[i].code == 425);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 6);
done:
  world_end(&w, t);
}

static void times_never_underflow(sc_test *t) {
  CLOCKED(12);
  let_all_be_ahead(&w, -90000);
  OK(world_start(&w));
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(status_of(&w).clock_is_known);
  sc_network_set_wall(w.network, w.now, 1000);
  HOLDS(sc_network_time(w.network, w.now) == 0);
done:
  world_end(&w, t);
}

SUITE(network_router_clock, "network/router/clock",
      {"N13: times more than ten years off move no clock", times_more_than_ten_years_off_move_no_clock},
      {"without agreement the clock stays and is measured less and less often",
       without_agreement_the_clock_stays_and_is_measured_less_and_less_often},
      {"a 406 soon after a measurement sends the request to another node",
       a_406_soon_after_a_measurement_sends_the_request_to_another_node},
      {"two nodes that say 406 cause a measurement at any time",
       two_nodes_that_say_406_cause_a_measurement_at_any_time},
      {"a 406 without reason sends the request to another node",
       a_406_without_reason_sends_the_request_to_another_node},
      {"defect: half of the round trip is added", defect_half_of_the_round_trip_is_added},
      {"defect: fewer nodes than wanted are enough", defect_fewer_nodes_than_wanted_are_enough},
      {"the median is used", the_median_is_used},
      {"with two samples the mean is used", with_two_samples_the_mean_is_used},
      {"implausible times are ignored", implausible_times_are_ignored},
      {"a failed measurement is repeated later", a_failed_measurement_is_repeated_later},
      {"the time is corrected", the_time_is_corrected},
      {"a 406 from a node triggers a measurement", a_406_from_a_node_triggers_a_measurement},
      {"a 425 from a server triggers a measurement", a_425_from_a_server_triggers_a_measurement},
      {"without nodes a measurement fails at once", without_nodes_a_measurement_fails_at_once},
      {"the fork is learnt along the way", the_fork_is_learnt_along_the_way},
      {"a silent node delays the measurement by one second",
       a_silent_node_delays_the_measurement_by_one_second},
      {"a single node moves the clock only a little", a_single_node_moves_the_clock_only_a_little},
      {"the clock is measured after connections were closed",
       the_clock_is_measured_after_connections_were_closed},
      {"the fork is not learnt from servers", the_fork_is_not_learnt_from_servers},
      {"concurrent requests share one measurement", concurrent_requests_share_one_measurement},
      {"times never underflow", times_never_underflow});
