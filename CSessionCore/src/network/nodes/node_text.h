/* The text of a node inside a longer line. */
#ifndef SC_SRC_NETWORK_NODES_NODE_TEXT_H
#define SC_SRC_NETWORK_NODES_NODE_TEXT_H

#include "session-core/network/node.h"

/* Removes the fields of a node from the front of a line; `rest->ptr` is NULL if nothing follows.
 * SC_ERR_NODE_TEXT. */
SC_NODISCARD sc_status sc_node_text_take(sc_node *out, sc_bytes *rest);

#endif
