/* Changing trees in place. On the way down, the nodes that others own too are replaced by copies, and those
 * that are full are split; all of that leaves the entries as they are, so that it does not matter when memory
 * ends half-way. What changes the entries comes last, and cannot fail. */
#include <assert.h>

#include "tree_node.h"

enum { few_items = sc_config_most_items / 4 };

typedef sc_config_opening way;

/* Makes the node at `*at` one that belongs to this tree alone, as those above it do, and has room for all the
 * items that a node may have. */
static sc_status own(sc_config_node **at, const sc_env *env) {
  sc_config_node *node = *at;
  if (node->owners == 1 && node->room == sc_config_most_items)
    return SC_OK;
  sc_config_node *copy = sc_config_node_new(env, node, sc_config_most_items);
  if (copy == NULL)
    return SC_ERR_NO_MEMORY;
  copy->encoded = node->encoded;
  copy->run = node->run;
  copy->count = node->count;
  sc_config_node_copy_items(copy, 0, node, 0, node->count);
  sc_config_node_find_first(copy);
  if (node->owners > 1) {
    sc_config_node_keep_items(copy, 0, copy->count);
    node->owners--;
  } else {
    sc_config_node_release(env, node);
  }
  *at = copy;
  return SC_OK;
}

static void step_into(way *w, sc_config_node *node) {
  w->levels[w->depth].node = node;
  w->levels[w->depth].index = 0;
  w->depth++;
}

static sc_config_node *leaf_of(const way *w) {
  return w->levels[w->depth - 1].node;
}

/* Tells the branches on the way, which may begin with other nodes now. */
static void find_firsts(const way *w) {
  for (size_t level = w->depth - 1; level > 0; level--)
    sc_config_node_rank_child(w->levels[level - 1].node, w->levels[level - 1].index);
}

/* Tells all nodes on the way that the entries of the last one take other bytes now. */
static void resize(const way *w, size_t before, size_t after) {
  for (size_t level = 0; level < w->depth; level++) {
    w->levels[level].node->encoded += after - before;
    w->levels[level].node->run = sc_bytes_make(NULL, 0);
  }
}

/* Items of nodes that are on the way */

/* Makes a gap before an item; the node has room. */
static void open_gap(sc_config_node *node, size_t at) {
  sc_config_node_copy_items(node, at + 1, node, at, node->count - at);
  node->count++;
}

static void close_gap(sc_config_node *node, size_t at) {
  node->count--;
  sc_config_node_copy_items(node, at, node, at + 1, node->count - at);
}

static void insert_child(sc_config_node *branch, size_t at, sc_config_node *child) {
  open_gap(branch, at);
  sc_config_node_slots(branch)[at] = child;
  sc_config_node_rank_child(branch, at);
}

static void insert_entry(sc_config_node *leaf, size_t at, const sc_config_entry *entry) {
  open_gap(leaf, at);
  sc_config_node_entries(leaf)[at] = *entry;
  leaf->ranks[at] = sc_encoded_rank(entry->key);
  sc_config_node_keep_items(leaf, at, 1);
}

/* Opening */

/* Goes down to the leaf of a key, and has all nodes on the way belong to this tree. */
static sc_status own_way(way *out, sc_config_node **root, const sc_env *env, sc_config_value key) {
  out->depth = 0;
  for (sc_config_node **at = root;;) {
    sc_status status = own(at, env);
    if (status != SC_OK) {
      if (out->depth > 0)
        find_firsts(out);
      return status;
    }
    sc_config_node *node = *at;
    step_into(out, node);
    if (node->height == 0)
      break;
    size_t child = sc_config_node_child_for(node, key);
    out->levels[out->depth - 1].index = child;
    at = &sc_config_node_slots(node)[child];
  }
  find_firsts(out);
  return SC_OK;
}

/* Opens the entry of a key, or the way to where it would stand. */
static sc_status look_up(bool *found, sc_config_opening *out, sc_config_node **root, const sc_env *env,
                         sc_config_value key) {
  sc_status status = own_way(out, root, env, key);
  if (status != SC_OK)
    return status;
  sc_config_entry *entries = sc_config_node_entries(leaf_of(out));
  size_t up_to = sc_config_node_items_up_to(leaf_of(out), key);
  *found = up_to > 0 && sc_encoded_compare(entries[up_to - 1].key, key) == 0;
  out->levels[out->depth - 1].index = *found ? up_to - 1 : up_to;
  out->entry = *found ? &entries[up_to - 1] : NULL;
  out->size = *found ? sc_config_entry_size(out->entry) : 0;
  return SC_OK;
}

sc_status sc_config_tree_open(sc_config_opening *out, sc_config_node **root, const sc_env *env,
                              sc_config_value key) {
  bool found;
  sc_status status = look_up(&found, out, root, env, key);
  assert(status != SC_OK || found);
  return status;
}

void sc_config_tree_close(const sc_config_opening *opening) {
  resize(opening, opening->size, sc_config_entry_size(opening->entry));
}

/* Putting */

static void replace(const sc_config_opening *opening, const sc_env *env, const sc_config_entry *entry) {
  sc_config_entry before = *opening->entry;
  *opening->entry = *entry;
  sc_shared_keep(entry->owner);
  sc_config_tree_keep(entry->tree);
  sc_config_tree_close(opening);
  sc_shared_drop(env, before.owner);
  sc_config_tree_drop(env, before.tree);
}

static void insert_into_leaf(const way *w, size_t at, const sc_config_entry *entry) {
  insert_entry(leaf_of(w), at, entry);
  resize(w, 0, sc_config_entry_size(entry));
  find_firsts(w);
}

/* Gives the second half of a full child to a new one behind it. The branch has room. */
static sc_status split_child(sc_config_node *branch, const sc_env *env, size_t index) {
  enum { half = sc_config_most_items / 2 };
  sc_config_node *left = sc_config_node_children(branch)[index];
  sc_config_node *right = sc_config_node_new(env, left, sc_config_most_items);
  if (right == NULL)
    return SC_ERR_NO_MEMORY;
  right->encoded = sc_config_node_encoded(left, half, half);
  right->count = half;
  sc_config_node_copy_items(right, 0, left, half, half);
  sc_config_node_find_first(right);
  left->count = half;
  left->encoded -= right->encoded;
  left->run = sc_bytes_make(NULL, 0);
  insert_child(branch, index + 1, right);
  return SC_OK;
}

static bool is_full(const sc_config_node *node) {
  return node->count == sc_config_most_items;
}

/* Puts a new root above one that is full. */
static sc_status grow(sc_config_node **root, const sc_env *env) {
  if ((*root)->height + 1 >= sc_config_max_height)
    return SC_ERR_NO_MEMORY;
  sc_config_node *grown = sc_config_branch_new(env, root, 1, sc_config_most_items);
  if (grown == NULL)
    return SC_ERR_NO_MEMORY;
  sc_config_tree_drop(env, *root);
  *root = grown;
  return SC_OK;
}

/* Goes down one level to where a key belongs, into a node that has room for one more item. */
static sc_status enter_child(way *w, const sc_env *env, sc_config_value key) {
  sc_config_node *branch = w->levels[w->depth - 1].node;
  size_t index = sc_config_node_child_for(branch, key);
  w->levels[w->depth - 1].index = index;
  sc_status status = own(&sc_config_node_slots(branch)[index], env);
  if (status != SC_OK)
    return status;
  sc_config_node_rank_child(branch, index);
  if (is_full(sc_config_node_children(branch)[index])) {
    status = split_child(branch, env, index);
    if (status != SC_OK)
      return status;
    index = sc_config_node_child_for(branch, key);
    w->levels[w->depth - 1].index = index;
  }
  step_into(w, sc_config_node_children(branch)[index]);
  return SC_OK;
}

/* Inserts an entry whose leaf is full: splits full nodes on the way down. */
static sc_status insert(sc_config_node **root, const sc_env *env, const sc_config_entry *entry,
                        sc_config_value key) {
  way w = {.depth = 0};
  sc_status status = is_full(*root) ? grow(root, env) : SC_OK;
  if (status == SC_OK)
    status = own(root, env);
  if (status != SC_OK)
    return status;
  step_into(&w, *root);
  while (status == SC_OK && leaf_of(&w)->height > 0)
    status = enter_child(&w, env, key);
  if (status == SC_OK)
    insert_into_leaf(&w, sc_config_node_items_up_to(leaf_of(&w), key), entry);
  else
    find_firsts(&w);
  return status;
}

static bool is_member(const sc_config_entry *entry) {
  return entry->value.len == 0 && entry->tree == NULL;
}

/* A tree that others own too is looked into first, so that it stays itself when it has the entry. */
static bool has_entry(const sc_config_node *root, const sc_config_entry *entry, sc_config_value key) {
  const sc_config_entry *before = root->owners > 1 ? sc_config_tree_find(root, key) : NULL;
  return before != NULL && sc_config_entry_same(before, entry);
}

static sc_status put(sc_config_node **root, const sc_env *env, const sc_config_entry *entry,
                     sc_config_value key) {
  sc_config_opening opening;
  bool found;
  sc_status status = look_up(&found, &opening, root, env, key);
  if (status != SC_OK)
    return status;
  if (found) {
    if (!sc_config_entry_same(opening.entry, entry))
      replace(&opening, env, entry);
    return SC_OK;
  }
  if (is_full(leaf_of(&opening)))
    return insert(root, env, entry, key);
  insert_into_leaf(&opening, opening.levels[opening.depth - 1].index, entry);
  return SC_OK;
}

sc_status sc_config_tree_put(sc_config_node **root, const sc_env *env, const sc_config_entry *entry) {
  sc_config_value key = sc_encoded_scalar(entry->key);
  if (*root != NULL)
    return has_entry(*root, entry, key) ? SC_OK : put(root, env, entry, key);
  *root = sc_config_leaf_new(env, entry, 1, sc_config_most_items, is_member(entry));
  return *root == NULL ? SC_ERR_NO_MEMORY : SC_OK;
}

/* Removing */

/* Moves the items of a neighbour into a node on the path, which has room, and releases the neighbour. */
static void absorb(sc_config_node *node, const sc_env *env, sc_config_node *neighbour, bool is_before) {
  size_t at = is_before ? 0 : node->count;
  if (is_before)
    sc_config_node_copy_items(node, neighbour->count, node, 0, node->count);
  sc_config_node_copy_items(node, at, neighbour, 0, neighbour->count);
  node->count = (uint8_t)(node->count + neighbour->count);
  node->encoded += neighbour->encoded;
  node->run = sc_bytes_make(NULL, 0);
  sc_config_node_find_first(node);
  if (neighbour->owners > 1) {
    sc_config_node_keep_items(neighbour, 0, neighbour->count);
    neighbour->owners--;
  } else {
    sc_config_node_release(env, neighbour);
  }
}

static bool can_join(const sc_config_node *child, const sc_config_node *neighbour) {
  return child->count <= few_items && child->count + neighbour->count <= sc_config_most_items;
}

/* A child that was left with few items is joined with the one before it or after it. */
static void join_child(sc_config_node *branch, const sc_env *env, size_t index) {
  sc_config_node *const *children = sc_config_node_children(branch);
  sc_config_node *child = children[index];
  if (index > 0 && can_join(child, children[index - 1])) {
    absorb(child, env, children[index - 1], true);
    close_gap(branch, --index);
  } else if (index + 1u < branch->count && can_join(child, children[index + 1])) {
    absorb(child, env, children[index + 1], false);
    close_gap(branch, index + 1);
  }
  sc_config_node_rank_child(branch, index);
}

static void drop_child(sc_config_node *branch, const sc_env *env, size_t index) {
  sc_config_node_release(env, sc_config_node_children(branch)[index]);
  close_gap(branch, index);
  if (branch->count > 0)
    sc_config_node_rank_child(branch, 0);
}

/* A branch with one child is none, and neither is a node without items. */
static void shrink(sc_config_node **root, const sc_env *env) {
  while (*root != NULL && (*root)->count <= 1 && ((*root)->height > 0 || (*root)->count == 0)) {
    sc_config_node *child =
        (*root)->count > 0 ? sc_config_tree_keep(sc_config_node_children(*root)[0]) : NULL;
    sc_config_tree_drop(env, *root);
    *root = child;
  }
}

static void remove_entry(sc_config_node **root, const sc_env *env, const sc_config_opening *opening) {
  size_t level = opening->depth - 1;
  sc_config_entry removed = *opening->entry;
  resize(opening, sc_config_entry_size(&removed), 0);
  close_gap(opening->levels[level].node, opening->levels[level].index);
  for (; level > 0; level--) {
    sc_config_node *branch = opening->levels[level - 1].node;
    if (opening->levels[level].node->count == 0)
      drop_child(branch, env, opening->levels[level - 1].index);
    else
      join_child(branch, env, opening->levels[level - 1].index);
  }
  shrink(root, env);
  sc_shared_drop(env, removed.owner);
  sc_config_tree_drop(env, removed.tree);
}

sc_status sc_config_tree_remove(sc_config_node **root, const sc_env *env, sc_config_value key) {
  sc_config_opening opening;
  if (sc_config_tree_find(*root, key) == NULL)
    return SC_OK;
  sc_status status = sc_config_tree_open(&opening, root, env, key);
  if (status == SC_OK)
    remove_entry(root, env, &opening);
  return status;
}
