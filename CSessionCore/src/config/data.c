#include "data.h"

#include "walk.h"

/* Checking */

static sc_status read_scalar(sc_config_value *out, sc_bt_reader *reader) {
  int64_t integer;
  sc_bytes string;
  if (sc_bt_peek(reader) == SC_BT_INTEGER) {
    sc_status status = sc_bt_read_i64(&integer, reader);
    if (status == SC_OK)
      *out = sc_config_integer(integer);
    return status;
  }
  sc_status status = sc_bt_read_string(&string, reader);
  if (status == SC_OK)
    *out = sc_config_string(string);
  return status;
}

static sc_status check_members(size_t *count, sc_bt_reader *reader) {
  sc_config_value last = sc_config_integer(0);
  sc_config_value member = last;
  sc_status status = sc_bt_enter_list(reader);
  for (*count = 0; status == SC_OK && sc_bt_peek(reader) != SC_BT_END; ++*count) {
    status = read_scalar(&member, reader);
    if (status == SC_OK && *count > 0 && sc_config_compare(last, member) >= 0)
      status = SC_ERR_CONFIG_DATA;
    last = member;
  }
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

sc_status sc_config_set_check(sc_bt_reader *reader) {
  size_t count;
  return check_members(&count, reader);
}

static sc_status check_dict(sc_bt_reader *reader, unsigned keys_above);

static sc_status check_value(sc_bt_reader *reader, unsigned keys_to_it) {
  size_t members;
  sc_config_value scalar;
  sc_status status;
  switch (sc_bt_peek(reader)) {
  case SC_BT_LIST:
    status = check_members(&members, reader);
    return status == SC_OK && members == 0 ? SC_ERR_CONFIG_DATA : status;
  case SC_BT_DICT:
    return check_dict(reader, keys_to_it);
  default:
    return read_scalar(&scalar, reader);
  }
}

static sc_status check_dict(sc_bt_reader *reader, unsigned keys_above) {
  sc_bytes key;
  size_t count = 0;
  sc_status status = sc_bt_enter_dict(reader);
  while (status == SC_OK && (status = sc_bt_next_key(&key, reader)) == SC_OK) {
    count++;
    status = keys_above == SC_CONFIG_MAX_PATH ? SC_ERR_BT_DEPTH : check_value(reader, keys_above + 1);
  }
  if (status != SC_ERR_NOT_FOUND)
    return status;
  return count == 0 && keys_above > 0 ? SC_ERR_CONFIG_DATA : sc_bt_leave(reader);
}

sc_status sc_config_data_check(sc_bt_reader *reader) {
  return check_dict(reader, 0);
}

/* Looking up */

sc_status sc_config_tree_of(sc_config_node **out, const sc_env *env, sc_config_entry *entry) {
  if (entry->tree != NULL) {
    *out = sc_config_tree_keep(entry->tree);
    return SC_OK;
  }
  sc_status status = sc_config_tree_index(out, env, entry->owner, entry->value);
  if (status == SC_OK && entry->value.len > sc_config_flat_bytes)
    entry->tree = sc_config_tree_keep(*out);
  return status;
}

static void find_in_bytes(sc_config_place *out, const sc_config_entry *container, sc_config_value key) {
  sc_config_walk walk;
  sc_config_walk_entry(&walk, container);
  const sc_config_entry *entry = sc_config_walk_to(&walk, key);
  out->entry = NULL;
  if (entry != NULL) {
    out->scanned = *entry;
    out->entry = &out->scanned;
  }
}

sc_status sc_config_find(sc_config_place *out, const sc_env *env, sc_config_entry *container,
                         sc_config_value key) {
  if (container->tree == NULL && container->value.len <= sc_config_flat_bytes) {
    find_in_bytes(out, container, key);
    return SC_OK;
  }
  sc_config_node *tree;
  sc_status status = sc_config_tree_of(&tree, env, container);
  if (status != SC_OK)
    return status;
  out->entry = sc_config_tree_find(tree, key);
  sc_config_tree_drop(env, tree);
  return SC_OK;
}

sc_status sc_config_data_find(sc_config_place *out, const sc_env *env, const sc_config_node *data,
                              sc_config_path path) {
  out->entry = path.count == 0 ? NULL : sc_config_tree_find(data, sc_config_string(path.keys[0]));
  for (size_t i = 1; i < path.count && out->entry != NULL; i++) {
    sc_config_place above = *out;
    if (sc_config_entry_kind(out->entry) != SC_CONFIG_DICT) {
      out->entry = NULL;
      return SC_OK;
    }
    sc_config_entry *container = above.entry == &out->scanned ? &above.scanned : above.entry;
    sc_status status = sc_config_find(out, env, container, sc_config_string(path.keys[i]));
    if (status != SC_OK)
      return status;
  }
  return SC_OK;
}

/* Editing */

sc_status sc_config_make_entry(sc_config_entry *out, uint8_t **value, const sc_env *env, sc_config_value key,
                               size_t size) {
  size_t key_size = sc_encoded_size(key);
  sc_shared *owner = size > SIZE_MAX - key_size ? NULL : sc_shared_new(env, key_size + size);
  if (owner == NULL)
    return SC_ERR_NO_MEMORY;
  *value = sc_encoded_put(owner->bytes, key);
  *out = (sc_config_entry){
      .owner = owner, .key = sc_bytes_make(owner->bytes, key_size), .value = sc_bytes_make(*value, size)};
  return SC_OK;
}

static bool is_scalar(sc_config_kind kind) {
  return kind == SC_CONFIG_INTEGER || kind == SC_CONFIG_STRING;
}

bool sc_config_entry_has(const sc_config_entry *entry, sc_config_value scalar) {
  return entry != NULL && is_scalar(sc_config_entry_kind(entry)) &&
         sc_config_compare(sc_encoded_scalar(entry->value), scalar) == 0;
}

sc_status sc_config_put_scalar(sc_config_node **dict, const sc_env *env, sc_config_value key,
                               sc_config_value scalar) {
  if (sc_config_entry_has(sc_config_tree_find(*dict, key), scalar))
    return SC_OK;
  sc_config_entry entry;
  uint8_t *value;
  sc_status status = sc_config_make_entry(&entry, &value, env, key, sc_encoded_size(scalar));
  if (status != SC_OK)
    return status;
  sc_encoded_put(value, scalar);
  status = sc_config_tree_put(dict, env, &entry);
  sc_shared_drop(env, entry.owner);
  return status;
}

sc_status sc_config_put_member(sc_config_node **set, const sc_env *env, sc_config_value member) {
  if (sc_config_tree_find(*set, member) != NULL)
    return SC_OK;
  sc_config_entry entry;
  uint8_t *end;
  sc_status status = sc_config_make_entry(&entry, &end, env, member, 0);
  if (status != SC_OK)
    return status;
  status = sc_config_tree_put(set, env, &entry);
  sc_shared_drop(env, entry.owner);
  return status;
}

sc_status sc_config_put_tree(sc_config_node **dict, const sc_env *env, sc_config_value key,
                             sc_config_node *tree) {
  if (tree == NULL)
    return sc_config_tree_remove(dict, env, key);
  size_t size = sc_config_tree_size(tree);
  bool flat = size <= sc_config_flat_bytes;
  sc_config_entry entry;
  uint8_t *value;
  sc_status status = sc_config_make_entry(&entry, &value, env, key, flat ? size : 0);
  if (status != SC_OK)
    return status;
  if (flat)
    sc_config_tree_write(value, tree);
  else
    entry.tree = tree;
  status = sc_config_tree_put(dict, env, &entry);
  sc_shared_drop(env, entry.owner);
  return status;
}

typedef struct edit {
  sc_config_action action;
  sc_config_path path;
  sc_config_value scalar;
  const sc_config_entry *entry; /* to put, for any action; NULL for none */
} edit;

static sc_status edit_dict(sc_config_node **dict, const sc_env *env, const edit *e, size_t level);

static sc_status edit_inside(sc_config_node **container, const sc_env *env, const edit *e, size_t level) {
  if (level < e->path.count)
    return edit_dict(container, env, e, level);
  return e->action == SC_CONFIG_ADD ? sc_config_put_member(container, env, e->scalar)
                                    : sc_config_tree_remove(container, env, e->scalar);
}

/* A container that is short: it is made again. */
static sc_status remake(sc_config_node **dict, const sc_env *env, const edit *e, size_t level,
                        sc_config_entry *entry) {
  sc_config_node *inside = NULL;
  sc_status status = entry == NULL ? SC_OK : sc_config_tree_of(&inside, env, entry);
  if (status == SC_OK)
    status = edit_inside(&inside, env, e, level + 1);
  if (status == SC_OK)
    status = sc_config_put_tree(dict, env, sc_config_string(e->path.keys[level]), inside);
  sc_config_tree_drop(env, inside);
  return status;
}

/* A long container: its tree is edited in place. */
static sc_status edit_in_place(sc_config_node **dict, const sc_env *env, const edit *e, size_t level) {
  sc_config_value key = sc_config_string(e->path.keys[level]);
  sc_config_opening opening;
  sc_config_node *tree;
  sc_status status = sc_config_tree_open(&opening, dict, env, key);
  if (status == SC_OK)
    status = sc_config_tree_of(&tree, env, opening.entry);
  if (status != SC_OK)
    return status;
  sc_config_tree_drop(env, tree); /* the entry has it, too */
  status = edit_inside(&opening.entry->tree, env, e, level + 1);
  if (status != SC_OK)
    return status;
  opening.entry->value = sc_bytes_make(NULL, 0);
  sc_config_tree_close(&opening);
  return opening.entry->tree == NULL ? sc_config_tree_remove(dict, env, key) : SC_OK;
}

/* Edits the container under the key of this level. */
static sc_status edit_value(sc_config_node **dict, const sc_env *env, const edit *e, size_t level) {
  sc_config_kind wanted = level + 1 == e->path.count ? SC_CONFIG_SET : SC_CONFIG_DICT;
  sc_config_entry *entry = sc_config_tree_find(*dict, sc_config_string(e->path.keys[level]));
  bool exists = entry != NULL && sc_config_entry_kind(entry) == wanted;
  bool is_long = exists && sc_config_value_size(entry) > sc_config_flat_bytes;
  return is_long ? edit_in_place(dict, env, e, level) : remake(dict, env, e, level, exists ? entry : NULL);
}

/* As deep as the path is long, which is limited. */
static sc_status edit_dict(sc_config_node **dict, const sc_env *env, const edit *e, size_t level) {
  bool last = level + 1 == e->path.count;
  sc_config_value key = sc_config_string(e->path.keys[level]);
  if (last && e->entry != NULL)
    return sc_config_tree_put(dict, env, e->entry);
  if (last && e->action == SC_CONFIG_PUT)
    return sc_config_put_scalar(dict, env, key, e->scalar);
  if (last && e->action == SC_CONFIG_ERASE)
    return sc_config_tree_remove(dict, env, key);
  return edit_value(dict, env, e, level);
}

/* True if the edit would change nothing. */
static sc_status has_edit(bool *out, const sc_env *env, const sc_config_node *data, const edit *e) {
  sc_config_place place, member;
  sc_status status = sc_config_data_find(&place, env, data, e->path);
  bool is_set = status == SC_OK && place.entry != NULL && sc_config_entry_kind(place.entry) == SC_CONFIG_SET;
  *out = false;
  member.entry = NULL;
  if (is_set && (e->action == SC_CONFIG_ADD || e->action == SC_CONFIG_REMOVE))
    status = sc_config_find(&member, env, place.entry, e->scalar);
  if (status != SC_OK)
    return status;
  switch (e->action) {
  case SC_CONFIG_PUT:
    *out = sc_config_entry_has(place.entry, e->scalar);
    break;
  case SC_CONFIG_ERASE:
    *out = place.entry == NULL;
    break;
  case SC_CONFIG_ADD:
    *out = member.entry != NULL;
    break;
  case SC_CONFIG_REMOVE:
    *out = member.entry == NULL;
    break;
  }
  return SC_OK;
}

sc_status sc_config_data_edit(sc_config_node **data, const sc_env *env, sc_config_action action,
                              sc_config_path path, sc_config_value scalar) {
  if (path.count == 0 || !is_scalar(scalar.kind))
    return SC_ERR_ARGUMENT;
  const edit e = {.action = action, .path = path, .scalar = scalar};
  bool done;
  if (path.count > SC_CONFIG_MAX_PATH)
    return SC_ERR_BT_DEPTH;
  sc_status status = has_edit(&done, env, *data, &e);
  return status == SC_OK && !done ? edit_dict(data, env, &e, 0) : status;
}

sc_status sc_config_data_put_entry(sc_config_node **data, const sc_env *env, sc_config_path path,
                                   const sc_config_entry *entry) {
  const edit e = {.path = path, .entry = entry};
  return path.count > SC_CONFIG_MAX_PATH ? SC_ERR_BT_DEPTH : edit_dict(data, env, &e, 0);
}
