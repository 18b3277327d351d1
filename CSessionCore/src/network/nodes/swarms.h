/* The swarms of accounts.
 *
 * Every client computes them: swarms have numbers on a ring, and an account belongs to the nearest one. The
 * sorted numbers make a search cheaper than a cache lookup. What nodes say of other swarms never changes the
 * result. Everything refers to one pool, by index, and is rebuilt with the next. */
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
  uint32_t node; /* its number in the pool */
} sc_swarm_member;

typedef struct sc_swarms {
  const sc_env *env;
  sc_swarm_member *members; /* by swarm, then by node; those of SC_STORAGE_NO_SWARM are not there */
  size_t member_count;
  uint32_t *firsts; /* of each swarm, its first member, ascending */
  size_t count;     /* of swarms */
} sc_swarms;

void sc_swarms_init(sc_swarms *swarms, const sc_env *env);
/* Forgets everything; may be used again. */
void sc_swarms_free(sc_swarms *swarms);

/* Sorts nodes into their swarms; nothing is redirected yet. The nodes are those of a pool, in its order. */
SC_NODISCARD sc_status sc_swarms_make(sc_swarms *out, const sc_env *env, const sc_node *nodes, size_t count);

/* Returns an account's position on the ring; `account` is its key without the prefix. */
uint64_t sc_swarm_position(const uint8_t account[static SC_KEY_BYTES]);

/* The number of the swarm that is nearest to a position. SC_ERR_NO_SWARM when there is none. */
SC_NODISCARD sc_status sc_swarms_nearest(uint64_t *out, const sc_swarms *swarms, uint64_t position);

/* All nodes of the account's swarm, struck out or not. SC_ERR_NO_SWARM. */
SC_NODISCARD sc_status sc_swarms_find(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool,
                                      const uint8_t account[static SC_KEY_BYTES]);

/* Leaves out those that are struck out, but keeps `least`: the ones with the fewest strikes. */
void sc_swarm_leave_out(sc_swarm *swarm, sc_strikes *strikes, uint64_t wall, size_t least);

enum { sc_swarm_most_hinted = 100 }; /* nodes that a hint may name */

/* Reads the list of nodes in a redirect as a hint: the number of the swarm of all of them, which must be in
 * the pool, and be the nearest swarm on the other side of the account. False if it is no such list. */
bool sc_swarms_hint(uint64_t *out, const sc_swarms *swarms, const sc_node_pool *pool,
                    const uint8_t account[static SC_KEY_BYTES], const sc_storage_node_list *nodes);

/* The nodes of one swarm. False if there is no such swarm. */
bool sc_swarms_members(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool, uint64_t swarm);

#endif
