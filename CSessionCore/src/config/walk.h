/* A walk through the entries of a dict or set in ascending order, over bytes and trees alike, without copies
 * or allocations. A walk over a tree can stop before a whole node and skip it, so two walks find the
 * differences of two trees without visiting shared parts. */
#ifndef SC_CONFIG_WALK_H
#define SC_CONFIG_WALK_H

#include "tree.h"

/* Private to the walk; declared here so that a walk can live on the stack. */
typedef struct sc_config_walk {
  const sc_config_node *root; /* not entered yet; NULL later, and for bytes */
  struct {
    const sc_config_node *node;
    size_t index;
  } levels[sc_config_max_height];
  size_t depth;
  sc_bytes rest; /* of bytes: those after `scanned` */
  sc_config_entry scanned;
  bool has_scanned;
  bool set;
} sc_config_walk;

/* Starts a walk through a tree, which may be empty. */
void sc_config_walk_tree(sc_config_walk *walk, const sc_config_node *root);

/* Starts a walk through the dict or set in an entry; NULL for an empty walk. */
void sc_config_walk_entry(sc_config_walk *walk, const sc_config_entry *entry);

/* Returns the current entry, valid until the next call; NULL at the end. */
const sc_config_entry *sc_config_walk_at(sc_config_walk *walk);

/* Skips the current entry. */
void sc_config_walk_next(sc_config_walk *walk);

/* Skips the entries before this key. Returns the entry with the key, which is then the current one, or NULL.
 */
const sc_config_entry *sc_config_walk_to(sc_config_walk *walk, sc_config_value key);

/* Skips the entries up to and including this key; only for a walk that has not moved. */
void sc_config_walk_past(sc_config_walk *walk, sc_config_value key);

typedef enum sc_config_side {
  SC_CONFIG_NEITHER, /* both walks are at the end */
  SC_CONFIG_LEFT,    /* the current entry is only in the left walk */
  SC_CONFIG_RIGHT,
  SC_CONFIG_BOTH, /* both have the key; the values may differ */
} sc_config_side;

/* Advances two walks to the next entries that differ; does nothing if they are there. */
sc_config_side sc_config_walk_difference(sc_config_walk *left, sc_config_walk *right);

#endif
