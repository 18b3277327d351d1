/* Savepoints: several edits or merges of configs that must take effect together or not at all.
 *
 *   sc_config_savepoint_new -> edits, and dependent changes -> on failure: roll back
 *
 * A savepoint shares the data of its config and is cheap. The caller that created it frees it before the
 * config's environment ends. It belongs to the thread of the config. */
#ifndef SC_CONFIG_SAVEPOINT_H
#define SC_CONFIG_SAVEPOINT_H

#include "../base/api.h"
#include "object.h"

SC_API_BEGIN

typedef struct sc_config_savepoint sc_config_savepoint;

/* Saves the whole config: data and state, keys and signer, hashes and parts, extra data of its kind, and
 * whether it needs a dump. */
SC_API SC_NODISCARD sc_status sc_config_savepoint_new(sc_config_savepoint **out, const sc_config *config);

/* NULL is allowed. */
SC_API void sc_config_savepoint_free(sc_config_savepoint *savepoint);

/* Restores the saved state of the config and drops all later changes. Values borrowed from the config become
 * invalid. Afterwards the savepoint can only be freed. */
SC_API void sc_config_savepoint_roll_back(sc_config_savepoint *savepoint, sc_config *config);

SC_API_END

#endif
