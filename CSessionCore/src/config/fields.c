#include "fields.h"

#include "data.h"

sc_status sc_config_fields_find(sc_config_fields *out, const sc_env *env, const sc_config_node *data,
                                sc_config_path path) {
  if (path.count == 0) {
    sc_config_fields_of_data(out, data);
    return SC_OK;
  }
  sc_config_place place;
  sc_status status = sc_config_data_find(&place, env, data, path);
  if (status == SC_OK && (place.entry == NULL || sc_config_entry_kind(place.entry) != SC_CONFIG_DICT))
    status = SC_ERR_NOT_FOUND;
  if (status == SC_OK)
    sc_config_fields_of_entry(out, place.entry);
  return status;
}

void sc_config_fields_of_data(sc_config_fields *out, const sc_config_node *data) {
  sc_config_walk_tree(&out->walk, data);
}

void sc_config_fields_of_entry(sc_config_fields *out, const sc_config_entry *record) {
  sc_config_walk_entry(&out->walk, record);
}

const sc_config_entry *sc_config_fields_at(sc_config_fields *fields, const char *key) {
  return sc_config_walk_to(&fields->walk, sc_config_string(sc_bytes_text(key)));
}

/* The entry of a key if its value is of this kind. */
static const sc_config_entry *entry_of_kind(sc_config_fields *fields, const char *key, sc_config_kind kind) {
  const sc_config_entry *entry = sc_config_fields_at(fields, key);
  return entry != NULL && sc_config_entry_kind(entry) == kind ? entry : NULL;
}

int64_t sc_config_read_integer(sc_config_fields *fields, const char *key) {
  const sc_config_entry *entry = entry_of_kind(fields, key, SC_CONFIG_INTEGER);
  return entry == NULL ? 0 : sc_encoded_scalar(entry->value).integer;
}

int64_t sc_config_read_positive(sc_config_fields *fields, const char *key) {
  return sc_config_clamp(sc_config_read_integer(fields, key), 0, INT64_MAX);
}

int64_t sc_config_read_choice(sc_config_fields *fields, const char *key, int64_t most) {
  int64_t number = sc_config_read_integer(fields, key);
  return number >= 0 && number <= most ? number : 0;
}

bool sc_config_read_flag(sc_config_fields *fields, const char *key) {
  return sc_config_read_integer(fields, key) != 0;
}

sc_bytes sc_config_read_string(sc_config_fields *fields, const char *key) {
  const sc_config_entry *entry = entry_of_kind(fields, key, SC_CONFIG_STRING);
  return entry == NULL ? sc_bytes_make(NULL, 0) : sc_encoded_scalar(entry->value).string;
}

sc_bytes sc_config_read_fixed(sc_config_fields *fields, const char *key, size_t len) {
  sc_bytes string = sc_config_read_string(fields, key);
  return string.len == len ? string : sc_bytes_make(NULL, 0);
}

sc_config_picture sc_config_read_picture(sc_config_fields *fields, const char *url_key, const char *key_key) {
  sc_config_picture picture;
  picture.url = sc_config_read_string(fields, url_key);
  picture.key = sc_config_read_fixed(fields, key_key, SC_CONFIG_PICTURE_KEY_BYTES);
  return sc_config_picture_is_set(&picture) ? picture : (sc_config_picture){0};
}

uint64_t sc_config_read_bits(sc_config_fields *fields, const char *key) {
  enum { highest = 63 };
  sc_config_walk members;
  const sc_config_entry *member;
  uint64_t bits = 0;
  sc_config_walk_entry(&members, entry_of_kind(fields, key, SC_CONFIG_SET));
  while ((member = sc_config_walk_at(&members)) != NULL) {
    sc_config_value bit = sc_encoded_scalar(member->key);
    if (bit.kind == SC_CONFIG_INTEGER && bit.integer >= 0 && bit.integer <= highest)
      bits |= (uint64_t)1 << bit.integer;
    sc_config_walk_next(&members);
  }
  return bits;
}

int64_t sc_config_clamp(int64_t number, int64_t low, int64_t high) {
  if (number < low)
    return low;
  return number > high ? high : number;
}
