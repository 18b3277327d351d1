#include "attempt.h"

#include <assert.h>

#include "network.h"

/* The only node of a network is where the path ends before it begins. */
static size_t hops_before(const sc_path *path, const sc_node *target) {
  return target != NULL && sc_node_same(sc_path_guard(path), target) ? 0 : path->length;
}

sc_attempt *sc_attempt_new(const sc_delivery *delivery, sc_path *path, const sc_node *target) {
  sc_network *network = delivery->network;
  sc_attempt *attempt = sc_allocate(network->env, sizeof *attempt);
  if (attempt == NULL)
    return NULL;
  *attempt = (sc_attempt){.network = network,
                          .path = path,
                          .hop_count = hops_before(path, target),
                          .has_target = target != NULL,
                          .timeout = delivery->timeout,
                          .sent_at = network->moment.now,
                          .sent_wall = network->moment.wall};
  memcpy(attempt->hops, path->hops, attempt->hop_count * sizeof path->hops[0]);
  if (target != NULL)
    attempt->target = *target;
  else
    memcpy(attempt->server, delivery->server.x25519, SC_KEY_BYTES);
  return attempt;
}

void sc_attempt_free(sc_attempt *attempt) {
  sc_onion_key_wipe(&attempt->key);
  sc_release(attempt->network->env, attempt);
}

void sc_attempt_begin(sc_attempt *attempt, sc_delivery *delivery) {
  assert(delivery->in_flight_count < sc_delivery_most_in_flight);
  attempt->delivery = delivery;
  delivery->in_flight[delivery->in_flight_count++] = attempt;
  sc_paths_begin(attempt->path);
}

void sc_attempt_overtake(sc_attempt *attempt) {
  sc_delivery *delivery = attempt->delivery;
  size_t place = 0;
  while (delivery->in_flight[place] != attempt)
    place++;
  delivery->in_flight_count--;
  for (; place < delivery->in_flight_count; place++)
    delivery->in_flight[place] = delivery->in_flight[place + 1];
  attempt->delivery = NULL;
}

void sc_attempt_end(sc_attempt *attempt) {
  if (attempt->delivery != NULL)
    sc_attempt_overtake(attempt);
  sc_paths_end(attempt->path);
  attempt->network->paths_due = attempt->network->queues_due = true;
  sc_attempt_free(attempt);
}

bool sc_attempt_is_overdue(const sc_attempt *attempt) {
  return attempt->network->moment.now - attempt->sent_at >= attempt->timeout - attempt->timeout / 4;
}
