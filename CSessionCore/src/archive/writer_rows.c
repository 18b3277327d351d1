#include "../base/big.h"
#include "../base/compression.h"
#include "../base/json_text.h"
#include "../base/utf8.h"
#include "pieces.h"
#include "value_text.h"
#include "writer_state.h"

enum {
  rows_from = 256 * 1024,  /* a frame of rows is written when it has grown to this */
  row_most = 768 * 1024,   /* a row that has more text than this travels in pieces */
  short_enough = 2 * 1024, /* values up to this never leave their row */
  compression_level = 3,
};

sc_status sc_writer_flush(sc_archive_writer *writer) {
  if (writer->json.len == 0)
    return SC_OK;
  sc_status status = sc_text_raw(&writer->json, "]}");
  sc_bytes payload = sc_buffer_bytes(&writer->json);
  uint8_t flags = 0;
  if (status == SC_OK && writer->compress) {
    status = sc_zstd_compress(&writer->packed, sc_bytes_make(NULL, 0), payload, compression_level);
    payload = sc_buffer_bytes(&writer->packed);
    flags = sc_frame_compressed;
  }
  if (status == SC_OK)
    status = sc_writer_frame(writer, SC_FRAME_ROWS, flags, payload);
  sc_buffer_clear(&writer->json);
  sc_buffer_clear(&writer->packed);
  return status;
}

/* Begins a frame of rows of the current table. */
static sc_status begin_rows(sc_archive_writer *writer) {
  return writer->json.len > 0 ? SC_OK : sc_buffer_append(&writer->json, sc_buffer_bytes(&writer->head));
}

static sc_status write_head(sc_archive_writer *writer, sc_bytes table, const sc_bytes *columns,
                            size_t count) {
  sc_buffer_clear(&writer->head);
  sc_status status = sc_text_raw(&writer->head, "{\"table\":");
  if (status == SC_OK)
    status = sc_json_text_append(&writer->head, table);
  if (status == SC_OK)
    status = sc_text_raw(&writer->head, ",\"columns\":");
  if (status == SC_OK)
    status = sc_text_list(&writer->head, columns, count);
  return status == SC_OK ? sc_text_raw(&writer->head, ",\"rows\":[") : status;
}

/* Tables come in the order of the manifest. */
static size_t find_table(const sc_archive_writer *writer, sc_bytes table) {
  size_t first = writer->table == writer->table_count ? 0 : writer->table + 1;
  for (size_t i = first; i < writer->table_count; i++)
    if (sc_bytes_same(writer->tables[i], table))
      return i;
  return writer->table_count;
}

static sc_status begin_table(sc_archive_writer *writer, sc_bytes table, const sc_bytes *columns,
                             size_t count) {
  if (writer->phase != WRITER_IN_ROWS)
    return SC_ERR_STATE;
  size_t index = find_table(writer, table);
  if (index == writer->table_count || count < 1 || count > SC_ARCHIVE_MAX_COLUMNS)
    return SC_ERR_ARGUMENT;
  sc_status status = sc_writer_flush(writer);
  if (status == SC_OK)
    status = write_head(writer, table, columns, count);
  if (status == SC_OK)
    status = begin_rows(writer);
  writer->table = index;
  writer->rows[index] = 0;
  writer->columns = count;
  return status;
}

sc_status sc_archive_writer_table(sc_archive_writer *writer, sc_bytes table, const sc_bytes *columns,
                                  size_t count) {
  return sc_writer_fail(writer, begin_table(writer, table, columns, count));
}

static bool is_long(const sc_archive_value *value, size_t from) {
  return (value->kind == SC_ARCHIVE_TEXT || value->kind == SC_ARCHIVE_BLOB) && value->bytes.len > from;
}

/* Puts the row's text into `row`: values longer than `from` are only named. */
static sc_status describe_row(sc_archive_writer *writer, const sc_archive_value *values, size_t from) {
  uint32_t number = writer->next_long;
  sc_buffer_clear(&writer->row);
  sc_status status = SC_OK;
  for (size_t i = 0; i < writer->columns && status == SC_OK; i++) {
    status = sc_text_raw(&writer->row, i == 0 ? "[" : ",");
    if (status == SC_OK)
      status = is_long(&values[i], from)
                   ? sc_text_long(&writer->row, number++, values[i].kind == SC_ARCHIVE_TEXT)
                   : sc_text_value(&writer->row, &values[i]);
  }
  return status == SC_OK ? sc_text_raw(&writer->row, "]") : status;
}

static sc_status put_long(sc_archive_writer *writer, sc_bytes value) {
  uint8_t head[sc_frame_head_bytes + sc_frame_long_head_bytes] = {SC_FRAME_LONG};
  sc_status status = SC_OK;
  sc_store_big(head + sc_frame_head_bytes, writer->next_long++, 4);
  while (value.len > 0 && status == SC_OK) {
    sc_bytes piece = sc_pieces_take(&value, sc_frame_max_payload - sc_frame_long_head_bytes);
    sc_store_big(head + 4, sc_frame_long_head_bytes + piece.len, 4);
    head[sizeof head - 1] = value.len == 0;
    status = sc_pieces_put(writer->frames, SC_BYTES(head));
    if (status == SC_OK)
      status = sc_pieces_put(writer->frames, piece);
  }
  return status;
}

static sc_status put_long_values(sc_archive_writer *writer, const sc_archive_value *values, size_t from) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < writer->columns && status == SC_OK; i++)
    if (is_long(&values[i], from))
      status = put_long(writer, values[i].bytes);
  return status;
}

static sc_status check_long_values(const sc_archive_writer *writer, const sc_archive_value *values,
                                   size_t from) {
  size_t sum = 0;
  for (size_t i = 0; i < writer->columns; i++) {
    if (!is_long(&values[i], from))
      continue;
    if (values[i].bytes.len > SC_ARCHIVE_MAX_LONG - sum)
      return SC_ERR_TOO_LARGE;
    sum += values[i].bytes.len;
    if (values[i].kind == SC_ARCHIVE_TEXT && !sc_utf8_is_valid(values[i].bytes))
      return SC_ERR_UTF8;
  }
  return sum > 0 && writer->next_long > UINT32_MAX - SC_ARCHIVE_MAX_COLUMNS ? SC_ERR_TOO_LARGE : SC_OK;
}

/* Finds how much of the row has to travel outside of it. Nothing is written. */
static sc_status prepare_row(size_t *from, sc_archive_writer *writer, const sc_archive_value *values) {
  for (*from = SC_ARCHIVE_LONG_FROM;; *from /= 4) {
    sc_status status = check_long_values(writer, values, *from);
    if (status == SC_OK)
      status = describe_row(writer, values, *from);
    if (status != SC_OK || writer->row.len <= row_most)
      return status;
    if (*from <= short_enough)
      return SC_ERR_TOO_LARGE;
  }
}

static sc_status add_row(sc_archive_writer *writer, const sc_archive_value *values, size_t from) {
  sc_status status = SC_OK;
  bool rows_wait = writer->json.len > writer->head.len;
  if (rows_wait && writer->json.len + writer->row.len > rows_from)
    status = sc_writer_flush(writer);
  if (status == SC_OK)
    status = put_long_values(writer, values, from);
  if (status == SC_OK)
    status = begin_rows(writer);
  if (status == SC_OK && writer->json.len > writer->head.len)
    status = sc_text_raw(&writer->json, ",");
  if (status == SC_OK)
    status = sc_buffer_append(&writer->json, sc_buffer_bytes(&writer->row));
  if (status == SC_OK)
    writer->rows[writer->table]++;
  return status;
}

sc_status sc_archive_writer_row(sc_archive_writer *writer, const sc_archive_value *values) {
  size_t from;
  uint32_t first_long = writer->next_long;
  if (writer->phase != WRITER_IN_ROWS || writer->table == writer->table_count)
    return sc_writer_fail(writer, SC_ERR_STATE);
  sc_status status = prepare_row(&from, writer, values);
  if (status == SC_ERR_NO_MEMORY)
    return sc_writer_fail(writer, status);
  if (status == SC_OK)
    status = sc_writer_fail(writer, add_row(writer, values, from));
  sc_buffer_clear(&writer->row);
  bool has_long_values = writer->next_long != first_long;
  if (status == SC_OK && has_long_values)
    status = sc_writer_fail(writer, sc_writer_flush(writer)); /* which takes them */
  return status;
}
