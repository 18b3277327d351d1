/* The keys of a group that are known, in the order all its members agree on. */
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

/* By generation, time and key, ascending; no two are the same in all three. */
typedef struct sc_key_ring {
  sc_ring_key *keys;
  size_t count;
  size_t capacity;
} sc_key_ring;

/* Wipes what it held. */
void sc_key_ring_free(sc_key_ring *ring, const sc_env *env);

/* Makes room for `extra` more keys, as far as a ring holds that many. */
SC_NODISCARD sc_status sc_key_ring_reserve(sc_key_ring *ring, const sc_env *env, size_t extra);

/* True if `a` comes before `b`. */
bool sc_ring_key_before(const sc_ring_key *a, const sc_ring_key *b);

typedef enum sc_ring_news {
  SC_RING_KNOWN = 0, /* this generation has the key already */
  SC_RING_TOO_OLD = 1,
  SC_RING_ADDED = 2,
} sc_ring_news;

/* Adds a key for which there is room, and drops the keys that end because of it. The time of a key is what a
 * node says: one that is later than now, `wall_ms`, ends no other key before its time. */
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
