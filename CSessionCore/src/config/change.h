/* An atomic edit of a config. A change holds the edited data and the original, which share unchanged nodes.
 * A single edit is postponed to the end and made in place, so that no copy is needed. Edits after a failure
 * do nothing, and sc_config_change_end returns the failure. Do not use the config otherwise between begin and
 * end.
 *
 *   sc_config_change change;
 *   sc_config_change_begin(&change, config);
 *   sc_config_change_set(&change, path, value);
 *   …
 *   return sc_config_change_end(&change);
 */
#ifndef SC_CONFIG_CHANGE_H
#define SC_CONFIG_CHANGE_H

#include "data.h"
#include "message.h"
#include "object.h"

/* A record whose edit waits has no longer path. */
enum { sc_config_most_record_keys = 4 };

typedef struct sc_config_change {
  sc_config *config;
  sc_config_node *data; /* as changed so far, but for what waits */
  sc_status status;
  sc_config_entry waiting; /* of no owner when nothing waits */
  sc_bytes waiting_keys[sc_config_most_record_keys];
  size_t waiting_key_count;
} sc_config_change;

void sc_config_change_begin(sc_config_change *out, sc_config *config);

/* As sc_config_message_set and its like: dicts on the way are made as needed, what becomes empty is gone. */
void sc_config_change_set(sc_config_change *change, sc_config_path path, sc_config_value value);
void sc_config_change_erase(sc_config_change *change, sc_config_path path);
void sc_config_change_add(sc_config_change *change, sc_config_path path, sc_config_value member);
void sc_config_change_remove(sc_config_change *change, sc_config_path path, sc_config_value member);

/* Puts an entry, which is not taken over: sc_config_data_put_entry. It waits, so that it is made in place
 * when no other edit comes. The path's keys are borrowed until the end. */
void sc_config_change_put_last(sc_config_change *change, sc_config_path path, const sc_config_entry *entry);

/* Makes the edit that waits, so that `data` may be looked into. */
void sc_config_change_settle(sc_config_change *change);

/* Puts the numbers of the bits in `on` into the set at the end of the path and takes those in `off` out of
 * it; its other members stay. */
void sc_config_change_bits(sc_config_change *change, sc_config_path path, uint64_t on, uint64_t off);

/* Makes the change fail, for what the caller finds wrong, unless it has failed before or `status` is SC_OK.
 */
void sc_config_change_fail(sc_config_change *change, sc_status status);

/* Takes the change into the config, which is then dirty, unless the data is the same as before: then nothing
 * has happened. Or gives it up, and tells why: SC_ERR_CONFIG_READ_ONLY, or the first failure. */
SC_NODISCARD sc_status sc_config_change_end(sc_config_change *change);

#endif
