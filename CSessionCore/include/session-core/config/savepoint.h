/* Savepoints: several edits of configs, or merges, that are to happen all or not at all.
 *
 *   sc_config_savepoint_new -> edits, and whatever hangs on them -> all went well ? nothing : roll back
 *
 * A savepoint shares the data of its config and is cheap. The caller that created it frees it, before the
 * config's environment goes. It belongs to the thread of the config. */
#ifndef SC_CONFIG_SAVEPOINT_H
#define SC_CONFIG_SAVEPOINT_H

#include "../base/api.h"
#include "object.h"

SC_API_BEGIN

typedef struct sc_config_savepoint sc_config_savepoint;

/* Saves the whole config: data and state, keys and signer, hashes and parts, the extra data of its kind, and
 * whether it needs a dump. */
SC_API SC_NODISCARD sc_status sc_config_savepoint_new(sc_config_savepoint **out, const sc_config *config);

/* NULL is allowed. */
SC_API void sc_config_savepoint_free(sc_config_savepoint *savepoint);

/* Makes the config what it was, whatever has been done with it since. What was borrowed from it is gone.
 * Afterwards the savepoint is good for nothing but to be freed. */
SC_API void sc_config_savepoint_roll_back(sc_config_savepoint *savepoint, sc_config *config);

SC_API_END

#endif
