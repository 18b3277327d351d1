/* Agreement of several lists, SC_NODE_MAX_LISTS at most; see sc_node_agrees. */
#ifndef SC_SRC_NETWORK_NODES_BALLOT_H
#define SC_SRC_NETWORK_NODES_BALLOT_H

#include "node_list.h"
#include "session-core/network/node_options.h"

typedef struct sc_ballot {
  sc_key_table records;
  size_t lists; /* that were counted */
} sc_ballot;

void sc_ballot_init(sc_ballot *ballot, const sc_env *env);
void sc_ballot_free(sc_ballot *ballot);

/* Counts a list. Does nothing on failure. */
SC_NODISCARD sc_status sc_ballot_count(sc_ballot *ballot, const sc_node_list *list);

/* Fills the empty list with the nodes that at least `enough` lists agree on. If a node has several such
 * records, the most frequent one is used. */
SC_NODISCARD sc_status sc_ballot_tally(sc_node_list *out, const sc_ballot *ballot, size_t enough);

/* Counts the lists that differ from this one in at most so many nodes. */
size_t sc_ballot_supporters(const sc_ballot *ballot, const sc_node_list *list, size_t differences);

#endif
