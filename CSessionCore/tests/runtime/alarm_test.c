#include "runtime/alarm.h"

#include <sys/timerfd.h>

#include "loopback.h"

static bool is_set(const sc_alarm *alarm) {
  struct itimerspec spec;
  timerfd_gettime(alarm->fd, &spec);
  return spec.it_value.tv_sec != 0 || spec.it_value.tv_nsec != 0;
}

static void a_new_alarm_is_silent(sc_test *t) {
  sc_alarm alarm = {.fd = -1};
  OK(sc_alarm_init(&alarm));
  sc_alarm_set(&alarm, SC_NEVER);
  CHECK(!is_set(&alarm));
  CHECK(loopback_quiet(alarm.fd));
done:
  sc_alarm_finish(&alarm);
}

static void an_alarm_rings_at_its_time(sc_test *t) {
  sc_alarm alarm = {.fd = -1};
  OK(sc_alarm_init(&alarm));
  uint64_t when = sc_clock_now() + 2 * SC_NS_PER_MS;
  sc_alarm_set(&alarm, when);
  CHECK(loopback_readable(alarm.fd));
  CHECK(sc_clock_now() >= when);
  sc_alarm_rang(&alarm);
  CHECK(loopback_quiet(alarm.fd));
  CHECK(alarm.set_for == SC_NEVER);
done:
  sc_alarm_finish(&alarm);
}

static void an_alarm_in_the_past_rings_at_once(sc_test *t) {
  sc_alarm alarm = {.fd = -1};
  OK(sc_alarm_init(&alarm));
  for (uint64_t when = 0; when < 2; when++) {
    sc_alarm_set(&alarm, when);
    CHECK(loopback_readable(alarm.fd));
    sc_alarm_rang(&alarm);
  }
done:
  sc_alarm_finish(&alarm);
}

static void an_alarm_is_only_moved_earlier(sc_test *t) {
  sc_alarm alarm = {.fd = -1};
  OK(sc_alarm_init(&alarm));
  uint64_t now = sc_clock_now();
  sc_alarm_set(&alarm, now + 200 * SC_NS_PER_SECOND);
  sc_alarm_set(&alarm, now + 300 * SC_NS_PER_SECOND);
  CHECK(alarm.set_for == now + 200 * SC_NS_PER_SECOND);
  sc_alarm_set(&alarm, now + 100 * SC_NS_PER_SECOND);
  struct itimerspec spec;
  timerfd_gettime(alarm.fd, &spec);
  CHECK(spec.it_value.tv_sec <= 100);
  /* Reporting a ring that did not happen changes nothing. */
  sc_alarm_rang(&alarm);
  CHECK(alarm.set_for == now + 100 * SC_NS_PER_SECOND);
done:
  sc_alarm_finish(&alarm);
}

SUITE(runtime_alarm, "runtime/alarm", {"a new alarm is silent", a_new_alarm_is_silent},
      {"an alarm rings at its time", an_alarm_rings_at_its_time},
      {"an alarm in the past rings at once", an_alarm_in_the_past_rings_at_once},
      {"an alarm is only moved earlier", an_alarm_is_only_moved_earlier});
