/* Nodes that may have delayed an interactive request until it was hedged: the destination and the hops after
 * the guard, and nodes that a hop reported as unreachable. For ten minutes, or until they reply, other
 * members of a swarm are called first, and paths avoid them if there are enough other nodes. This is no
 * strike: all but one of them may be innocent. */
#ifndef SC_SRC_NETWORK_PATHS_LATE_NODES_H
#define SC_SRC_NETWORK_PATHS_LATE_NODES_H

#include <stdbool.h>

#include "session-core/network/node.h"

enum { sc_late_nodes_max = 16 }; /* the oldest goes */

typedef struct sc_late_node {
  uint8_t key[SC_KEY_BYTES];
  uint64_t until; /* 0: the place is free */
} sc_late_node;

/* Zeroed, there are none. */
typedef struct sc_late_nodes {
  sc_late_node list[sc_late_nodes_max];
} sc_late_nodes;

void sc_late_nodes_add(sc_late_nodes *late, const uint8_t key[static SC_KEY_BYTES], uint64_t now);
void sc_late_nodes_remove(sc_late_nodes *late, const uint8_t key[static SC_KEY_BYTES]);
bool sc_late_nodes_has(const sc_late_nodes *late, const uint8_t key[static SC_KEY_BYTES], uint64_t now);

/* True if there are any. */
bool sc_late_nodes_any(const sc_late_nodes *late, uint64_t now);

#endif
