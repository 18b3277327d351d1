/* When a second attempt may begin. */
#include "network/router/hedge.h"

#include "session-core/network/node_options.h"
#include "support/test.h"

static const uint64_t second = SC_NODE_SECOND;

static uint64_t delay_of(const sc_hedge *hedge) {
  return sc_hedge_delay(hedge, 10 * second, second, 2 * second);
}

static void before_any_round_trip_a_fixed_time_is_waited(sc_test *t) {
  const sc_hedge hedge = {0};
  CHECK(delay_of(&hedge) == 2 * second);
  CHECK(sc_hedge_delay(&hedge, 2 * second, second, 2 * second) == second);
done:;
}

static void three_medians_are_waited_within_bounds(sc_test *t) {
  static const struct {
    uint64_t trip, delay;
  } cases[] = {{second / 100, second},
               {second / 2, 3 * second / 2},
               {3 * second, 5 * second},
               {UINT64_MAX, 5 * second}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_hedge hedge = {0};
    sc_hedge_note_trip(&hedge, cases[i].trip);
    CHECK(delay_of(&hedge) == cases[i].delay);
  }
done:;
}

static void only_the_last_sixteen_count(sc_test *t) {
  sc_hedge hedge = {0};
  for (size_t i = 0; i < sc_hedge_most_trips; i++)
    sc_hedge_note_trip(&hedge, 3 * second);
  for (size_t i = 0; i < sc_hedge_most_trips / 2; i++)
    sc_hedge_note_trip(&hedge, second / 2);
  CHECK(delay_of(&hedge) == 5 * second);
  sc_hedge_note_trip(&hedge, second / 2);
  CHECK(delay_of(&hedge) == 3 * second / 2);
done:;
}

static void the_first_of_a_minute_are_free(sc_test *t) {
  sc_hedge hedge = {0};
  for (size_t i = 0; i < sc_hedge_allowance; i++) {
    CHECK(sc_hedge_may(&hedge, second));
    sc_hedge_note_attempt(&hedge, second, true);
  }
  CHECK(!sc_hedge_may(&hedge, second));
  CHECK(!sc_hedge_may(&hedge, 50 * second) && sc_hedge_may(&hedge, 61 * second));
done:;
}

static void one_in_four_may_be_one(sc_test *t) {
  sc_hedge hedge = {0};
  size_t hedges = 0;
  for (size_t i = 0; i < 100; i++) {
    sc_hedge_note_attempt(&hedge, i * second / 10, false);
    if (sc_hedge_may(&hedge, i * second / 10)) {
      sc_hedge_note_attempt(&hedge, i * second / 10, true);
      hedges++;
    }
  }
  CHECK(hedges * sc_hedge_share <= 100 + hedges && hedges >= 30);
done:;
}

SUITE(network_router_hedge, "network/router/hedge",
      {"before any round trip a fixed time is waited", before_any_round_trip_a_fixed_time_is_waited},
      {"three medians are waited, within bounds", three_medians_are_waited_within_bounds},
      {"only the last sixteen count", only_the_last_sixteen_count},
      {"the first of a minute are free", the_first_of_a_minute_are_free},
      {"one in four may be one", one_in_four_may_be_one});
