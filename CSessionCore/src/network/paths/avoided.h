/* Nodes that are chosen for ten minutes only if there are no others: those that a text names as unreachable,
 * and members of a swarm that say no to an account, for that account. This is no suspicion: a text may be a
 * lie. */
#ifndef SC_SRC_NETWORK_PATHS_AVOIDED_H
#define SC_SRC_NETWORK_PATHS_AVOIDED_H

#include "session-core/network/node.h"
#include "swarm_key.h"

enum { sc_avoided_max = 64, sc_avoided_least = 16 };

typedef struct sc_avoided_node {
  uint8_t key[SC_KEY_BYTES];
  bool is_member; /* avoided by `by`; otherwise by all */
  sc_swarm_key by;
  uint64_t until; /* 0: the place is free */
} sc_avoided_node;

/* Zeroed, there are none. */
typedef struct sc_avoided {
  sc_avoided_node list[sc_avoided_max];
} sc_avoided;

/* Avoids a node, for requests to one swarm or, with NULL, for all. There are at most sixteen, or one in a
 * hundred of `pool` nodes; the oldest goes. */
void sc_avoided_add(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const sc_swarm_key *by,
                    uint64_t now, size_t pool);

/* Ends what a text said of a node: an authenticated reply came from it, or over it. */
void sc_avoided_remove(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES]);

/* True if all avoid the node, or requests to this swarm do; NULL for none. */
bool sc_avoided_has(const sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const sc_swarm_key *by,
                    uint64_t now);

#endif
