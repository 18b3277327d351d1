/* The content of sc_nodes, for nodes.c, files.c and refresh.c. */
#ifndef SC_SRC_NETWORK_NODES_STATE_H
#define SC_SRC_NETWORK_NODES_STATE_H

#include "nodes.h"

enum { sc_nodes_millisecond = 1000000 /* nanoseconds in one */ };

struct sc_nodes {
  const sc_env *env;
  sc_node_options options;
  sc_nodes_host host;
  sc_node_pool pool;
  sc_swarms swarms;
  sc_strikes strikes;
  sc_refresh refresh;
  uint64_t strikes_due; /* when to save the strikes; UINT64_MAX if unchanged */
  bool strikes_saved;   /* true if strikes were saved, at … */
  uint64_t strikes_saved_at;
};

/* Makes the shuffled list the pool and leaves the list empty. A failure changes nothing. Call
 * sc_nodes_tell_replaced when everything else is done. */
SC_NODISCARD sc_status sc_nodes_adopt(sc_nodes *nodes, sc_node_list *list);
void sc_nodes_tell_replaced(sc_nodes *nodes);

void sc_nodes_save(sc_nodes *nodes, sc_nodes_file file);

void sc_refresh_init(sc_nodes *nodes);
void sc_refresh_stop(sc_nodes *nodes);

/* Advances the refresh. SC_ERR_NO_MEMORY as sc_nodes_advance. */
SC_NODISCARD sc_status sc_refresh_advance(sc_nodes *nodes, uint64_t now, uint64_t wall);
uint64_t sc_refresh_deadline(const sc_nodes *nodes);

#endif
