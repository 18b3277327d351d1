/* The nodes that are known, in random order, found by key or drawn.
 *
 * The pool is replaced as a whole. Pointers into it are good until then. */
#ifndef SC_SRC_NETWORK_NODES_POOL_H
#define SC_SRC_NETWORK_NODES_POOL_H

#include "../../base/draws.h"
#include "node_list.h"

typedef struct sc_node_pool {
  const sc_env *env;
  const sc_node *nodes;
  size_t count;
  sc_node_list list; /* where they are */
} sc_node_pool;

void sc_node_pool_init(sc_node_pool *pool, const sc_env *env);
void sc_node_pool_free(sc_node_pool *pool);

/* Forgets all nodes. */
void sc_node_pool_forget(sc_node_pool *pool);

/* Replaces all nodes with these, which were shuffled, and leaves the list empty. */
void sc_node_pool_replace(sc_node_pool *pool, sc_node_list *list);

/* NULL when it is not known. */
const sc_node *sc_node_pool_find(const sc_node_pool *pool, const uint8_t key[static SC_KEY_BYTES]);

/* Draws a node for which `is_eligible` is true, each with the same chance. NULL if there is none. */
typedef bool (*sc_node_is_eligible)(const void *user, const sc_node *node);
const sc_node *sc_node_pool_draw(const sc_node_pool *pool, sc_draws *draws, sc_node_is_eligible is_eligible,
                                 const void *user);

/* The requirements for nodes. */
typedef struct sc_node_wish {
  const sc_node *excluded;
  size_t excluded_count;
  bool diverse;                                    /* not in the /24 of one that is excluded or chosen */
  bool (*refuse)(void *user, const sc_node *node); /* or NULL */
  void *user;
} sc_node_wish;

/* Fills `out` with up to `count` different nodes that are wanted, each drawn by itself. Returns how many
 * there are. */
size_t sc_node_pool_pick(const sc_node **out, const sc_node_pool *pool, size_t count,
                         const sc_node_wish *wish);

/* Counts the nodes that are not refused; stops at `most`. */
size_t sc_node_pool_usable(const sc_node_pool *pool, size_t most, const sc_node_wish *wish);

#endif
