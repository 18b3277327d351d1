#include "multipart.h"

#include "../base/bt_reader.h"
#include "../crypto/blake2b.h"
#include "part.h"
#include "part_set.h"

enum { most_sets = SC_CONFIG_MAX_INCOMPLETE_SETS + SC_CONFIG_MAX_DONE_SETS };

struct sc_config_parts {
  const sc_env *env;
  sc_part_set *sets[most_sets + 1]; /* in the order of their names; one is too many for a moment */
  size_t set_count;
  sc_bytes *completed; /* the hashes of the set that was completed last, and behind them their bytes */
};

/* Where the set of this name is, or would be. */
static size_t place_of(const sc_config_parts *parts, const uint8_t *name) {
  size_t at = 0;
  while (at < parts->set_count && memcmp(parts->sets[at]->name, name, SC_CONFIG_SET_BYTES) < 0)
    at++;
  return at;
}

static sc_part_set *find(const sc_config_parts *parts, const uint8_t *name) {
  size_t at = place_of(parts, name);
  bool found = at < parts->set_count && memcmp(parts->sets[at]->name, name, SC_CONFIG_SET_BYTES) == 0;
  return found ? parts->sets[at] : NULL;
}

static void drop(sc_config_parts *parts, size_t at) {
  sc_part_set_free(parts->env, parts->sets[at]);
  parts->set_count--;
  memmove(&parts->sets[at], &parts->sets[at + 1], (parts->set_count - at) * sizeof parts->sets[0]);
}

/* Drops a set, done or not, when there are too many: the one whose time is over first. */
static void drop_oldest_of_too_many(sc_config_parts *parts, bool done) {
  size_t most = done ? SC_CONFIG_MAX_DONE_SETS : SC_CONFIG_MAX_INCOMPLETE_SETS;
  size_t count = 0;
  size_t oldest = 0;
  for (size_t i = 0; i < parts->set_count; i++) {
    if (sc_part_set_is_done(parts->sets[i]) != done)
      continue;
    if (count++ == 0 || parts->sets[i]->expires_ms < parts->sets[oldest]->expires_ms)
      oldest = i;
  }
  if (count > most)
    drop(parts, oldest);
}

static void insert(sc_config_parts *parts, sc_part_set *set) {
  size_t at = place_of(parts, set->name);
  memmove(&parts->sets[at + 1], &parts->sets[at], (parts->set_count - at) * sizeof parts->sets[0]);
  parts->sets[at] = set;
  parts->set_count++;
  drop_oldest_of_too_many(parts, sc_part_set_is_done(set));
}

static uint64_t later(uint64_t now_ms, uint64_t by_ms) {
  return now_ms > UINT64_MAX - by_ms ? UINT64_MAX : now_ms + by_ms;
}

static void finish(sc_config_parts *parts, sc_part_set *set, uint64_t now_ms) {
  sc_part_set_finish(parts->env, set);
  set->expires_ms = later(now_ms, SC_CONFIG_DONE_MS);
  drop_oldest_of_too_many(parts, true);
}

static void forget_completed(sc_config_parts *parts) {
  sc_release(parts->env, parts->completed);
  parts->completed = NULL;
}

sc_status sc_config_parts_new(sc_config_parts **out, const sc_env *env) {
  sc_config_parts *parts = sc_allocate(env, sizeof *parts);
  *out = parts;
  if (parts == NULL)
    return SC_ERR_NO_MEMORY;
  *parts = (sc_config_parts){.env = env};
  return SC_OK;
}

void sc_config_parts_free(sc_config_parts *parts) {
  if (parts == NULL)
    return;
  forget_completed(parts);
  for (size_t i = 0; i < parts->set_count; i++)
    sc_part_set_free(parts->env, parts->sets[i]);
  sc_release(parts->env, parts);
}

sc_status sc_config_parts_fork(sc_config_parts **out, const sc_config_parts *parts) {
  sc_status status = sc_config_parts_new(out, parts->env);
  for (size_t i = 0; i < parts->set_count && status == SC_OK; i++) {
    status = sc_part_set_copy(&(*out)->sets[i], parts->env, parts->sets[i]);
    if (status == SC_OK)
      (*out)->set_count++;
  }
  if (status != SC_OK) {
    sc_config_parts_free(*out);
    *out = NULL;
  }
  return status;
}

/* What came, and where. */
typedef struct arrived_part {
  sc_config_part part;
  sc_bytes hash;
  uint64_t now_ms;
} arrived_part;

static sc_status keep(sc_config_parts *parts, sc_part_set *set, const arrived_part *arrived) {
  sc_status status =
      sc_part_set_hold(set, parts->env, arrived->part.index, arrived->hash, arrived->part.chunk);
  if (status == SC_OK)
    set->expires_ms = later(arrived->now_ms, SC_CONFIG_INCOMPLETE_MS);
  return status;
}

static sc_status keep_first(sc_config_parts *parts, const arrived_part *arrived) {
  sc_part_set *set;
  sc_status status = sc_part_set_new(&set, parts->env, arrived->part.set, arrived->part.count);
  if (status == SC_OK)
    status = keep(parts, set, arrived);
  if (status == SC_OK)
    insert(parts, set);
  else
    sc_part_set_free(parts->env, set);
  return status;
}

/* Of the set as it is with its last part, which is not in it yet. */
static sc_bytes chunk_at(const sc_part_set *set, const arrived_part *last, size_t index) {
  return index == last->part.index ? last->part.chunk : sc_held_chunk(set->parts[index]);
}

static sc_bytes hash_at(const sc_part_set *set, const arrived_part *last, size_t index) {
  return index == last->part.index ? last->hash : sc_held_hash(set->parts[index]);
}

static sc_status join_chunks(sc_buffer *out, const sc_part_set *set, const arrived_part *last) {
  sc_status status = sc_buffer_reserve(out, set->chunk_bytes + last->part.chunk.len);
  for (size_t i = 0; i < set->count && status == SC_OK; i++)
    status = sc_buffer_append(out, chunk_at(set, last, i));
  return status;
}

static bool is_named_for(const sc_part_set *set, sc_bytes joined) {
  uint8_t hash[SC_CONFIG_SET_BYTES];
  sc_blake2b_pieces(hash, sizeof hash, sc_bytes_make(NULL, 0), NULL, &joined, 1);
  return memcmp(hash, set->name, sizeof hash) == 0;
}

static sc_status list_hashes(sc_bytes **out, const sc_env *env, const sc_part_set *set,
                             const arrived_part *last) {
  size_t size = set->count * sizeof(sc_bytes);
  for (size_t i = 0; i < set->count; i++)
    size += hash_at(set, last, i).len;
  sc_bytes *hashes = sc_allocate(env, size);
  *out = hashes;
  if (hashes == NULL)
    return SC_ERR_NO_MEMORY;
  uint8_t *at = (uint8_t *)(hashes + set->count);
  for (size_t i = 0; i < set->count; i++) {
    sc_bytes hash = hash_at(set, last, i);
    memcpy(at, hash.ptr, hash.len);
    hashes[i] = sc_bytes_make(at, hash.len);
    at += hash.len;
  }
  return SC_OK;
}

/* `set` lacks only `last`, and is done afterwards, whatever its message is like. Whatever wants memory comes
 * before the first change. */
static sc_status read_joined(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                             sc_part_set *set, const arrived_part *last, sc_bytes joined) {
  sc_status status = list_hashes(&parts->completed, parts->env, set, last);
  if (status == SC_OK)
    status = sc_config_unpack(message, joined);
  if (status == SC_OK)
    *arrival = (sc_config_arrival){SC_CONFIG_SET_COMPLETE, parts->completed, set->count};
  if (status != SC_ERR_NO_MEMORY)
    finish(parts, set, last->now_ms);
  return status;
}

static sc_status complete(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                          sc_part_set *set, const arrived_part *last) {
  sc_buffer joined;
  sc_buffer_init(&joined, parts->env);
  sc_status status = join_chunks(&joined, set, last);
  if (status == SC_OK && !is_named_for(set, sc_buffer_bytes(&joined))) {
    drop(parts, place_of(parts, set->name));
    status = SC_ERR_CONFIG_SET;
  }
  if (status == SC_OK)
    status = read_joined(message, arrival, parts, set, last, sc_buffer_bytes(&joined));
  sc_buffer_free(&joined);
  return status;
}

static sc_status take(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                      const arrived_part *arrived) {
  sc_part_set *set = find(parts, arrived->part.set);
  if (set != NULL && sc_part_set_is_done(set))
    return SC_OK;
  if (set != NULL && set->count != arrived->part.count)
    return SC_ERR_CONFIG_PART;
  if (set != NULL && set->parts[arrived->part.index] != NULL)
    return SC_OK;
  if (set != NULL && !sc_part_set_has_room(set, arrived->part.chunk))
    return SC_ERR_TOO_LARGE;
  if (set != NULL && set->held + 1 == set->count)
    return complete(message, arrival, parts, set, arrived);
  sc_status status = set == NULL ? keep_first(parts, arrived) : keep(parts, set, arrived);
  if (status == SC_OK)
    arrival->news = SC_CONFIG_PART_KEPT;
  return status;
}

static bool is_hash(sc_bytes hash) {
  return hash.len > 0 && hash.len <= SC_CONFIG_MAX_HASH_BYTES;
}

sc_status sc_config_parts_accept(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                                 sc_bytes part, sc_bytes hash, uint64_t now_ms) {
  sc_buffer_clear(message);
  *arrival = (sc_config_arrival){SC_CONFIG_NOTHING_NEW, NULL, 0};
  forget_completed(parts);
  if (!is_hash(hash))
    return SC_ERR_ARGUMENT;
  arrived_part arrived = {.hash = hash, .now_ms = now_ms};
  sc_status status = sc_config_part_read(&arrived.part, part);
  return status == SC_OK ? take(message, arrival, parts, &arrived) : status;
}

sc_status sc_config_parts_mark_done(sc_config_parts *parts, const uint8_t name[static 32], uint64_t now_ms) {
  forget_completed(parts);
  sc_part_set *set = find(parts, name);
  if (set != NULL) {
    finish(parts, set, now_ms);
    return SC_OK;
  }
  sc_status status = sc_part_set_new(&set, parts->env, name, SC_PART_SET_DONE);
  if (status != SC_OK)
    return status;
  set->expires_ms = later(now_ms, SC_CONFIG_DONE_MS);
  insert(parts, set);
  return SC_OK;
}

bool sc_config_parts_expire(sc_config_parts *parts, uint64_t now_ms) {
  size_t before = parts->set_count;
  for (size_t i = before; i-- > 0;)
    if (sc_part_set_is_over(parts->sets[i], now_ms))
      drop(parts, i);
  return parts->set_count < before;
}

bool sc_config_parts_next_hash(sc_bytes *out, sc_config_hash_cursor *cursor, const sc_config_parts *parts,
                               uint64_t now_ms) {
  for (; cursor->set < parts->set_count; cursor->set++, cursor->part = 0) {
    const sc_part_set *set = parts->sets[cursor->set];
    while (!sc_part_set_is_over(set, now_ms) && cursor->part < set->count) {
      const sc_held_part *part = set->parts[cursor->part++];
      if (part == NULL)
        continue;
      *out = sc_held_hash(part);
      return true;
    }
  }
  return false;
}

static void write_key(sc_bt_writer *writer, const char *key) {
  sc_bt_write_key(writer, sc_bytes_text(key));
}

static void write_part(sc_bt_writer *writer, size_t index, const sc_held_part *part) {
  sc_bt_begin_dict(writer);
  write_key(writer, "#");
  sc_bt_write_u64(writer, index);
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
      write_part(writer, i, set->parts[i]);
  sc_bt_end(writer);
}

static void write_set(sc_bt_writer *writer, const sc_part_set *set) {
  sc_bt_write_key(writer, SC_BYTES(set->name));
  sc_bt_begin_dict(writer);
  write_key(writer, "#");
  sc_bt_write_u64(writer, set->count);
  write_key(writer, "T");
  sc_bt_write_u64(writer, set->expires_ms);
  if (!sc_part_set_is_done(set))
    write_parts(writer, set);
  sc_bt_end(writer);
}

void sc_config_parts_save(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms) {
  sc_bt_begin_dict(writer);
  for (size_t i = 0; i < parts->set_count; i++)
    if (!sc_part_set_is_over(parts->sets[i], now_ms))
      write_set(writer, parts->sets[i]);
  sc_bt_end(writer);
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
  bool fits = index < set->count && set->parts[index] == NULL && is_hash(hash) && chunk.len > 0 &&
              sc_part_set_has_room(set, chunk);
  *odd = *odd || !fits;
  return fits ? sc_part_set_hold(set, env, (size_t)index, hash, chunk) : SC_OK;
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
  *odd = *odd || set->held == 0 || set->held == set->count;
  return status;
}

static bool may_be_saved(const sc_config_parts *parts, sc_bytes name, uint64_t count) {
  bool known_size = count == SC_PART_SET_DONE || (count >= 2 && count <= SC_CONFIG_MAX_PARTS);
  return known_size && name.len == SC_CONFIG_SET_BYTES && find(parts, name.ptr) == NULL;
}

/* The rest of a set's dict, behind its numbers. */
static sc_status read_set_content(sc_config_parts *parts, sc_bytes name, uint64_t count, uint64_t expires_ms,
                                  sc_bt_reader *reader) {
  sc_part_set *set;
  bool odd = false;
  sc_status status = sc_part_set_new(&set, parts->env, name.ptr, (size_t)count);
  if (status == SC_OK && !sc_part_set_is_done(set))
    status = read_parts(set, &odd, parts->env, reader);
  if (status != SC_OK || odd) {
    sc_part_set_free(parts->env, set);
    return status;
  }
  set->expires_ms = expires_ms;
  insert(parts, set);
  return SC_OK;
}

static sc_status read_set(sc_config_parts *parts, sc_bytes name, sc_bt_reader *reader) {
  uint64_t count, expires_ms;
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = read_number(&count, reader, "#");
  if (status == SC_OK)
    status = read_number(&expires_ms, reader, "T");
  if (status == SC_OK && may_be_saved(parts, name, count))
    status = read_set_content(parts, name, count, expires_ms, reader);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_sets(sc_config_parts *parts, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  while (status == SC_OK) {
    sc_bytes name;
    status = sc_bt_next_key(&name, reader);
    if (status == SC_OK)
      status = read_set(parts, name, reader);
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
