/* How much one list of nodes may change.
 *
 * The network does not sign its list, and three random nodes sometimes include two hostile ones. So a list
 * with more changes than usual for the time needs more witnesses, and a new node does not become a guard or
 * middle for some days. */
#ifndef SC_SRC_NETWORK_NODES_CHANGE_H
#define SC_SRC_NETWORK_NODES_CHANGE_H

#include "../day.h"
#include "pool.h"

enum { sc_change_young_days = 3 };

/* The changes by lists of nodes on one day. */
typedef struct sc_day_changes {
  sc_day day;
  uint32_t count;
} sc_day_changes;

/* Counts the nodes that joined, left, moved to another address, or changed their swarm. */
size_t sc_change_count(const sc_node_pool *pool, const sc_node_list *list);

/* Returns the usual number of such changes in a pool of this many nodes. `since` is the day of the last list,
 * 0 if unknown. */
size_t sc_change_usual(size_t nodes, sc_day since, sc_day today);

/* Sets the first day of each node: known nodes keep theirs, others get today. Nodes of the first list are
 * old; those of a `proved` list all are if otherwise none would be. */
void sc_change_date(sc_node_list *list, const sc_node_pool *pool, bool proved, sc_day today);

/* True if the node may become a guard or a middle. */
bool sc_node_is_old(const sc_node *node, sc_day today);

#endif
