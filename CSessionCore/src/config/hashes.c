#include "hashes.h"

#include "encoded.h"

void sc_config_hashes_init(sc_config_hashes *hashes, const sc_env *env) {
  *hashes = (sc_config_hashes){.env = env};
}

static void release_hash(const sc_env *env, sc_bytes hash) {
  sc_release(env, (void *)(uintptr_t)hash.ptr);
}

void sc_config_hashes_clear(sc_config_hashes *hashes) {
  for (size_t i = 0; i < hashes->count; i++)
    release_hash(hashes->env, hashes->items[i]);
  hashes->count = 0;
}

void sc_config_hashes_free(sc_config_hashes *hashes) {
  sc_config_hashes_clear(hashes);
  sc_release(hashes->env, hashes->items);
  hashes->items = NULL;
  hashes->capacity = 0;
}

bool sc_config_is_hash(sc_bytes hash) {
  return hash.len > 0 && hash.len <= SC_CONFIG_MAX_HASH_BYTES;
}

/* The number of hashes before it. */
static size_t place_of(const sc_config_hashes *hashes, sc_bytes hash) {
  size_t low = 0;
  size_t high = hashes->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (sc_config_compare(sc_config_string(hashes->items[middle]), sc_config_string(hash)) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool stands_at(const sc_config_hashes *hashes, size_t at, sc_bytes hash) {
  return at < hashes->count && sc_bytes_same(hashes->items[at], hash);
}

bool sc_config_hashes_contain(const sc_config_hashes *hashes, sc_bytes hash) {
  return stands_at(hashes, place_of(hashes, hash), hash);
}

sc_status sc_config_hashes_reserve(sc_config_hashes *hashes, size_t extra) {
  enum { first_capacity = 4 };
  size_t needed = hashes->count + extra;
  if (needed <= hashes->capacity)
    return SC_OK;
  size_t capacity = hashes->capacity > 0 ? hashes->capacity : first_capacity;
  while (capacity < needed)
    capacity *= 2;
  sc_bytes *items = sc_allocate(hashes->env, capacity * sizeof *items);
  if (items == NULL)
    return SC_ERR_NO_MEMORY;
  if (hashes->count > 0)
    memcpy(items, hashes->items, hashes->count * sizeof *items);
  sc_release(hashes->env, hashes->items);
  hashes->items = items;
  hashes->capacity = capacity;
  return SC_OK;
}

/* There is room, and the hash is not there. */
static void insert(sc_config_hashes *hashes, size_t at, sc_bytes owned) {
  memmove(&hashes->items[at + 1], &hashes->items[at], (hashes->count - at) * sizeof *hashes->items);
  hashes->items[at] = owned;
  hashes->count++;
}

sc_status sc_config_hashes_add(sc_config_hashes *hashes, sc_bytes hash) {
  if (!sc_config_is_hash(hash))
    return SC_ERR_ARGUMENT;
  size_t at = place_of(hashes, hash);
  if (stands_at(hashes, at, hash))
    return SC_OK;
  if (hashes->count == SC_CONFIG_MAX_HASHES)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_config_hashes_reserve(hashes, 1);
  uint8_t *copy = status == SC_OK ? sc_allocate(hashes->env, hash.len) : NULL;
  if (copy == NULL)
    return SC_ERR_NO_MEMORY;
  memcpy(copy, hash.ptr, hash.len);
  insert(hashes, at, sc_bytes_make(copy, hash.len));
  return SC_OK;
}

void sc_config_hashes_move(sc_config_hashes *to, sc_config_hashes *from) {
  for (size_t i = 0; i < from->count; i++) {
    sc_bytes hash = from->items[i];
    size_t at = place_of(to, hash);
    if (stands_at(to, at, hash) || to->count == SC_CONFIG_MAX_HASHES)
      release_hash(from->env, hash);
    else
      insert(to, at, hash);
  }
  from->count = 0;
}

sc_status sc_config_hashes_copy(sc_config_hashes *out, const sc_config_hashes *from) {
  sc_config_hashes_clear(out);
  sc_status status = sc_config_hashes_reserve(out, from->count);
  for (size_t i = 0; i < from->count && status == SC_OK; i++)
    status = sc_config_hashes_add(out, from->items[i]);
  if (status != SC_OK)
    sc_config_hashes_clear(out);
  return status;
}

void sc_config_hashes_remove(sc_config_hashes *hashes, sc_bytes hash) {
  size_t at = place_of(hashes, hash);
  if (!stands_at(hashes, at, hash))
    return;
  release_hash(hashes->env, hashes->items[at]);
  hashes->count--;
  memmove(&hashes->items[at], &hashes->items[at + 1], (hashes->count - at) * sizeof *hashes->items);
}

void sc_config_hashes_subtract(sc_config_hashes *hashes, const sc_config_hashes *others) {
  size_t kept = 0;
  for (size_t i = 0; i < hashes->count; i++) {
    if (sc_config_hashes_contain(others, hashes->items[i]))
      release_hash(hashes->env, hashes->items[i]);
    else
      hashes->items[kept++] = hashes->items[i];
  }
  hashes->count = kept;
}

bool sc_config_hashes_same(const sc_config_hashes *a, const sc_config_hashes *b) {
  for (size_t i = 0; i < a->count && i < b->count; i++)
    if (!sc_bytes_same(a->items[i], b->items[i]))
      return false;
  return a->count == b->count;
}
