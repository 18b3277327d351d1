/* Doing changes again, of three states: the one they were made in, the one they made, and the one the config
 * is in now. */
#include "change.h"
#include "diff.h"
#include "mark_state.h"
#include "walk.h"

static bool is_of_kind(const sc_config_entry *entry, sc_config_kind kind) {
  return entry != NULL && sc_config_entry_kind(entry) == kind;
}

static void walk_kind(sc_config_walk *out, const sc_config_entry *entry, sc_config_kind kind) {
  sc_config_walk_entry(out, is_of_kind(entry, kind) ? entry : NULL);
}

/* Values */

static bool same_value(const sc_config_entry *a, const sc_config_entry *b);

/* As deep as values nest, which is limited. */
static bool same_entries(const sc_config_entry *a, const sc_config_entry *b) {
  sc_config_walk left, right;
  sc_config_side side;
  sc_config_walk_entry(&left, a);
  sc_config_walk_entry(&right, b);
  while ((side = sc_config_walk_difference(&left, &right)) == SC_CONFIG_BOTH &&
         same_value(sc_config_walk_at(&left), sc_config_walk_at(&right))) {
    sc_config_walk_next(&left);
    sc_config_walk_next(&right);
  }
  return side == SC_CONFIG_NEITHER;
}

/* NULL means no value. */
static bool same_value(const sc_config_entry *a, const sc_config_entry *b) {
  if (a == NULL || b == NULL)
    return a == b;
  sc_config_kind kind = sc_config_entry_kind(a);
  if (kind != sc_config_entry_kind(b))
    return false;
  bool is_container = kind == SC_CONFIG_DICT || kind == SC_CONFIG_SET;
  return is_container ? same_entries(a, b) : sc_bytes_same(a->value, b->value);
}

/* Changes */

/* Applies the difference of two sets to a third. */
static sc_status redo_set(sc_config_node **set, const sc_env *env, sc_config_walk *from, sc_config_walk *to) {
  sc_config_side side;
  sc_status status = SC_OK;
  while (status == SC_OK && (side = sc_config_walk_difference(from, to)) != SC_CONFIG_NEITHER) {
    sc_config_walk *at = side == SC_CONFIG_RIGHT ? to : from;
    sc_config_value member = sc_encoded_scalar(sc_config_walk_at(at)->key);
    status = side == SC_CONFIG_RIGHT ? sc_config_put_member(set, env, member)
                                     : sc_config_tree_remove(set, env, member);
    sc_config_walk_next(at);
  }
  return status;
}

static sc_status redo_dict(sc_config_node **dict, const sc_env *env, sc_config_walk *from,
                           sc_config_walk *to);

/* Continues inside a dict or set. */
static sc_status redo_inside(sc_config_node **dict, const sc_env *env, const sc_config_entry *from,
                             const sc_config_entry *to, sc_config_entry *now, sc_config_kind kind) {
  sc_config_walk left, right;
  sc_config_node *inside;
  sc_config_value key = sc_encoded_scalar(to->key);
  sc_status status = sc_config_tree_of(&inside, env, now);
  if (status != SC_OK)
    return status;
  walk_kind(&left, from, kind);
  walk_kind(&right, to, kind);
  status =
      kind == SC_CONFIG_DICT ? redo_dict(&inside, env, &left, &right) : redo_set(&inside, env, &left, &right);
  if (status == SC_OK)
    status = sc_config_put_tree(dict, env, key, inside);
  sc_config_tree_drop(env, inside);
  return status;
}

/* NULL for nothing. Where others have made something else of it since, theirs stays: but both were at work
 * inside of it when it is a dict, or a set, in the end. */
static sc_status redo_value(sc_config_node **dict, const sc_env *env, const sc_config_entry *from,
                            const sc_config_entry *to) {
  sc_config_value key = sc_encoded_scalar((to != NULL ? to : from)->key);
  sc_config_entry *now = sc_config_tree_find(*dict, key);
  if (same_value(from, now))
    return to == NULL ? sc_config_tree_remove(dict, env, key) : sc_config_tree_put(dict, env, to);
  static const sc_config_kind containers[] = {SC_CONFIG_DICT, SC_CONFIG_SET};
  for (size_t i = 0; i < 2; i++)
    if (is_of_kind(to, containers[i]) && is_of_kind(now, containers[i]))
      return redo_inside(dict, env, from, to, now, containers[i]);
  return SC_OK;
}

/* As deep as values nest, which is limited. */
static sc_status redo_dict(sc_config_node **dict, const sc_env *env, sc_config_walk *from,
                           sc_config_walk *to) {
  sc_config_side side;
  sc_status status = SC_OK;
  while (status == SC_OK && (side = sc_config_walk_difference(from, to)) != SC_CONFIG_NEITHER) {
    status = redo_value(dict, env, side == SC_CONFIG_RIGHT ? NULL : sc_config_walk_at(from),
                        side == SC_CONFIG_LEFT ? NULL : sc_config_walk_at(to));
    if (side != SC_CONFIG_RIGHT)
      sc_config_walk_next(from);
    if (side != SC_CONFIG_LEFT)
      sc_config_walk_next(to);
  }
  return status;
}

/* Sets `*out` if a revision marks all of its data as changed, as merges of unedited messages do. */
static sc_status changed_everything(bool *out, const sc_config_mark *mark) {
  sc_buffer everything;
  sc_buffer_init(&everything, mark->env);
  sc_status status = sc_config_diff_append(&everything, NULL, mark->revised);
  *out = status == SC_OK && sc_bytes_same(sc_buffer_bytes(&everything), mark->diff.bytes);
  sc_buffer_free(&everything);
  return status;
}

/* Nothing that a merge says was an edit. */
static sc_status redo_revision(sc_config_node **data, const sc_config_mark *mark) {
  bool is_merge = false;
  sc_status status = mark->may_be_merge ? changed_everything(&is_merge, mark) : SC_OK;
  if (status != SC_OK || is_merge)
    return status;
  return sc_config_diff_apply_again(data, mark->env, mark->diff.bytes, mark->data);
}

static sc_status redo(sc_config_node **data, const sc_config_mark *from, const sc_config_mark *to) {
  if (from == NULL)
    return redo_revision(data, to);
  sc_config_walk left, right;
  sc_config_walk_tree(&left, from->data);
  sc_config_walk_tree(&right, to->data);
  return redo_dict(data, to->env, &left, &right);
}

sc_status sc_config_redo(bool *changed, sc_config *config, const sc_config_mark *from,
                         const sc_config_mark *to) {
  sc_config_change change;
  sc_config_change_begin(&change, config);
  if (change.status == SC_OK)
    change.status = redo(&change.data, from, to);
  bool same = sc_config_data_same(sc_config_data(config), change.data);
  sc_status status = sc_config_change_end(&change);
  if (status == SC_OK)
    *changed = !same;
  return status;
}
