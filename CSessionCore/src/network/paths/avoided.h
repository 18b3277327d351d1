/* Nodes that for ten minutes are chosen only if there are no others: nodes that a hop's error names as
 * unreachable, and swarm members that refused an account, for that account. This is not a suspicion: the
 * error may be a lie. */
#ifndef SC_SRC_NETWORK_PATHS_AVOIDED_H
#define SC_SRC_NETWORK_PATHS_AVOIDED_H

#include "session-core/network/node.h"
#include "swarm_key.h"

enum { sc_avoided_max = 64, sc_avoided_least = 16 };

typedef struct sc_avoided_node {
  uint8_t key[SC_KEY_BYTES];
  bool is_member; /* avoided for `by`; otherwise for all */
  sc_swarm_key by;
  uint64_t until; /* 0: unused entry */
} sc_avoided_node;

/* Empty if zeroed. */
typedef struct sc_avoided {
  sc_avoided_node list[sc_avoided_max];
} sc_avoided;

/* Avoids a node, for requests to one swarm or, with NULL, for all. At most sixteen nodes, or one in a hundred
 * of `pool`, are avoided; the oldest is dropped. */
void sc_avoided_add(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const sc_swarm_key *by,
                    uint64_t now, size_t pool);

/* No longer avoids a node for all, because an authenticated reply came from it or over it. */
void sc_avoided_remove(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES]);

/* True if the node is avoided by all, or by requests to this swarm; NULL for none. */
bool sc_avoided_has(const sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const sc_swarm_key *by,
                    uint64_t now);

#endif
