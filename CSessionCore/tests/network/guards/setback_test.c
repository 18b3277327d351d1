/* The consequences for guards and middles whose paths fail. */
#include "network/paths/ways.h"

static sc_outcome_path path_over(const uint8_t *guard, const uint8_t *middle, uint8_t last) {
  sc_outcome_path out = {.last = {last}};
  memcpy(out.guard, guard, SC_KEY_BYTES);
  memcpy(out.middle, middle, SC_KEY_BYTES);
  return out;
}

/* Eight paths over each of some middles: over this guard they fail, over the other one they work. */
static void fail_over(sc_guards *guards, const uint8_t *bad, const uint8_t *good, size_t middles) {
  for (size_t i = 0; i < middles; i++)
    for (uint8_t last = 0; last < sc_outcomes_window; last++) {
      const sc_outcome_path failed = path_over(bad, guards->sample.middles[i].key, last);
      const sc_outcome_path worked = path_over(good, guards->sample.middles[i].key, last);
      sc_guards_path_failed(guards, &failed);
      sc_guards_path_worked(guards, &worked);
    }
}

static size_t place_of(sc_guards *guards, const uint8_t *key) {
  const sc_guard *order[sc_sample_most];
  size_t count = sc_sample_order(order, &guards->sample, sc_day_of(guards->moment->wall));
  for (size_t i = 0; i < count; i++)
    if (memcmp(order[i]->key, key, SC_KEY_BYTES) == 0)
      return i;
  return count;
}

typedef struct keys {
  uint8_t first[SC_KEY_BYTES], second[SC_KEY_BYTES];
} keys;

static keys first_two(sc_guards *guards) {
  keys out;
  const sc_guard *order[sc_sample_most];
  sc_sample_order(order, &guards->sample, sc_day_of(guards->moment->wall));
  memcpy(out.first, order[0]->key, SC_KEY_BYTES);
  memcpy(out.second, order[1]->key, SC_KEY_BYTES);
  return out;
}

static void a_guard_that_drops_paths_goes_behind_the_others(sc_test *t) {
  WORLD(60, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_guards *guards = &w.network->guards;
  HOLDS(guards->sample.middle_count == 8);
  const keys k = first_two(guards);
  size_t count = guards->sample.count;
  fail_over(guards, k.first, k.second, 5);
  HOLDS(place_of(guards, k.first) == 0);
  fail_over(guards, k.first, k.second, 6);
  HOLDS(place_of(guards, k.first) == count - 1 && place_of(guards, k.second) == 0);
  HOLDS(guards->sample.count == count);
  world_pass(&w, 60 * WORLD_SECOND);
  sc_network_guard shown[SC_NETWORK_MAX_GUARDS];
  size_t listed = sc_network_guards(shown, SC_NETWORK_MAX_GUARDS, w.network);
  HOLDS(listed == count && shown[count - 1].is_set_back && !shown[count - 1].is_in_use);
  HOLDS(shown[0].is_in_use && shown[1].is_in_use);
  sc_network_change told[SC_NETWORK_MAX_CHANGES];
  size_t changes = sc_network_changes(told, SC_NETWORK_MAX_CHANGES, w.network), set_back = 0;
  for (size_t i = 0; i < changes; i++)
    set_back += told[i].kind == SC_NETWORK_GUARD_SET_BACK && told[i].reason == SC_NETWORK_REASON_PATHS;
  HOLDS(set_back == 1);
done:
  world_end(&w, t);
}

static void only_one_guard_in_seven_days_is_set_back(sc_test *t) {
  WORLD(60, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_guards *guards = &w.network->guards;
  const keys k = first_two(guards);
  fail_over(guards, k.first, k.second, 8);
  fail_over(guards, k.second, k.first, 8);
  HOLDS(place_of(guards, k.first) == guards->sample.count - 1 && place_of(guards, k.second) == 0);
done:
  world_end(&w, t);
}

static void a_guard_comes_back_after_seven_days(sc_test *t) {
  sc_sample sample = {
      .count = 2,
      .guards = {{.key = {1}, .sampled = 100, .ends = 300}, {.key = {2}, .sampled = 100, .ends = 300}}};
  const sc_guard *order[sc_sample_most];
  CHECK(sc_sample_set_back(&sample, sample.guards[0].key, 200));
  CHECK(sc_sample_order(order, &sample, 206) == 2 && order[0]->key[0] == 2);
  CHECK(sc_sample_order(order, &sample, 207) == 2 && order[0]->key[0] == 1);
  CHECK(!sc_sample_set_back(&sample, sample.guards[1].key, 206));
  CHECK(sc_sample_set_back(&sample, sample.guards[1].key, 207));
  CHECK(!sc_sample_set_back(&sample, (const uint8_t[SC_KEY_BYTES]){9}, 900));
done:;
}

static void no_middles_judge_a_guard_in_a_small_network(sc_test *t) {
  WORLD(24, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_guards *guards = &w.network->guards;
  const keys k = first_two(guards);
  HOLDS(guards->sample.middle_count == 0);
  for (uint8_t i = 0; i < 100; i++) {
    const sc_outcome_path failed = path_over(k.first, w.nodes[i % 20].node.key, i);
    const sc_outcome_path worked = path_over(k.second, w.nodes[i % 20].node.key, i);
    sc_guards_path_failed(guards, &failed);
    sc_guards_path_worked(guards, &worked);
  }
  HOLDS(place_of(guards, k.first) == 0 && guards->outcomes.count == 0);
done:
  world_end(&w, t);
}

/* ---- middles ---- */

/* Over both guards it fails, and another one works. */
static void fail_middle(sc_guards *guards, size_t bad, size_t good) {
  const keys k = first_two(guards);
  uint8_t middle[SC_KEY_BYTES], other[SC_KEY_BYTES];
  memcpy(middle, guards->sample.middles[bad].key, sizeof middle);
  memcpy(other, guards->sample.middles[good].key, sizeof other);
  for (size_t guard = 0; guard < 2; guard++)
    for (uint8_t last = 0; last < sc_outcomes_window; last++) {
      const uint8_t *key = guard == 0 ? k.first : k.second;
      const sc_outcome_path failed = path_over(key, middle, last), worked = path_over(key, other, last);
      sc_guards_path_failed(guards, &failed);
      sc_guards_path_worked(guards, &worked);
    }
}

static void a_middle_that_fails_over_two_guards_is_replaced(sc_test *t) {
  WORLD(60, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_guards *guards = &w.network->guards;
  uint8_t bad[2][SC_KEY_BYTES];
  memcpy(bad[0], guards->sample.middles[0].key, SC_KEY_BYTES);
  fail_middle(guards, 0, 7);
  HOLDS(!sc_guards_has_middle(guards, bad[0]) && guards->sample.middle_count == 8);
  /* One in an hour. */
  memcpy(bad[1], guards->sample.middles[0].key, SC_KEY_BYTES);
  fail_middle(guards, 0, 7);
  HOLDS(sc_guards_has_middle(guards, bad[1]));
  world_pass(&w, 3601 * WORLD_SECOND);
  fail_middle(guards, 0, 7);
  HOLDS(!sc_guards_has_middle(guards, bad[1]) || t->torture);
done:
  world_end(&w, t);
}

static void only_four_middles_a_day_are_replaced(sc_test *t) {
  WORLD(60, 10);
  size_t replaced = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_guards *guards = &w.network->guards;
  for (size_t i = 0; i < 8; i++) {
    uint8_t key[SC_KEY_BYTES];
    memcpy(key, guards->sample.middles[0].key, SC_KEY_BYTES);
    fail_middle(guards, 0, 7);
    replaced += !sc_guards_has_middle(guards, key);
    w.network->moment.now += 3600 * WORLD_SECOND;
  }
  HOLDS(replaced == 4);
done:
  world_end(&w, t);
}

static void resting_middles_are_used_only_if_all_rest(sc_test *t) {
  WORLD(60, 10);
  sc_node ready[sc_sample_most_middles];
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_guards *guards = &w.network->guards;
  const keys k = first_two(guards);
  for (size_t i = 0; i < 8; i++) {
    const sc_outcome_path one = path_over(k.first, guards->sample.middles[i].key, 1);
    const sc_outcome_path two = path_over(k.second, guards->sample.middles[i].key, 2);
    sc_guards_path_failed(guards, &one);
    sc_guards_path_failed(guards, &two);
    if (i == 5) {
      const sc_outcome_path worked = path_over(k.first, guards->sample.middles[7].key, 3);
      sc_guards_path_worked(guards, &worked);
      HOLDS(sc_guards_middles(ready, guards) == 2);
    }
  }
  /* The network was down when the last ones failed. */
  sc_guards_note_down(guards);
  const sc_outcome_path worked = path_over(k.second, guards->sample.middles[7].key, 4);
  sc_guards_path_worked(guards, &worked);
  HOLDS(sc_guards_middles(ready, guards) == 2);
done:
  world_end(&w, t);
}

SUITE(network_guards_setback, "network/guards/setback",
      {"G7: a guard that drops paths goes behind the others",
       a_guard_that_drops_paths_goes_behind_the_others},
      {"G7: only one guard in seven days is set back", only_one_guard_in_seven_days_is_set_back},
      {"G7: a guard comes back after seven days", a_guard_comes_back_after_seven_days},
      {"M5: no middles judge a guard in a small network", no_middles_judge_a_guard_in_a_small_network},
      {"M3: a middle that fails over two guards is replaced",
       a_middle_that_fails_over_two_guards_is_replaced},
      {"M3: only four middles a day are replaced", only_four_middles_a_day_are_replaced},
      {"M2: resting middles are used only if all rest", resting_middles_are_used_only_if_all_rest});
