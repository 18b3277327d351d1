/* Agreement of several lists, SC_NODE_MAX_LISTS at most; see sc_node_agrees. */
#ifndef SC_SRC_NETWORK_NODES_BALLOT_H
#define SC_SRC_NETWORK_NODES_BALLOT_H

#include "node_list.h"
#include "session-core/network/node_options.h"

typedef struct sc_quorum {
  sc_key_table records;
  size_t lists; /* number of lists */
} sc_quorum;

void sc_quorum_init(sc_quorum *quorum, const sc_env *env);
void sc_quorum_free(sc_quorum *quorum);

/* Adds a list. A failure changes nothing. */
SC_NODISCARD sc_status sc_quorum_add(sc_quorum *quorum, const sc_node_list *list);

/* Fills the empty list with the nodes that at least `enough` lists agree on. If a node has several such
 * records, the most frequent one is used. */
SC_NODISCARD sc_status sc_quorum_result(sc_node_list *out, const sc_quorum *quorum, size_t enough);

/* Counts the lists that differ from this one in at most `differences` nodes. */
size_t sc_quorum_supporters(const sc_quorum *quorum, const sc_node_list *list, size_t differences);

#endif
