/* When to start a second attempt in parallel, from the measured round trips and the share of second attempts
 * in the last minute. */
#ifndef SC_SRC_NETWORK_ROUTER_HEDGE_H
#define SC_SRC_NETWORK_ROUTER_HEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  sc_hedge_most_trips = 16,
  sc_hedge_buckets = 6,   /* of ten seconds each */
  sc_hedge_share = 4,     /* at most one attempt in this many is a hedge … */
  sc_hedge_allowance = 16 /* … except for the first of a minute, because a new process has made no others */
};

typedef struct sc_hedge_bucket {
  uint64_t number;
  uint32_t attempts;
  uint32_t hedges;
} sc_hedge_bucket;

/* Empty if zeroed. */
typedef struct sc_hedge {
  uint64_t trips[sc_hedge_most_trips];
  size_t trip_count;
  size_t next_trip;
  sc_hedge_bucket buckets[sc_hedge_buckets];
} sc_hedge;

/* Records a round trip, in nanoseconds. */
void sc_hedge_note_trip(sc_hedge *hedge, uint64_t trip);

void sc_hedge_note_attempt(sc_hedge *hedge, uint64_t now, bool is_hedge);

/* True if another hedge stays within the allowed share of the last minute's attempts. */
bool sc_hedge_may(const sc_hedge *hedge, uint64_t now);

/* Returns how long to wait for a single attempt: three times the median round trip, at least `least`, at most
 * half of `timeout`; `unknown` before any round trip was measured. */
uint64_t sc_hedge_delay(const sc_hedge *hedge, uint64_t timeout, uint64_t least, uint64_t unknown);

#endif
