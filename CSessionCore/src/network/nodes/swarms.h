/* The swarms of accounts.
 *
 * Every client computes them: swarms have numbers on a ring, and an account belongs to the nearest one. The
 * sorted numbers make a search cheaper than a cache lookup. Nothing that nodes say about other swarms changes
 * the result. Everything refers to one pool, by index, and is rebuilt for the next. */
#ifndef SC_SRC_NETWORK_NODES_SWARMS_H
#define SC_SRC_NETWORK_NODES_SWARMS_H

#include "pool.h"
#include "strikes.h"

/* Members of a swarm, in the order of the pool, which is random. Borrowed until the pool changes. */
typedef struct sc_swarm {
  const sc_node *nodes[SC_STORAGE_MAX_SWARM];
  size_t count;
} sc_swarm;

typedef struct sc_swarm_member {
  uint64_t swarm;
  uint32_t node; /* its index in the pool */
} sc_swarm_member;

typedef struct sc_swarms {
  const sc_env *env;
  sc_swarm_member *members; /* by swarm, then by node; without those of SC_STORAGE_NO_SWARM */
  size_t member_count;
  uint32_t *firsts; /* index of the first member of each swarm, ascending */
  size_t count;     /* number of swarms */
} sc_swarms;

void sc_swarms_init(sc_swarms *swarms, const sc_env *env);
/* Forgets everything. The object can be reused. */
void sc_swarms_free(sc_swarms *swarms);

/* Sorts the nodes of a pool, in its order, into swarms. */
SC_NODISCARD sc_status sc_swarms_make(sc_swarms *out, const sc_env *env, const sc_node *nodes, size_t count);

/* Returns an account's position on the ring; `account` is its key without the prefix. */
uint64_t sc_swarm_position(const uint8_t account[static SC_KEY_BYTES]);

/* Returns the number of the swarm nearest to a position. SC_ERR_NO_SWARM if there is none. */
SC_NODISCARD sc_status sc_swarms_nearest(uint64_t *out, const sc_swarms *swarms, uint64_t position);

/* Fills in all nodes of the account's swarm, struck out or not. SC_ERR_NO_SWARM. */
SC_NODISCARD sc_status sc_swarms_find(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool,
                                      const uint8_t account[static SC_KEY_BYTES]);

/* Removes nodes that are struck out, but keeps at least `least` nodes: those with the fewest strikes. */
void sc_swarm_leave_out(sc_swarm *swarm, sc_strikes *strikes, uint64_t wall, size_t least);

enum { sc_swarm_most_hinted = 100 }; /* nodes that a hint may name */

/* Reads the list of nodes in a redirect as a hint: the number of the swarm to which all of them belong. It
 * must be in the pool, and be the nearest swarm on the other side of the account. False for any other list.
 */
bool sc_swarms_hint(uint64_t *out, const sc_swarms *swarms, const sc_node_pool *pool,
                    const uint8_t account[static SC_KEY_BYTES], const sc_storage_node_list *nodes);

/* Fills in the nodes of one swarm. False if there is no such swarm. */
bool sc_swarms_members(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool, uint64_t swarm);

#endif
