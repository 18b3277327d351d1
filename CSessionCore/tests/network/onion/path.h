/* A path of nodes with a destination, and all their keys. */
#ifndef SC_TESTS_NETWORK_ONION_PATH_H
#define SC_TESTS_NETWORK_ONION_PATH_H

#include "session-core/session-core.h"

typedef struct path {
  sc_keypair keys[SC_ONION_MAX_HOPS + 1]; /* the last is the destination's */
  sc_onion_node hops[SC_ONION_MAX_HOPS];
  sc_onion_destination node;
  sc_onion_destination server;
} path;

static inline sc_onion_node path_node(const sc_keypair *keys) {
  sc_onion_node node;
  memcpy(node.ed25519, keys->ed.public_key, SC_KEY_BYTES);
  memcpy(node.x25519, keys->x.public_key, SC_KEY_BYTES);
  return node;
}

static inline void path_make(path *out) {
  uint8_t seed[32] = {0};
  for (size_t i = 0; i <= SC_ONION_MAX_HOPS; i++) {
    seed[0] = (uint8_t)(i + 1);
    sc_keypair_from_seed(&out->keys[i], seed);
    if (i < SC_ONION_MAX_HOPS)
      out->hops[i] = path_node(&out->keys[i]);
  }
  const sc_keypair *last = &out->keys[SC_ONION_MAX_HOPS];
  out->node = (sc_onion_destination){.kind = SC_ONION_TO_NODE, .node = path_node(last)};
  out->server = (sc_onion_destination){
      .kind = SC_ONION_TO_SERVER,
      .server = {.url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}},
  };
  memcpy(out->server.server.x25519, last->x.public_key, SC_KEY_BYTES);
}

static inline const sc_keypair *path_destination(const path *p) {
  return &p->keys[SC_ONION_MAX_HOPS];
}

#endif
