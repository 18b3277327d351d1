#include "walk.h"

static void scan(sc_config_walk *walk) {
  walk->has_scanned = walk->rest.len > 0;
  if (!walk->has_scanned)
    return;
  walk->scanned.key = sc_encoded_take(&walk->rest);
  if (!walk->set)
    walk->scanned.value = sc_encoded_take(&walk->rest);
}

void sc_config_walk_tree(sc_config_walk *walk, const sc_config_node *root) {
  walk->root = root;
  walk->depth = 0;
  walk->has_scanned = false;
}

void sc_config_walk_entry(sc_config_walk *walk, const sc_config_entry *entry) {
  sc_config_walk_tree(walk, entry == NULL ? NULL : entry->tree);
  if (entry == NULL || entry->tree != NULL)
    return;
  walk->set = sc_encoded_kind(entry->value) == SC_CONFIG_SET;
  walk->rest = sc_encoded_body(entry->value);
  walk->scanned = (sc_config_entry){.owner = entry->owner};
  scan(walk);
}

/* The node after the position; NULL before an entry or at the end. */
static const sc_config_node *node_at(const sc_config_walk *walk) {
  if (walk->root != NULL || walk->depth == 0)
    return walk->root;
  const sc_config_node *node = walk->levels[walk->depth - 1].node;
  return node->height == 0 ? NULL : sc_config_node_children(node)[walk->levels[walk->depth - 1].index];
}

/* The first entry after the position; NULL at the end. */
static const sc_config_entry *first_at(const sc_config_walk *walk) {
  const sc_config_node *node = node_at(walk);
  if (node != NULL)
    return node->first;
  if (walk->depth == 0)
    return walk->has_scanned ? &walk->scanned : NULL;
  return &sc_config_node_entries(walk->levels[walk->depth - 1].node)[walk->levels[walk->depth - 1].index];
}

static void enter(sc_config_walk *walk, const sc_config_node *node) {
  walk->root = NULL;
  walk->levels[walk->depth].node = node;
  walk->levels[walk->depth].index = 0;
  walk->depth++;
}

/* Skips the node or entry after the position. */
static void pass(sc_config_walk *walk) {
  walk->root = NULL;
  if (walk->has_scanned)
    scan(walk);
  while (walk->depth > 0) {
    if (++walk->levels[walk->depth - 1].index < walk->levels[walk->depth - 1].node->count)
      return;
    walk->depth--;
  }
}

const sc_config_entry *sc_config_walk_at(sc_config_walk *walk) {
  for (const sc_config_node *node = node_at(walk); node != NULL; node = node_at(walk))
    enter(walk, node);
  return first_at(walk);
}

void sc_config_walk_next(sc_config_walk *walk) {
  if (sc_config_walk_at(walk) != NULL)
    pass(walk);
}

static const sc_config_entry *to_in_bytes(sc_config_walk *walk, sc_config_value key) {
  for (; walk->has_scanned; scan(walk)) {
    int order = sc_encoded_compare(walk->scanned.key, key);
    if (order >= 0)
      return order == 0 ? &walk->scanned : NULL;
  }
  return NULL;
}

const sc_config_entry *sc_config_walk_to(sc_config_walk *walk, sc_config_value key) {
  const sc_config_entry *entry;
  if (walk->has_scanned)
    return to_in_bytes(walk, key);
  while ((entry = sc_config_walk_at(walk)) != NULL) {
    int order = sc_encoded_compare(entry->key, key);
    if (order >= 0)
      return order == 0 ? entry : NULL;
    sc_config_walk_next(walk);
  }
  return NULL;
}

static void walk_bytes_past(sc_config_walk *walk, sc_config_value key) {
  while (walk->has_scanned && sc_encoded_compare(walk->scanned.key, key) <= 0)
    scan(walk);
}

void sc_config_walk_past(sc_config_walk *walk, sc_config_value key) {
  walk_bytes_past(walk, key);
  for (const sc_config_node *node = node_at(walk); node != NULL; node = node_at(walk)) {
    size_t up_to = sc_config_node_items_up_to(node, key);
    bool stays = up_to > 0 && (node->height > 0 || up_to == node->count);
    enter(walk, node);
    walk->levels[walk->depth - 1].index = stays ? up_to - 1 : up_to;
    if (node->height == 0 && stays)
      pass(walk);
    if (node->height == 0)
      return;
  }
}

/* True if two nodes are known to have the same content. */
static bool same_node(const sc_config_node *left, const sc_config_node *right) {
  return left == right || (left->run.len > 0 && sc_bytes_same(left->run, right->run));
}

static int order_of(const sc_config_entry *left, const sc_config_entry *right) {
  if (left == NULL || right == NULL)
    return (left == NULL) - (right == NULL);
  return sc_encoded_compare(left->key, sc_encoded_scalar(right->key));
}

static void enter_taller(sc_config_walk *left, sc_config_walk *right) {
  const sc_config_node *left_node = node_at(left);
  const sc_config_node *right_node = node_at(right);
  int left_height = left_node == NULL ? -1 : left_node->height;
  int right_height = right_node == NULL ? -1 : right_node->height;
  if (left_height >= right_height)
    enter(left, left_node);
  if (right_height >= left_height)
    enter(right, right_node);
}

/* Both walks stand before the same key. True if they pass over something they share. */
static bool pass_shared(sc_config_walk *left, sc_config_walk *right) {
  const sc_config_node *left_node = node_at(left);
  const sc_config_node *right_node = node_at(right);
  bool both_nodes = left_node != NULL && right_node != NULL;
  bool no_nodes = left_node == NULL && right_node == NULL;
  bool shared = (both_nodes && same_node(left_node, right_node)) ||
                (no_nodes && sc_config_entry_same(first_at(left), first_at(right)));
  if (shared) {
    pass(left);
    pass(right);
  }
  return shared;
}

sc_config_side sc_config_walk_difference(sc_config_walk *left, sc_config_walk *right) {
  for (;;) {
    const sc_config_entry *left_first = first_at(left);
    const sc_config_entry *right_first = first_at(right);
    if (left_first == NULL && right_first == NULL)
      return SC_CONFIG_NEITHER;
    int order = order_of(left_first, right_first);
    sc_config_walk *behind = order < 0 ? left : right;
    if (order == 0) {
      if (pass_shared(left, right))
        continue;
      if (node_at(left) == NULL && node_at(right) == NULL)
        return SC_CONFIG_BOTH;
      enter_taller(left, right);
    } else if (node_at(behind) != NULL) {
      enter(behind, node_at(behind));
    } else {
      return order < 0 ? SC_CONFIG_LEFT : SC_CONFIG_RIGHT;
    }
  }
}
