/* Real nodes built from the core's own node half: each has a QUIC endpoint with a socket on this machine's
 * loopback network, peels requests, relays them to the next hop over QUIC, and answers those for itself. All
 * run on one thread. */
#ifndef SC_TESTS_ROUTER_REAL_NODES_H
#define SC_TESTS_ROUTER_REAL_NODES_H

#include <stdatomic.h>

#include "session-core/session-core.h"

enum { real_most_nodes = 16 };

typedef struct real_node {
  struct real_nodes *nodes;
  sc_keypair keys;
  sc_node node;
  sc_quic_endpoint *endpoint;
  sc_quic_pool *pool; /* to other nodes */
  atomic_size_t relayed;
  atomic_size_t answered;
  atomic_size_t listed; /* requests for the full node list */
} real_node;

typedef struct real_nodes {
  sc_runtime *runtime;
  real_node list[real_most_nodes];
  size_t count;
} real_nodes;

/* Starts this many nodes in one swarm. They do not allocate from a test's environment. */
SC_NODISCARD sc_status real_nodes_start(real_nodes *nodes, size_t count);

/* Stops and frees them; also after a failure. */
void real_nodes_end(real_nodes *nodes);

#endif
