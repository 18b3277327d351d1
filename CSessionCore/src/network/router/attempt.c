#include "attempt.h"

#include <assert.h>

#include "network.h"

/* The only node of a network is where the path ends before it begins. */
static size_t hops_before(const sc_path *path, const sc_node *target) {
  return target != NULL && sc_node_same(sc_path_edge(path), target) ? 0 : path->length;
}

sc_attempt *sc_attempt_new(const sc_parcel *parcel, sc_path *path, const sc_node *target) {
  sc_network *network = parcel->network;
  sc_attempt *attempt = sc_allocate(network->env, sizeof *attempt);
  if (attempt == NULL)
    return NULL;
  *attempt = (sc_attempt){.network = network,
                          .path = path,
                          .hop_count = hops_before(path, target),
                          .has_target = target != NULL,
                          .timeout = parcel->timeout,
                          .sent_at = network->moment.now,
                          .sent_wall = network->moment.wall};
  memcpy(attempt->hops, path->hops, attempt->hop_count * sizeof path->hops[0]);
  if (target != NULL)
    attempt->target = *target;
  else
    memcpy(attempt->server, parcel->server.x25519, SC_KEY_BYTES);
  return attempt;
}

void sc_attempt_free(sc_attempt *attempt) {
  sc_onion_key_wipe(&attempt->key);
  sc_release(attempt->network->env, attempt);
}

void sc_attempt_begin(sc_attempt *attempt, sc_parcel *parcel) {
  assert(parcel->in_flight_count < sc_parcel_most_in_flight);
  attempt->parcel = parcel;
  parcel->in_flight[parcel->in_flight_count++] = attempt;
  sc_paths_begin(attempt->path);
}

void sc_attempt_overtake(sc_attempt *attempt) {
  sc_parcel *parcel = attempt->parcel;
  size_t place = 0;
  while (parcel->in_flight[place] != attempt)
    place++;
  parcel->in_flight_count--;
  for (; place < parcel->in_flight_count; place++)
    parcel->in_flight[place] = parcel->in_flight[place + 1];
  attempt->parcel = NULL;
}

void sc_attempt_end(sc_attempt *attempt) {
  if (attempt->parcel != NULL)
    sc_attempt_overtake(attempt);
  sc_paths_end(attempt->path);
  attempt->network->paths_due = attempt->network->queues_due = true;
  sc_attempt_free(attempt);
}

bool sc_attempt_is_overdue(const sc_attempt *attempt) {
  return attempt->network->moment.now - attempt->sent_at >= attempt->timeout - attempt->timeout / 4;
}
