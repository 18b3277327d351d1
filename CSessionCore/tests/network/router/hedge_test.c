/* When a second attempt may begin. */
#include "network/router/hedge.h"

#include "session-core/network/node_options.h"
#include "support/test.h"

static const uint64_t second = SC_NODE_SECOND;

static uint64_t delay_of(const sc_hedge *hedge) {
  return sc_hedge_delay(hedge, 10 * second, second, 2 * second);
}

static void before_any_round_trip_the_delay_is_fixed(sc_test *t) {
  const sc_hedge hedge = {0};
  CHECK(delay_of(&hedge) == 2 * second);
  CHECK(sc_hedge_delay(&hedge, 2 * second, second, 2 * second) == second);
done:;
}

static void the_delay_is_three_medians_within_limits(sc_test *t) {
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

static void only_the_last_sixteen_round_trips_count(sc_test *t) {
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

static void the_first_hedged_requests_of_a_minute_are_always_allowed(sc_test *t) {
  sc_hedge hedge = {0};
  for (size_t i = 0; i < sc_hedge_allowance; i++) {
    CHECK(sc_hedge_may(&hedge, second));
    sc_hedge_note_attempt(&hedge, second, true);
  }
  CHECK(!sc_hedge_may(&hedge, second));
  CHECK(!sc_hedge_may(&hedge, 50 * second) && sc_hedge_may(&hedge, 61 * second));
done:;
}

static void one_request_in_four_may_be_hedged(sc_test *t) {
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
      {"before any round trip the delay is fixed", before_any_round_trip_the_delay_is_fixed},
      {"the delay is three medians, within limits", the_delay_is_three_medians_within_limits},
      {"only the last sixteen round trips count", only_the_last_sixteen_round_trips_count},
      {"the first hedged requests of a minute are always allowed",
       the_first_hedged_requests_of_a_minute_are_always_allowed},
      {"one request in four may be hedged", one_request_in_four_may_be_hedged});
