/* Nodes in the daemon's JSON form, with matching keys. */
#ifndef SC_TESTS_NETWORK_NODES_STATES_H
#define SC_TESTS_NETWORK_NODES_STATES_H

#include "support/test.h"

static inline sc_storage_node state_of(uint8_t byte) {
  const uint8_t seed[32] = {byte};
  sc_keypair keys;
  sc_keypair_from_seed(&keys, seed);
  sc_storage_node node = {.ip = {9, 9, byte, 1},
                          .https_port = 22021,
                          .quic_port = 22020,
                          .version = {2, 11, 300},
                          .swarm = UINT64_MAX - 1,
                          .funded = true};
  memcpy(node.ed25519, keys.ed.public_key, SC_KEY_BYTES);
  memcpy(node.x25519, keys.x.public_key, SC_KEY_BYTES);
  memset(node.legacy, byte, sizeof node.legacy);
  return node;
}

enum { states_height = 1000 };

/* Replaces `out` with the reply that lists them, at the height states_height. */
static inline sc_status states_write(sc_buffer *out, const sc_storage_node *nodes, size_t count) {
  const sc_storage_request request = {.method = SC_STORAGE_SERVICE_NODES};
  const sc_storage_reply reply = {.of.service_nodes = {.height = states_height, .nodes = {nodes, count, 0}}};
  return sc_storage_reply_write(out, SC_STORAGE_JSON, &request, &reply);
}

#endif
