/* The swarms of accounts.
 *
 * Every client computes them: swarms have numbers on a ring, and an account belongs to the nearest one. The
 * sorted numbers make a search cheaper than a cache lookup. Redirects by nodes override the result until the
 * pool is replaced. Everything refers to one pool, by index, and is rebuilt with the next. */
#ifndef SC_SRC_NETWORK_NODES_SWARMS_H
#define SC_SRC_NETWORK_NODES_SWARMS_H

#include "pool.h"
#include "strikes.h"

enum {
  sc_swarms_most_redirects = 1024, /* accounts; for one more, the first is forgotten */
  sc_swarm_most_redirected = 100,  /* nodes a redirect may name */
};

/* Members of a swarm, in the order of the pool, which is random. Borrowed until the pool changes. */
typedef struct sc_swarm {
  const sc_node *nodes[SC_STORAGE_MAX_SWARM];
  size_t count;
} sc_swarm;

typedef struct sc_redirect {
  uint8_t account[SC_KEY_BYTES];
  uint32_t followed; /* since the pool was replaced */
  uint32_t members[sc_swarm_most_redirected];
  size_t count; /* of members; 0: the swarm is computed */
} sc_redirect;

typedef struct sc_swarm_member {
  uint64_t swarm;
  uint32_t node; /* its number in the pool */
} sc_swarm_member;

typedef struct sc_swarms {
  const sc_env *env;
  sc_swarm_member *members; /* by swarm, then by node; those of SC_STORAGE_NO_SWARM are not there */
  size_t member_count;
  uint32_t *firsts;       /* of each swarm, its first member, ascending */
  size_t count;           /* of swarms */
  sc_key_table redirects; /* sc_redirect, the oldest first */
} sc_swarms;

void sc_swarms_init(sc_swarms *swarms, const sc_env *env);
/* Forgets everything; may be used again. */
void sc_swarms_free(sc_swarms *swarms);

/* Sorts nodes into their swarms; nothing is redirected yet. The nodes are those of a pool, in its order. */
SC_NODISCARD sc_status sc_swarms_make(sc_swarms *out, const sc_env *env, const sc_node *nodes, size_t count);

/* Where on the ring an account belongs; `account` is its key without the prefix. */
uint64_t sc_swarm_position(const uint8_t account[static SC_KEY_BYTES]);

/* The number of the swarm that is nearest to a position. SC_ERR_NO_SWARM when there is none. */
SC_NODISCARD sc_status sc_swarms_nearest(uint64_t *out, const sc_swarms *swarms, uint64_t position);

/* All nodes of the account's swarm, struck out or not. SC_ERR_NO_SWARM. */
SC_NODISCARD sc_status sc_swarms_find(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool,
                                      const uint8_t account[static SC_KEY_BYTES]);

/* Leaves out those that are struck out, but keeps `least`: the ones with the fewest strikes. */
void sc_swarm_leave_out(sc_swarm *swarm, sc_strikes *strikes, uint64_t wall, size_t least);

/* From now on the account's swarm are those of the nodes that the pool knows; none of them: it is computed
 * again. `*known` says how many, `*followed` which redirect of the account this was since the pool was
 * replaced. */
SC_NODISCARD sc_status sc_swarms_redirect(size_t *known, uint32_t *followed, sc_swarms *swarms,
                                          const sc_node_pool *pool,
                                          const uint8_t account[static SC_KEY_BYTES],
                                          const sc_storage_node_list *nodes);

#endif
