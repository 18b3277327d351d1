/* Sets of hashes, for the config object. */
#ifndef SC_SRC_CONFIG_HASHES_H
#define SC_SRC_CONFIG_HASHES_H

#include "session-core/config/hashes.h"

bool sc_config_is_hash(sc_bytes hash);

/* Reserves memory for `extra` more hashes, so that moving them in cannot fail. */
SC_NODISCARD sc_status sc_config_hashes_reserve(sc_config_hashes *hashes, size_t extra);

/* Moves all hashes of `from` into `to`, which must have room for them; hashes beyond the limit are dropped.
 * `from` is then empty. */
void sc_config_hashes_move(sc_config_hashes *to, sc_config_hashes *from);

/* Replaces `out` with a copy. */
SC_NODISCARD sc_status sc_config_hashes_copy(sc_config_hashes *out, const sc_config_hashes *from);

/* Removes a hash, if present. */
void sc_config_hashes_remove(sc_config_hashes *hashes, sc_bytes hash);

/* Removes all hashes that are in `others`. */
void sc_config_hashes_subtract(sc_config_hashes *hashes, const sc_config_hashes *others);

bool sc_config_hashes_same(const sc_config_hashes *a, const sc_config_hashes *b);

/* Removes all hashes. */
void sc_config_hashes_clear(sc_config_hashes *hashes);

/* Adds a copy, unless present. SC_ERR_ARGUMENT for the length of the hash, SC_ERR_TOO_LARGE for one more than
 * SC_CONFIG_MAX_HASHES. */
SC_NODISCARD sc_status sc_config_hashes_add(sc_config_hashes *hashes, sc_bytes hash);
bool sc_config_hashes_contain(const sc_config_hashes *hashes, sc_bytes hash);

#endif
