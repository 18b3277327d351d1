#include "record.h"

#include <assert.h>

#include "../base/bt_reader.h"
#include "../base/utf8.h"
#include "session-core/config/text.h"

static const sc_env *env_of(const sc_config_record *record) {
  return sc_config_env(record->change->config);
}

static bool is_all_data(const sc_config_record *record) {
  return record->path.count == 0;
}

static void find_before(sc_config_record *record) {
  sc_config_place place;
  sc_config_change *change = record->change;
  change->status = sc_config_data_find(&place, env_of(record), change->data, record->path);
  record->exists =
      change->status == SC_OK && place.entry != NULL && sc_config_entry_kind(place.entry) == SC_CONFIG_DICT;
  if (record->exists)
    record->before = *place.entry;
}

void sc_config_record_begin(sc_config_record *out, sc_config_change *change, sc_config_path path) {
  out->change = change;
  out->path = path;
  out->exists = false;
  out->count = 0;
  sc_config_change_settle(change);
  if (change->status == SC_OK && !is_all_data(out))
    find_before(out);
}

void sc_config_record_before(sc_config_fields *out, const sc_config_record *record) {
  if (is_all_data(record))
    sc_config_fields_of_data(out, record->change->data);
  else
    sc_config_fields_of_entry(out, record->exists ? &record->before : NULL);
}

/* Merging what is written with what was there */

typedef struct merger {
  uint8_t *at; /* where the fields go; NULL to find out how many bytes they take */
  size_t size;
  bool changed;
} merger;

static void keep_field(merger *m, const sc_config_entry *old) {
  m->size += sc_config_entry_size(old);
  if (m->at != NULL)
    m->at = sc_config_entry_write(m->at, old);
}

static void write_field(merger *m, const sc_config_write *write) {
  if (write->erases)
    return;
  sc_config_value key = sc_config_string(write->key);
  m->size += sc_encoded_size(key) + sc_encoded_size(write->value);
  if (m->at != NULL)
    m->at = sc_encoded_put(sc_encoded_put(m->at, key), write->value);
}

/* Whether what is written differs from what was there, if anything was. */
static bool differs(const sc_config_write *write, const sc_config_entry *old) {
  return write->erases ? old != NULL : !sc_config_entry_has(old, write->value);
}

static int order_of(const sc_config_entry *old, const sc_config_write *write) {
  if (old == NULL || write == NULL)
    return (old == NULL) - (write == NULL);
  return sc_encoded_compare(old->key, sc_config_string(write->key));
}

static merger merge(const sc_config_record *record, uint8_t *at) {
  merger m = {.at = at};
  sc_config_fields before;
  size_t next = 0;
  sc_config_record_before(&before, record);
  for (;;) {
    const sc_config_entry *old = sc_config_walk_at(&before.walk);
    const sc_config_write *write = next < record->count ? &record->writes[next] : NULL;
    int order = order_of(old, write);
    if (old == NULL && write == NULL)
      return m;
    if (order < 0) {
      keep_field(&m, old);
    } else {
      m.changed = m.changed || differs(write, order == 0 ? old : NULL);
      write_field(&m, write);
      next++;
    }
    if (order <= 0)
      sc_config_walk_next(&before.walk);
  }
}

bool sc_config_record_is_empty(const sc_config_record *record) {
  return merge(record, NULL).size == 0;
}

/* Ending */

static void write_each(const sc_config_record *record) {
  for (size_t i = 0; i < record->count; i++) {
    const sc_config_write *write = &record->writes[i];
    if (write->erases)
      sc_config_change_erase(record->change, (sc_config_path){&write->key, 1});
    else
      sc_config_change_set(record->change, (sc_config_path){&write->key, 1}, write->value);
  }
}

static sc_status put_record(const sc_config_record *record, size_t size) {
  sc_config_entry entry;
  uint8_t *at;
  sc_bytes key = record->path.keys[record->path.count - 1];
  sc_status status = sc_config_make_entry(&entry, &at, env_of(record), sc_config_string(key), size + 2);
  if (status != SC_OK)
    return status;
  *at = 'd';
  *merge(record, at + 1).at = 'e';
  sc_config_change_put_last(record->change, record->path, &entry);
  sc_shared_drop(env_of(record), entry.owner);
  return SC_OK;
}

void sc_config_record_end(sc_config_record *record) {
  sc_config_change *change = record->change;
  if (change->status != SC_OK)
    return;
  if (is_all_data(record)) {
    write_each(record);
    return;
  }
  merger merged = merge(record, NULL);
  if (merged.changed && merged.size == 0)
    sc_config_change_erase(change, record->path);
  else if (merged.changed)
    sc_config_change_fail(change, put_record(record, merged.size));
}

/* Writing */

/* A later write of the same field replaces an earlier one. */
static void add(sc_config_record *record, const char *key, sc_config_write write) {
  write.key = sc_bytes_text(key);
  size_t at = record->count;
  while (at > 0 && sc_bt_compare_keys(record->writes[at - 1].key, write.key) >= 0)
    at--;
  if (at == record->count || !sc_bytes_same(record->writes[at].key, write.key)) {
    assert(record->count < sc_config_most_writes);
    memmove(&record->writes[at + 1], &record->writes[at], (record->count - at) * sizeof write);
    record->count++;
  }
  record->writes[at] = write;
}

static void put(sc_config_record *record, const char *key, sc_config_value value) {
  add(record, key, (sc_config_write){.value = value});
}

void sc_config_write_nothing(sc_config_record *record, const char *key) {
  add(record, key, (sc_config_write){.erases = true});
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
  sc_config_fields before;
  sc_config_record_before(&before, record);
  return sc_config_entry_has(sc_config_fields_at(&before, key), sc_config_string(text));
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
