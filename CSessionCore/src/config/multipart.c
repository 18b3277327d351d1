#include "multipart.h"

#include "../crypto/blake2b.h"
#include "hashes.h"

/* Sets of the same name are adjacent. */
static int compare(const sc_part_set *set, const uint8_t *name, size_t count) {
  int order = memcmp(set->name, name, sizeof set->name);
  return order != 0 ? order : (set->count > count) - (set->count < count);
}

/* Returns the index of a set, or the index at which to insert it. */
static size_t place_of(const sc_config_parts *parts, const uint8_t *name, size_t count) {
  size_t at = 0;
  while (at < parts->set_count && compare(parts->sets[at], name, count) < 0)
    at++;
  return at;
}

static sc_part_set *find(const sc_config_parts *parts, const uint8_t *name, size_t count) {
  size_t at = place_of(parts, name, count);
  bool found = at < parts->set_count && compare(parts->sets[at], name, count) == 0;
  return found ? parts->sets[at] : NULL;
}

static void drop(sc_config_parts *parts, size_t at) {
  sc_part_set_free(parts->env, parts->sets[at]);
  parts->set_count--;
  memmove(&parts->sets[at], &parts->sets[at + 1], (parts->set_count - at) * sizeof parts->sets[0]);
}

/* If there are too many sets, drops the one that expires first. */
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

static size_t held_bytes(const sc_part_set *set) {
  size_t bytes = set->chunk_bytes;
  for (size_t i = 0; i < set->rival_count; i++)
    bytes += set->rivals[i]->chunk_len;
  return bytes;
}

/* Drops the oldest sets except this one until the size is within the limit. */
static void drop_oldest_of_too_much(sc_config_parts *parts, const sc_part_set *kept) {
  for (;;) {
    size_t bytes = 0, oldest = parts->set_count;
    for (size_t i = 0; i < parts->set_count; i++) {
      const sc_part_set *set = parts->sets[i];
      bytes += held_bytes(set);
      bool older = oldest == parts->set_count || set->expires_ms < parts->sets[oldest]->expires_ms;
      if (!sc_part_set_is_done(set) && set != kept && older)
        oldest = i;
    }
    if (bytes <= SC_CONFIG_MAX_HELD_BYTES || oldest == parts->set_count)
      return;
    drop(parts, oldest);
  }
}

void sc_config_parts_insert(sc_config_parts *parts, sc_part_set *set) {
  size_t at = place_of(parts, set->name, set->count);
  memmove(&parts->sets[at + 1], &parts->sets[at], (parts->set_count - at) * sizeof parts->sets[0]);
  parts->sets[at] = set;
  parts->set_count++;
  drop_oldest_of_too_much(parts, set);
  drop_oldest_of_too_many(parts, sc_part_set_is_done(set));
}

static uint64_t later(uint64_t now_ms, uint64_t by_ms) {
  return now_ms > UINT64_MAX - by_ms ? UINT64_MAX : now_ms + by_ms;
}

/* The others of its name are not needed any more. */
static void finish(sc_config_parts *parts, sc_part_set *set, uint64_t now_ms) {
  for (size_t i = parts->set_count; i-- > 0;)
    if (parts->sets[i] != set && memcmp(parts->sets[i]->name, set->name, sizeof set->name) == 0)
      drop(parts, i);
  sc_part_set_finish(parts->env, set);
  set->expires_ms = later(now_ms, SC_CONFIG_DONE_MS);
  drop_oldest_of_too_many(parts, true);
}

static void forget_listed(sc_config_parts *parts) {
  sc_release(parts->env, parts->listed);
  parts->listed = NULL;
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
  forget_listed(parts);
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

/* A part and its position. */
typedef struct arrived_part {
  sc_config_part part;
  sc_bytes hash;
  uint64_t now_ms;
} arrived_part;

static sc_status keep_first(sc_config_parts *parts, const arrived_part *arrived, uint64_t expires_ms) {
  sc_part_set *set;
  sc_status status = sc_part_set_new(&set, parts->env, arrived->part.set, arrived->part.count);
  if (status == SC_OK)
    status = sc_part_set_hold(set, parts->env, arrived->part.index, arrived->hash, arrived->part.chunk);
  if (status != SC_OK) {
    sc_part_set_free(parts->env, set);
    return status;
  }
  set->expires_ms = expires_ms;
  sc_config_parts_insert(parts, set);
  return SC_OK;
}

static bool is_named_for(const sc_part_set *set, const sc_held_part *const *chosen) {
  sc_bytes chunks[SC_CONFIG_MAX_PARTS];
  uint8_t hash[SC_CONFIG_SET_BYTES];
  for (size_t i = 0; i < set->count; i++)
    chunks[i] = sc_held_chunk(chosen[i]);
  sc_blake2b_pieces(hash, sizeof hash, sc_bytes_make(NULL, 0), NULL, chunks, set->count);
  return memcmp(hash, set->name, sizeof hash) == 0;
}

/* Chooses the parts of a full set that match its name. */
static bool choose(const sc_held_part *chosen[static SC_CONFIG_MAX_PARTS], const sc_part_set *set) {
  for (size_t choice = 0; sc_part_set_choose(chosen, set, choice); choice++)
    if (is_named_for(set, chosen))
      return true;
  return false;
}

/* Copies the hashes of parts to where the arrival can point. */
static sc_status list(sc_config_parts *parts, const sc_held_part *const *held, size_t count) {
  size_t size = count * sizeof(sc_bytes);
  for (size_t i = 0; i < count; i++)
    size += held[i]->hash_len;
  sc_bytes *hashes = sc_allocate(parts->env, size);
  parts->listed = hashes;
  if (hashes == NULL)
    return SC_ERR_NO_MEMORY;
  uint8_t *at = (uint8_t *)(hashes + count);
  for (size_t i = 0; i < count; i++) {
    sc_bytes hash = sc_held_hash(held[i]);
    memcpy(at, hash.ptr, hash.len);
    hashes[i] = sc_bytes_make(at, hash.len);
    at += hash.len;
  }
  return SC_OK;
}

static sc_status list_all(sc_config_arrival *arrival, sc_config_parts *parts, const sc_part_set *set) {
  const sc_held_part *held[SC_CONFIG_MAX_PARTS + SC_CONFIG_MAX_RIVALS];
  size_t count = 0;
  for (size_t i = 0; i < set->count; i++)
    held[count++] = set->parts[i];
  for (size_t i = 0; i < set->rival_count; i++)
    held[count++] = set->rivals[i];
  sc_status status = list(parts, held, count);
  if (status == SC_OK)
    *arrival = (sc_config_arrival){SC_CONFIG_NOTHING_NEW, parts->listed, count};
  return status;
}

static sc_status join_chunks(sc_buffer *out, const sc_part_set *set, const sc_held_part *const *chosen) {
  size_t size = 0;
  for (size_t i = 0; i < set->count; i++)
    size += chosen[i]->chunk_len;
  sc_status status = sc_buffer_reserve(out, size);
  for (size_t i = 0; i < set->count && status == SC_OK; i++)
    status = sc_buffer_append(out, sc_held_chunk(chosen[i]));
  return status;
}

/* Finishes the set even if its message is invalid. All allocations come before that. */
static sc_status read_joined(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                             sc_part_set *set, const sc_held_part *const *chosen, uint64_t now_ms) {
  sc_buffer joined;
  size_t count = set->count;
  sc_buffer_init(&joined, parts->env);
  sc_status status = join_chunks(&joined, set, chosen);
  if (status == SC_OK)
    status = list(parts, chosen, count);
  if (status == SC_OK)
    status = sc_config_unpack(message, sc_buffer_bytes(&joined));
  sc_buffer_free(&joined);
  if (status == SC_ERR_NO_MEMORY)
    return status;
  *arrival = (sc_config_arrival){status == SC_OK ? SC_CONFIG_SET_COMPLETE : SC_CONFIG_NOTHING_NEW,
                                 parts->listed, count};
  finish(parts, set, now_ms);
  return status;
}

/* Parts that do not go together may be waiting for one that is yet to come; unless there were too many. */
static sc_status complete(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                          sc_part_set *set, uint64_t now_ms) {
  const sc_held_part *chosen[SC_CONFIG_MAX_PARTS];
  if (choose(chosen, set))
    return read_joined(message, arrival, parts, set, chosen, now_ms);
  sc_status status = list_all(arrival, parts, set);
  if (status == SC_OK && set->rival_count == SC_CONFIG_MAX_RIVALS)
    drop(parts, place_of(parts, set->name, set->count));
  return status == SC_OK ? SC_ERR_CONFIG_SET : status;
}

static sc_status keep(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                      sc_part_set *set, const arrived_part *arrived) {
  size_t index = arrived->part.index;
  uint64_t expired_ms = set->expires_ms;
  sc_status status = sc_part_set_hold(set, parts->env, index, arrived->hash, arrived->part.chunk);
  if (status != SC_OK)
    return status;
  set->expires_ms = later(arrived->now_ms, SC_CONFIG_INCOMPLETE_MS);
  arrival->news = SC_CONFIG_PART_KEPT;
  if (sc_part_set_is_full(set))
    status = complete(message, arrival, parts, set, arrived->now_ms);
  if (status == SC_ERR_NO_MEMORY) {
    *arrival = (sc_config_arrival){0};
    set->expires_ms = expired_ms;
    sc_part_set_let_go(set, parts->env, index);
  }
  if (status == SC_OK && arrival->news == SC_CONFIG_PART_KEPT)
    drop_oldest_of_too_much(parts, set);
  return status;
}

static sc_status take(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                      const arrived_part *arrived) {
  const sc_config_part *part = &arrived->part;
  sc_part_set *set = find(parts, part->set, part->count);
  if (find(parts, part->set, SC_PART_SET_DONE) != NULL)
    return SC_OK;
  if (set != NULL && sc_part_set_has(set, part->index, part->chunk))
    return SC_OK;
  if (set != NULL)
    return keep(message, arrival, parts, set, arrived);
  sc_status status = keep_first(parts, arrived, later(arrived->now_ms, SC_CONFIG_INCOMPLETE_MS));
  if (status == SC_OK)
    arrival->news = SC_CONFIG_PART_KEPT;
  return status;
}

sc_status sc_config_parts_accept(sc_buffer *message, sc_config_arrival *arrival, sc_config_parts *parts,
                                 sc_bytes part, sc_bytes hash, uint64_t now_ms) {
  sc_buffer_clear(message);
  *arrival = (sc_config_arrival){SC_CONFIG_NOTHING_NEW, NULL, 0};
  forget_listed(parts);
  if (!sc_config_is_hash(hash))
    return SC_ERR_ARGUMENT;
  arrived_part arrived = {.hash = hash, .now_ms = now_ms};
  sc_status status = sc_config_part_read(&arrived.part, part);
  return status == SC_OK ? take(message, arrival, parts, &arrived) : status;
}

sc_status sc_config_parts_mark_done(sc_config_parts *parts, const uint8_t name[static 32], uint64_t now_ms) {
  forget_listed(parts);
  size_t at = place_of(parts, name, SC_PART_SET_DONE);
  if (at < parts->set_count && memcmp(parts->sets[at]->name, name, SC_CONFIG_SET_BYTES) == 0) {
    finish(parts, parts->sets[at], now_ms);
    return SC_OK;
  }
  sc_part_set *set;
  sc_status status = sc_part_set_new(&set, parts->env, name, SC_PART_SET_DONE);
  if (status != SC_OK)
    return status;
  set->expires_ms = later(now_ms, SC_CONFIG_DONE_MS);
  sc_config_parts_insert(parts, set);
  return SC_OK;
}

bool sc_config_parts_expire(sc_config_parts *parts, uint64_t now_ms) {
  size_t before = parts->set_count;
  for (size_t i = before; i-- > 0;)
    if (sc_part_set_is_over(parts->sets[i], now_ms))
      drop(parts, i);
  return parts->set_count < before;
}

/* The part of a set at a position, additional ones last; NULL if it is missing. */
static const sc_held_part *held_at(const sc_part_set *set, size_t place) {
  return place < set->count ? set->parts[place] : set->rivals[place - set->count];
}

bool sc_config_parts_next(sc_config_held_part *out, sc_config_part_cursor *cursor,
                          const sc_config_parts *parts, uint64_t now_ms) {
  for (; cursor->set < parts->set_count; cursor->set++, cursor->part = 0) {
    const sc_part_set *set = parts->sets[cursor->set];
    size_t places = sc_part_set_is_over(set, now_ms) ? 0 : set->count + set->rival_count;
    while (cursor->part < places) {
      const sc_held_part *part = held_at(set, cursor->part++);
      if (part == NULL)
        continue;
      *out = (sc_config_held_part){
          .set = sc_bytes_make(set->name, sizeof set->name),
          .count = set->count,
          .index = part->index,
          .hash = sc_held_hash(part),
          .chunk = sc_held_chunk(part),
          .expires_ms = set->expires_ms,
      };
      return true;
    }
  }
  return false;
}

bool sc_config_parts_next_hash(sc_bytes *out, sc_config_part_cursor *cursor, const sc_config_parts *parts,
                               uint64_t now_ms) {
  sc_config_held_part part;
  while (sc_config_parts_next(&part, cursor, parts, now_ms)) {
    const sc_part_set *set = parts->sets[cursor->set];
    *out = part.hash;
    /* Of a set that is full, and of rivals, the swarm need keep nothing. */
    if (!sc_part_set_is_full(set) && cursor->part <= set->count)
      return true;
  }
  return false;
}

sc_status sc_config_parts_hold(sc_config_parts *parts, const sc_config_held_part *part) {
  bool sensible = part->set.len == SC_CONFIG_SET_BYTES && part->count >= 2 &&
                  part->count <= SC_CONFIG_MAX_PARTS && part->index < part->count && part->chunk.len > 0 &&
                  part->chunk.len <= SC_STORED_MAX_BYTES && sc_config_is_hash(part->hash);
  if (!sensible)
    return SC_ERR_CONFIG_PART;
  sc_part_set *set = find(parts, part->set.ptr, part->count);
  if (find(parts, part->set.ptr, SC_PART_SET_DONE) != NULL ||
      (set != NULL && sc_part_set_has(set, part->index, part->chunk)))
    return SC_OK;
  forget_listed(parts);
  const arrived_part saved = {
      .part = {part->set.ptr, (uint8_t)part->index, (uint8_t)part->count, part->chunk},
      .hash = part->hash,
  };
  if (set == NULL)
    return keep_first(parts, &saved, part->expires_ms);
  sc_status status = sc_part_set_hold(set, parts->env, part->index, part->hash, part->chunk);
  if (status == SC_OK && set->expires_ms < part->expires_ms)
    set->expires_ms = part->expires_ms;
  if (status == SC_OK)
    drop_oldest_of_too_much(parts, set);
  return status;
}
