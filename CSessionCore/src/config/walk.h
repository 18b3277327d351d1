/* A walk through the entries of a dict or set in ascending order, over bytes and trees alike, without copies
 * or allocations. A walk over a tree can stop before a whole node and skip it, so two walks find the
 * differences of two trees without visiting shared parts. */
#ifndef SC_CONFIG_WALK_H
#define SC_CONFIG_WALK_H

#include "tree.h"

/* Private to the walk; here so that one can live on the stack. */
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

/* Through a tree, which may be empty. */
void sc_config_walk_tree(sc_config_walk *walk, const sc_config_node *root);

/* Through the dict or set that is the value of an entry; through nothing when it is NULL. */
void sc_config_walk_entry(sc_config_walk *walk, const sc_config_entry *entry);

/* The entry at hand, until the next call; NULL at the end. */
const sc_config_entry *sc_config_walk_at(sc_config_walk *walk);

/* Passes over the entry at hand. */
void sc_config_walk_next(sc_config_walk *walk);

/* Passes over the entries before this key. The one that has it, which is then at hand, or NULL. */
const sc_config_entry *sc_config_walk_to(sc_config_walk *walk, sc_config_value key);

/* Passes over the entries up to this key; of a walk that has not moved yet. */
void sc_config_walk_past(sc_config_walk *walk, sc_config_value key);

typedef enum sc_config_side {
  SC_CONFIG_NEITHER, /* both walks are at their end */
  SC_CONFIG_LEFT,    /* the entry at hand is in the left walk alone */
  SC_CONFIG_RIGHT,
  SC_CONFIG_BOTH, /* both have the key, with values that are not known to be the same */
} sc_config_side;

/* Moves two walks on, unless they stand there, to the next entries that differ. */
sc_config_side sc_config_walk_difference(sc_config_walk *left, sc_config_walk *right);

#endif
