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

/* The longest path of a record whose edit can be postponed. */
enum { sc_config_most_record_keys = 4 };

typedef struct sc_config_change {
  sc_config *config;
  sc_config_node *data; /* as edited so far, without the postponed edit */
  sc_status status;
  sc_config_entry waiting; /* the postponed edit; without an owner if there is none */
  sc_bytes waiting_keys[sc_config_most_record_keys];
  size_t waiting_key_count;
} sc_config_change;

void sc_config_change_begin(sc_config_change *out, sc_config *config);

/* Like the edits of a message (sc_config_message_set): missing dicts are created, empty containers are
 * removed. */
void sc_config_change_set(sc_config_change *change, sc_config_path path, sc_config_value value);
void sc_config_change_erase(sc_config_change *change, sc_config_path path);
void sc_config_change_add(sc_config_change *change, sc_config_path path, sc_config_value member);
void sc_config_change_remove(sc_config_change *change, sc_config_path path, sc_config_value member);

/* Puts an entry, which the caller still owns, as sc_config_data_put_entry does. The edit is postponed so that
 * it can be made in place if no other edit follows. The path's keys are borrowed until the end. */
void sc_config_change_put_last(sc_config_change *change, sc_config_path path, const sc_config_entry *entry);

/* Makes the postponed edit, so that `data` can be read. */
void sc_config_change_settle(sc_config_change *change);

/* Adds the numbers of the bits in `on` to the set at the end of the path and removes those in `off`; other
 * members stay. */
void sc_config_change_bits(sc_config_change *change, sc_config_path path, uint64_t on, uint64_t off);

/* Makes the change fail with the caller's status, unless it has already failed or `status` is SC_OK. */
void sc_config_change_fail(sc_config_change *change, sc_status status);

/* Applies the change to the config, which becomes dirty if the data differs. Otherwise discards it and
 * returns the reason: SC_ERR_CONFIG_READ_ONLY or the first failure. */
SC_NODISCARD sc_status sc_config_change_end(sc_config_change *change);

#endif
