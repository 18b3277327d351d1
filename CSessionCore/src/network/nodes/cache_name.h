/* The names of cache files. Write to the name with "_new" appended, then rename. */
#ifndef SC_SRC_NETWORK_NODES_CACHE_NAME_H
#define SC_SRC_NETWORK_NODES_CACHE_NAME_H

#include "session-core/network/node_options.h"

typedef enum sc_cache_file {
  SC_CACHE_POOL,       /* "snode_pool" */
  SC_CACHE_STRIKES,    /* "snode_pool_strikes" */
  SC_CACHE_OLD_GUARDS, /* "edge_nodes" */
  SC_CACHE_GUARDS,     /* "guards": its folder is the network's */
} sc_cache_file;

enum { sc_cache_name_bytes = 104 };

/* Each network has its own files, with the suffix "_testnet", or "_devnet_" and a hash of the seeds. */
void sc_cache_name(char out[static sc_cache_name_bytes], sc_cache_file file, const sc_node_options *options);

#endif
