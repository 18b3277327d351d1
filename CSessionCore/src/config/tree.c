#include "tree.h"

#include "tree_node.h"

/* Owning */

sc_config_node *sc_config_tree_keep(sc_config_node *root) {
  if (root != NULL)
    root->owners++;
  return root;
}

static void drop_items(const sc_env *env, sc_config_node *node) {
  for (size_t i = 0; i < node->count; i++) {
    if (node->height > 0) {
      sc_config_tree_drop(env, sc_config_node_children(node)[i]);
      continue;
    }
    sc_config_entry *entry = &sc_config_node_entries(node)[i];
    sc_shared_drop(env, entry->owner);
    sc_config_tree_drop(env, entry->tree);
  }
}

/* As deep as trees are high and values nest, both of which are limited. */
void sc_config_tree_drop(const sc_env *env, sc_config_node *root) {
  if (root == NULL || --root->owners > 0)
    return;
  drop_items(env, root);
  sc_config_node_release(env, root);
}

/* Looking */

sc_config_entry *sc_config_tree_find(const sc_config_node *root, sc_config_value key) {
  const sc_config_node *node = root;
  if (node == NULL)
    return NULL;
  while (node->height > 0)
    node = sc_config_node_children(node)[sc_config_node_child_for(node, key)];
  size_t up_to = sc_config_node_items_up_to(node, key);
  sc_config_entry *entries = sc_config_node_entries(node);
  bool found = up_to > 0 && sc_encoded_compare(entries[up_to - 1].key, key) == 0;
  return found ? &entries[up_to - 1] : NULL;
}

bool sc_config_entry_same(const sc_config_entry *a, const sc_config_entry *b) {
  return a->value.len > 0 && b->value.len > 0 ? sc_bytes_same(a->value, b->value) : a->tree == b->tree;
}

sc_config_kind sc_config_entry_kind(const sc_config_entry *entry) {
  if (entry->tree != NULL)
    return entry->tree->set ? SC_CONFIG_SET : SC_CONFIG_DICT;
  return sc_encoded_kind(entry->value);
}

size_t sc_config_value_size(const sc_config_entry *entry) {
  return entry->value.len > 0 || entry->tree == NULL ? entry->value.len : sc_config_tree_size(entry->tree);
}

/* Writing */

size_t sc_config_entry_size(const sc_config_entry *entry) {
  return entry->key.len + sc_config_value_size(entry);
}

size_t sc_config_tree_size(const sc_config_node *root) {
  return root == NULL ? 2 : root->encoded + 2;
}

static uint8_t *write_bytes(uint8_t *at, sc_bytes bytes) {
  memcpy(at, bytes.ptr, bytes.len);
  return at + bytes.len;
}

uint8_t *sc_config_entry_write(uint8_t *at, const sc_config_entry *entry) {
  at = write_bytes(at, entry->key);
  if (entry->value.len > 0)
    return write_bytes(at, entry->value);
  return entry->tree == NULL ? at : sc_config_tree_write(at, entry->tree);
}

static uint8_t *write_node(uint8_t *at, const sc_config_node *node) {
  if (node->run.len > 0)
    return write_bytes(at, node->run);
  for (size_t i = 0; i < node->count; i++)
    at = node->height == 0 ? sc_config_entry_write(at, &sc_config_node_entries(node)[i])
                           : write_node(at, sc_config_node_children(node)[i]);
  return at;
}

uint8_t *sc_config_tree_write(uint8_t *at, const sc_config_node *root) {
  *at++ = root != NULL && root->set ? 'l' : 'd';
  if (root != NULL)
    at = write_node(at, root);
  *at++ = 'e';
  return at;
}
