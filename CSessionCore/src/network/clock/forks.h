/* The hard fork of the network, although one node may lie: the highest that nodes of two operators report or
 * exceed. */
#ifndef SC_SRC_NETWORK_CLOCK_FORKS_H
#define SC_SRC_NETWORK_CLOCK_FORKS_H

#include "session-core/network/node.h"

enum { sc_forks_most = 8 };

typedef struct sc_fork_claim {
  sc_node node;
  uint16_t fork[2]; /* the highest that it, or a node near it, reported */
} sc_fork_claim;

/* Zeroed, nothing is known. */
typedef struct sc_forks {
  sc_fork_claim claims[sc_forks_most]; /* the highest ones */
  size_t count;
} sc_forks;

/* Records what a node reported. With `by_subnet`, nodes of one /24 count as one. */
void sc_forks_note(sc_forks *forks, const sc_node *node, const uint16_t fork[static 2], bool by_subnet);

/* Returns the highest fork that at least `voices` nodes report or exceed. False if there are fewer reports.
 */
bool sc_forks_agreed(uint16_t out[static 2], const sc_forks *forks, size_t voices);

#endif
