#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "session-core/runtime/clock.h"

#include <time.h>

uint64_t sc_clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * SC_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

uint64_t sc_clock_wall_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / SC_NS_PER_MS;
}
