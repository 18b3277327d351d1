/* Requests that are made again, and those that fail with the clock. */
#include "../../base/backoff.h"
#include "../later.h"
#include "network.h"

/* Each node of a swarm is called once; other destinations are called again. */
static bool has_more_to_ask(const sc_delivery *delivery) {
  return delivery->attempts < delivery->most_attempts;
}

void sc_delivery_retry(sc_delivery *delivery, const sc_verdict *verdict) {
  sc_network *network = delivery->network;
  const sc_network_options *options = &network->options;
  delivery->why = verdict->status;
  delivery->code = verdict->code;
  if (!has_more_to_ask(delivery)) {
    sc_delivery_doom(delivery, verdict->status, verdict->code);
    return;
  }
  network->counts.retries++;
  /* The retry delay does not count against the attempt's timeout. */
  sc_delivery_rest_patience(delivery);
  uint64_t delay = sc_backoff(delivery->attempts, options->retry_delay, options->retry_delay_most);
  sc_delivery_move(delivery, SC_DELIVERY_AWAITS_RETRY, sc_later(network->moment.now, delay));
}

void sc_delivery_await_clock(sc_delivery *delivery, int code) {
  delivery->why = SC_ERR_NETWORK_CLOCK;
  delivery->code = code;
  /* Measuring the clock must not wait for itself. */
  if (delivery->first->own)
    sc_delivery_doom(delivery, SC_ERR_NETWORK_CLOCK, code);
  else if (sc_clock_doubt(delivery->network))
    sc_delivery_move(delivery, SC_DELIVERY_AWAITS_CLOCK, 0);
  else
    sc_delivery_end_clock(delivery, false);
}

/* There is only one of each server. */
void sc_delivery_end_clock(sc_delivery *delivery, bool moved) {
  const sc_verdict other = {
      .action = SC_VERDICT_RETRY, .status = SC_ERR_REQUEST_FAILED, .code = delivery->code};
  if (moved || delivery->to == SC_NETWORK_TO_SERVER)
    sc_delivery_doom(delivery, SC_ERR_NETWORK_CLOCK, delivery->code);
  else
    sc_delivery_retry(delivery, &other);
}
