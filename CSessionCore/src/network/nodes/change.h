/* How much one list of nodes may change.
 *
 * The network does not sign its list, and hostile nodes are the majority of three random nodes now and then.
 * So a list that changes more than a network does in the time needs more witnesses, and a node that is new
 * here is neither a guard nor a middle for some days. */
#ifndef SC_SRC_NETWORK_NODES_CHANGE_H
#define SC_SRC_NETWORK_NODES_CHANGE_H

#include "../day.h"
#include "pool.h"

enum { sc_change_young_days = 3 };

/* The changes that lists of nodes made on one day. */
typedef struct sc_day_changes {
  sc_day day;
  uint32_t count;
} sc_day_changes;

/* Counts the keys that come, go, move to another address, or change their swarm. */
size_t sc_change_count(const sc_node_pool *pool, const sc_node_list *list);

/* How many such changes are usual in a pool of so many nodes. `since` is the day of the last list, 0 if it is
 * not known. */
size_t sc_change_usual(size_t nodes, sc_day since, sc_day today);

/* Dates the nodes of a list: known ones keep their day, others begin today. Nodes of the first list are old;
 * of a list that is `proved`, all are if otherwise none would be. */
void sc_change_date(sc_node_list *list, const sc_node_pool *pool, bool proved, sc_day today);

/* True if the node may become a guard or a middle. */
bool sc_node_is_old(const sc_node *node, sc_day today);

#endif
