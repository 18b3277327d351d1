#include "key_ring.h"

#include "session-core/base/secret.h"
#include "session-core/config/group_keys.h"

static void wipe_and_release(sc_ring_key *keys, size_t count, const sc_env *env) {
  sc_wipe(keys, count * sizeof *keys);
  sc_release(env, keys);
}

void sc_key_ring_free(sc_key_ring *ring, const sc_env *env) {
  wipe_and_release(ring->keys, ring->capacity, env);
  *ring = (sc_key_ring){0};
}

sc_status sc_key_ring_reserve(sc_key_ring *ring, const sc_env *env, size_t extra) {
  enum { at_once = 8, most = SC_GROUP_MAX_KEYS };
  size_t needed = extra < most - ring->count ? ring->count + extra : most;
  if (needed <= ring->capacity)
    return SC_OK;
  needed += at_once;
  sc_ring_key *keys = sc_allocate(env, needed * sizeof *keys);
  if (keys == NULL)
    return SC_ERR_NO_MEMORY;
  if (ring->count > 0)
    memcpy(keys, ring->keys, ring->count * sizeof *keys);
  wipe_and_release(ring->keys, ring->capacity, env);
  ring->keys = keys;
  ring->capacity = needed;
  return SC_OK;
}

bool sc_ring_key_before(const sc_ring_key *a, const sc_ring_key *b) {
  if (a->generation != b->generation)
    return a->generation < b->generation;
  if (a->timestamp_ms != b->timestamp_ms)
    return a->timestamp_ms < b->timestamp_ms;
  return memcmp(a->key, b->key, sizeof a->key) < 0;
}

static bool has(const sc_key_ring *ring, const sc_ring_key *key) {
  for (size_t i = 0; i < ring->count; i++)
    if (ring->keys[i].generation == key->generation && sc_equal(ring->keys[i].key, key->key, sizeof key->key))
      return true;
  return false;
}

/* True if a key and its predecessors have expired, measured from the newest key or from now if that is
 * earlier. */
static bool ends(const sc_ring_key *key, const sc_ring_key *newest, uint64_t wall_ms) {
  uint64_t newest_ms = newest->timestamp_ms < wall_ms ? newest->timestamp_ms : wall_ms;
  return newest_ms > SC_GROUP_KEY_EXPIRY_MS && key->timestamp_ms < newest_ms - SC_GROUP_KEY_EXPIRY_MS;
}

static void drop_oldest(sc_key_ring *ring, size_t count) {
  ring->count -= count;
  memmove(ring->keys, ring->keys + count, ring->count * sizeof *ring->keys);
  sc_wipe(ring->keys + ring->count, count * sizeof *ring->keys);
}

/* A generation lasts until the one that followed it is old itself: members may have been away. */
static void expire(sc_key_ring *ring, uint64_t wall_ms) {
  size_t ended = 0;
  for (size_t i = 1; i < ring->count; i++) {
    if (ring->keys[i].generation == ring->keys[i - 1].generation)
      continue;
    if (!ends(&ring->keys[i], sc_key_ring_newest(ring), wall_ms))
      break;
    ended = i;
  }
  drop_oldest(ring, ended);
}

sc_ring_news sc_key_ring_add(sc_key_ring *ring, const sc_ring_key *key, uint64_t wall_ms) {
  if (has(ring, key))
    return SC_RING_KNOWN;
  size_t at = 0;
  while (at < ring->count && sc_ring_key_before(&ring->keys[at], key))
    at++;
  const sc_ring_key *oldest = sc_key_ring_oldest(ring);
  if (at == 0 && ring->count >= 2 && key->generation < oldest->generation &&
      ends(oldest, sc_key_ring_newest(ring), wall_ms))
    return SC_RING_TOO_OLD;
  if (ring->count == SC_GROUP_MAX_KEYS) {
    if (at == 0)
      return SC_RING_TOO_OLD;
    drop_oldest(ring, 1);
    at--;
  }
  memmove(&ring->keys[at + 1], &ring->keys[at], (ring->count - at) * sizeof *ring->keys);
  ring->keys[at] = *key;
  ring->count++;
  expire(ring, wall_ms);
  return SC_RING_ADDED;
}

static void write_key(const sc_ring_key *key, sc_bt_writer *writer) {
  sc_bt_begin_dict(writer);
  sc_bt_write_key(writer, sc_bytes_text("g"));
  sc_bt_write_i64(writer, key->generation);
  sc_bt_write_key(writer, sc_bytes_text("k"));
  sc_bt_write_string(writer, SC_BYTES(key->key));
  sc_bt_write_key(writer, sc_bytes_text("t"));
  sc_bt_write_u64(writer, key->timestamp_ms);
  sc_bt_end(writer);
}

void sc_key_ring_write(const sc_key_ring *ring, sc_bt_writer *writer) {
  sc_bt_begin_list(writer);
  for (size_t i = 0; i < ring->count; i++)
    write_key(&ring->keys[i], writer);
  sc_bt_end(writer);
}

static sc_status find(sc_bt_reader *reader, const char *key) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(key));
  return status == SC_ERR_NOT_FOUND ? SC_ERR_FORMAT : status;
}

sc_status sc_ring_key_read(sc_ring_key *out, sc_bt_reader *reader) {
  sc_bytes key;
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = find(reader, "g");
  if (status == SC_OK)
    status = sc_bt_read_i64(&out->generation, reader);
  if (status == SC_OK)
    status = find(reader, "k");
  if (status == SC_OK)
    status = sc_bt_read_string(&key, reader);
  if (status == SC_OK)
    status = find(reader, "t");
  if (status == SC_OK)
    status = sc_bt_read_u64(&out->timestamp_ms, reader);
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  if (status != SC_OK)
    return status;
  if (key.len != sizeof out->key || out->generation > SC_GROUP_MAX_GENERATION ||
      out->timestamp_ms >= SC_GROUP_TIME_END_MS)
    return SC_ERR_FORMAT;
  memcpy(out->key, key.ptr, sizeof out->key);
  return SC_OK;
}
