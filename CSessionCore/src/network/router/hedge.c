#include "hedge.h"

#include "../../base/sort.h"
#include "session-core/network/node_options.h"

static const uint64_t bucket_time = 10 * SC_NODE_SECOND;

void sc_hedge_note_trip(sc_hedge *hedge, uint64_t trip) {
  hedge->trips[hedge->next_trip] = trip;
  hedge->next_trip = (hedge->next_trip + 1) % sc_hedge_most_trips;
  hedge->trip_count += hedge->trip_count < sc_hedge_most_trips;
}

void sc_hedge_note_attempt(sc_hedge *hedge, uint64_t now, bool is_hedge) {
  uint64_t number = now / bucket_time;
  sc_hedge_bucket *bucket = &hedge->buckets[number % sc_hedge_buckets];
  if (bucket->number != number)
    *bucket = (sc_hedge_bucket){.number = number};
  bucket->attempts++;
  bucket->hedges += is_hedge;
}

bool sc_hedge_may(const sc_hedge *hedge, uint64_t now) {
  uint64_t number = now / bucket_time, attempts = 0, hedges = 0;
  for (size_t i = 0; i < sc_hedge_buckets; i++) {
    const sc_hedge_bucket *bucket = &hedge->buckets[i];
    if (bucket->number + sc_hedge_buckets <= number)
      continue;
    attempts += bucket->attempts;
    hedges += bucket->hedges;
  }
  return hedges < sc_hedge_allowance || (hedges + 1) * sc_hedge_share <= attempts + 1;
}

static int order_trips(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return sc_order_numbers(*a, *b);
}

static uint64_t median_trip(const sc_hedge *hedge) {
  uint64_t sorted[sc_hedge_most_trips];
  memcpy(sorted, hedge->trips, hedge->trip_count * sizeof *sorted);
  sc_sort(sorted, hedge->trip_count, sizeof *sorted, order_trips);
  return sorted[hedge->trip_count / 2];
}

uint64_t sc_hedge_delay(const sc_hedge *hedge, uint64_t timeout, uint64_t least, uint64_t unknown) {
  enum { medians = 3 };
  uint64_t most = timeout / 2;
  uint64_t delay = unknown;
  if (hedge->trip_count > 0) {
    uint64_t median = median_trip(hedge);
    delay = median > most / medians ? most : median * medians;
    delay = delay > least ? delay : least;
  }
  return delay < most ? delay : most;
}
