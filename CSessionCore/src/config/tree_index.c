/* Building a tree from the bytes of a dict or a set: its nodes are filled from left to right. */
#include "tree_node.h"

/* The nodes of each height that have no parent yet; the last of each is the one being filled. */
typedef struct builder {
  const sc_env *env;
  struct {
    sc_config_node *nodes[sc_config_most_items];
    size_t count;
  } heights[sc_config_max_height];
} builder;

static sc_status build_node(builder *b, size_t height, sc_config_node *node);

/* Puts a parent above the nodes of a height. */
static sc_status build_parent(builder *b, size_t height) {
  size_t count = b->heights[height].count;
  sc_config_node *parent = sc_config_branch_new(b->env, b->heights[height].nodes, count, count);
  if (parent == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < count; i++)
    sc_config_tree_drop(b->env, b->heights[height].nodes[i]);
  b->heights[height].count = 0;
  return build_node(b, height + 1, parent);
}

/* Takes the node over, even on failure. */
static sc_status build_node(builder *b, size_t height, sc_config_node *node) {
  sc_status status = node == NULL ? SC_ERR_NO_MEMORY : SC_OK;
  if (status == SC_OK && b->heights[height].count == sc_config_most_items)
    status = build_parent(b, height);
  if (status != SC_OK) {
    sc_config_tree_drop(b->env, node);
    return status;
  }
  b->heights[height].nodes[b->heights[height].count++] = node;
  return SC_OK;
}

static size_t top_height(const builder *b) {
  size_t top = sc_config_max_height - 1;
  while (top > 0 && b->heights[top].count == 0)
    top--;
  return top;
}

/* Closes every height below the top, until one node is above all others. */
static sc_status build_root(sc_config_node **out, builder *b) {
  for (size_t height = 0;; height++) {
    size_t count = b->heights[height].count;
    if (height == top_height(b) && count <= 1) {
      *out = count == 0 ? NULL : b->heights[height].nodes[0];
      b->heights[height].count = 0;
      return SC_OK;
    }
    sc_status status = count == 0 ? SC_OK : build_parent(b, height);
    if (status != SC_OK)
      return status;
  }
}

static void drop_built(builder *b) {
  for (size_t height = 0; height < sc_config_max_height; height++)
    for (size_t i = 0; i < b->heights[height].count; i++)
      sc_config_tree_drop(b->env, b->heights[height].nodes[i]);
}

sc_status sc_config_tree_index(sc_config_node **out, const sc_env *env, sc_shared *owner,
                               sc_bytes container) {
  builder b = {.env = env};
  bool set = sc_encoded_kind(container) == SC_CONFIG_SET;
  sc_bytes rest = sc_encoded_body(container);
  sc_status status = SC_OK;
  while (rest.len > 0 && status == SC_OK) {
    sc_config_entry entries[sc_config_most_items];
    size_t count = 0;
    while (rest.len > 0 && count < sc_config_most_items) {
      sc_config_entry *entry = &entries[count++];
      *entry = (sc_config_entry){.owner = owner, .key = sc_encoded_take(&rest)};
      if (!set)
        entry->value = sc_encoded_take(&rest);
    }
    status = build_node(&b, 0, sc_config_leaf_new(env, entries, count, count, set));
  }
  if (status == SC_OK)
    status = build_root(out, &b);
  drop_built(&b);
  return status;
}
