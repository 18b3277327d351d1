/* Sets of parts, for the config object and the files that implement them. */
#ifndef SC_SRC_CONFIG_MULTIPART_H
#define SC_SRC_CONFIG_MULTIPART_H

#include "envelope.h"
#include "part_set.h"
#include "session-core/config/multipart.h"

enum { sc_config_most_sets = SC_CONFIG_MAX_INCOMPLETE_SETS + SC_CONFIG_MAX_DONE_SETS };

struct sc_config_parts {
  const sc_env *env;
  /* Ordered by name, then by count; one more for a moment while inserting. A completed set is the only one
   * with its name. */
  sc_part_set *sets[sc_config_most_sets + 1];
  size_t set_count;
  sc_bytes *listed; /* the hashes of the set reported last, followed by their bytes */
};

/* Returns a copy, for tentative changes; the parts are shared. */
SC_NODISCARD sc_status sc_config_parts_fork(sc_config_parts **out, const sc_config_parts *parts);

/* Takes ownership of the set, and drops the oldest one of the same sort if there are too many. */
void sc_config_parts_insert(sc_config_parts *parts, sc_part_set *set);

/* Replaces `out` with the encrypted parts of a padded message. SC_ERR_ARGUMENT for a message of at most
 * SC_CONFIG_CHUNK_BYTES, SC_ERR_TOO_LARGE over SC_CONFIG_MAX_PADDED_BYTES; then as sc_config_encrypt. */
SC_NODISCARD sc_status sc_config_split(sc_config_stored *out, sc_bytes key, sc_bytes domain, sc_bytes padded);

/* Remembers a set as complete: for this device's own parts, which need not be read when they come back. */
SC_NODISCARD sc_status sc_config_parts_mark_done(sc_config_parts *parts, const uint8_t set[SC_AT_LEAST(32)],
                                                 uint64_t now_ms);

/* Drops expired sets; true if there were any. */
bool sc_config_parts_expire(sc_config_parts *parts, uint64_t now_ms);

/* Returns the next hash of a part of an incomplete set, which the swarm must keep; false at the end.
 * Borrowed until `parts` changes. */
bool sc_config_parts_next_hash(sc_bytes *out, sc_config_part_cursor *cursor, const sc_config_parts *parts,
                               uint64_t now_ms);

/* Returns the next part of an incomplete set that has not expired, additional parts last; false at the end.
 * Borrowed until `parts` changes. */
bool sc_config_parts_next(sc_config_held_part *out, sc_config_part_cursor *cursor,
                          const sc_config_parts *parts, uint64_t now_ms);

/* Restores a part from sc_config_parts_next, in the same order. Duplicates and parts of complete sets are
 * ignored; nothing is put together. SC_ERR_CONFIG_PART for an impossible part. */
SC_NODISCARD sc_status sc_config_parts_hold(sc_config_parts *parts, const sc_config_held_part *part);

/* Writes the state as one bt dict, without expired sets. */
void sc_config_parts_save(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms);

/* Writes only which sets are complete, for callers that store the parts elsewhere. */
void sc_config_parts_save_done(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms);

/* Reads a saved state as the reader's next value; the sets may be in any order. Impossible sets are left
 * out, and so are the oldest of too many. The bt statuses; SC_ERR_FORMAT for a missing value. */
SC_NODISCARD sc_status sc_config_parts_load(sc_config_parts **out, const sc_env *env, sc_bt_reader *reader);

#endif
