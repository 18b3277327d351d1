/* The file of strikes: a count, and for each node its key, how many, and their times in seconds since 1970;
 * numbers begin with their lowest byte. */
#include "strikes.h"

enum { second = 1000 /* milliseconds in one */ };

/* False when the file ends before. */
static bool take_number(uint64_t *out, sc_bytes *file, size_t len) {
  if (file->len < len)
    return false;
  *out = 0;
  for (size_t i = len; i-- > 0;)
    *out = *out << 8 | file->ptr[i];
  *file = sc_bytes_make(file->ptr + len, file->len - len);
  return true;
}

static sc_status read_times(sc_strikes *strikes, uint64_t wall, const uint8_t *key, size_t count,
                            sc_bytes *file) {
  sc_status status = SC_OK;
  uint64_t time;
  while (status == SC_OK && count-- > 0 && take_number(&time, file, 8))
    status = sc_strikes_insert(strikes, wall, time > UINT64_MAX / second ? wall : time * second, key);
  return status;
}

sc_status sc_strikes_read(sc_strikes *strikes, uint64_t wall, sc_bytes file) {
  uint64_t nodes, count;
  sc_status status = SC_OK;
  if (file.len > SC_STRIKES_FILE_MOST)
    return SC_ERR_TOO_LARGE;
  if (!take_number(&nodes, &file, 4))
    return SC_OK;
  while (status == SC_OK && nodes-- > 0 && file.len > SC_KEY_BYTES) {
    const uint8_t *key = file.ptr;
    file = sc_bytes_make(file.ptr + SC_KEY_BYTES, file.len - SC_KEY_BYTES);
    if (!take_number(&count, &file, 2))
      break;
    status = read_times(strikes, wall, key, (size_t)count, &file);
  }
  return status;
}

static sc_status put_number(sc_buffer *out, uint64_t number, size_t len) {
  sc_status status = SC_OK;
  for (; status == SC_OK && len > 0; len--, number >>= 8)
    status = sc_buffer_append_byte(out, (uint8_t)number);
  return status;
}

static sc_status put_record(sc_buffer *out, const sc_strike_record *record) {
  sc_status status = sc_buffer_append(out, SC_BYTES(record->key));
  if (status == SC_OK)
    status = put_number(out, record->count, 2);
  for (size_t i = 0; status == SC_OK && i < record->count; i++)
    status = put_number(out, record->times[i] / second, 8);
  return status;
}

sc_status sc_strikes_write(sc_buffer *out, const sc_strikes *strikes) {
  sc_buffer_clear(out);
  const sc_strike_record *list = strikes->records.records;
  sc_status status = put_number(out, strikes->records.count, 4);
  for (size_t i = 0; status == SC_OK && i < strikes->records.count; i++)
    status = put_record(out, &list[i]);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
