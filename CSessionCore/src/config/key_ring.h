/* The known keys of a group, in the order on which all members agree. */
#ifndef SC_CONFIG_KEY_RING_H
#define SC_CONFIG_KEY_RING_H

#include <stdbool.h>

#include "session-core/base/bt.h"
#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"

typedef struct sc_ring_key {
  int64_t generation;
  uint64_t timestamp_ms;
  uint8_t key[SC_KEY_BYTES];
} sc_ring_key;

/* Ascending by generation, time and key, without duplicates. */
typedef struct sc_key_ring {
  sc_ring_key *keys;
  size_t count;
  size_t capacity;
} sc_key_ring;

/* Wipes and releases the keys. */
void sc_key_ring_free(sc_key_ring *ring, const sc_env *env);

/* Reserves memory for `extra` more keys, up to the limit. */
SC_NODISCARD sc_status sc_key_ring_reserve(sc_key_ring *ring, const sc_env *env, size_t extra);

/* True if `a` comes before `b`. */
bool sc_ring_key_before(const sc_ring_key *a, const sc_ring_key *b);

typedef enum sc_ring_news {
  SC_RING_KNOWN = 0, /* this generation already has the key */
  SC_RING_TOO_OLD = 1,
  SC_RING_ADDED = 2,
} sc_ring_news;

/* Adds a key, for which there must be room, and drops the keys that expire because of it. The time of a key
 * comes from a node: a time later than `wall_ms` does not expire other keys early. */
sc_ring_news sc_key_ring_add(sc_key_ring *ring, const sc_ring_key *key, uint64_t wall_ms);

/* Write the keys as a bt list, and read one key of such a list. SC_ERR_FORMAT for a missing or impossible
 * value, and the bt statuses. */
void sc_key_ring_write(const sc_key_ring *ring, sc_bt_writer *writer);
SC_NODISCARD sc_status sc_ring_key_read(sc_ring_key *out, sc_bt_reader *reader);

static inline const sc_ring_key *sc_key_ring_oldest(const sc_key_ring *ring) {
  return ring->count == 0 ? NULL : &ring->keys[0];
}

static inline const sc_ring_key *sc_key_ring_newest(const sc_key_ring *ring) {
  return ring->count == 0 ? NULL : &ring->keys[ring->count - 1];
}

#endif
