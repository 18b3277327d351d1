/* The nodes of a tree, for the files that make and change trees. The items of a
 * node with one owner, entries in a leaf and nodes in a branch, may be changed in place; the code that does
 * so updates the rest of the node. */
#ifndef SC_CONFIG_TREE_NODE_H
#define SC_CONFIG_TREE_NODE_H

#include "tree.h"

/* Creates a leaf with room for `room` entries, which it shares, or a branch of nodes. NULL without memory. */
sc_config_node *sc_config_leaf_new(const sc_env *env, const sc_config_entry *entries, size_t count,
                                   size_t room, bool set);
sc_config_node *sc_config_branch_new(const sc_env *env, sc_config_node *const *children, size_t count,
                                     size_t room);

/* Creates a node without items, with the height and sort of another one. */
sc_config_node *sc_config_node_new(const sc_env *env, const sc_config_node *like, size_t room);

/* Releases a node whose items were moved elsewhere. */
void sc_config_node_release(const sc_env *env, sc_config_node *node);

/* Copies items with their ranks from one node to another of the same height, or within one. */
void sc_config_node_copy_items(sc_config_node *to, size_t at, const sc_config_node *from, size_t start,
                               size_t count);

/* Adds an owner to the content of items. */
void sc_config_node_keep_items(const sc_config_node *node, size_t start, size_t count);

/* Returns the size of this many items. */
size_t sc_config_node_encoded(const sc_config_node *node, size_t start, size_t count);

/* Returns the items, which may be changed. */
sc_config_node **sc_config_node_slots(sc_config_node *branch);

/* Updates the first entry after the first item changed. */
void sc_config_node_find_first(sc_config_node *node);

/* Updates the rank of a child whose first entry may have changed. */
void sc_config_node_rank_child(sc_config_node *branch, size_t index);

/* Returns the index of the child that has, or would have, an entry of this key. */
size_t sc_config_node_child_for(const sc_config_node *branch, sc_config_value key);

#endif
