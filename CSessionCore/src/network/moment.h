/* The time of the current call, and times derived from it. */
#ifndef SC_SRC_NETWORK_MOMENT_H
#define SC_SRC_NETWORK_MOMENT_H

#include "session-core/network/driven.h"
#include "session-core/network/node_options.h"

typedef struct sc_moment {
  uint64_t now;  /* nanoseconds of the driver */
  uint64_t wall; /* milliseconds since 1970 */
} sc_moment;

static inline uint64_t sc_moment_in_ms(uint64_t nanoseconds) {
  return nanoseconds / (SC_NODE_SECOND / 1000);
}

/* `now` plus a duration, at most SC_NEVER. */
static inline uint64_t sc_later(uint64_t now, uint64_t time) {
  return time < SC_NEVER - now ? now + time : SC_NEVER;
}

#endif
