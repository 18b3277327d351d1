/* Sets of parts in the dump of their config: a dict, by their names, of
 *
 *   #  how many parts there are, 0 when the set is done     T  until when it is held
 *   p  list of the parts, each # index, M hash, d chunk; those beside others of their index come last
 *   r  list of other sets of the same name, each with #, T and p */
#include "../base/bt_reader.h"
#include "hashes.h"
#include "multipart.h"

static void write_key(sc_bt_writer *writer, const char *key) {
  sc_bt_write_key(writer, sc_bytes_text(key));
}

static void write_part(sc_bt_writer *writer, const sc_held_part *part) {
  sc_bt_begin_dict(writer);
  write_key(writer, "#");
  sc_bt_write_u64(writer, part->index);
  write_key(writer, "M");
  sc_bt_write_string(writer, sc_held_hash(part));
  write_key(writer, "d");
  sc_bt_write_string(writer, sc_held_chunk(part));
  sc_bt_end(writer);
}

static void write_parts(sc_bt_writer *writer, const sc_part_set *set) {
  write_key(writer, "p");
  sc_bt_begin_list(writer);
  for (size_t i = 0; i < set->count; i++)
    if (set->parts[i] != NULL)
      write_part(writer, set->parts[i]);
  for (size_t i = 0; i < set->rival_count; i++)
    write_part(writer, set->rivals[i]);
  sc_bt_end(writer);
}

static void write_content(sc_bt_writer *writer, const sc_part_set *set) {
  write_key(writer, "#");
  sc_bt_write_u64(writer, set->count);
  write_key(writer, "T");
  sc_bt_write_u64(writer, set->expires_ms);
  if (!sc_part_set_is_done(set))
    write_parts(writer, set);
}

static bool has_name(const sc_config_parts *parts, size_t at, const uint8_t *name) {
  return at < parts->set_count && memcmp(parts->sets[at]->name, name, SC_CONFIG_SET_BYTES) == 0;
}

/* The selected sets. */
typedef struct selection {
  const sc_config_parts *parts;
  uint64_t now_ms; /* sets that expire by then are left out */
  bool done_only;
} selection;

/* The next set of this name, from `*at` on, that is to be written. */
static const sc_part_set *next_of(const selection *from, size_t *at, const uint8_t *name) {
  while (has_name(from->parts, *at, name)) {
    const sc_part_set *set = from->parts->sets[(*at)++];
    if (!sc_part_set_is_over(set, from->now_ms) && (sc_part_set_is_done(set) || !from->done_only))
      return set;
  }
  return NULL;
}

/* The first set of a name is a dict under it; the others are in a list inside. */
static void write_sets_of(sc_bt_writer *writer, const selection *from, size_t *at) {
  const uint8_t *name = from->parts->sets[*at]->name;
  const sc_part_set *set = next_of(from, at, name);
  if (set == NULL)
    return;
  sc_bt_write_key(writer, sc_bytes_make(name, SC_CONFIG_SET_BYTES));
  sc_bt_begin_dict(writer);
  write_content(writer, set);
  set = next_of(from, at, name);
  if (set != NULL) {
    write_key(writer, "r");
    sc_bt_begin_list(writer);
    for (; set != NULL; set = next_of(from, at, name)) {
      sc_bt_begin_dict(writer);
      write_content(writer, set);
      sc_bt_end(writer);
    }
    sc_bt_end(writer);
  }
  sc_bt_end(writer);
}

static void write_sets(sc_bt_writer *writer, const selection *from) {
  sc_bt_begin_dict(writer);
  for (size_t at = 0; at < from->parts->set_count;)
    write_sets_of(writer, from, &at);
  sc_bt_end(writer);
}

void sc_config_parts_save(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms) {
  write_sets(writer, &(selection){parts, now_ms, .done_only = false});
}

void sc_config_parts_save_done(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms) {
  write_sets(writer, &(selection){parts, now_ms, .done_only = true});
}

static sc_status find_key(sc_bt_reader *reader, const char *key) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(key));
  return status == SC_ERR_NOT_FOUND ? SC_ERR_FORMAT : status;
}

static sc_status read_number(uint64_t *out, sc_bt_reader *reader, const char *key) {
  sc_status status = find_key(reader, key);
  return status == SC_OK ? sc_bt_read_u64(out, reader) : status;
}

static sc_status read_string(sc_bytes *out, sc_bt_reader *reader, const char *key) {
  sc_status status = find_key(reader, key);
  return status == SC_OK ? sc_bt_read_string(out, reader) : status;
}

/* Holds a saved part unless there is something odd about it; `*odd` is left alone otherwise. */
static sc_status hold_saved(sc_part_set *set, bool *odd, const sc_env *env, uint64_t index, sc_bytes hash,
                            sc_bytes chunk) {
  bool fits = index < set->count && sc_config_is_hash(hash) && chunk.len > 0 &&
              !sc_part_set_has(set, (size_t)index, chunk);
  sc_status status = fits ? sc_part_set_hold(set, env, (size_t)index, hash, chunk) : SC_ERR_CONFIG_PART;
  *odd = *odd || status != SC_OK;
  return status == SC_ERR_NO_MEMORY ? status : SC_OK;
}

static sc_status read_part(sc_part_set *set, bool *odd, const sc_env *env, sc_bt_reader *reader) {
  uint64_t index;
  sc_bytes hash, chunk;
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = read_number(&index, reader, "#");
  if (status == SC_OK)
    status = read_string(&hash, reader, "M");
  if (status == SC_OK)
    status = read_string(&chunk, reader, "d");
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  return status == SC_OK ? hold_saved(set, odd, env, index, hash, chunk) : status;
}

static sc_status read_parts(sc_part_set *set, bool *odd, const sc_env *env, sc_bt_reader *reader) {
  sc_status status = find_key(reader, "p");
  if (status == SC_OK)
    status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = read_part(set, odd, env, reader);
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  *odd = *odd || set->held == 0;
  return status;
}

/* One that is done is the only one of its name. */
static bool may_be_saved(const sc_config_parts *parts, const uint8_t *name, uint64_t count) {
  if (count != SC_PART_SET_DONE && (count < 2 || count > SC_CONFIG_MAX_PARTS))
    return false;
  for (size_t i = 0; i < parts->set_count; i++)
    if (has_name(parts, i, name) &&
        (count == SC_PART_SET_DONE || parts->sets[i]->count == count || sc_part_set_is_done(parts->sets[i])))
      return false;
  return true;
}

/* The rest of a set's dict, behind its numbers. */
static sc_status read_content(sc_config_parts *parts, const uint8_t *name, uint64_t count,
                              uint64_t expires_ms, sc_bt_reader *reader) {
  sc_part_set *set;
  bool odd = false;
  sc_status status = sc_part_set_new(&set, parts->env, name, (size_t)count);
  if (status == SC_OK && !sc_part_set_is_done(set))
    status = read_parts(set, &odd, parts->env, reader);
  if (status != SC_OK || odd) {
    sc_part_set_free(parts->env, set);
    return status;
  }
  set->expires_ms = expires_ms;
  sc_config_parts_insert(parts, set);
  return SC_OK;
}

static sc_status read_set(sc_config_parts *parts, const uint8_t *name, sc_bt_reader *reader) {
  uint64_t count, expires_ms;
  sc_status status = read_number(&count, reader, "#");
  if (status == SC_OK)
    status = read_number(&expires_ms, reader, "T");
  if (status == SC_OK && may_be_saved(parts, name, count))
    status = read_content(parts, name, count, expires_ms, reader);
  return status;
}

/* The others of the same name. */
static sc_status read_others(sc_config_parts *parts, const uint8_t *name, sc_bt_reader *reader) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text("r"));
  if (status == SC_ERR_NOT_FOUND)
    return SC_OK;
  if (status == SC_OK)
    status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END) {
    status = sc_bt_enter_dict(reader);
    if (status == SC_OK)
      status = read_set(parts, name, reader);
    if (status == SC_OK)
      status = sc_bt_leave(reader);
  }
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

/* Skips entries whose name no set can have. */
static sc_status read_sets_of(sc_config_parts *parts, sc_bytes name, sc_bt_reader *reader) {
  if (name.len != SC_CONFIG_SET_BYTES)
    return sc_bt_skip(reader);
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = read_set(parts, name.ptr, reader);
  if (status == SC_OK)
    status = read_others(parts, name.ptr, reader);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_sets(sc_config_parts *parts, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  while (status == SC_OK) {
    sc_bytes name;
    status = sc_bt_next_key(&name, reader);
    if (status == SC_OK)
      status = read_sets_of(parts, name, reader);
    if (status == SC_OK)
      sc_bt_forget_key(reader);
  }
  return status == SC_ERR_NOT_FOUND ? sc_bt_leave(reader) : status;
}

sc_status sc_config_parts_load(sc_config_parts **out, const sc_env *env, sc_bt_reader *reader) {
  sc_status status = sc_config_parts_new(out, env);
  if (status == SC_OK)
    status = read_sets(*out, reader);
  if (status != SC_OK) {
    sc_config_parts_free(*out);
    *out = NULL;
  }
  return status;
}
