#include "network/timers.h"

#include "session-core/network/driven.h"
#include "support/test.h"

enum { timer_count = 100 };

static uint64_t scattered(uint64_t i) {
  return i * 7919 % 101 + 1;
}

static void timers_expire_in_order(sc_test *t) {
  sc_timers timers;
  sc_timer all[timer_count] = {0};
  sc_timers_init(&timers, t->env);
  for (uint64_t i = 0; i < timer_count; i++) {
    OK(sc_timers_promise(&timers));
    sc_timer_set(&timers, &all[i], scattered(i));
  }
  for (uint64_t i = 0; i < timer_count; i += 3)
    sc_timer_set(&timers, &all[i], scattered(i + 50)); /* sooner or later */
  for (uint64_t i = 1; i < timer_count; i += 10)
    sc_timer_clear(&timers, &all[i]);
  uint64_t before = 0;
  size_t seen = 0;
  while (sc_timers_next(&timers) != SC_NEVER) {
    uint64_t at = sc_timers_next(&timers);
    CHECK(at >= before);
    CHECK(sc_timers_take(&timers, at - 1) == NULL);
    sc_timer *timer = sc_timers_take(&timers, at);
    CHECK(timer != NULL && timer->place == 0);
    uint64_t i = (uint64_t)(timer - all);
    CHECK(at == scattered(i % 3 == 0 ? i + 50 : i) && i % 10 != 1);
    before = at;
    seen++;
  }
  CHECK(seen == timer_count - 10);
done:
  sc_timers_free(&timers);
}

static void setting_sc_never_clears_a_timer(sc_test *t) {
  sc_timers timers;
  sc_timer timer = {0};
  sc_timers_init(&timers, t->env);
  OK(sc_timers_promise(&timers));
  sc_timer_set(&timers, &timer, 5);
  CHECK(sc_timers_next(&timers) == 5);
  sc_timer_set(&timers, &timer, SC_NEVER);
  CHECK(sc_timers_next(&timers) == SC_NEVER);
  sc_timer_clear(&timers, &timer);
  sc_timers_release(&timers);
done:
  sc_timers_free(&timers);
}

SUITE(network_timers, "network/timers", {"timers expire in order", timers_expire_in_order},
      {"setting SC_NEVER clears a timer", setting_sc_never_clears_a_timer});
