/* The nodes that are known, in random order, found by key and by walking round.
 *
 * The pool is replaced as a whole. Which nodes are in use is known apart from it, so that it outlasts
 * replacing. Pointers into it are good until it is replaced. */
#ifndef SC_SRC_NETWORK_NODES_POOL_H
#define SC_SRC_NETWORK_NODES_POOL_H

#include "node_list.h"

enum { sc_node_pool_most_used = 256 }; /* different nodes in use at once */

typedef struct sc_node_use {
  sc_node node;
  uint32_t count;
} sc_node_use;

typedef struct sc_node_pool {
  const sc_env *env;
  const sc_node *nodes;
  size_t count;
  sc_node_list list; /* where they are */
  bool *in_use;      /* one for each node */
  sc_node_use uses[sc_node_pool_most_used];
  size_t use_count;
} sc_node_pool;

void sc_node_pool_init(sc_node_pool *pool, const sc_env *env);
void sc_node_pool_free(sc_node_pool *pool);

/* Forgets all nodes, but not which are in use. */
void sc_node_pool_forget(sc_node_pool *pool);

/* Replaces all nodes with these, which were shuffled, and leaves the list empty. Does nothing on failure. */
SC_NODISCARD sc_status sc_node_pool_replace(sc_node_pool *pool, sc_node_list *list);

/* NULL when it is not known. */
const sc_node *sc_node_pool_find(const sc_node_pool *pool, const uint8_t key[static SC_KEY_BYTES]);

/* One use more or less; a node need not be in the pool. SC_ERR_TOO_LARGE with sc_node_pool_most_used others
 * in use. */
SC_NODISCARD sc_status sc_node_pool_use(sc_node_pool *pool, const sc_node *node);
void sc_node_pool_unuse(sc_node_pool *pool, const sc_node *node);

/* The requirements for nodes. */
typedef struct sc_node_wish {
  const sc_node *excluded;
  size_t excluded_count;
  bool diverse; /* not in the /24 of one that is in use, excluded or chosen */
  bool in_use_too;
  bool (*refuse)(void *user, const sc_node *node); /* or NULL */
  void *user;
} sc_node_wish;

/* Fills `out` with up to `count` nodes that are wanted: walks round once, from anywhere. Returns how many
 * there are. */
size_t sc_node_pool_pick(const sc_node **out, const sc_node_pool *pool, size_t count,
                         const sc_node_wish *wish);

/* Counts the nodes that are neither excluded nor, unless allowed, in use; stops at `most`. */
size_t sc_node_pool_usable(const sc_node_pool *pool, size_t most, const sc_node_wish *wish);

#endif
