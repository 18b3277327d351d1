#include "session-core/config/mark.h"

#include <assert.h>

#include "mark_state.h"
#include "state.h"
#include "walk.h"

/* One that is edited has not been written down yet, but the one before it has. A message that came with a
 * signature is stored already. */
static sc_slice last_diff(const sc_config_message *message) {
  if (!message->editable)
    return message->has_signature ? sc_config_no_change() : message->diff;
  return message->lagged_count > 0 ? message->lagged[message->lagged_count - 1].diff : sc_config_no_change();
}

static const sc_config_node *last_data(const sc_config_message *message) {
  return message->editable ? message->origin : message->data;
}

/* True if the revision looks back to several revisions of one seqno, as merged ones do. */
static bool may_be_merge(const sc_config_message *message) {
  size_t before = message->lagged_count - (message->editable && message->lagged_count > 0);
  for (size_t i = 1; i < before; i++)
    if (message->lagged[i - 1].seqno == message->lagged[i].seqno)
      return true;
  return false;
}

sc_status sc_config_mark_new(sc_config_mark **out, const sc_config *config) {
  const sc_env *env = sc_config_env(config);
  *out = NULL;
  sc_config_mark *mark = sc_allocate(env, sizeof *mark);
  if (mark == NULL)
    return SC_ERR_NO_MEMORY;
  mark->env = env;
  /* Keeping counts owners; the nodes stay as they are. */
  mark->data = sc_config_tree_keep((sc_config_node *)sc_config_data(config));
  mark->diff = sc_slice_keep(last_diff(config->now.message));
  mark->revised = sc_config_tree_keep((sc_config_node *)last_data(config->now.message));
  mark->may_be_merge = may_be_merge(config->now.message);
  *out = mark;
  return SC_OK;
}

void sc_config_mark_free(sc_config_mark *mark) {
  if (mark == NULL)
    return;
  sc_config_tree_drop(mark->env, mark->data);
  sc_config_tree_drop(mark->env, mark->revised);
  sc_shared_drop(mark->env, mark->diff.owner);
  sc_release(mark->env, mark);
}

/* The current path, and the callback. */
typedef struct tour {
  sc_bytes keys[SC_CONFIG_MAX_PATH];
  size_t depth;
  sc_config_changed changed;
  void *user;
} tour;

static bool is_dict(const sc_config_entry *entry) {
  return entry != NULL && sc_config_entry_kind(entry) == SC_CONFIG_DICT;
}

/* Two sets may be built differently and have the same members. */
static bool same_members(const sc_config_entry *before, const sc_config_entry *after) {
  sc_config_walk left, right;
  if (sc_config_entry_kind(before) != SC_CONFIG_SET || sc_config_entry_kind(after) != SC_CONFIG_SET)
    return false;
  sc_config_walk_entry(&left, before);
  sc_config_walk_entry(&right, after);
  return sc_config_walk_difference(&left, &right) == SC_CONFIG_NEITHER;
}

static bool is_value(const sc_config_entry *entry) {
  return entry != NULL && sc_config_entry_kind(entry) != SC_CONFIG_DICT;
}

static bool value_changed(const sc_config_entry *before, const sc_config_entry *after) {
  if (is_value(before) && is_value(after))
    return !same_members(before, after);
  return is_value(before) || is_value(after);
}

static void compare(tour *t, sc_config_walk *before, sc_config_walk *after);

/* Entries of one key; NULL on the side that has none. */
static void compare_entries(tour *t, const sc_config_entry *before, const sc_config_entry *after) {
  sc_config_walk left, right;
  assert(t->depth < SC_CONFIG_MAX_PATH);
  t->keys[t->depth++] = sc_encoded_scalar((before != NULL ? before : after)->key).string;
  if (is_dict(before) || is_dict(after)) {
    sc_config_walk_entry(&left, is_dict(before) ? before : NULL);
    sc_config_walk_entry(&right, is_dict(after) ? after : NULL);
    compare(t, &left, &right);
  }
  if (value_changed(before, after))
    t->changed(t->user, t->keys, t->depth);
  t->depth--;
}

/* As deep as values nest, which is limited. */
static void compare(tour *t, sc_config_walk *before, sc_config_walk *after) {
  sc_config_side at;
  while ((at = sc_config_walk_difference(before, after)) != SC_CONFIG_NEITHER) {
    compare_entries(t, at == SC_CONFIG_RIGHT ? NULL : sc_config_walk_at(before),
                    at == SC_CONFIG_LEFT ? NULL : sc_config_walk_at(after));
    if (at != SC_CONFIG_RIGHT)
      sc_config_walk_next(before);
    if (at != SC_CONFIG_LEFT)
      sc_config_walk_next(after);
  }
}

void sc_config_changes_since(const sc_config_mark *mark, const sc_config *config, sc_config_changed changed,
                             void *user) {
  tour t = {.changed = changed, .user = user};
  sc_config_walk before, after;
  sc_config_walk_tree(&before, mark->data);
  sc_config_walk_tree(&after, sc_config_data(config));
  compare(&t, &before, &after);
}
