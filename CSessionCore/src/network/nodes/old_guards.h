/* The file of guards that older programs read and wrote. Guards are kept for months, so that few nodes learn
 * this client's address. */
#ifndef SC_SRC_NETWORK_NODES_OLD_GUARDS_H
#define SC_SRC_NETWORK_NODES_OLD_GUARDS_H

#include "session-core/network/node_options.h"

enum { sc_old_guards_most = 64 };

#define SC_OLD_GUARDS_FILE_MOST ((size_t)64 * 1024)

typedef struct sc_old_guard {
  sc_node node;
  uint64_t since; /* first connected: milliseconds since 1970 */
} sc_old_guard;

typedef struct sc_old_guards {
  sc_old_guard list[sc_old_guards_most];
  size_t count;
} sc_old_guards;

/* Reads the file. Invalid lines, nodes that cannot be called and guards that are too old are left out; an
 * unreadable time counts as now. Reading stops at a line that is too long or has a future time.
 * SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_old_guards_read(sc_old_guards *out, const sc_node_options *options, uint64_t wall,
                                          sc_bytes file);

/* Replaces `out` with the file. */
SC_NODISCARD sc_status sc_old_guards_write(sc_buffer *out, const sc_old_guards *guards);

#endif
