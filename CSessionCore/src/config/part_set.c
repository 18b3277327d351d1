#include "part_set.h"

#include "session-core/base/secret.h"

sc_status sc_part_set_new(sc_part_set **out, const sc_env *env, const uint8_t *name, size_t count) {
  size_t size = sizeof(sc_part_set) + count * sizeof(sc_held_part *);
  sc_part_set *set = sc_allocate(env, size);
  *out = set;
  if (set == NULL)
    return SC_ERR_NO_MEMORY;
  memset(set, 0, size);
  memcpy(set->name, name, sizeof set->name);
  set->count = count;
  return SC_OK;
}

static void held_part_free(const sc_env *env, sc_held_part *part) {
  if (part == NULL || --part->owners > 0)
    return;
  sc_wipe(part->bytes, part->hash_len + part->chunk_len);
  sc_release(env, part);
}

void sc_part_set_finish(const sc_env *env, sc_part_set *set) {
  for (size_t i = 0; i < set->count; i++)
    held_part_free(env, set->parts[i]);
  for (size_t i = 0; i < set->rival_count; i++)
    held_part_free(env, set->rivals[i]);
  set->count = SC_PART_SET_DONE;
  set->rival_count = 0;
  set->held = 0;
  set->chunk_bytes = 0;
}

void sc_part_set_free(const sc_env *env, sc_part_set *set) {
  if (set == NULL)
    return;
  sc_part_set_finish(env, set);
  sc_release(env, set);
}

sc_status sc_part_set_copy(sc_part_set **out, const sc_env *env, const sc_part_set *set) {
  sc_status status = sc_part_set_new(out, env, set->name, set->count);
  if (status != SC_OK)
    return status;
  memcpy(*out, set, sizeof *set + set->count * sizeof set->parts[0]);
  for (size_t i = 0; i < set->count; i++)
    if (set->parts[i] != NULL)
      set->parts[i]->owners++;
  for (size_t i = 0; i < set->rival_count; i++)
    set->rivals[i]->owners++;
  return SC_OK;
}

bool sc_part_set_has(const sc_part_set *set, size_t index, sc_bytes chunk) {
  const sc_held_part *part = set->parts[index];
  if (part == NULL)
    return false;
  bool has = sc_bytes_same(sc_held_chunk(part), chunk);
  for (size_t i = 0; i < set->rival_count && !has; i++)
    has = set->rivals[i]->index == index && sc_bytes_same(sc_held_chunk(set->rivals[i]), chunk);
  return has;
}

static sc_status check_room(const sc_part_set *set, size_t index, sc_bytes chunk) {
  if (set->parts[index] != NULL)
    return set->rival_count == SC_CONFIG_MAX_RIVALS ? SC_ERR_CONFIG_PART : SC_OK;
  return chunk.len > SC_CONFIG_MAX_PADDED_BYTES - set->chunk_bytes ? SC_ERR_TOO_LARGE : SC_OK;
}

static void put(sc_part_set *set, sc_held_part *part) {
  if (set->parts[part->index] != NULL) {
    set->rivals[set->rival_count++] = part;
    return;
  }
  set->parts[part->index] = part;
  set->chunk_bytes += part->chunk_len;
  set->held++;
}

sc_status sc_part_set_hold(sc_part_set *set, const sc_env *env, size_t index, sc_bytes hash, sc_bytes chunk) {
  sc_status status = check_room(set, index, chunk);
  if (status != SC_OK)
    return status;
  sc_held_part *part = sc_allocate(env, sizeof *part + hash.len + chunk.len);
  if (part == NULL)
    return SC_ERR_NO_MEMORY;
  *part = (sc_held_part){.owners = 1, .index = index, .hash_len = hash.len, .chunk_len = chunk.len};
  memcpy(part->bytes, hash.ptr, hash.len);
  memcpy(part->bytes + hash.len, chunk.ptr, chunk.len);
  put(set, part);
  return SC_OK;
}

void sc_part_set_let_go(sc_part_set *set, const sc_env *env, size_t index) {
  sc_held_part *part = set->parts[index];
  if (set->rival_count > 0 && set->rivals[set->rival_count - 1]->index == index) {
    held_part_free(env, set->rivals[--set->rival_count]);
    return;
  }
  set->chunk_bytes -= part->chunk_len;
  set->parts[index] = NULL;
  set->held--;
  held_part_free(env, part);
}

/* The part of an index, or else its rival of that number. */
static const sc_held_part *nth(const sc_part_set *set, size_t index, size_t number) {
  if (number == 0)
    return set->parts[index];
  for (size_t i = 0; i < set->rival_count; i++)
    if (set->rivals[i]->index == index && --number == 0)
      return set->rivals[i];
  return NULL;
}

static size_t options(const sc_part_set *set, size_t index) {
  size_t count = 1;
  for (size_t i = 0; i < set->rival_count; i++)
    count += set->rivals[i]->index == index;
  return count;
}

bool sc_part_set_choose(const sc_held_part *chosen[static SC_CONFIG_MAX_PARTS], const sc_part_set *set,
                        size_t choice) {
  for (size_t i = 0; i < set->count; i++) {
    size_t count = options(set, i);
    chosen[i] = nth(set, i, choice % count);
    choice /= count;
  }
  return choice == 0;
}
