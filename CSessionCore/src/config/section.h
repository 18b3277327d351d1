/* A section of a config's data: records by 33-byte id. Other entries are skipped and kept. */
#ifndef SC_CONFIG_SECTION_H
#define SC_CONFIG_SECTION_H

#include "fields.h"
#include "session-core/crypto/id.h"

/* The path of a record in a section, valid as long as `id`. */
typedef struct sc_config_section_path {
  sc_bytes keys[2];
} sc_config_section_path;

static inline sc_config_path sc_config_record_path(sc_config_section_path *keys, const char *section,
                                                   const sc_id *id) {
  keys->keys[0] = sc_bytes_text(section);
  keys->keys[1] = SC_BYTES(id->bytes);
  return (sc_config_path){keys->keys, 2};
}

typedef struct sc_config_section {
  sc_config_walk walk;
  uint8_t prefix;
} sc_config_section;

/* Moves before the first record whose id has this prefix. The data must not be edited meanwhile. */
SC_NODISCARD sc_status sc_config_section_begin(sc_config_section *out, const sc_env *env,
                                               const sc_config_node *data, const char *section,
                                               sc_id_kind kind);

/* The same, before the first id greater than `after`; before all if that is NULL. */
SC_NODISCARD sc_status sc_config_section_begin_after(sc_config_section *out, const sc_env *env,
                                                     const sc_config_node *data, const char *section,
                                                     sc_id_kind kind, const sc_id *after);

/* Returns the next record in ascending order of ids; false at the end. */
bool sc_config_section_next(sc_id *id, sc_config_fields *fields, sc_config_section *section);

/* Counts the entries of a section, readable or not. */
SC_NODISCARD sc_status sc_config_section_size(size_t *out, const sc_env *env, const sc_config_node *data,
                                              sc_config_path section);

#endif
