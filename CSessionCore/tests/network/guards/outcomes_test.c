/* Which paths worked, and what that says about guards and middles. */
#include "network/guards/outcomes.h"
#include "support/test.h"

static const uint64_t second = SC_NODE_SECOND;
static const uint64_t minute = 60 * SC_NODE_SECOND;
static const uint64_t hour = 3600 * SC_NODE_SECOND;

typedef struct stage {
  sc_outcomes outcomes;
  sc_sample sample; /* eight middles */
  uint64_t now;
  uint8_t next_last;
} stage;

enum { guard_a = 1, guard_b, guard_c, first_middle = 10, middles = 8 };

static void name(uint8_t out[SC_KEY_BYTES], uint8_t number) {
  memset(out, 0, SC_KEY_BYTES);
  out[0] = number;
}

static stage stage_make(void) {
  stage s = {.now = 1000 * second};
  s.sample.middle_count = middles;
  for (uint8_t i = 0; i < middles; i++)
    name(s.sample.middles[i].key, first_middle + i);
  return s;
}

static void go(stage *s, uint8_t guard, uint8_t middle, uint8_t last, bool worked) {
  sc_outcome_path path;
  name(path.guard, guard);
  name(path.middle, middle);
  name(path.last, last);
  s->now += second;
  if (worked)
    sc_outcomes_worked(&s->outcomes, &path, s->now);
  else
    sc_outcomes_failed(&s->outcomes, &path, s->now);
}

/* Paths with different last hops, of which the first ones work. */
static void go_often(stage *s, uint8_t guard, uint8_t middle, size_t good, size_t bad) {
  for (size_t i = 0; i < good + bad; i++)
    go(s, guard, middle, (uint8_t)(100 + s->next_last++ % 100), i < good);
}

/* A reply of somebody, so that failures count. */
static void settle(stage *s) {
  go(s, guard_c, 99, 98, true);
}

static bool is_blamed(const stage *s, uint8_t guard) {
  uint8_t key[SC_KEY_BYTES];
  name(key, guard);
  return sc_outcomes_blame_guard(&s->outcomes, key, &s->sample, middles, s->now);
}

static bool is_middle_blamed(const stage *s, uint8_t middle) {
  uint8_t key[SC_KEY_BYTES];
  name(key, middle);
  return sc_outcomes_blame_middle(&s->outcomes, key, &s->sample, s->now);
}

static uint64_t skipped_until(const stage *s, uint8_t middle) {
  uint8_t key[SC_KEY_BYTES];
  name(key, middle);
  return sc_outcomes_skipped_until(&s->outcomes, key);
}

/* ---- G7 ---- */

static void fail_over(stage *s, uint8_t guard, size_t count, size_t good) {
  for (uint8_t i = 0; i < count; i++) {
    go_often(s, guard, first_middle + i, good, sc_outcomes_window - good);
    go_often(s, guard_b, first_middle + i, sc_outcomes_many, sc_outcomes_window - sc_outcomes_many);
  }
  settle(s);
}

static void a_guard_that_drops_paths_is_blamed(sc_test *t) {
  stage s = stage_make();
  fail_over(&s, guard_a, 6, 2);
  CHECK(is_blamed(&s, guard_a) && !is_blamed(&s, guard_b));
done:;
}

static void five_of_eight_middles_do_not_suffice(sc_test *t) {
  stage s = stage_make();
  fail_over(&s, guard_a, 5, 0);
  CHECK(!is_blamed(&s, guard_a));
done:;
}

static void a_guard_that_works_thrice_of_eight_times_is_not_blamed(sc_test *t) {
  stage s = stage_make();
  fail_over(&s, guard_a, 8, 3);
  CHECK(!is_blamed(&s, guard_a));
done:;
}

static void without_another_guard_none_is_blamed(sc_test *t) {
  stage s = stage_make();
  for (uint8_t i = 0; i < middles; i++)
    go_often(&s, guard_a, first_middle + i, 0, sc_outcomes_window);
  settle(&s);
  CHECK(!is_blamed(&s, guard_a));
done:;
}

static void seven_outcomes_do_not_suffice(sc_test *t) {
  stage s = stage_make();
  for (uint8_t i = 0; i < middles; i++) {
    go_often(&s, guard_a, first_middle + i, 0, sc_outcomes_window - 1);
    go_often(&s, guard_b, first_middle + i, sc_outcomes_window, 0);
  }
  settle(&s);
  CHECK(!is_blamed(&s, guard_a));
  /* The same last hop again is not another one. */
  for (uint8_t i = 0; i < middles; i++) {
    go(&s, guard_a, first_middle + i, 250, false);
    go(&s, guard_a, first_middle + i, 250, false);
  }
  settle(&s);
  CHECK(is_blamed(&s, guard_a));
done:;
}

static void one_last_hop_counts_once(sc_test *t) {
  stage s = stage_make();
  for (uint8_t i = 0; i < middles; i++) {
    for (size_t k = 0; k < 20; k++)
      go(&s, guard_a, first_middle + i, 77, false);
    go_often(&s, guard_b, first_middle + i, sc_outcomes_window, 0);
  }
  settle(&s);
  CHECK(!is_blamed(&s, guard_a));
done:;
}

static void outcomes_are_forgotten_after_a_day(sc_test *t) {
  stage s = stage_make();
  fail_over(&s, guard_a, 8, 0);
  CHECK(is_blamed(&s, guard_a));
  s.now += 24 * hour;
  CHECK(!is_blamed(&s, guard_a));
done:;
}

static void failures_without_a_later_reply_do_not_count(sc_test *t) {
  stage s = stage_make();
  for (uint8_t i = 0; i < middles; i++)
    go_often(&s, guard_b, first_middle + i, sc_outcomes_window, 0);
  for (uint8_t i = 0; i < 4; i++)
    go_often(&s, guard_a, first_middle + i, 0, sc_outcomes_window);
  CHECK(s.outcomes.waiting_count == sc_outcomes_waiting);
  sc_outcomes_undo(&s.outcomes);
  settle(&s);
  CHECK(s.outcomes.waiting_count == 0 && !is_blamed(&s, guard_a));
done:;
}

static void with_four_middles_all_must_blame(sc_test *t) {
  stage s = stage_make();
  uint8_t key[SC_KEY_BYTES];
  name(key, guard_a);
  s.sample.middle_count = 4;
  fail_over(&s, guard_a, 3, 0);
  CHECK(!sc_outcomes_blame_guard(&s.outcomes, key, &s.sample, 4, s.now));
  fail_over(&s, guard_a, 4, 0);
  CHECK(sc_outcomes_blame_guard(&s.outcomes, key, &s.sample, 4, s.now));
  CHECK(!sc_outcomes_blame_guard(&s.outcomes, key, &s.sample, 0, s.now));
done:;
}

/* ---- M2 ---- */

static void a_middle_rests_after_two_failures_over_different_guards(sc_test *t) {
  stage s = stage_make();
  go(&s, guard_a, first_middle, 50, false);
  go(&s, guard_a, first_middle, 51, false);
  settle(&s);
  CHECK(skipped_until(&s, first_middle) == 0);
  go(&s, guard_b, first_middle, 52, false);
  CHECK(skipped_until(&s, first_middle) == 0);
  settle(&s);
  CHECK(skipped_until(&s, first_middle) == s.now + 10 * minute);
done:;
}

static void its_rests_double_up_to_six_hours(sc_test *t) {
  stage s = stage_make();
  static const uint64_t minutes[] = {10, 20, 40, 80, 160, 320, 360, 360};
  for (size_t i = 0; i < sizeof minutes / sizeof minutes[0]; i++) {
    go(&s, guard_a, first_middle, (uint8_t)(50 + i), false);
    go(&s, guard_b, first_middle, (uint8_t)(50 + i), false);
    settle(&s);
    CHECK(skipped_until(&s, first_middle) == s.now + minutes[i] * minute);
  }
done:;
}

static void a_path_that_works_ends_the_rest(sc_test *t) {
  stage s = stage_make();
  go(&s, guard_a, first_middle, 50, false);
  go(&s, guard_b, first_middle, 51, false);
  settle(&s);
  go(&s, guard_b, first_middle, 52, true);
  CHECK(skipped_until(&s, first_middle) == 0);
  go(&s, guard_a, first_middle, 50, false);
  settle(&s);
  CHECK(skipped_until(&s, first_middle) == 0);
done:;
}

/* ---- M3 ---- */

static void a_middle_that_fails_over_two_guards_is_blamed(sc_test *t) {
  stage s = stage_make();
  for (uint8_t guard = guard_a; guard <= guard_b; guard++) {
    go_often(&s, guard, first_middle, 2, 6);
    go_often(&s, guard, first_middle + 1, 6, 2);
    settle(&s);
    CHECK(is_middle_blamed(&s, first_middle) == (guard == guard_b));
  }
  CHECK(!is_middle_blamed(&s, first_middle + 1));
done:;
}

static void a_middle_is_not_blamed_where_all_fail(sc_test *t) {
  stage s = stage_make();
  for (uint8_t guard = guard_a; guard <= guard_b; guard++) {
    go_often(&s, guard, first_middle, 0, 8);
    go_often(&s, guard, first_middle + 1, 0, 8);
    settle(&s);
  }
  CHECK(!is_middle_blamed(&s, first_middle));
done:;
}

/* ---- limits ---- */

static void the_number_of_pairs_is_limited(sc_test *t) {
  stage s = stage_make();
  for (uint8_t i = 0; i < 100; i++)
    go(&s, i, first_middle + i % middles, 7, true);
  CHECK(s.outcomes.count == sc_outcomes_pairs && s.outcomes.middle_count <= sc_sample_most_middles);
  for (uint8_t i = 0; i < 100; i++)
    go(&s, guard_a, i, i, false);
  CHECK(s.outcomes.waiting_count == sc_outcomes_waiting);
  settle(&s);
  CHECK(s.outcomes.count == sc_outcomes_pairs && s.outcomes.middle_count <= sc_sample_most_middles);
done:;
}

static void a_node_can_be_forgotten(sc_test *t) {
  stage s = stage_make();
  uint8_t key[SC_KEY_BYTES];
  fail_over(&s, guard_a, 8, 0);
  go(&s, guard_a, first_middle, 50, false);
  go(&s, guard_b, first_middle, 51, false);
  settle(&s);
  CHECK(is_blamed(&s, guard_a) && skipped_until(&s, first_middle) != 0);
  name(key, guard_a);
  sc_outcomes_forget(&s.outcomes, key);
  CHECK(!is_blamed(&s, guard_a));
  name(key, first_middle);
  sc_outcomes_forget(&s.outcomes, key);
  CHECK(skipped_until(&s, first_middle) == 0);
done:;
}

SUITE(network_guards_outcomes, "network/guards/outcomes",
      {"G7: a guard that drops paths is blamed", a_guard_that_drops_paths_is_blamed},
      {"G7: five of eight middles do not suffice", five_of_eight_middles_do_not_suffice},
      {"G7: a guard that works thrice of eight times is not blamed",
       a_guard_that_works_thrice_of_eight_times_is_not_blamed},
      {"G7: without another guard none is blamed", without_another_guard_none_is_blamed},
      {"G7: seven outcomes do not suffice", seven_outcomes_do_not_suffice},
      {"G7: one last hop counts once", one_last_hop_counts_once},
      {"G7: outcomes are forgotten after a day", outcomes_are_forgotten_after_a_day},
      {"G7: failures without a later reply do not count", failures_without_a_later_reply_do_not_count},
      {"M5: with four middles all must blame", with_four_middles_all_must_blame},
      {"M2: a middle rests after two failures over different guards",
       a_middle_rests_after_two_failures_over_different_guards},
      {"M2: its rests double up to six hours", its_rests_double_up_to_six_hours},
      {"M2: a path that works ends the rest", a_path_that_works_ends_the_rest},
      {"M3: a middle that fails over two guards is blamed", a_middle_that_fails_over_two_guards_is_blamed},
      {"M3: a middle is not blamed where all fail", a_middle_is_not_blamed_where_all_fail},
      {"the number of pairs is limited", the_number_of_pairs_is_limited},
      {"a node can be forgotten", a_node_can_be_forgotten});
