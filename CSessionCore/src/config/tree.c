#include "tree.h"

/* Nodes are split when they would have more items, and joined with a neighbour when they have few. */
enum { most_items = 16, few_items = most_items / 4 };

typedef struct leaf {
  sc_config_node node;
  sc_config_entry entries[];
} leaf;

typedef struct branch {
  sc_config_node node;
  sc_config_node *children[];
} branch;

sc_config_entry *sc_config_node_entries(const sc_config_node *node) {
  return ((leaf *)(uintptr_t)node)->entries;
}

sc_config_node *const *sc_config_node_children(const sc_config_node *node) {
  return ((const branch *)node)->children;
}

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
  sc_release(env, root);
}

static size_t value_size(const sc_config_entry *entry) {
  return entry->value.len > 0 || entry->tree == NULL ? entry->value.len : sc_config_tree_size(entry->tree);
}

/* Whether the bytes of `next` follow those of `run` in the same memory. */
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

static sc_config_node *make_leaf(const sc_env *env, const sc_config_entry *entries, size_t count, bool set) {
  leaf *made = sc_allocate(env, sizeof *made + count * sizeof *entries);
  if (made == NULL)
    return NULL;
  made->node = (sc_config_node){.owners = 1, .first = made->entries, .count = (uint8_t)count, .set = set};
  for (size_t i = 0; i < count; i++) {
    const sc_config_entry *entry = &entries[i];
    made->entries[i] = *entry;
    sc_shared_keep(entry->owner);
    sc_config_tree_keep(entry->tree);
    made->node.encoded += entry->key.len + value_size(entry);
    lengthen(&made->node.run, run_of_entry(entry), i == 0, entry->owner == entries[0].owner);
  }
  return &made->node;
}

static sc_config_node *make_branch(const sc_env *env, sc_config_node *const *children, size_t count) {
  branch *made = sc_allocate(env, sizeof *made + count * sizeof(sc_config_node *));
  if (made == NULL)
    return NULL;
  const sc_config_node *first = children[0];
  made->node = (sc_config_node){.owners = 1,
                                .first = first->first,
                                .height = (uint8_t)(first->height + 1),
                                .count = (uint8_t)count,
                                .set = first->set};
  for (size_t i = 0; i < count; i++) {
    const sc_config_node *child = children[i];
    made->children[i] = sc_config_tree_keep(children[i]);
    made->node.encoded += child->encoded;
    lengthen(&made->node.run, child->run, i == 0, child->first->owner == first->first->owner);
  }
  return &made->node;
}

/* Finding */

static int compare_to(sc_config_value key, const sc_config_entry *entry) {
  return -sc_encoded_compare(entry->key, key);
}

static const sc_config_entry *first_of_item(const sc_config_node *node, size_t index) {
  return node->height == 0 ? &sc_config_node_entries(node)[index]
                           : sc_config_node_children(node)[index]->first;
}

size_t sc_config_node_items_up_to(const sc_config_node *node, sc_config_value key) {
  size_t low = 0;
  size_t high = node->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (compare_to(key, first_of_item(node, middle)) < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static size_t child_for(const sc_config_node *branch, sc_config_value key) {
  size_t up_to = sc_config_node_items_up_to(branch, key);
  return up_to > 0 ? up_to - 1 : 0;
}

sc_config_entry *sc_config_tree_find(const sc_config_node *root, sc_config_value key) {
  const sc_config_node *node = root;
  if (node == NULL)
    return NULL;
  while (node->height > 0)
    node = sc_config_node_children(node)[child_for(node, key)];
  size_t up_to = sc_config_node_items_up_to(node, key);
  sc_config_entry *entries = sc_config_node_entries(node);
  return up_to > 0 && compare_to(key, &entries[up_to - 1]) == 0 ? &entries[up_to - 1] : NULL;
}

/* Changing */

/* What stands in the place of one node: none, one or two. */
typedef struct nodes {
  sc_config_node *at[2];
  size_t count;
} nodes;

static void drop_nodes(const sc_env *env, const nodes *dropped) {
  for (size_t i = 0; i < dropped->count; i++)
    sc_config_tree_drop(env, dropped->at[i]);
}

static sc_status add_node(nodes *to, sc_config_node *node) {
  if (node == NULL)
    return SC_ERR_NO_MEMORY;
  to->at[to->count++] = node;
  return SC_OK;
}

/* What a node is made from: entries, or the children of a branch. */
typedef struct items {
  const sc_config_entry *entries;
  sc_config_node *const *children;
  size_t count;
  bool set;
} items;

static sc_config_node *make_node(const sc_env *env, const items *from, size_t start, size_t end) {
  return from->children != NULL ? make_branch(env, from->children + start, end - start)
                                : make_leaf(env, from->entries + start, end - start, from->set);
}

/* One node, or two halves when there are too many items for one, or none. */
static sc_status make_nodes(nodes *out, const sc_env *env, const items *from) {
  size_t middle = from->count > most_items ? from->count / 2 : from->count;
  *out = (nodes){.count = 0};
  sc_status status = middle == 0 ? SC_OK : add_node(out, make_node(env, from, 0, middle));
  if (status == SC_OK && middle < from->count)
    status = add_node(out, make_node(env, from, middle, from->count));
  if (status != SC_OK)
    drop_nodes(env, out);
  return status;
}

static void copy_entries(sc_config_entry *to, const sc_config_entry *from, size_t count) {
  if (count > 0)
    memcpy(to, from, count * sizeof *to);
}

/* The leaf with `entry` in the place of that key, or with nothing there when it is NULL. */
static sc_status change_leaf(nodes *out, const sc_env *env, const sc_config_node *node, sc_config_value key,
                             const sc_config_entry *entry) {
  sc_config_entry changed[most_items + 1];
  const sc_config_entry *entries = sc_config_node_entries(node);
  size_t up_to = sc_config_node_items_up_to(node, key);
  size_t before = up_to > 0 && compare_to(key, &entries[up_to - 1]) == 0 ? up_to - 1 : up_to;
  size_t count = before;
  copy_entries(changed, entries, before);
  if (entry != NULL)
    changed[count++] = *entry;
  copy_entries(changed + count, entries + up_to, node->count - up_to);
  count += node->count - up_to;
  return make_nodes(out, env, &(items){.entries = changed, .count = count, .set = node->set});
}

static sc_status join(nodes *out, const sc_env *env, const sc_config_node *left,
                      const sc_config_node *right) {
  size_t count = (size_t)left->count + right->count;
  if (left->height == 0) {
    sc_config_entry entries[most_items];
    copy_entries(entries, sc_config_node_entries(left), left->count);
    copy_entries(entries + left->count, sc_config_node_entries(right), right->count);
    return make_nodes(out, env, &(items){.entries = entries, .count = count, .set = left->set});
  }
  sc_config_node *children[most_items];
  memcpy(children, sc_config_node_children(left), left->count * sizeof *children);
  memcpy(children + left->count, sc_config_node_children(right), right->count * sizeof *children);
  return make_nodes(out, env, &(items){.children = children, .count = count});
}

static sc_status change(nodes *out, const sc_env *env, const sc_config_node *node, sc_config_value key,
                        const sc_config_entry *entry);

/* The items of a branch from `from` up to `to` are replaced by what their change came to. */
static sc_status replace_children(nodes *out, const sc_env *env, const sc_config_node *node, size_t from,
                                  size_t to, const nodes *with) {
  sc_config_node *changed[most_items + 1];
  sc_config_node *const *children = sc_config_node_children(node);
  memcpy(changed, children, from * sizeof *changed);
  memcpy(changed + from, with->at, with->count * sizeof *changed);
  memcpy(changed + from + with->count, children + to, (node->count - to) * sizeof *changed);
  size_t count = from + with->count + node->count - to;
  return make_nodes(out, env, &(items){.children = changed, .count = count});
}

static bool can_join(const sc_config_node *child, const sc_config_node *neighbour) {
  return child->count <= few_items && child->count + neighbour->count <= most_items;
}

/* A child that was left with few items is joined with the one before it or after it, which are then replaced
 * as well. */
static sc_status join_child(nodes *child, size_t *from, size_t *to, const sc_env *env,
                            const sc_config_node *node) {
  sc_config_node *const *children = sc_config_node_children(node);
  bool with_previous = child->count == 1 && *from > 0 && can_join(child->at[0], children[*from - 1]);
  bool with_next = child->count == 1 && *to < node->count && can_join(child->at[0], children[*to]);
  if (!with_previous && !with_next)
    return SC_OK;
  nodes joined;
  sc_status status = with_previous ? join(&joined, env, children[*from - 1], child->at[0])
                                   : join(&joined, env, child->at[0], children[*to]);
  if (status != SC_OK)
    return status;
  drop_nodes(env, child);
  *child = joined;
  if (with_previous)
    --*from;
  else
    ++*to;
  return SC_OK;
}

static sc_status change_branch(nodes *out, const sc_env *env, const sc_config_node *node, sc_config_value key,
                               const sc_config_entry *entry) {
  nodes child;
  size_t from = child_for(node, key);
  size_t to = from + 1;
  sc_status status = change(&child, env, sc_config_node_children(node)[from], key, entry);
  if (status != SC_OK)
    return status;
  status = join_child(&child, &from, &to, env, node);
  if (status == SC_OK)
    status = replace_children(out, env, node, from, to, &child);
  drop_nodes(env, &child);
  return status;
}

static sc_status change(nodes *out, const sc_env *env, const sc_config_node *node, sc_config_value key,
                        const sc_config_entry *entry) {
  return node->height == 0 ? change_leaf(out, env, node, key, entry)
                           : change_branch(out, env, node, key, entry);
}

/* The root above one or two nodes; a branch with one child is none. Takes the nodes over. */
static sc_status grow_root(sc_config_node **out, const sc_env *env, nodes *top) {
  if (top->count == 2 && top->at[0]->height + 1 >= sc_config_max_height) {
    drop_nodes(env, top);
    return SC_ERR_NO_MEMORY;
  }
  if (top->count == 2) {
    sc_config_node *root = make_branch(env, top->at, 2);
    drop_nodes(env, top);
    *out = root;
    return root == NULL ? SC_ERR_NO_MEMORY : SC_OK;
  }
  sc_config_node *root = top->count == 0 ? NULL : top->at[0];
  while (root != NULL && root->height > 0 && root->count == 1) {
    sc_config_node *child = sc_config_tree_keep(sc_config_node_children(root)[0]);
    sc_config_tree_drop(env, root);
    root = child;
  }
  *out = root;
  return SC_OK;
}

static sc_status change_root(sc_config_node **root, const sc_env *env, sc_config_value key,
                             const sc_config_entry *entry) {
  nodes top;
  sc_config_node *changed;
  sc_status status = change(&top, env, *root, key, entry);
  if (status == SC_OK)
    status = grow_root(&changed, env, &top);
  if (status != SC_OK)
    return status;
  sc_config_tree_drop(env, *root);
  *root = changed;
  return SC_OK;
}

static bool is_member(const sc_config_entry *entry) {
  return entry->value.len == 0 && entry->tree == NULL;
}

bool sc_config_entry_same(const sc_config_entry *a, const sc_config_entry *b) {
  return a->value.len > 0 && b->value.len > 0 ? sc_bytes_same(a->value, b->value) : a->tree == b->tree;
}

sc_status sc_config_tree_put(sc_config_node **root, const sc_env *env, const sc_config_entry *entry) {
  sc_config_value key = sc_encoded_scalar(entry->key);
  const sc_config_entry *before = sc_config_tree_find(*root, key);
  if (before != NULL && sc_config_entry_same(before, entry))
    return SC_OK;
  if (*root != NULL)
    return change_root(root, env, key, entry);
  *root = make_leaf(env, entry, 1, is_member(entry));
  return *root == NULL ? SC_ERR_NO_MEMORY : SC_OK;
}

sc_status sc_config_tree_remove(sc_config_node **root, const sc_env *env, sc_config_value key) {
  return sc_config_tree_find(*root, key) == NULL ? SC_OK : change_root(root, env, key, NULL);
}

/* Building from bytes */

/* The nodes of each height that have no parent yet; the last of each is the one being filled. */
typedef struct builder {
  const sc_env *env;
  struct {
    sc_config_node *nodes[most_items];
    size_t count;
  } heights[sc_config_max_height];
} builder;

static sc_status build_node(builder *b, size_t height, sc_config_node *node);

/* Puts a parent above the nodes of a height. */
static sc_status build_parent(builder *b, size_t height) {
  size_t count = b->heights[height].count;
  sc_config_node *parent = make_branch(b->env, b->heights[height].nodes, count);
  if (parent == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < count; i++)
    sc_config_tree_drop(b->env, b->heights[height].nodes[i]);
  b->heights[height].count = 0;
  return build_node(b, height + 1, parent);
}

/* Takes the node over, whatever happens. */
static sc_status build_node(builder *b, size_t height, sc_config_node *node) {
  sc_status status = node == NULL ? SC_ERR_NO_MEMORY : SC_OK;
  if (status == SC_OK && b->heights[height].count == most_items)
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
    sc_config_entry entries[most_items];
    size_t count = 0;
    while (rest.len > 0 && count < most_items) {
      sc_config_entry *entry = &entries[count++];
      *entry = (sc_config_entry){.owner = owner, .key = sc_encoded_take(&rest)};
      if (!set)
        entry->value = sc_encoded_take(&rest);
    }
    status = build_node(&b, 0, make_leaf(env, entries, count, set));
  }
  if (status == SC_OK)
    status = build_root(out, &b);
  drop_built(&b);
  return status;
}

/* Writing */

sc_config_kind sc_config_entry_kind(const sc_config_entry *entry) {
  if (entry->tree != NULL)
    return entry->tree->set ? SC_CONFIG_SET : SC_CONFIG_DICT;
  return sc_encoded_kind(entry->value);
}

size_t sc_config_tree_size(const sc_config_node *root) {
  return root == NULL ? 2 : root->encoded + 2;
}

static uint8_t *write_bytes(uint8_t *at, sc_bytes bytes) {
  memcpy(at, bytes.ptr, bytes.len);
  return at + bytes.len;
}

static uint8_t *write_entry(uint8_t *at, const sc_config_entry *entry) {
  at = write_bytes(at, entry->key);
  if (entry->value.len > 0)
    return write_bytes(at, entry->value);
  return entry->tree == NULL ? at : sc_config_tree_write(at, entry->tree);
}

static uint8_t *write_node(uint8_t *at, const sc_config_node *node) {
  if (node->run.len > 0)
    return write_bytes(at, node->run);
  for (size_t i = 0; i < node->count; i++)
    at = node->height == 0 ? write_entry(at, &sc_config_node_entries(node)[i])
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
