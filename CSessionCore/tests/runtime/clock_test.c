#include "session-core/runtime/clock.h"

#include <time.h>

#include "support/test.h"

static void time_moves_forward(sc_test *t) {
  uint64_t last = sc_clock_now();
  CHECK(last > 0);
  for (int i = 0; i < 1000; i++) {
    uint64_t now = sc_clock_now();
    CHECK(now >= last);
    last = now;
  }
done:;
}

static void wall_time_is_in_milliseconds(sc_test *t) {
  uint64_t before = (uint64_t)time(NULL);
  uint64_t wall = sc_clock_wall_ms();
  uint64_t after = (uint64_t)time(NULL);
  /* time() may use a clock that is one tick behind. */
  CHECK(wall / 1000 >= before && wall / 1000 <= after + 1);
done:;
}

SUITE(runtime_clock, "runtime/clock", {"time moves forward", time_moves_forward},
      {"wall time is in milliseconds", wall_time_is_in_milliseconds});
