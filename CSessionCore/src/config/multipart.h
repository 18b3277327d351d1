/* Sets of parts from the side of the config object, and of the files that hold them. */
#ifndef SC_SRC_CONFIG_MULTIPART_H
#define SC_SRC_CONFIG_MULTIPART_H

#include "envelope.h"
#include "part_set.h"
#include "session-core/config/multipart.h"

enum { sc_config_most_sets = SC_CONFIG_MAX_INCOMPLETE_SETS + SC_CONFIG_MAX_DONE_SETS };

struct sc_config_parts {
  const sc_env *env;
  /* In the order of their names and then of their counts; one is too many for a moment. One that is done is
   * the only one of its name. */
  sc_part_set *sets[sc_config_most_sets + 1];
  size_t set_count;
  sc_bytes *listed; /* the hashes of a set that was told last, and behind them their bytes */
};

/* The same sets again, to try something out: the parts are shared. */
SC_NODISCARD sc_status sc_config_parts_fork(sc_config_parts **out, const sc_config_parts *parts);

/* Takes the set over, and drops the oldest one of its sort when there are too many. */
void sc_config_parts_insert(sc_config_parts *parts, sc_part_set *set);

/* Replaces `out` with the parts of a padded message, encrypted. SC_ERR_ARGUMENT for a message of no more than
 * SC_CONFIG_CHUNK_BYTES, SC_ERR_TOO_LARGE over SC_CONFIG_MAX_PADDED_BYTES; then as sc_config_encrypt. */
SC_NODISCARD sc_status sc_config_split(sc_config_stored *out, sc_bytes key, sc_bytes domain, sc_bytes padded);

/* Remembers a set as done: call it for what was stored in parts, which needs not be read when it comes back.
 */
SC_NODISCARD sc_status sc_config_parts_mark_done(sc_config_parts *parts, const uint8_t set[SC_AT_LEAST(32)],
                                                 uint64_t now_ms);

/* Drops sets whose time is over; whether there were any. */
bool sc_config_parts_expire(sc_config_parts *parts, uint64_t now_ms);

/* The next hash of a part that waits for others, which the swarm has to keep; false at the end. It lives
 * until `parts` changes. */
bool sc_config_parts_next_hash(sc_bytes *out, sc_config_part_cursor *cursor, const sc_config_parts *parts,
                               uint64_t now_ms);

/* The next part of a set whose time is not over, rivals behind the others of their set; false at the end. It
 * lives until `parts` changes. */
bool sc_config_parts_next(sc_config_held_part *out, sc_config_part_cursor *cursor,
                          const sc_config_parts *parts, uint64_t now_ms);

/* Puts back what sc_config_parts_next gave, in its order; one that is here already, or whose set is done, is
 * passed over. Nothing is put together. SC_ERR_CONFIG_PART for what cannot have been given. */
SC_NODISCARD sc_status sc_config_parts_hold(sc_config_parts *parts, const sc_config_held_part *part);

/* Writes the state, without sets whose time is over, as one bt dict. */
void sc_config_parts_save(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms);

/* The same, but only which sets are done: for those who keep the parts that are held elsewhere. */
void sc_config_parts_save_done(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms);

/* Reads what was saved as the reader's next value; the sets may be in any order. A set that cannot have been
 * made here is left out, and so are the oldest of too many. The bt statuses; SC_ERR_FORMAT when something is
 * missing. */
SC_NODISCARD sc_status sc_config_parts_load(sc_config_parts **out, const sc_env *env, sc_bt_reader *reader);

#endif
