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

/* The fields of all data. */
void sc_config_fields_of_data(sc_config_fields *out, const sc_config_node *data);

/* The fields of a dict. */
void sc_config_fields_of_entry(sc_config_fields *out, const sc_config_entry *record);

/* The entry of a key, until the next call; NULL when there is none. */
const sc_config_entry *sc_config_fields_at(sc_config_fields *fields, const char *key);

/* 0 for none. */
int64_t sc_config_read_integer(sc_config_fields *fields, const char *key);
/* Less than 0 is 0. */
int64_t sc_config_read_positive(sc_config_fields *fields, const char *key);
/* One of 0…`most`; anything else is 0. */
int64_t sc_config_read_choice(sc_config_fields *fields, const char *key, int64_t most);
/* Any integer but 0. */
bool sc_config_read_flag(sc_config_fields *fields, const char *key);
/* Empty for none; sc_config_fields_at tells an empty text from none. */
sc_bytes sc_config_read_string(sc_config_fields *fields, const char *key);
/* Empty unless of this length. */
sc_bytes sc_config_read_fixed(sc_config_fields *fields, const char *key, size_t len);
/* The two keys of a picture: both are there, or there is none. */
sc_config_picture sc_config_read_picture(sc_config_fields *fields, const char *url_key, const char *key_key);
/* A set of the numbers 0…63, as one number; other members are ignored. */
uint64_t sc_config_read_bits(sc_config_fields *fields, const char *key);

/* The nearest number of `low`…`high`. */
int64_t sc_config_clamp(int64_t number, int64_t low, int64_t high);

#endif
