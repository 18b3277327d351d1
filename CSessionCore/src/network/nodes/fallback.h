/* The list of nodes bundled with a program, for when no seed replies: the daemon's list in JSON, with or
 * without the "result" around it. */
#ifndef SC_SRC_NETWORK_NODES_FALLBACK_H
#define SC_SRC_NETWORK_NODES_FALLBACK_H

#include "node_list.h"
#include "session-core/network/node_options.h"

/* Reads options->fallback into the empty list, without nodes that have probably left since it was made.
 * SC_ERR_NODE_FILE for an invalid list, or fewer than options->smallest_pool remaining nodes. */
SC_NODISCARD sc_status sc_fallback_read(sc_node_list *out, const sc_node_options *options, uint64_t wall);

#endif
