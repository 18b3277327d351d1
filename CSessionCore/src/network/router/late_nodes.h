/* The nodes that let an interactive request wait so long that it was made again elsewhere. For ten minutes,
 * or until they answer, other members of a swarm are asked first. This is no strike: what was slow may have
 * been the path. */
#ifndef SC_SRC_NETWORK_ROUTER_LATE_NODES_H
#define SC_SRC_NETWORK_ROUTER_LATE_NODES_H

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

#endif
