/* What several lists agree on. Lists agree on a node when key, address, ports and swarm are the same;
 * versions may differ, as some lists cannot say all of them. */
#ifndef SC_SRC_NETWORK_NODES_BALLOT_H
#define SC_SRC_NETWORK_NODES_BALLOT_H

#include "node_list.h"

typedef struct sc_ballot {
  sc_key_table records;
  size_t lists; /* that were counted */
} sc_ballot;

void sc_ballot_init(sc_ballot *ballot, const sc_env *env);
void sc_ballot_free(sc_ballot *ballot);

/* Counts a list. Does nothing on failure. */
SC_NODISCARD sc_status sc_ballot_count(sc_ballot *ballot, const sc_node_list *list);

/* Fills the empty list with the nodes that at least `enough` lists agree on. Of a node with several such
 * records, the one that most lists have is taken. */
SC_NODISCARD sc_status sc_ballot_tally(sc_node_list *out, const sc_ballot *ballot, size_t enough);

#endif
