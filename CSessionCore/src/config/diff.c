#include "diff.h"

#include "appender.h"
#include "data.h"
#include "walk.h"

/* Checking */

static sc_status check_mark(sc_bt_reader *reader) {
  sc_bytes mark;
  sc_status status = sc_bt_read_string(&mark, reader);
  if (status != SC_OK)
    return status;
  bool known = mark.len == 0 || sc_bytes_same(mark, sc_bytes_text("-"));
  return known ? SC_OK : SC_ERR_CONFIG_DIFF;
}

static sc_status check_set_change(sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_list(reader);
  for (int half = 0; half < 2 && status == SC_OK; half++)
    status = sc_config_set_check(reader);
  if (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = SC_ERR_CONFIG_DIFF;
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status check_dict(sc_bt_reader *reader, unsigned keys_above);

static sc_status check_change(sc_bt_reader *reader, unsigned keys_to_it) {
  switch (sc_bt_peek(reader)) {
  case SC_BT_INTEGER:
    return SC_ERR_CONFIG_DIFF;
  case SC_BT_LIST:
    return check_set_change(reader);
  case SC_BT_DICT:
    return check_dict(reader, keys_to_it);
  default:
    return check_mark(reader);
  }
}

static sc_status check_dict(sc_bt_reader *reader, unsigned keys_above) {
  sc_bytes key;
  sc_status status = sc_bt_enter_dict(reader);
  while (status == SC_OK && (status = sc_bt_next_key(&key, reader)) == SC_OK)
    status = keys_above == SC_CONFIG_MAX_PATH ? SC_ERR_BT_DEPTH : check_change(reader, keys_above + 1);
  return status == SC_ERR_NOT_FOUND ? sc_bt_leave(reader) : status;
}

sc_status sc_config_diff_check(sc_bt_reader *reader) {
  return check_dict(reader, 0);
}

/* Making */

/* The members that one side alone has; the other half of the change is in another list. */
static void append_members(sc_appender *d, const sc_config_entry *before, const sc_config_entry *after,
                           sc_config_side side) {
  sc_config_walk left, right;
  sc_config_side at;
  sc_config_walk_entry(&left, before);
  sc_config_walk_entry(&right, after);
  sc_appender_text(d, "l");
  while ((at = sc_config_walk_difference(&left, &right)) != SC_CONFIG_NEITHER) {
    sc_config_walk *walk = at == SC_CONFIG_LEFT ? &left : &right;
    if (at == side)
      sc_appender_bytes(d, sc_config_walk_at(walk)->key);
    sc_config_walk_next(walk);
  }
  sc_appender_text(d, "e");
}

static void append_set(sc_appender *d, const sc_config_entry *before, const sc_config_entry *after) {
  sc_appender_text(d, "l");
  append_members(d, before, after, SC_CONFIG_RIGHT);
  append_members(d, before, after, SC_CONFIG_LEFT);
  sc_appender_text(d, "e");
}

static void append_walks(sc_appender *d, sc_config_walk *before, sc_config_walk *after);

static void append_dict(sc_appender *d, const sc_config_entry *before, const sc_config_entry *after) {
  sc_config_walk left, right;
  sc_config_walk_entry(&left, before);
  sc_config_walk_entry(&right, after);
  append_walks(d, &left, &right);
}

/* Takes the key and an empty change back. */
static void drop_empty(sc_appender *d, size_t key_at, size_t change_at, sc_bytes empty) {
  if (d->status != SC_OK)
    return;
  sc_bytes change = sc_bytes_make(d->out->ptr + change_at, d->out->len - change_at);
  if (sc_bytes_same(change, empty))
    sc_buffer_truncate(d->out, key_at);
}

/* The change of one key, NULL standing for nothing; between two kinds it is as if nothing had been before. */
static void append_change(sc_appender *d, const sc_config_entry *before, const sc_config_entry *after) {
  sc_config_kind kind = sc_config_entry_kind(after != NULL ? after : before);
  bool scalar = kind == SC_CONFIG_INTEGER || kind == SC_CONFIG_STRING;
  if (before != NULL && after != NULL && sc_config_entry_kind(before) != kind)
    before = NULL;
  size_t key_at = d->out->len;
  sc_appender_bytes(d, after != NULL ? after->key : before->key);
  size_t change_at = d->out->len;
  if (scalar) {
    sc_appender_text(d, after != NULL ? "0:" : "1:-");
  } else if (kind == SC_CONFIG_SET) {
    append_set(d, before, after);
    drop_empty(d, key_at, change_at, sc_bytes_text("llelee"));
  } else {
    append_dict(d, before, after);
    drop_empty(d, key_at, change_at, sc_bytes_text("de"));
  }
}

/* As deep as values nest, which is limited. */
static void append_walks(sc_appender *d, sc_config_walk *before, sc_config_walk *after) {
  sc_config_side at;
  sc_appender_text(d, "d");
  while (d->status == SC_OK && (at = sc_config_walk_difference(before, after)) != SC_CONFIG_NEITHER) {
    append_change(d, at == SC_CONFIG_RIGHT ? NULL : sc_config_walk_at(before),
                  at == SC_CONFIG_LEFT ? NULL : sc_config_walk_at(after));
    if (at != SC_CONFIG_RIGHT)
      sc_config_walk_next(before);
    if (at != SC_CONFIG_LEFT)
      sc_config_walk_next(after);
  }
  sc_appender_text(d, "e");
}

sc_status sc_config_diff_append(sc_buffer *out, const sc_config_node *before, const sc_config_node *after) {
  sc_appender d = {out, SC_OK};
  sc_config_walk left, right;
  sc_config_walk_tree(&left, before);
  sc_config_walk_tree(&right, after);
  append_walks(&d, &left, &right);
  return d.status;
}

/* Comparing: edits that cancel each other out leave other trees with the same entries. */

static bool walks_same(sc_config_walk *a, sc_config_walk *b);

/* Of two entries of one key, which are not the same bytes. */
static bool entries_same(const sc_config_entry *a, const sc_config_entry *b) {
  sc_config_walk left, right;
  sc_config_kind kind = sc_config_entry_kind(a);
  if (kind != sc_config_entry_kind(b) || kind == SC_CONFIG_INTEGER || kind == SC_CONFIG_STRING)
    return false;
  sc_config_walk_entry(&left, a);
  sc_config_walk_entry(&right, b);
  return walks_same(&left, &right);
}

/* As deep as values nest, which is limited. */
static bool walks_same(sc_config_walk *a, sc_config_walk *b) {
  sc_config_side side;
  while ((side = sc_config_walk_difference(a, b)) != SC_CONFIG_NEITHER) {
    if (side != SC_CONFIG_BOTH || !entries_same(sc_config_walk_at(a), sc_config_walk_at(b)))
      return false;
    sc_config_walk_next(a);
    sc_config_walk_next(b);
  }
  return true;
}

bool sc_config_data_same(const sc_config_node *a, const sc_config_node *b) {
  sc_config_walk left, right;
  if (a == b)
    return true;
  sc_config_walk_tree(&left, a);
  sc_config_walk_tree(&right, b);
  return walks_same(&left, &right);
}

/* Applying */

/* The values that a diff speaks of: a dict, at the top or in an entry. */
typedef struct source {
  const sc_config_node *top; /* used if there is no entry */
  sc_config_entry *entry;
  bool spares; /* others' additions next to the removed value */
} source;

static sc_status find_source(sc_config_place *out, const sc_env *env, const source *from,
                             sc_config_value key) {
  if (from->entry != NULL)
    return sc_config_find(out, env, from->entry, key);
  out->entry = sc_config_tree_find(from->top, key);
  return SC_OK;
}

static bool same_sort(sc_config_kind value, sc_config_kind change) {
  return change == SC_CONFIG_STRING ? value == SC_CONFIG_INTEGER || value == SC_CONFIG_STRING
                                    : value == change;
}

/* Puts in the first list's members, and takes out the second's. */
static sc_status apply_to_set(sc_config_node **set, const sc_env *env, sc_bytes lists) {
  sc_bytes rest = sc_encoded_body(lists);
  sc_bytes added = sc_encoded_body(sc_encoded_take(&rest));
  sc_bytes removed = sc_encoded_body(sc_encoded_take(&rest));
  sc_status status = SC_OK;
  while (added.len > 0 && status == SC_OK)
    status = sc_config_put_member(set, env, sc_encoded_scalar(sc_encoded_take(&added)));
  while (removed.len > 0 && status == SC_OK)
    status = sc_config_tree_remove(set, env, sc_encoded_scalar(sc_encoded_take(&removed)));
  return status;
}

static sc_status apply_to_dict(sc_config_node **dict, const sc_env *env, sc_bytes diff, const source *from);

/* Returns the entry of a key, which must be greater than the previous one. */
static const sc_config_entry *walk_to(sc_config_walk *walk, sc_config_value key) {
  const sc_config_entry *entry;
  while ((entry = sc_config_walk_at(walk)) != NULL) {
    int order = sc_config_compare(sc_encoded_scalar(entry->key), key);
    if (order >= 0)
      return order == 0 ? entry : NULL;
    sc_config_walk_next(walk);
  }
  return NULL;
}

static bool leaves_dict(const sc_config_entry *dict, sc_bytes diff);

static bool leaves_value(const sc_config_entry *value, sc_bytes change) {
  sc_config_kind kind = sc_encoded_kind(change);
  if (!same_sort(sc_config_entry_kind(value), kind) || kind == SC_CONFIG_SET)
    return false;
  return kind == SC_CONFIG_DICT ? leaves_dict(value, change) : sc_encoded_scalar(change).string.len == 0;
}

/* True if applying a diff with the dict's own values as the source changes nothing, because it only sets
 * existing scalars. */
static bool leaves_dict(const sc_config_entry *dict, sc_bytes diff) {
  sc_config_walk walk;
  sc_config_walk_entry(&walk, dict);
  for (sc_bytes rest = sc_encoded_body(diff); rest.len > 0;) {
    const sc_config_entry *value = walk_to(&walk, sc_encoded_scalar(sc_encoded_take(&rest)));
    sc_bytes change = sc_encoded_take(&rest);
    if (value != NULL && !leaves_value(value, change))
      return false;
  }
  return true;
}

/* Most of a long diff does nothing. */
static bool changes_nothing(const sc_config_entry *entry, const sc_config_entry *from, sc_bytes change) {
  return sc_encoded_kind(change) == SC_CONFIG_DICT && sc_config_entry_same(entry, from) &&
         leaves_dict(from, change);
}

/* A change inside a set or dict, which replaces a value of another kind. */
static sc_status apply_inside(sc_config_node **dict, const sc_env *env, sc_config_value key, sc_bytes change,
                              sc_config_entry *from, bool spares) {
  sc_config_kind kind = sc_encoded_kind(change);
  sc_config_entry *entry = sc_config_tree_find(*dict, key);
  bool continues = entry != NULL && sc_config_entry_kind(entry) == kind;
  if (continues && changes_nothing(entry, from, change))
    return SC_OK;
  sc_config_node *before = NULL;
  sc_status status = continues ? sc_config_tree_of(&before, env, entry) : SC_OK;
  if (status != SC_OK)
    return status;
  sc_config_node *inside = sc_config_tree_keep(before);
  status = kind == SC_CONFIG_SET
               ? apply_to_set(&inside, env, change)
               : apply_to_dict(&inside, env, change, &(source){.entry = from, .spares = spares});
  if (status == SC_OK && (inside != before || !continues))
    status = sc_config_put_tree(dict, env, key, inside);
  sc_config_tree_drop(env, inside);
  sc_config_tree_drop(env, before);
  return status;
}

/* True if a change is about records, which are dicts of other values. */
static bool is_of_records(sc_bytes change) {
  bool found = false;
  if (sc_encoded_kind(change) != SC_CONFIG_DICT)
    return false;
  for (sc_bytes rest = sc_encoded_body(change); rest.len > 0 && !found;) {
    sc_encoded_take(&rest);
    found = sc_encoded_kind(sc_encoded_take(&rest)) == SC_CONFIG_DICT;
  }
  return found;
}

static bool has_dicts(const sc_config_node *dict) {
  sc_config_walk walk;
  const sc_config_entry *entry;
  sc_config_walk_tree(&walk, dict);
  while ((entry = sc_config_walk_at(&walk)) != NULL && sc_config_entry_kind(entry) != SC_CONFIG_DICT)
    sc_config_walk_next(&walk);
  return entry != NULL;
}

/* Removes the records of a change, and their containers if these become empty. As deep as diffs nest. */
static sc_status remove_records(sc_config_node **dict, const sc_env *env, sc_config_value key,
                                sc_bytes change) {
  sc_config_entry *entry = sc_config_tree_find(*dict, key);
  sc_config_node *inside;
  if (entry == NULL || sc_config_entry_kind(entry) != SC_CONFIG_DICT)
    return SC_OK;
  sc_status status = sc_config_tree_of(&inside, env, entry);
  if (status != SC_OK)
    return status;
  for (sc_bytes rest = sc_encoded_body(change); rest.len > 0 && status == SC_OK;) {
    sc_config_value name = sc_encoded_scalar(sc_encoded_take(&rest));
    sc_bytes record = sc_encoded_take(&rest);
    if (is_of_records(record))
      status = remove_records(&inside, env, name, record);
    else if (sc_encoded_kind(record) == SC_CONFIG_DICT)
      status = sc_config_tree_remove(&inside, env, name);
  }
  if (status == SC_OK)
    status = has_dicts(inside) ? sc_config_put_tree(dict, env, key, inside)
                               : sc_config_tree_remove(dict, env, key);
  sc_config_tree_drop(env, inside);
  return status;
}

static sc_status apply_change(sc_config_node **dict, const sc_env *env, sc_config_value key, sc_bytes change,
                              const source *from) {
  sc_config_place place;
  sc_config_kind kind = sc_encoded_kind(change);
  sc_status status = find_source(&place, env, from, key);
  if (status != SC_OK)
    return status;
  bool has_value = place.entry != NULL && same_sort(sc_config_entry_kind(place.entry), kind);
  bool erases = kind == SC_CONFIG_STRING && sc_encoded_scalar(change).string.len > 0;
  if (!has_value && from->spares && is_of_records(change))
    return remove_records(dict, env, key, change);
  if (!has_value || erases)
    return sc_config_tree_remove(dict, env, key);
  if (kind == SC_CONFIG_STRING)
    return sc_config_put_scalar(dict, env, key, sc_encoded_scalar(place.entry->value));
  return apply_inside(dict, env, key, change, place.entry, from->spares);
}

/* As deep as diffs nest, which is limited. */
static sc_status apply_to_dict(sc_config_node **dict, const sc_env *env, sc_bytes diff, const source *from) {
  sc_status status = SC_OK;
  for (sc_bytes rest = sc_encoded_body(diff); rest.len > 0 && status == SC_OK;) {
    sc_config_value key = sc_encoded_scalar(sc_encoded_take(&rest));
    status = apply_change(dict, env, key, sc_encoded_take(&rest), from);
  }
  return status;
}

static sc_status apply(sc_config_node **data, const sc_env *env, sc_bytes diff, const source *from) {
  sc_config_node *changed = sc_config_tree_keep(*data);
  sc_status status = apply_to_dict(&changed, env, diff, from);
  if (status == SC_OK) {
    sc_config_node *before = *data;
    *data = changed;
    changed = before;
  }
  sc_config_tree_drop(env, changed);
  return status;
}

sc_status sc_config_diff_apply(sc_config_node **data, const sc_env *env, sc_bytes diff,
                               const sc_config_node *source_data) {
  return apply(data, env, diff, &(source){.top = source_data});
}

sc_status sc_config_diff_apply_again(sc_config_node **data, const sc_env *env, sc_bytes diff,
                                     const sc_config_node *source_data) {
  return apply(data, env, diff, &(source){.top = source_data, .spares = true});
}
