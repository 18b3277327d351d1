/* The file of the pool: a line of text for each node.
 *
 *   changes|DAY|COUNT   what lists of nodes changed on that day
 *   NODE                the text of sc_node_format
 *   NODE|DAY            with the first day of a node that is newer than the pool */
#ifndef SC_SRC_NETWORK_NODES_POOL_FILE_H
#define SC_SRC_NETWORK_NODES_POOL_FILE_H

#include "change.h"

#define SC_POOL_FILE_MOST ((size_t)16 * 1024 * 1024)

/* Adds the nodes of a file to the list, and sets the changes if it has them. An invalid line is skipped and
 * counted; reading stops at a line that is too long, and at SC_STORAGE_MAX_NODES nodes. A future day becomes
 * today. SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_pool_file_read(sc_node_list *out, sc_day_changes *changes, sc_day today,
                                         bool private_addresses, sc_bytes file);

/* Replaces `out` with the file. */
SC_NODISCARD sc_status sc_pool_file_write(sc_buffer *out, const sc_node *nodes, size_t count,
                                          const sc_day_changes *changes);

#endif
