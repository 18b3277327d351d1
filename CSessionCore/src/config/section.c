#include "section.h"

#include "data.h"

/* The section's dict goes to `place`, if there is one. */
static sc_status find_section(sc_config_place *place, const sc_env *env, const sc_config_node *data,
                              sc_config_path section) {
  sc_status status = sc_config_data_find(place, env, data, section);
  if (status == SC_OK && place->entry != NULL && sc_config_entry_kind(place->entry) != SC_CONFIG_DICT)
    place->entry = NULL;
  return status;
}

sc_status sc_config_section_begin_after(sc_config_section *out, const sc_env *env, const sc_config_node *data,
                                        const char *section, sc_id_kind kind, const sc_id *after) {
  sc_bytes key = sc_bytes_text(section);
  sc_config_place place;
  out->prefix = (uint8_t)kind;
  sc_status status = find_section(&place, env, data, (sc_config_path){&key, 1});
  if (status != SC_OK)
    return status;
  /* An index pays off only for part of a section. */
  if (after != NULL && place.entry != NULL && place.entry->tree == NULL) {
    sc_config_node *tree;
    status = sc_config_tree_of(&tree, env, place.entry);
    if (status != SC_OK)
      return status;
    sc_config_tree_drop(env, tree);
  }
  sc_config_walk_entry(&out->walk, place.entry);
  if (after != NULL)
    sc_config_walk_past(&out->walk, sc_config_string(SC_BYTES(after->bytes)));
  return SC_OK;
}

sc_status sc_config_section_begin(sc_config_section *out, const sc_env *env, const sc_config_node *data,
                                  const char *section, sc_id_kind kind) {
  return sc_config_section_begin_after(out, env, data, section, kind, NULL);
}

/* True if the entry is a record of the section, whose id then goes to `id`. */
static bool is_record(sc_id *id, const sc_config_section *section, const sc_config_entry *entry) {
  sc_bytes key = sc_encoded_scalar(entry->key).string;
  if (key.len != SC_ID_BYTES || key.ptr[0] != section->prefix ||
      sc_config_entry_kind(entry) != SC_CONFIG_DICT)
    return false;
  memcpy(id->bytes, key.ptr, sizeof id->bytes);
  return true;
}

bool sc_config_section_next(sc_id *id, sc_config_fields *fields, sc_config_section *section) {
  const sc_config_entry *entry;
  while ((entry = sc_config_walk_at(&section->walk)) != NULL) {
    bool found = is_record(id, section, entry);
    if (found)
      sc_config_fields_of_entry(fields, entry);
    sc_config_walk_next(&section->walk);
    if (found)
      return true;
  }
  return false;
}

sc_status sc_config_section_size(size_t *out, const sc_env *env, const sc_config_node *data,
                                 sc_config_path section) {
  sc_config_place place;
  sc_config_walk walk;
  sc_status status = find_section(&place, env, data, section);
  if (status != SC_OK)
    return status;
  size_t count = 0;
  sc_config_walk_entry(&walk, place.entry);
  for (; sc_config_walk_at(&walk) != NULL; count++)
    sc_config_walk_next(&walk);
  *out = count;
  return SC_OK;
}
