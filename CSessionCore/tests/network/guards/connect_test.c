/* Which guards are connected, and when. */
#include "network/guards/sample_file.h"
#include "network/paths/ways.h"

enum { node_count = 48 };

static const uint64_t minute = 60 * WORLD_SECOND;
static const uint64_t hour = 3600 * WORLD_SECOND;

/* Begins with the first `count` nodes as guards, in this order; those before `deaf` do not answer. */
static sc_status begin(world *w, size_t count, size_t deaf) {
  sc_buffer file = {0};
  sc_sample sample = {.count = count};
  for (size_t i = 0; i < count; i++) {
    sample.guards[i] = (sc_guard){.sampled = sc_day_of(WORLD_WALL), .ends = sc_day_of(WORLD_WALL) + 100};
    memcpy(sample.guards[i].key, w->nodes[i].node.key, SC_KEY_BYTES);
  }
  for (size_t i = 0; i < deaf; i++)
    w->nodes[i].mood = WORLD_DEAF;
  sc_status status = world_start(w);
  if (status == SC_OK)
    status = sc_sample_write(&file, &sample);
  if (status == SC_OK)
    status = sc_network_load(w->network, w->now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL);
  sc_buffer_free(&file);
  return status;
}

static bool is_open(const world *w, size_t index) {
  return w->nodes[index].open;
}

static size_t open_guards(const world *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->node_count; i++)
    count += w->nodes[i].open;
  return count;
}

/* How many of the guards were ever tried. */
static size_t tried(const world *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->network->guards.line_count; i++) {
    const sc_guard_line *line = &w->network->guards.lines[i];
    count += line->failures > 0 || line->state != SC_GUARD_IDLE;
  }
  return count;
}

static sc_status want_something(world *w) {
  sc_storage_request request = world_retrieve(w, 40, 0);
  return world_send(
      w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .timeout = 1000 * hour});
}

static void the_first_two_are_connected(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 0));
  HOLDS(world_connect(&w));
  world_pass(&w, 4 * minute);
  HOLDS(is_open(&w, 0) && is_open(&w, 1) && open_guards(&w) == 2);
done:
  world_end(&w, t);
}

static void a_silent_guard_costs_one_second(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 2));
  uint64_t begun = w.now;
  HOLDS(world_connect(&w));
  HOLDS(w.now - begun <= WORLD_SECOND + 2 * world_latency_ms * WORLD_MS);
  HOLDS(ways_first(&w) == 2);
  world_pass(&w, minute);
  HOLDS(open_guards(&w) == 1 && tried(&w) == 3);
done:
  world_end(&w, t);
}

static void a_better_guard_is_used_again_when_it_answers(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 2));
  HOLDS(world_connect(&w));
  w.nodes[0].mood = w.nodes[1].mood = WORLD_FINE;
  world_pass(&w, 75 * WORLD_SECOND);
  sc_node used[sc_sample_in_use];
  HOLDS(sc_guards_in_use(used, &w.network->guards) == 2);
  HOLDS(world_index(&w, used[0].key) == 0 && world_index(&w, used[1].key) == 1);
  /* The path over the third ends, and with it the connection. */
  world_pass(&w, 25 * minute);
  HOLDS(open_guards(&w) == 0);
  OK(want_something(&w));
  world_pass(&w, WORLD_SECOND);
  HOLDS(open_guards(&w) == 2 && is_open(&w, 0) && is_open(&w, 1));
done:
  world_end(&w, t);
}

/* Ten minutes of silence show this client's address to four guards, an hour to five, a day to six. */
static void other_guards_are_tried_after_minutes_and_hours(sc_test *t) {
  static const struct {
    uint64_t time;
    size_t tried;
  } steps[] = {{119, 3},  {121, 4},   {600, 4},   {1799, 4}, {1801, 5},
               {3600, 5}, {21599, 5}, {21601, 6}, {86000, 6}};
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 6));
  OK(want_something(&w));
  uint64_t begun = w.now;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    world_pass(&w, begun + steps[i].time * WORLD_SECOND - w.now);
    HOLDS(tried(&w) == steps[i].tried);
  }
  HOLDS(w.network->guards.sample.count == 6);
done:
  world_end(&w, t);
}

/* In a month without a reachable guard the sample grows to nine. */
static void a_month_without_guards_costs_nine(sc_test *t) {
  WORLD(node_count, node_count);
  w.options.nodes.kind = SC_NETWORK_TEST;
  for (size_t i = 0; i < node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  OK(begin(&w, 6, 6));
  OK(want_something(&w));
  world_pass(&w, 25 * hour);
  HOLDS(w.network->guards.sample.count == 7);
  world_pass(&w, 29 * 24 * hour);
  HOLDS(w.network->guards.sample.count == 9);
  for (size_t i = 0; i < 6; i++)
    HOLDS(sc_guards_has(&w.network->guards, w.nodes[i].node.key));
done:
  world_end(&w, t);
}

/* Nothing walks while nothing is wanted. */
static void time_without_requests_does_not_count(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 0));
  HOLDS(world_connect(&w));
  for (size_t i = 0; i < 6; i++) {
    w.nodes[i].mood = WORLD_DEAF;
    world_break(&w, i, SC_ERR_QUIC_IDLE);
  }
  sc_network_suspend(w.network, w.now);
  world_pass(&w, hour);
  sc_network_resume(w.network, w.now, true);
  OK(want_something(&w));
  world_pass(&w, 100 * WORLD_SECOND);
  HOLDS(tried(&w) == 3);
  world_pass(&w, 30 * WORLD_SECOND);
  HOLDS(tried(&w) == 4);
done:
  world_end(&w, t);
}

static void the_walk_is_kept_over_restarts(sc_test *t) {
  static const char walked[] = "walked|110\n";
  WORLD(node_count, node_count);
  sc_buffer file = {0};
  OK(begin(&w, 6, 6));
  OK(sc_network_save(&file, w.network, SC_NETWORK_GUARDS_FILE));
  OK(sc_buffer_append(&file, sc_bytes_text(walked)));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL));
  OK(want_something(&w));
  world_pass(&w, 9 * WORLD_SECOND);
  HOLDS(tried(&w) == 3);
  world_pass(&w, 2 * WORLD_SECOND);
  HOLDS(tried(&w) == 4);
  sc_network_suspend(w.network, w.now);
  OK(sc_network_save(&file, w.network, SC_NETWORK_GUARDS_FILE));
  HOLDS(strstr((const char *)file.ptr, "walked|121\n") != NULL);
done:
  sc_buffer_free(&file);
  world_end(&w, t);
}

/* An attacker who lets only the fourth guard through gains nothing while a primary one answers. */
static void the_primary_guards_get_another_chance_before_a_later_one_is_used(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 3));
  OK(want_something(&w));
  world_pass(&w, 110 * WORLD_SECOND);
  HOLDS(open_guards(&w) == 0);
  w.nodes[1].mood = WORLD_FINE;
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && is_open(&w, 1));
  world_pass(&w, minute);
  HOLDS(!is_open(&w, 3) && sc_guards_walked(&w.network->guards) == 0);
done:
  world_end(&w, t);
}

static void a_later_guard_is_used_while_no_primary_one_answers(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 3));
  OK(want_something(&w));
  uint64_t begun = w.now;
  world_pass(&w, 121 * WORLD_SECOND);
  HOLDS(is_open(&w, 3) && w.outcomes[0].times == 0);
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && ways_first(&w) == 3 && w.now - begun < 125 * WORLD_SECOND);
  w.nodes[0].mood = WORLD_FINE;
  for (size_t i = 0; i < 4; i++) {
    OK(want_something(&w));
    world_pass(&w, 3 * minute);
  }
  sc_node used[sc_sample_in_use];
  /* The fourth is the first that was confirmed. */
  HOLDS(sc_guards_in_use(used, &w.network->guards) == 2);
  HOLDS(world_index(&w, used[0].key) == 3 && world_index(&w, used[1].key) == 0);
done:
  world_end(&w, t);
}

/* A guard keeps its place no matter how a connection to it ends. */
static void no_end_of_a_connection_moves_a_guard(sc_test *t) {
  static const sc_status reasons[] = {SC_ERR_QUIC_RESET,  SC_ERR_QUIC_KEY,       SC_ERR_QUIC_REFUSED,
                                      SC_ERR_QUIC_CLOSED, SC_ERR_QUIC_VIOLATION, SC_ERR_QUIC_IDLE};
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 0));
  HOLDS(world_connect(&w));
  const sc_sample before = w.network->guards.sample;
  for (size_t i = 0; i < 40; i++) {
    world_break(&w, i % 2, reasons[i % (sizeof reasons / sizeof reasons[0])]);
    world_pass(&w, 7 * WORLD_SECOND);
  }
  world_pass(&w, 75 * WORLD_SECOND);
  HOLDS(open_guards(&w) == 2 && is_open(&w, 0) + is_open(&w, 1) + is_open(&w, 2) == 2);
  for (size_t i = 0; i < before.count; i++) {
    HOLDS(memcmp(w.network->guards.sample.guards[i].key, before.guards[i].key, SC_KEY_BYTES) == 0);
    HOLDS(w.network->guards.sample.guards[i].back_until == 0);
    HOLDS(sc_network_node_strikes(w.network, before.guards[i].key) == 0);
  }
done:
  world_end(&w, t);
}

static void silent_primary_guards_are_tried_every_minute(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 3, 3));
  OK(want_something(&w));
  world_pass(&w, 20 * minute);
  for (size_t i = 0; i < 3; i++) {
    const sc_guard_line *line = sc_guards_line(&w.network->guards, w.nodes[i].node.key);
    HOLDS(line->failures >= 15 && line->failures <= 20 * 60 / 8);
  }
done:
  world_end(&w, t);
}

/* N3: nothing waits while a later guard serves, but it should not serve for long. */
static void better_guards_are_tried_every_minute_while_a_later_one_serves(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 3, 2));
  HOLDS(world_connect(&w) && is_open(&w, 2));
  world_pass(&w, 20 * minute);
  for (size_t i = 0; i < 2; i++) {
    const sc_guard_line *line = sc_guards_line(&w.network->guards, w.nodes[i].node.key);
    HOLDS(line->failures >= 15);
  }
done:
  world_end(&w, t);
}

static void resuming_tries_the_primary_guards_at_once(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 6, 3));
  OK(want_something(&w));
  world_pass(&w, 110 * WORLD_SECOND);
  for (size_t i = 0; i < 3; i++)
    w.nodes[i].mood = WORLD_FINE;
  sc_network_suspend(w.network, w.now);
  sc_network_resume(w.network, w.now, true);
  world_pass(&w, 2 * world_latency_ms * WORLD_MS);
  HOLDS(is_open(&w, 0) && is_open(&w, 1));
done:
  world_end(&w, t);
}

static void requests_end_when_no_guard_can_be_reached(sc_test *t) {
  WORLD(node_count, node_count);
  OK(begin(&w, 3, 3));
  OK(want_something(&w));
  world_pass(&w, 30 * minute);
  HOLDS(w.outcomes[0].times == 1 && w.outcomes[0].status == SC_ERR_NETWORK_NO_PATH);
done:
  world_end(&w, t);
}

/* G9: while nothing was wanted, the next attempt may be ten minutes away. */
static void primary_guards_are_tried_within_a_minute_once_something_is_wanted(sc_test *t) {
  for (size_t round = 0; round < (t->torture ? 1 : 8); round++) {
    WORLD(node_count, node_count);
    OK(begin(&w, 3, 0));
    HOLDS(world_connect(&w));
    for (size_t i = 0; i < 3; i++) {
      w.nodes[i].mood = WORLD_DEAF;
      world_break(&w, i, SC_ERR_QUIC_IDLE);
    }
    world_pass(&w, (30 + round) * minute);
    for (size_t i = 0; i < 3; i++)
      w.nodes[i].mood = WORLD_FINE;
    OK(want_something(&w));
    world_pass(&w, minute + WORLD_SECOND);
    HOLDS(open_guards(&w) == 2);
  done:
    world_end(&w, t);
  }
}

SUITE(network_guards_connect, "network/guards/connect",
      {"G3: the first two are connected", the_first_two_are_connected},
      {"G3: a silent guard costs one second", a_silent_guard_costs_one_second},
      {"G3: a better guard is used again when it answers", a_better_guard_is_used_again_when_it_answers},
      {"G6: other guards are tried after minutes and hours", other_guards_are_tried_after_minutes_and_hours},
      {"G6: a month without guards costs nine", a_month_without_guards_costs_nine},
      {"G6: time without requests does not count", time_without_requests_does_not_count},
      {"G6: the walk is kept over restarts", the_walk_is_kept_over_restarts},
      {"the primary guards get another chance before a later one is used",
       the_primary_guards_get_another_chance_before_a_later_one_is_used},
      {"a later guard is used while no primary one answers",
       a_later_guard_is_used_while_no_primary_one_answers},
      {"G8: no end of a connection moves a guard", no_end_of_a_connection_moves_a_guard},
      {"G9: silent primary guards are tried every minute", silent_primary_guards_are_tried_every_minute},
      {"better guards are tried every minute while a later one serves",
       better_guards_are_tried_every_minute_while_a_later_one_serves},
      {"G9: resuming tries the primary guards at once", resuming_tries_the_primary_guards_at_once},
      {"primary guards are tried within a minute once something is wanted",
       primary_guards_are_tried_within_a_minute_once_something_is_wanted},
      {"requests end when no guard can be reached", requests_end_when_no_guard_can_be_reached});
