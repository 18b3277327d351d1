/* Recent failures of nodes: a node with enough strikes is not used.
 *
 * Times are milliseconds since 1970, so that strikes survive restarts; future times count as now. The last
 * SC_NODE_MAX_STRIKES of each node are kept. */
#ifndef SC_SRC_NETWORK_NODES_STRIKES_H
#define SC_SRC_NETWORK_NODES_STRIKES_H

#include "../../base/key_table.h"
#include "session-core/network/node_options.h"

enum { sc_strikes_most_nodes = 4096 }; /* beyond it, the node struck longest ago is forgotten */

#define SC_STRIKES_FILE_MOST ((size_t)16 * 1024 * 1024)

typedef struct sc_strike_record {
  uint8_t key[SC_KEY_BYTES];
  uint64_t times[SC_NODE_MAX_STRIKES]; /* ascending */
  size_t count;
} sc_strike_record;

typedef struct sc_strikes {
  const sc_env *env;
  size_t struck_out;    /* strikes after which a node is not used */
  uint64_t life;        /* lifetime of a strike, in milliseconds */
  sc_key_table records; /* sc_strike_record */
} sc_strikes;

void sc_strikes_init(sc_strikes *strikes, const sc_env *env, const sc_node_options *options);
/* Forgets everything. The object can be reused. */
void sc_strikes_free(sc_strikes *strikes);

/* Adds one strike, or if `permanent` as many as strike out. */
SC_NODISCARD sc_status sc_strikes_add(sc_strikes *strikes, uint64_t wall,
                                      const uint8_t key[static SC_KEY_BYTES], bool permanent);

/* Adds an earlier strike, unless it has expired. */
SC_NODISCARD sc_status sc_strikes_insert(sc_strikes *strikes, uint64_t wall, uint64_t time,
                                         const uint8_t key[static SC_KEY_BYTES]);

/* Counts the strikes that have not expired. */
size_t sc_strikes_count(sc_strikes *strikes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]);

bool sc_strikes_is_out(sc_strikes *strikes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]);

/* Counts the nodes with strikes, even expired ones. */
size_t sc_strikes_nodes(const sc_strikes *strikes);

/* Drops the nodes whose strikes have all expired. */
void sc_strikes_prune(sc_strikes *strikes, uint64_t wall);

/* Adds the strikes of a file, as many as can be read. SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_strikes_read(sc_strikes *strikes, uint64_t wall, sc_bytes file);

/* Replaces `out` with the file. Call sc_strikes_prune first. */
SC_NODISCARD sc_status sc_strikes_write(sc_buffer *out, const sc_strikes *strikes);

#endif
