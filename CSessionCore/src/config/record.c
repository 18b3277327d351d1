#include "record.h"

#include "../base/utf8.h"
#include "session-core/config/text.h"

static const sc_env *env_of(const sc_config_record *record) {
  return sc_config_env(record->change->config);
}

/* The tree of the record as it is in the change. */
static sc_status open_record(sc_config_node **out, const sc_config_record *record) {
  const sc_config_node *data = record->change->data;
  sc_config_place place;
  *out = NULL;
  if (record->path.count == 0) {
    *out = sc_config_tree_keep(record->change->data);
    return SC_OK;
  }
  sc_status status = sc_config_data_find(&place, env_of(record), data, record->path);
  bool exists = status == SC_OK && place.entry != NULL && sc_config_entry_kind(place.entry) == SC_CONFIG_DICT;
  return exists ? sc_config_tree_of(out, env_of(record), place.entry) : status;
}

void sc_config_record_begin(sc_config_record *out, sc_config_change *change, sc_config_path path) {
  *out = (sc_config_record){.change = change, .path = path};
  if (change->status == SC_OK)
    change->status = open_record(&out->before, out);
  out->fields = sc_config_tree_keep(out->before);
}

void sc_config_record_end(sc_config_record *record) {
  sc_config_change *change = record->change;
  if (change->status == SC_OK && record->fields != record->before)
    change->status = sc_config_data_put_dict(&change->data, env_of(record), record->path, record->fields);
  sc_config_tree_drop(env_of(record), record->fields);
  sc_config_tree_drop(env_of(record), record->before);
  record->fields = record->before = NULL;
}

static void put(sc_config_record *record, const char *key, sc_config_value value) {
  if (record->change->status == SC_OK)
    record->change->status =
        sc_config_put_scalar(&record->fields, env_of(record), sc_config_string(sc_bytes_text(key)), value);
}

void sc_config_write_nothing(sc_config_record *record, const char *key) {
  if (record->change->status == SC_OK)
    record->change->status =
        sc_config_tree_remove(&record->fields, env_of(record), sc_config_string(sc_bytes_text(key)));
}

void sc_config_write_integer(sc_config_record *record, const char *key, int64_t number) {
  put(record, key, sc_config_integer(number));
}

void sc_config_write_nonzero(sc_config_record *record, const char *key, int64_t number) {
  if (number != 0)
    put(record, key, sc_config_integer(number));
  else
    sc_config_write_nothing(record, key);
}

void sc_config_write_positive(sc_config_record *record, const char *key, int64_t number) {
  sc_config_write_nonzero(record, key, number > 0 ? number : 0);
}

void sc_config_write_flag(sc_config_record *record, const char *key, bool flag) {
  sc_config_write_nonzero(record, key, flag);
}

void sc_config_write_always(sc_config_record *record, const char *key, sc_bytes text) {
  put(record, key, sc_config_string(text));
}

void sc_config_write_string(sc_config_record *record, const char *key, sc_bytes text) {
  if (text.len > 0)
    sc_config_write_always(record, key, text);
  else
    sc_config_write_nothing(record, key);
}

void sc_config_write_picture(sc_config_record *record, const char *url_key, const char *key_key,
                             const sc_config_picture *picture) {
  static const sc_config_picture none;
  const sc_config_picture *written = sc_config_picture_is_set(picture) ? picture : &none;
  sc_config_write_string(record, url_key, written->url);
  sc_config_write_string(record, key_key, written->key);
}

static bool has_string(const sc_config_record *record, const char *key, sc_bytes text) {
  const sc_config_entry *entry = sc_config_tree_find(record->before, sc_config_string(sc_bytes_text(key)));
  return entry != NULL && sc_config_entry_kind(entry) == SC_CONFIG_STRING &&
         sc_bytes_same(sc_encoded_scalar(entry->value).string, text);
}

void sc_config_write_name(sc_config_record *record, const char *key, sc_bytes name) {
  if (sc_utf8_is_valid(name))
    sc_config_write_always(record, key, sc_config_cut(name, SC_CONFIG_MAX_NAME_BYTES));
  else if (!has_string(record, key, name))
    sc_config_change_fail(record->change, SC_ERR_UTF8);
}

void sc_config_write_checked_picture(sc_config_record *record, const char *url_key, const char *key_key,
                                     const sc_config_picture *picture) {
  if (!has_string(record, url_key, picture->url))
    sc_config_change_fail(record->change, sc_config_check_picture(picture));
  sc_config_write_picture(record, url_key, key_key, picture);
}

sc_status sc_config_check_text(sc_bytes text, size_t most, sc_status too_long) {
  if (!sc_utf8_is_valid(text))
    return SC_ERR_UTF8;
  return text.len > most ? too_long : SC_OK;
}

sc_status sc_config_check_name(sc_bytes name) {
  return sc_config_check_text(name, SC_CONFIG_MAX_NAME_BYTES, SC_ERR_CONFIG_NAME);
}

sc_status sc_config_check_picture(const sc_config_picture *picture) {
  return sc_config_check_text(picture->url, SC_CONFIG_MAX_PICTURE_URL_BYTES, SC_ERR_CONFIG_PICTURE);
}
