#include "config/tree.h"

#include <stdio.h>

#include "config/walk.h"
#include "support/test.h"
#include "support/test_env.h"

enum { most_keys = 3000, few_keys = 40 };

static size_t keys_for(const sc_test *t) {
  return t->torture ? few_keys : most_keys;
}

/* The entry of key number `i`: close numbers do not give close keys. */
static sc_status make_entry(sc_config_entry *out, const sc_env *env, size_t i, int64_t value) {
  char text[40];
  int len = snprintf(text, sizeof text, "6:%06zui%llde", i * 7919 % 1000003 % 1000000, (long long)value);
  sc_slice slice;
  sc_status status = sc_slice_copy(&slice, env, sc_bytes_make(text, (size_t)len));
  if (status == SC_OK)
    *out = (sc_config_entry){.owner = slice.owner,
                             .key = sc_bytes_make(slice.bytes.ptr, 8),
                             .value = sc_bytes_make(slice.bytes.ptr + 8, slice.bytes.len - 8)};
  return status;
}

static sc_status put(sc_config_node **root, const sc_env *env, size_t i, int64_t value) {
  sc_config_entry entry;
  sc_status status = make_entry(&entry, env, i, value);
  if (status != SC_OK)
    return status;
  status = sc_config_tree_put(root, env, &entry);
  sc_shared_drop(env, entry.owner);
  return status;
}

static sc_status take_out(sc_config_node **root, const sc_env *env, size_t i) {
  sc_config_entry entry;
  sc_status status = make_entry(&entry, env, i, 0);
  if (status != SC_OK)
    return status;
  status = sc_config_tree_remove(root, env, sc_encoded_scalar(entry.key));
  sc_shared_drop(env, entry.owner);
  return status;
}

/* -1 when there is none. */
static int64_t value_of(const sc_config_node *root, size_t i) {
  char key[8];
  snprintf(key, sizeof key, "%06zu", i * 7919 % 1000003 % 1000000);
  const sc_config_entry *entry = sc_config_tree_find(root, sc_config_string(sc_bytes_text(key)));
  return entry == NULL ? -1 : sc_encoded_scalar(entry->value).integer;
}

/* True if a run, where present, equals what would be written without it. */
static bool is_run_sound(const sc_config_node *leaf) {
  sc_bytes rest = leaf->run;
  const sc_config_entry *entries = sc_config_node_entries(leaf);
  for (size_t i = 0; leaf->run.len > 0 && i < leaf->count; i++)
    if (!sc_bytes_same(sc_encoded_take(&rest), entries[i].key) ||
        !sc_bytes_same(sc_encoded_take(&rest), entries[i].value))
      return false;
  return rest.len == 0;
}

/* True if a node and its descendants hold correct counts. */
static bool is_node_sound(const sc_config_node *node) {
  size_t encoded = 0;
  bool sound = node->count > 0 && node->count <= node->room && node->room <= sc_config_most_items;
  for (size_t i = 0; i < node->count && sound; i++) {
    if (node->height == 0) {
      const sc_config_entry *entry = &sc_config_node_entries(node)[i];
      encoded += sc_config_entry_size(entry);
      sound = node->ranks[i] == sc_encoded_rank(entry->key) && (i > 0 || node->first == entry);
    } else {
      const sc_config_node *child = sc_config_node_children(node)[i];
      encoded += child->encoded;
      sound = child->height + 1 == node->height && node->ranks[i] == child->ranks[0] &&
              (i > 0 || node->first == child->first) && is_node_sound(child);
    }
  }
  return sound && encoded == node->encoded && (node->height > 0 || is_run_sound(node));
}

/* True if all nodes are correct, the entries ascend, and their number is right. */
static bool is_sound(const sc_config_node *root, size_t expected) {
  sc_config_walk walk;
  sc_config_value last = sc_config_integer(0);
  size_t count = 0;
  size_t size = 2;
  sc_config_walk_tree(&walk, root);
  for (const sc_config_entry *entry; (entry = sc_config_walk_at(&walk)) != NULL; count++) {
    sc_config_value key = sc_encoded_scalar(entry->key);
    if (count > 0 && sc_config_compare(last, key) >= 0)
      return false;
    last = key;
    size += entry->key.len + entry->value.len;
    sc_config_walk_next(&walk);
  }
  return count == expected && size == sc_config_tree_size(root) && (root == NULL || is_node_sound(root));
}

static void inserted_values_are_found(sc_test *t) {
  sc_config_node *root = NULL;
  size_t keys = keys_for(t);
  for (size_t i = 0; i < keys; i++)
    OK(put(&root, t->env, i, (int64_t)i));
  CHECK(is_sound(root, keys));
  for (size_t i = 0; i < keys; i++)
    CHECK(value_of(root, i) == (int64_t)i);
  CHECK(value_of(root, keys) == -1);
  for (size_t i = 0; i < keys; i += 2)
    OK(put(&root, t->env, i, -5));
  CHECK(is_sound(root, keys) && value_of(root, 2) == -5 && value_of(root, 3) == 3);
done:
  sc_config_tree_drop(t->env, root);
}

static void values_are_removed_one_by_one_until_the_tree_is_empty(sc_test *t) {
  sc_config_node *root = NULL;
  size_t keys = keys_for(t);
  for (size_t i = 0; i < keys; i++)
    OK(put(&root, t->env, i, 1));
  for (size_t i = 0; i < keys; i++) {
    OK(take_out(&root, t->env, i));
    CHECK(value_of(root, i) == -1 && (i + 1 == keys || value_of(root, i + 1) == 1));
    if (i % 100 == 0)
      CHECK(is_sound(root, keys - i - 1));
  }
  CHECK(root == NULL);
done:
  sc_config_tree_drop(t->env, root);
}

static void an_old_state_stays_unchanged(sc_test *t) {
  sc_config_node *root = NULL;
  sc_config_node *old = NULL;
  size_t keys = keys_for(t);
  for (size_t i = 0; i < keys; i++)
    OK(put(&root, t->env, i, 1));
  old = sc_config_tree_keep(root);
  for (size_t i = 0; i < keys; i += 3)
    OK(put(&root, t->env, i, 2));
  for (size_t i = 1; i < keys; i += 3)
    OK(take_out(&root, t->env, i));
  CHECK(is_sound(old, keys));
  for (size_t i = 0; i < keys; i++)
    CHECK(value_of(old, i) == 1);
  CHECK(value_of(root, 0) == 2 && value_of(root, 1) == -1 && value_of(root, 2) == 1);
done:
  sc_config_tree_drop(t->env, root);
  sc_config_tree_drop(t->env, old);
}

static void an_edit_without_effect_returns_the_same_tree(sc_test *t) {
  sc_config_node *root = NULL;
  for (size_t i = 0; i < few_keys; i++)
    OK(put(&root, t->env, i, 1));
  const sc_config_node *before = root;
  OK(put(&root, t->env, 3, 1));
  OK(take_out(&root, t->env, few_keys));
  CHECK(root == before);
done:
  sc_config_tree_drop(t->env, root);
}

/* A dict of the keys 000000 up to `keys`, each with its own value. */
static sc_status encode(sc_buffer *out, size_t keys) {
  char text[40];
  sc_status status = sc_buffer_append_byte(out, 'd');
  for (size_t i = 0; i < keys && status == SC_OK; i++) {
    int len = snprintf(text, sizeof text, "6:%06zui%zue", i, i);
    status = sc_buffer_append(out, sc_bytes_make(text, (size_t)len));
  }
  return status == SC_OK ? sc_buffer_append_byte(out, 'e') : status;
}

static void an_index_is_written_as_its_original_bytes(sc_test *t) {
  static const size_t sizes[] = {0, 1, 31, 32, 33, 64, 1023, 1024, 1025, 1056, 1057};
  sc_buffer bytes, written;
  sc_slice slice = {0};
  sc_config_node *root = NULL;
  sc_buffer_init(&bytes, t->env);
  sc_buffer_init(&written, t->env);
  for (size_t i = 0; i < (t->torture ? 5 : sizeof sizes / sizeof sizes[0]); i++) {
    uint8_t *at;
    sc_buffer_clear(&bytes);
    sc_buffer_clear(&written);
    OK(encode(&bytes, sizes[i]));
    OK(sc_slice_copy(&slice, t->env, sc_buffer_bytes(&bytes)));
    OK(sc_config_tree_index(&root, t->env, slice.owner, slice.bytes));
    CHECK(is_sound(root, sizes[i]) && sc_config_tree_size(root) == bytes.len);
    CHECK(root == NULL || root->run.len == bytes.len - 2);
    OK(sc_buffer_extend(&at, &written, bytes.len));
    CHECK(sc_config_tree_write(at, root) == at + bytes.len);
    SAME(sc_buffer_bytes(&bytes), sc_buffer_bytes(&written));
    sc_config_tree_drop(t->env, root);
    sc_shared_drop(t->env, slice.owner);
    root = NULL;
    slice = (sc_slice){0};
  }
done:
  sc_config_tree_drop(t->env, root);
  sc_shared_drop(t->env, slice.owner);
  sc_buffer_free(&bytes);
  sc_buffer_free(&written);
}

static void an_edited_index_is_written_with_its_edits(sc_test *t) {
  sc_buffer bytes, written;
  sc_slice slice = {0};
  sc_config_node *root = NULL;
  uint8_t *at;
  sc_buffer_init(&bytes, t->env);
  sc_buffer_init(&written, t->env);
  OK(sc_slice_copy(&slice, t->env, sc_bytes_text("d1:a1:x1:bi2e1:cl1:qee")));
  OK(sc_config_tree_index(&root, t->env, slice.owner, slice.bytes));
  OK(put(&root, t->env, 0, 5));
  OK(sc_config_tree_remove(&root, t->env, sc_config_string(sc_bytes_text("b"))));
  OK(sc_buffer_extend(&at, &written, sc_config_tree_size(root)));
  sc_config_tree_write(at, root);
  SAME(sc_bytes_text("d6:000000i5e1:a1:x1:cl1:qee"), sc_buffer_bytes(&written));
done:
  sc_config_tree_drop(t->env, root);
  sc_shared_drop(t->env, slice.owner);
  sc_buffer_free(&bytes);
  sc_buffer_free(&written);
}

/* Keys are inserted and removed in turn, while some states are kept. */
static void states_stay_independent_through_edits(sc_test *t) {
  enum { keys = 400, kept = 4 };
  sc_config_node *root = NULL;
  sc_config_node *states[kept] = {NULL};
  size_t counts[kept] = {0};
  bool has[keys] = {false};
  size_t count = 0;
  size_t steps = t->torture ? 60 : 6000;
  for (size_t step = 0; step < steps; step++) {
    size_t i = step * step % 7919 * 31 % keys;
    bool removes = step / keys % 2 == 1 ? step % 3 != 0 : step % 3 == 0;
    OK(removes ? take_out(&root, t->env, i) : put(&root, t->env, i, (int64_t)step));
    count += !removes && !has[i];
    count -= removes && has[i];
    has[i] = !removes;
    if (step % 10 == 0)
      CHECK(is_sound(root, count));
    if (step % 97 == 0) {
      size_t at = step / 97 % kept;
      CHECK(is_sound(states[at], counts[at]));
      sc_config_tree_drop(t->env, states[at]);
      states[at] = sc_config_tree_keep(root);
      counts[at] = count;
    }
  }
  for (size_t i = 0; i < keys; i++)
    CHECK(has[i] == (value_of(root, i) != -1));
done:
  sc_config_tree_drop(t->env, root);
  for (size_t i = 0; i < kept; i++)
    sc_config_tree_drop(t->env, states[i]);
}

/* One node of each height, and the entry itself. */
static void editing_a_shared_state_copies_only_the_nodes_on_the_path(sc_test *t) {
  sc_config_node *root = NULL;
  sc_config_node *old = NULL;
  size_t keys = keys_for(t);
  for (size_t i = 0; i < keys; i++)
    OK(put(&root, t->env, i, 1));
  old = sc_config_tree_keep(root);
  const sc_test_env *counted = t->env->user;
  size_t before = counted->allocations;
  OK(put(&root, t->env, keys / 2, 2));
  CHECK(counted->allocations - before <= (size_t)root->height + 2);
done:
  sc_config_tree_drop(t->env, root);
  sc_config_tree_drop(t->env, old);
}

/* The entry itself is made. */
static void editing_an_unshared_state_copies_nothing(sc_test *t) {
  sc_config_node *root = NULL;
  size_t keys = keys_for(t);
  for (size_t i = 0; i < keys; i++)
    OK(put(&root, t->env, i, 1));
  const sc_test_env *counted = t->env->user;
  size_t before = counted->allocations;
  OK(put(&root, t->env, keys / 2, 2));
  CHECK(counted->allocations - before == 1);
done:
  sc_config_tree_drop(t->env, root);
}

static void an_opened_entry_is_changed_in_place(sc_test *t) {
  sc_config_node *root = NULL;
  sc_config_opening opening;
  sc_slice value = {0};
  size_t keys = keys_for(t);
  for (size_t i = 0; i < keys; i++)
    OK(put(&root, t->env, i, 1));
  OK(sc_slice_copy(&value, t->env, sc_bytes_text("3:new")));
  OK(sc_config_tree_open(&opening, &root, t->env, sc_config_string(sc_bytes_text("000000"))));
  opening.entry->value = value.bytes;
  sc_config_tree_close(&opening);
  CHECK(is_sound(root, keys));
  SAME(sc_bytes_text("new"),
       sc_encoded_scalar(sc_config_tree_find(root, sc_config_string(sc_bytes_text("000000")))->value).string);
done:
  sc_config_tree_drop(t->env, root);
  sc_shared_drop(t->env, value.owner);
}

SUITE(config_tree, "config/tree", {"inserted values are found", inserted_values_are_found},
      {"values are removed one by one until the tree is empty",
       values_are_removed_one_by_one_until_the_tree_is_empty},
      {"an old state stays unchanged", an_old_state_stays_unchanged},
      {"an edit without effect returns the same tree", an_edit_without_effect_returns_the_same_tree},
      {"an index is written as its original bytes", an_index_is_written_as_its_original_bytes},
      {"an edited index is written with its edits", an_edited_index_is_written_with_its_edits},
      {"states stay independent through edits", states_stay_independent_through_edits},
      {"editing a shared state copies only the nodes on the path",
       editing_a_shared_state_copies_only_the_nodes_on_the_path},
      {"editing an unshared state copies nothing", editing_an_unshared_state_copies_nothing},
      {"an opened entry is changed in place", an_opened_entry_is_changed_in_place});
