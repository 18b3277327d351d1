#include "field_table.h"

#include <assert.h>

#include "../base/utf8.h"
#include "session-core/config/text.h"

_Static_assert(sizeof(sc_config_notify) == sizeof(uint32_t) && sizeof(sc_config_expiry) == sizeof(uint32_t),
               "how choices are read and written");

static sc_config_choice read_answer(sc_config_fields *fields, const char *key) {
  const sc_config_entry *entry = sc_config_fields_at(fields, key);
  if (entry == NULL || sc_config_entry_kind(entry) != SC_CONFIG_INTEGER)
    return SC_CONFIG_UNDECIDED;
  return sc_encoded_scalar(entry->value).integer == 0 ? SC_CONFIG_NO : SC_CONFIG_YES;
}

static void read_row(uint8_t *out, const sc_field_row *row, sc_config_fields *fields) {
  void *member = out + row->offset;
  switch (row->form) {
  case SC_FIELD_FLAG:
    *(bool *)member = sc_config_read_flag(fields, row->key);
    return;
  case SC_FIELD_NUMBER:
    *(int32_t *)member =
        (int32_t)sc_config_clamp(sc_config_read_integer(fields, row->key), INT32_MIN, INT32_MAX);
    return;
  case SC_FIELD_AMOUNT:
    *(int32_t *)member = (int32_t)sc_config_clamp(sc_config_read_integer(fields, row->key), 0, INT32_MAX);
    return;
  case SC_FIELD_CHOICE:
    *(uint32_t *)member = (uint32_t)sc_config_read_choice(fields, row->key, row->limit);
    return;
  case SC_FIELD_ANSWER:
    *(sc_config_choice *)member = read_answer(fields, row->key);
    return;
  case SC_FIELD_INTEGER:
    *(int64_t *)member = sc_config_read_integer(fields, row->key);
    return;
  case SC_FIELD_SECONDS:
    *(int64_t *)member = sc_config_seconds(sc_config_read_positive(fields, row->key));
    return;
  case SC_FIELD_POSITIVE:
    *(int64_t *)member = sc_config_read_positive(fields, row->key);
    return;
  case SC_FIELD_TIME:
    *(int64_t *)member = sc_config_clamp(sc_config_read_integer(fields, row->key), 0, SC_CONFIG_MAX_SECONDS);
    return;
  case SC_FIELD_TEXT:
    *(sc_bytes *)member = sc_config_read_string(fields, row->key);
    return;
  case SC_FIELD_FIXED:
    *(sc_bytes *)member = sc_config_read_fixed(fields, row->key, (size_t)row->limit);
    return;
  case SC_FIELD_PICTURE:
    *(sc_config_picture *)member = sc_config_read_picture(fields, row->key, row->second);
    return;
  case SC_FIELD_BITS:
    *(uint64_t *)member = sc_config_read_bits(fields, row->key);
    return;
  }
}

void sc_field_table_read(void *out, sc_field_table table, sc_config_fields *fields) {
  for (size_t i = 0; i < table.count; i++) {
    assert(i == 0 || strcmp(table.rows[i - 1].key, table.rows[i].key) < 0);
    read_row(out, &table.rows[i], fields);
  }
}

static bool is_stored(const sc_config_record *record, const char *key, sc_bytes text) {
  sc_config_fields before;
  sc_config_record_before(&before, record);
  return sc_config_entry_has(sc_config_fields_at(&before, key), sc_config_string(text));
}

static void write_bytes(sc_config_record *record, const sc_field_row *row, sc_bytes bytes) {
  if (row->is_kept_empty)
    sc_config_write_always(record, row->key, bytes);
  else
    sc_config_write_string(record, row->key, bytes);
}

static void write_text(sc_config_record *record, const sc_field_row *row, sc_bytes text) {
  size_t most = row->limit == 0 ? SC_CONFIG_MAX_NAME_BYTES : (size_t)row->limit;
  sc_status status = sc_config_check_text(text, row->too_long == SC_OK ? SIZE_MAX : most, row->too_long);
  if (status != SC_OK && !is_stored(record, row->key, text))
    sc_config_change_fail(record->change, status);
  write_bytes(record, row, row->too_long == SC_OK ? sc_utf8_first_bytes(text, most) : text);
}

static void write_picture(sc_config_record *record, const sc_field_row *row,
                          const sc_config_picture *picture) {
  if (!is_stored(record, row->key, picture->url))
    sc_config_change_fail(record->change, sc_config_check_picture(picture));
  sc_config_write_picture(record, row->key, row->second, picture);
}

static void write_answer(sc_config_record *record, const sc_field_row *row, sc_config_choice choice) {
  if (choice == SC_CONFIG_NO || choice == SC_CONFIG_YES) {
    sc_config_write_integer(record, row->key, choice == SC_CONFIG_YES);
    return;
  }
  if (choice != SC_CONFIG_UNDECIDED)
    sc_config_change_fail(record->change, SC_ERR_ARGUMENT);
  sc_config_write_nothing(record, row->key);
}

static void write_choice(sc_config_record *record, const sc_field_row *row, uint32_t choice) {
  if (choice > row->limit)
    sc_config_change_fail(record->change, SC_ERR_ARGUMENT);
  sc_config_write_positive(record, row->key, choice);
}

static void write_row(sc_config_record *record, const sc_field_row *row, const void *member) {
  switch (row->form) {
  case SC_FIELD_FLAG:
    sc_config_write_flag(record, row->key, *(const bool *)member);
    return;
  case SC_FIELD_NUMBER:
    sc_config_write_nonzero(record, row->key, *(const int32_t *)member);
    return;
  case SC_FIELD_AMOUNT:
    sc_config_write_positive(record, row->key, *(const int32_t *)member);
    return;
  case SC_FIELD_CHOICE:
    write_choice(record, row, *(const uint32_t *)member);
    return;
  case SC_FIELD_ANSWER:
    write_answer(record, row, *(const sc_config_choice *)member);
    return;
  case SC_FIELD_INTEGER:
    sc_config_write_nonzero(record, row->key, *(const int64_t *)member);
    return;
  case SC_FIELD_SECONDS:
    sc_config_write_positive(record, row->key, sc_config_seconds(*(const int64_t *)member));
    return;
  case SC_FIELD_POSITIVE:
    sc_config_write_positive(record, row->key, *(const int64_t *)member);
    return;
  case SC_FIELD_TIME:
    sc_config_write_positive(record, row->key,
                             sc_config_clamp(*(const int64_t *)member, 0, SC_CONFIG_MAX_SECONDS));
    return;
  case SC_FIELD_TEXT:
    write_text(record, row, *(const sc_bytes *)member);
    return;
  case SC_FIELD_FIXED: {
    sc_bytes bytes = *(const sc_bytes *)member;
    write_bytes(record, row, bytes.len == (size_t)row->limit ? bytes : sc_bytes_make(NULL, 0));
    return;
  }
  case SC_FIELD_PICTURE:
    write_picture(record, row, member);
    return;
  case SC_FIELD_BITS:
    return;
  }
}

void sc_field_table_write(sc_config_record *record, sc_field_table table, const void *value) {
  for (size_t i = 0; i < table.count; i++) {
    if (!table.rows[i].is_read_only)
      write_row(record, &table.rows[i], (const uint8_t *)value + table.rows[i].offset);
  }
}

void sc_field_table_write_one(sc_config_record *record, sc_field_table table, const char *key,
                              const void *member) {
  size_t i = 0;
  while (strcmp(table.rows[i].key, key) != 0)
    i++;
  write_row(record, &table.rows[i], member);
}
