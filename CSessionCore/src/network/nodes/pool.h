/* The known nodes in random order, to look up by key or to draw from.
 *
 * The pool is replaced as a whole; pointers into it are valid until then. */
#ifndef SC_SRC_NETWORK_NODES_POOL_H
#define SC_SRC_NETWORK_NODES_POOL_H

#include "../../base/draws.h"
#include "node_list.h"

typedef struct sc_node_pool {
  const sc_env *env;
  const sc_node *nodes;
  size_t count;
  sc_node_list list; /* owner of the nodes */
} sc_node_pool;

void sc_node_pool_init(sc_node_pool *pool, const sc_env *env);
void sc_node_pool_free(sc_node_pool *pool);

/* Forgets all nodes. */
void sc_node_pool_forget(sc_node_pool *pool);

/* Replaces all nodes with those of a shuffled list, which is then empty. */
void sc_node_pool_replace(sc_node_pool *pool, sc_node_list *list);

/* Returns the node with this key, or NULL. */
const sc_node *sc_node_pool_find(const sc_node_pool *pool, const uint8_t key[static SC_KEY_BYTES]);

/* Draws a node for which `is_eligible` is true, each with the same chance. NULL if there is none. */
typedef bool (*sc_node_is_eligible)(const void *user, const sc_node *node);
const sc_node *sc_node_pool_draw(const sc_node_pool *pool, sc_draws *draws, sc_node_is_eligible is_eligible,
                                 const void *user);

/* The requirements for nodes. */
typedef struct sc_node_wish {
  const sc_node *excluded;
  size_t excluded_count;
  bool diverse;                                    /* not in the /24 of an excluded or chosen node */
  bool (*refuse)(void *user, const sc_node *node); /* or NULL */
  void *user;
} sc_node_wish;

/* Fills `out` with up to `count` different matching nodes, drawn independently, and returns their number. */
size_t sc_node_pool_pick(const sc_node **out, const sc_node_pool *pool, size_t count,
                         const sc_node_wish *wish);

/* Counts the nodes that are not refused; stops at `most`. */
size_t sc_node_pool_usable(const sc_node_pool *pool, size_t most, const sc_node_wish *wish);

#endif
