/* Future times: `now` plus a duration, saturating at SC_NEVER. */
#ifndef SC_SRC_NETWORK_LATER_H
#define SC_SRC_NETWORK_LATER_H

#include "session-core/network/driven.h"

static inline uint64_t sc_later(uint64_t now, uint64_t time) {
  return time < SC_NEVER - now ? now + time : SC_NEVER;
}

#endif
