#include "record.h"

#include <assert.h>

#include "../base/bt_reader.h"
#include "../base/utf8.h"
#include "session-core/base/secret.h"
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

/* Merging written values with stored ones */

typedef struct merger {
  uint8_t *at; /* the next field goes here */
  bool changed;
} merger;

static void write_field(merger *m, const sc_config_write *write) {
  if (!write->erases)
    m->at = sc_encoded_put(sc_encoded_put(m->at, sc_config_string(write->key)), write->value);
}

/* True if a written value differs from the stored one. */
static bool differs(const sc_config_write *write, const sc_config_entry *old) {
  return write->erases ? old != NULL : !sc_config_entry_has(old, write->value);
}

static int order_of(const sc_config_entry *old, const sc_config_write *write) {
  if (old == NULL || write == NULL)
    return (old == NULL) - (write == NULL);
  return sc_encoded_compare(old->key, sc_config_string(write->key));
}

static void merge(merger *m, const sc_config_record *record) {
  sc_config_fields before;
  size_t next = 0;
  sc_config_record_before(&before, record);
  for (;;) {
    const sc_config_entry *old = sc_config_walk_at(&before.walk);
    const sc_config_write *write = next < record->count ? &record->writes[next] : NULL;
    int order = order_of(old, write);
    if (old == NULL && write == NULL)
      return;
    if (order < 0) {
      m->at = sc_config_entry_write(m->at, old);
    } else {
      m->changed = m->changed || differs(write, order == 0 ? old : NULL);
      write_field(m, write);
      next++;
    }
    if (order <= 0)
      sc_config_walk_next(&before.walk);
  }
}

bool sc_config_record_is_empty(const sc_config_record *record) {
  sc_config_fields before;
  const sc_config_entry *old;
  for (size_t i = 0; i < record->count; i++)
    if (!record->writes[i].erases)
      return false;
  size_t next = 0;
  sc_config_record_before(&before, record);
  for (; (old = sc_config_walk_at(&before.walk)) != NULL; sc_config_walk_next(&before.walk)) {
    while (next < record->count && order_of(old, &record->writes[next]) > 0)
      next++;
    if (next == record->count || order_of(old, &record->writes[next]) != 0)
      return false;
  }
  return true;
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

/* As many bytes as all fields take that there may be. */
static size_t most_bytes(const sc_config_record *record) {
  size_t size = record->exists ? sc_config_value_size(&record->before) : strlen("de");
  for (size_t i = 0; i < record->count; i++)
    if (!record->writes[i].erases)
      size +=
          sc_encoded_size(sc_config_string(record->writes[i].key)) + sc_encoded_size(record->writes[i].value);
  return size;
}

static sc_status put_record(const sc_config_record *record, sc_bytes encoded) {
  sc_config_entry entry;
  uint8_t *at;
  sc_bytes key = record->path.keys[record->path.count - 1];
  sc_status status = sc_config_make_entry(&entry, &at, env_of(record), sc_config_string(key), encoded.len);
  if (status != SC_OK)
    return status;
  memcpy(at, encoded.ptr, encoded.len);
  sc_config_change_put_last(record->change, record->path, &entry);
  sc_shared_drop(env_of(record), entry.owner);
  return SC_OK;
}

/* Encodes the record in `room`, which is enough, and puts it into the change if it has changed. */
static void encode_into(uint8_t *room, const sc_config_record *record) {
  sc_config_change *change = record->change;
  merger m = {.at = room};
  *m.at++ = 'd';
  merge(&m, record);
  *m.at++ = 'e';
  size_t len = (size_t)(m.at - room);
  if (m.changed && len == strlen("de"))
    sc_config_change_erase(change, record->path);
  else if (m.changed)
    sc_config_change_fail(change, put_record(record, sc_bytes_make(room, len)));
  sc_wipe(room, len);
}

static void encode(const sc_config_record *record) {
  uint8_t few[1024];
  size_t size = most_bytes(record);
  uint8_t *room = size <= sizeof few ? few : sc_allocate(env_of(record), size);
  if (room == NULL)
    sc_config_change_fail(record->change, SC_ERR_NO_MEMORY);
  else
    encode_into(room, record);
  if (room != few)
    sc_release(env_of(record), room);
}

void sc_config_record_end(sc_config_record *record) {
  if (record->change->status != SC_OK)
    return;
  if (is_all_data(record))
    write_each(record);
  else
    encode(record);
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
