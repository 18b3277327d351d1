#include "tree_node.h"

/* The items stand behind the node. */
static void *items_of(const sc_config_node *node) {
  return (void *)(uintptr_t)(node + 1);
}

static size_t item_size(const sc_config_node *node) {
  return node->height == 0 ? sizeof(sc_config_entry) : sizeof(sc_config_node *);
}

static void *item_at(const sc_config_node *node, size_t index) {
  return (uint8_t *)items_of(node) + index * item_size(node);
}

sc_config_entry *sc_config_node_entries(const sc_config_node *leaf) {
  return items_of(leaf);
}

sc_config_node *const *sc_config_node_children(const sc_config_node *branch) {
  return items_of(branch);
}

sc_config_node **sc_config_node_slots(sc_config_node *branch) {
  return items_of(branch);
}

/* Making */

static sc_config_node *new_node(const sc_env *env, size_t height, bool set, size_t room) {
  const sc_config_node like = {.height = (uint8_t)height, .set = set};
  sc_config_node *node = sc_allocate(env, sizeof *node + room * item_size(&like));
  if (node == NULL)
    return NULL;
  node->owners = 1;
  node->encoded = 0;
  node->run = sc_bytes_make(NULL, 0);
  node->first = height == 0 ? items_of(node) : NULL;
  node->height = (uint8_t)height;
  node->count = 0;
  node->room = (uint8_t)room;
  node->set = set;
  return node;
}

sc_config_node *sc_config_node_new(const sc_env *env, const sc_config_node *like, size_t room) {
  return new_node(env, like->height, like->set, room);
}

/* True if the bytes of `next` follow those of `run` in memory. */
static bool follows(sc_bytes run, sc_bytes next) {
  return run.ptr + run.len == next.ptr;
}

static sc_bytes run_of_entry(const sc_config_entry *entry) {
  if (entry->value.len == 0)
    return entry->tree == NULL ? entry->key : sc_bytes_make(NULL, 0);
  return follows(entry->key, entry->value) ? sc_bytes_make(entry->key.ptr, entry->key.len + entry->value.len)
                                           : sc_bytes_make(NULL, 0);
}

/* The run of a node, of which it has those of the items so far; nothing once an item is elsewhere. */
static void lengthen(sc_bytes *run, sc_bytes next, bool first, bool same_owner) {
  if (first)
    *run = next;
  else if (run->len > 0 && next.len > 0 && same_owner && follows(*run, next))
    run->len += next.len;
  else
    *run = sc_bytes_make(NULL, 0);
}

sc_config_node *sc_config_leaf_new(const sc_env *env, const sc_config_entry *entries, size_t count,
                                   size_t room, bool set) {
  sc_config_node *leaf = new_node(env, 0, set, room);
  if (leaf == NULL)
    return NULL;
  leaf->count = (uint8_t)count;
  memcpy(items_of(leaf), entries, count * sizeof *entries);
  for (size_t i = 0; i < count; i++) {
    const sc_config_entry *entry = &entries[i];
    leaf->ranks[i] = sc_encoded_rank(entry->key);
    leaf->encoded += sc_config_entry_size(entry);
    lengthen(&leaf->run, run_of_entry(entry), i == 0, entry->owner == entries[0].owner);
  }
  sc_config_node_keep_items(leaf, 0, count);
  return leaf;
}

sc_config_node *sc_config_branch_new(const sc_env *env, sc_config_node *const *children, size_t count,
                                     size_t room) {
  const sc_config_node *first = children[0];
  sc_config_node *branch = new_node(env, first->height + 1u, first->set, room);
  if (branch == NULL)
    return NULL;
  branch->first = first->first;
  branch->count = (uint8_t)count;
  memcpy(items_of(branch), children, count * sizeof(sc_config_node *));
  for (size_t i = 0; i < count; i++) {
    const sc_config_node *child = children[i];
    branch->ranks[i] = child->ranks[0];
    branch->encoded += child->encoded;
    lengthen(&branch->run, child->run, i == 0, child->first->owner == first->first->owner);
  }
  sc_config_node_keep_items(branch, 0, count);
  return branch;
}

/* Changing */

void sc_config_node_release(const sc_env *env, sc_config_node *node) {
  sc_release(env, node);
}

void sc_config_node_copy_items(sc_config_node *to, size_t at, const sc_config_node *from, size_t start,
                               size_t count) {
  memmove(item_at(to, at), item_at(from, start), count * item_size(from));
  memmove(&to->ranks[at], &from->ranks[start], count * sizeof *to->ranks);
}

void sc_config_node_keep_items(const sc_config_node *node, size_t start, size_t count) {
  for (size_t i = start; i < start + count; i++) {
    if (node->height > 0) {
      sc_config_tree_keep(sc_config_node_children(node)[i]);
      continue;
    }
    sc_shared_keep(sc_config_node_entries(node)[i].owner);
    sc_config_tree_keep(sc_config_node_entries(node)[i].tree);
  }
}

size_t sc_config_node_encoded(const sc_config_node *node, size_t start, size_t count) {
  size_t encoded = 0;
  for (size_t i = start; i < start + count; i++) {
    const sc_config_entry *entry = &sc_config_node_entries(node)[i];
    encoded += node->height > 0 ? sc_config_node_children(node)[i]->encoded : sc_config_entry_size(entry);
  }
  return encoded;
}

void sc_config_node_find_first(sc_config_node *node) {
  node->first = node->height == 0 ? sc_config_node_entries(node) : sc_config_node_children(node)[0]->first;
}

void sc_config_node_rank_child(sc_config_node *branch, size_t index) {
  branch->ranks[index] = sc_config_node_children(branch)[index]->ranks[0];
  if (index == 0)
    sc_config_node_find_first(branch);
}

/* Finding */

static const sc_config_entry *first_of_item(const sc_config_node *node, size_t index) {
  return node->height == 0 ? &sc_config_node_entries(node)[index]
                           : sc_config_node_children(node)[index]->first;
}

/* Counts the first `high` items with a smaller rank. */
static size_t items_below(const sc_config_node *node, size_t high, uint64_t rank) {
  size_t low = 0;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (node->ranks[middle] < rank)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Only of items with the same rank the keys are looked at. */
size_t sc_config_node_items_up_to(const sc_config_node *node, sc_config_value key) {
  uint64_t rank = sc_config_rank(key);
  size_t low = items_below(node, node->count, rank);
  size_t high = low;
  while (high < node->count && node->ranks[high] == rank)
    high++;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (sc_encoded_compare(first_of_item(node, middle)->key, key) > 0)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

size_t sc_config_node_child_for(const sc_config_node *branch, sc_config_value key) {
  size_t up_to = sc_config_node_items_up_to(branch, key);
  return up_to > 0 ? up_to - 1 : 0;
}
