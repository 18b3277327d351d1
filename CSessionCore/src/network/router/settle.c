/* Requests that are made again, and those that fail with the clock. */
#include "../later.h"
#include "../paths/delay.h"
#include "network.h"

/* Each node of a swarm is asked once; other destinations are asked again. */
static bool has_more_to_ask(const sc_parcel *parcel) {
  return parcel->attempts < parcel->most_attempts;
}

void sc_parcel_retry(sc_parcel *parcel, const sc_verdict *verdict) {
  sc_network *network = parcel->network;
  const sc_network_options *options = &network->options;
  parcel->why = verdict->status;
  parcel->code = verdict->code;
  if (!has_more_to_ask(parcel)) {
    sc_parcel_doom(parcel, verdict->status, verdict->code);
    return;
  }
  network->counts.retries++;
  /* However short attempts are, the pause between two is no part of them. */
  sc_parcel_rest_patience(parcel);
  uint64_t delay = sc_delay_after(parcel->attempts, options->retry_delay, options->retry_delay_most);
  sc_parcel_move(parcel, SC_PARCEL_AWAITS_RETRY, sc_later(network->moment.now, delay));
}

void sc_parcel_await_clock(sc_parcel *parcel, int code) {
  sc_network *network = parcel->network;
  parcel->why = SC_ERR_NETWORK_CLOCK;
  parcel->code = code;
  sc_clock_measure(network);
  /* What measures the clock must not wait for that. */
  if (network->clock.running && !parcel->first->own)
    sc_parcel_move(parcel, SC_PARCEL_AWAITS_CLOCK, 0);
  else
    sc_parcel_doom(parcel, SC_ERR_NETWORK_CLOCK, code);
}
