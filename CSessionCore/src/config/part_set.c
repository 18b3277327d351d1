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
  set->count = SC_PART_SET_DONE;
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
  return SC_OK;
}

bool sc_part_set_has_room(const sc_part_set *set, sc_bytes chunk) {
  return chunk.len <= SC_CONFIG_MAX_PADDED_BYTES - set->chunk_bytes;
}

sc_status sc_part_set_hold(sc_part_set *set, const sc_env *env, size_t index, sc_bytes hash, sc_bytes chunk) {
  sc_held_part *part = sc_allocate(env, sizeof *part + hash.len + chunk.len);
  if (part == NULL)
    return SC_ERR_NO_MEMORY;
  part->owners = 1;
  part->hash_len = hash.len;
  part->chunk_len = chunk.len;
  memcpy(part->bytes, hash.ptr, hash.len);
  memcpy(part->bytes + hash.len, chunk.ptr, chunk.len);
  set->parts[index] = part;
  set->chunk_bytes += chunk.len;
  set->held++;
  return SC_OK;
}
