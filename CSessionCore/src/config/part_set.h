/* The parts of one config message received so far. Anyone with the key can store false parts for a message,
 * so a few alternatives are kept for each index; the hash of the complete message shows which are right. */
#ifndef SC_CONFIG_PART_SET_H
#define SC_CONFIG_PART_SET_H

#include <stdbool.h>

#include "part.h"
#include "session-core/base/bytes.h"
#include "session-core/config/multipart.h"

/* The stated number of parts of a completed set, which has only a name and a time. */
#define SC_PART_SET_DONE 0

typedef struct sc_held_part {
  size_t owners;
  size_t index;
  size_t hash_len;
  size_t chunk_len;
  uint8_t bytes[]; /* its hash in the swarm, then its chunk */
} sc_held_part;

typedef struct sc_part_set {
  uint8_t name[SC_CONFIG_SET_BYTES];
  uint64_t expires_ms;
  size_t chunk_bytes;                         /* of all parts except the additional ones */
  size_t held;                                /* without additional parts; at most `count` */
  size_t count;                               /* the stated number of parts */
  sc_held_part *rivals[SC_CONFIG_MAX_RIVALS]; /* additional parts, in order of arrival */
  size_t rival_count;
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

/* True if there is a part for each index. */
static inline bool sc_part_set_is_full(const sc_part_set *set) {
  return set->held == set->count;
}

static inline bool sc_part_set_is_over(const sc_part_set *set, uint64_t now_ms) {
  return set->expires_ms <= now_ms;
}

SC_NODISCARD sc_status sc_part_set_new(sc_part_set **out, const sc_env *env, const uint8_t *name,
                                       size_t count);

/* NULL is allowed. */
void sc_part_set_free(const sc_env *env, sc_part_set *set);

/* Returns a copy that shares the parts. */
SC_NODISCARD sc_status sc_part_set_copy(sc_part_set **out, const sc_env *env, const sc_part_set *set);

/* Releases all parts and marks the set as completed. */
void sc_part_set_finish(const sc_env *env, sc_part_set *set);

/* True if the set has this chunk at this index. */
bool sc_part_set_has(const sc_part_set *set, size_t index, sc_bytes chunk);

/* Copies a part into the set, in a free place or as an additional one. SC_ERR_TOO_LARGE over
 * SC_CONFIG_MAX_PADDED_BYTES in all, SC_ERR_CONFIG_PART over SC_CONFIG_MAX_RIVALS. */
SC_NODISCARD sc_status sc_part_set_hold(sc_part_set *set, const sc_env *env, size_t index, sc_bytes hash,
                                        sc_bytes chunk);

/* Removes the most recently added part, which is at this index. */
void sc_part_set_let_go(sc_part_set *set, const sc_env *env, size_t index);

/* Chooses one part for each index of a full set. With additional parts there are several choices, numbered
 * from 0; false if there are not that many. */
bool sc_part_set_choose(const sc_held_part *chosen[static SC_CONFIG_MAX_PARTS], const sc_part_set *set,
                        size_t choice);

#endif
