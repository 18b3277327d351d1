/* A cache of the X25519 keys of recently used nodes: converting a key takes longer than the rest of a
 * request. */
#ifndef SC_SRC_NETWORK_PATHS_HOP_KEYS_H
#define SC_SRC_NETWORK_PATHS_HOP_KEYS_H

#include <stdbool.h>

#include "session-core/network/onion.h"

enum { sc_hop_keys_count = 256 };

/* Empty if zeroed. Each key has one slot and evicts its holder. */
typedef struct sc_hop_keys {
  bool taken[sc_hop_keys_count];
  sc_onion_node list[sc_hop_keys_count];
} sc_hop_keys;

/* Returns a node with both of its keys. SC_ERR_KEY_INVALID if its key has no X25519 form. */
SC_NODISCARD sc_status sc_hop_keys_find(sc_onion_node *out, sc_hop_keys *keys,
                                        const uint8_t ed25519[static SC_KEY_BYTES]);

#endif
