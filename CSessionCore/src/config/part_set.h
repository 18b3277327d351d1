/* A set of parts: those of one config message that have come so far. */
#ifndef SC_CONFIG_PART_SET_H
#define SC_CONFIG_PART_SET_H

#include <stdbool.h>

#include "session-core/base/bytes.h"
#include "session-core/config/multipart.h"

/* How many parts a set is said to have that is done: it holds nothing but its name and its time. */
#define SC_PART_SET_DONE 0

typedef struct sc_held_part {
  size_t owners;
  size_t hash_len;
  size_t chunk_len;
  uint8_t bytes[]; /* the hash the swarm knows it by, and its chunk */
} sc_held_part;

typedef struct sc_part_set {
  uint8_t name[SC_CONFIG_SET_BYTES];
  uint64_t expires_ms;
  size_t chunk_bytes;    /* of all parts that are held */
  size_t held;           /* fewer than `count`, unless the set is done */
  size_t count;          /* of the parts there are */
  sc_held_part *parts[]; /* by index; NULL where one is missing */
} sc_part_set;

static inline sc_bytes sc_held_hash(const sc_held_part *part) {
  return sc_bytes_make(part->bytes, part->hash_len);
}

static inline sc_bytes sc_held_chunk(const sc_held_part *part) {
  return sc_bytes_make(part->bytes + part->hash_len, part->chunk_len);
}

static inline bool sc_part_set_is_done(const sc_part_set *set) {
  return set->count == SC_PART_SET_DONE;
}

static inline bool sc_part_set_is_over(const sc_part_set *set, uint64_t now_ms) {
  return set->expires_ms <= now_ms;
}

SC_NODISCARD sc_status sc_part_set_new(sc_part_set **out, const sc_env *env, const uint8_t *name,
                                       size_t count);

/* NULL is allowed. */
void sc_part_set_free(const sc_env *env, sc_part_set *set);

/* The same set again; the parts are shared. */
SC_NODISCARD sc_status sc_part_set_copy(sc_part_set **out, const sc_env *env, const sc_part_set *set);

/* Gives up all parts; the set is then done. */
void sc_part_set_finish(const sc_env *env, sc_part_set *set);

/* Whether this chunk may join the others. */
bool sc_part_set_has_room(const sc_part_set *set, sc_bytes chunk);

/* Copies in the part at `index`, which is missing. */
SC_NODISCARD sc_status sc_part_set_hold(sc_part_set *set, const sc_env *env, size_t index, sc_bytes hash,
                                        sc_bytes chunk);

#endif
