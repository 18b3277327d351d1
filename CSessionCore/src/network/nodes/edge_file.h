/* The file of guards, which are kept for days so that few nodes learn this client's address. */
#ifndef SC_SRC_NETWORK_NODES_EDGE_FILE_H
#define SC_SRC_NETWORK_NODES_EDGE_FILE_H

#include "session-core/network/node_options.h"

enum { sc_edges_most = 64 };

#define SC_EDGE_FILE_MOST ((size_t)64 * 1024)

typedef struct sc_edge {
  sc_node node;
  uint64_t since; /* first connected: milliseconds since 1970 */
} sc_edge;

typedef struct sc_edges {
  sc_edge list[sc_edges_most];
  size_t count;
} sc_edges;

/* Reads the file. Lines that are none, nodes that cannot be called, and edges that are too old are left out;
 * a time that cannot be read is now. A line that is too long, or of a time to come, ends the file.
 * SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_edges_read(sc_edges *out, const sc_node_options *options, uint64_t wall,
                                     sc_bytes file);

/* Replaces `out` with the file. */
SC_NODISCARD sc_status sc_edges_write(sc_buffer *out, const sc_edges *edges);

#endif
