/* Requests that are made again, and those that fail with the clock. */
#include "../../base/backoff.h"
#include "../../base/draws.h"
#include "../moment.h"
#include "network.h"

/* Each node of a swarm is called once; other destinations are called again. */
static bool has_more_to_ask(const sc_delivery *delivery) {
  return delivery->attempts < delivery->most_attempts;
}

void sc_delivery_avoid_member(const sc_delivery *delivery) {
  sc_network *network = delivery->network;
  if (!delivery->has_account || !delivery->has_target)
    return;
  const sc_swarm_key key = sc_delivery_swarm_key(delivery);
  sc_avoided_add(&network->paths.avoided, delivery->target.key, &key, network->moment.now,
                 sc_nodes_pool(network->nodes)->count);
}

/* Requests that failed together are not sent again together. */
uint64_t sc_delivery_backoff(const sc_delivery *delivery) {
  enum { parts = 1000 };
  const sc_network *network = delivery->network;
  const sc_network_options *options = &network->options;
  const uint64_t most = sc_backoff(delivery->attempts, options->retry_delay, options->max_retry_delay);
  sc_draws draws;
  sc_draws_init(&draws, network->env, 1);
  return most - most / 2 / parts * sc_draws_below(&draws, parts + 1);
}

void sc_delivery_retry(sc_delivery *delivery, sc_status status, int code, uint64_t delay) {
  sc_network *network = delivery->network;
  delivery->why = status;
  delivery->code = code;
  if (!has_more_to_ask(delivery)) {
    sc_delivery_doom(delivery, status, code);
    return;
  }
  network->counts.retries++;
  /* The retry delay does not count against the attempt's timeout. */
  sc_delivery_stop_timeouts(delivery);
  sc_delivery_move(delivery, SC_DELIVERY_AWAITS_RETRY, sc_later(network->moment.now, delay));
}

void sc_delivery_await_clock(sc_delivery *delivery, int code) {
  delivery->why = SC_ERR_NETWORK_CLOCK;
  delivery->code = code;
  /* Measuring the clock must not wait for itself. */
  if (delivery->first->own)
    sc_delivery_doom(delivery, SC_ERR_NETWORK_CLOCK, code);
  else if (sc_clock_doubt(delivery->network, ++delivery->clock_complaints > 1))
    sc_delivery_move(delivery, SC_DELIVERY_AWAITS_CLOCK, 0);
  else
    sc_delivery_end_clock(delivery, false);
}

/* There is only one of each server. */
void sc_delivery_end_clock(sc_delivery *delivery, bool moved) {
  if (moved || delivery->to == SC_NETWORK_TO_SERVER) {
    sc_delivery_doom(delivery, SC_ERR_NETWORK_CLOCK, delivery->code);
  } else {
    sc_delivery_avoid_member(delivery);
    sc_delivery_retry(delivery, SC_ERR_REQUEST_FAILED, delivery->code, sc_delivery_backoff(delivery));
  }
}
