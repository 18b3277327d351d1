/* Reading the fields of a record, a dict whose keys are single letters. The walk goes through the record
 * once: read fields in ascending order of their keys. Nothing is copied; values are borrowed until the
 * config is edited, merged or freed. A value of the wrong kind counts as missing. */
#ifndef SC_CONFIG_FIELDS_H
#define SC_CONFIG_FIELDS_H

#include "session-core/config/object.h"
#include "session-core/config/text.h"
#include "session-core/config/values.h"
#include "walk.h"

typedef struct sc_config_fields {
  sc_config_walk walk;
} sc_config_fields;

/* Finds the fields of the record at the end of a path, or of all data for an empty path. SC_ERR_NOT_FOUND if
 * there is no dict. */
SC_NODISCARD sc_status sc_config_fields_find(sc_config_fields *out, const sc_env *env,
                                             const sc_config_node *data, sc_config_path path);

/* Returns the fields of all data. */
void sc_config_fields_of_data(sc_config_fields *out, const sc_config_node *data);

/* Returns the fields of a dict. */
void sc_config_fields_of_entry(sc_config_fields *out, const sc_config_entry *record);

/* Returns the entry of a key, valid until the next call; NULL if there is none. */
const sc_config_entry *sc_config_fields_at(sc_config_fields *fields, const char *key);

/* Returns 0 if absent. */
int64_t sc_config_read_integer(sc_config_fields *fields, const char *key);
/* Returns 0 if absent or negative. */
int64_t sc_config_read_positive(sc_config_fields *fields, const char *key);
/* Returns a number of 0…`most`; 0 for anything else. */
int64_t sc_config_read_choice(sc_config_fields *fields, const char *key, int64_t most);
/* True for any integer but 0. */
bool sc_config_read_flag(sc_config_fields *fields, const char *key);
/* Returns an empty text if absent; sc_config_fields_at distinguishes an empty text from an absent one. */
sc_bytes sc_config_read_string(sc_config_fields *fields, const char *key);
/* Returns the bytes if they have this length, otherwise none. */
sc_bytes sc_config_read_fixed(sc_config_fields *fields, const char *key, size_t len);
/* Reads the two fields of a picture; both are needed. */
sc_config_picture sc_config_read_picture(sc_config_fields *fields, const char *url_key, const char *key_key);
/* Reads a set of the numbers 0…63 as bits; other members are ignored. */
uint64_t sc_config_read_bits(sc_config_fields *fields, const char *key);

/* Returns the nearest number in `low`…`high`. */
int64_t sc_config_clamp(int64_t number, int64_t low, int64_t high);

#endif
