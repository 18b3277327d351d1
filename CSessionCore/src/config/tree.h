/* The ordered maps of config data: dicts, whose keys are strings, and sets, which have only keys. A map is a
 * balanced tree of nodes that many maps may share. A shared node, and every node below one, never changes:
 * keeping an old state is free, changing one entry copies the nodes above it, and two states are equal where
 * they share a node. A node that belongs to one map only is changed in place.
 *
 * There are no empty maps; NULL is used instead. */
#ifndef SC_CONFIG_TREE_H
#define SC_CONFIG_TREE_H

#include "encoded.h"
#include "shared.h"

typedef struct sc_config_node sc_config_node;

typedef struct sc_config_entry {
  sc_shared *owner;     /* of the bytes below */
  sc_bytes key;         /* encoded */
  sc_bytes value;       /* encoded; empty if only `tree` has it, and for members of a set */
  sc_config_node *tree; /* for a dict or a set; NULL until needed */
} sc_config_entry;

/* The maximum number of items of a node; a node with more is split. */
enum { sc_config_most_items = 16 };

/* A tree of this height has more entries than fit into memory. */
enum { sc_config_max_height = 24 };

struct sc_config_node {
  size_t owners;
  size_t encoded;               /* size of all entries in and below it */
  sc_bytes run;                 /* those bytes, if they are contiguous somewhere */
  const sc_config_entry *first; /* in or below it */
  uint8_t height;               /* 0 for a leaf, whose items are entries */
  uint8_t count;                /* of items, never 0 */
  uint8_t room;                 /* number of items that fit */
  bool set;
  uint64_t ranks[sc_config_most_items]; /* ranks of the first keys of the items: sc_encoded_rank */
};

/* Add and remove an owner. NULL is allowed. */
sc_config_node *sc_config_tree_keep(sc_config_node *root);
void sc_config_tree_drop(const sc_env *env, sc_config_node *root);

/* Makes the tree of an encoded dict or set that is part of `owner`. */
SC_NODISCARD sc_status sc_config_tree_index(sc_config_node **out, const sc_env *env, sc_shared *owner,
                                            sc_bytes container);

/* Returns the entry of a key; NULL if there is none. */
sc_config_entry *sc_config_tree_find(const sc_config_node *root, sc_config_value key);

/* Makes `*root` a tree with (without) the entry. It keeps its identity if nothing changes; after a failure
 * its entries are unchanged. The caller still owns the entry. */
SC_NODISCARD sc_status sc_config_tree_put(sc_config_node **root, const sc_env *env,
                                          const sc_config_entry *entry);
SC_NODISCARD sc_status sc_config_tree_remove(sc_config_node **root, const sc_env *env, sc_config_value key);

/* An entry whose value may be changed in place, and the path to it. */
typedef struct sc_config_opening {
  sc_config_entry *entry;
  size_t size; /* size when it was opened */
  struct {
    sc_config_node *node;
    size_t index;
  } levels[sc_config_max_height];
  size_t depth;
} sc_config_opening;

/* Opens the entry of a key, which must exist. After a failure the entries are unchanged. */
SC_NODISCARD sc_status sc_config_tree_open(sc_config_opening *out, sc_config_node **root, const sc_env *env,
                                           sc_config_value key);

/* Updates the tree after the value of an opened entry changed. Removing an opened entry cannot fail. */
void sc_config_tree_close(const sc_config_opening *opening);

sc_config_kind sc_config_entry_kind(const sc_config_entry *entry);

/* True if two entries of one key are known to have the same value. */
bool sc_config_entry_same(const sc_config_entry *a, const sc_config_entry *b);

/* Return the size of an entry's value, and of the entry with its key. */
size_t sc_config_value_size(const sc_config_entry *entry);
size_t sc_config_entry_size(const sc_config_entry *entry);

/* Writes an entry and returns its end. */
uint8_t *sc_config_entry_write(uint8_t *at, const sc_config_entry *entry);

/* Returns the size of the encoding, including the brackets. */
size_t sc_config_tree_size(const sc_config_node *root);

/* Writes it and returns its end. */
uint8_t *sc_config_tree_write(uint8_t *at, const sc_config_node *root);

/* Return the items of a node: entries of a leaf, nodes of a branch. */
sc_config_entry *sc_config_node_entries(const sc_config_node *leaf);
sc_config_node *const *sc_config_node_children(const sc_config_node *branch);

/* Counts the entries whose key is not greater. */
size_t sc_config_node_items_up_to(const sc_config_node *node, sc_config_value key);

#endif
