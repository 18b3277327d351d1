#include "rows.h"

#include "../base/utf8.h"
#include "object.h"
#include "session-core/base/encoding.h"

void sc_rows_init(sc_rows *out, const sc_env *env) {
  *out = (sc_rows){.column_count = 0};
  sc_buffer_init(&out->texts, env);
}

void sc_rows_free(sc_rows *rows) {
  sc_buffer_free(&rows->texts);
}

static sc_rows *rows_of(sc_object_place *place) {
  return place->into;
}

static sc_status read_table(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&rows_of(place)->table, place, cursor);
}

static sc_status read_columns(sc_object_place *place, sc_json_cursor *cursor) {
  sc_rows *rows = rows_of(place);
  return sc_object_list(&rows->columns, &rows->column_count, place, cursor, SC_ARCHIVE_MAX_COLUMNS);
}

/* The rows may come before their columns: they are read later. */
static sc_status mark_rows(sc_object_place *place, sc_json_cursor *cursor) {
  rows_of(place)->next = *cursor;
  sc_json_cursor_skip(cursor);
  return sc_json_cursor_enter(&rows_of(place)->next, SC_JSON_ARRAY);
}

sc_status sc_rows_begin(sc_rows *rows, sc_arena *arena, sc_bytes text) {
  static const sc_object_member members[] = {
      {"table", read_table, false}, {"columns", read_columns, false}, {"rows", mark_rows, false}};
  sc_object_place place = {.into = rows, .arena = arena};
  sc_buffer_init(&place.text, arena->env);
  sc_status status = sc_object_document(&place, text, members, sizeof members / sizeof members[0]);
  sc_buffer_free(&place.text);
  sc_buffer_clear(&rows->texts);
  /* A blob has room for its text and its bytes. */
  if (status == SC_OK)
    status = sc_buffer_reserve(&rows->texts, 2 * text.len);
  if (status == SC_OK || status == SC_ERR_NO_MEMORY)
    return status;
  return SC_ERR_ARCHIVE_FRAME;
}

static sc_bytes text_from(const sc_rows *rows, size_t start) {
  return sc_bytes_make(rows->texts.ptr + start, rows->texts.len - start);
}

static sc_status read_text(sc_bytes *out, sc_rows *rows, sc_json_cursor *cursor) {
  size_t start = rows->texts.len;
  sc_status status = sc_json_cursor_string(&rows->texts, cursor);
  if (status == SC_OK)
    *out = text_from(rows, start);
  return status;
}

/* base64 with its padding, which the decoder would do without. */
static sc_status read_blob(sc_archive_value *out, sc_rows *rows, sc_json_cursor *cursor) {
  sc_bytes text;
  size_t len;
  uint8_t *bytes;
  if (read_text(&text, rows, cursor) != SC_OK || text.len % 4 != 0 ||
      sc_base64_decoded_len(&len, text) != SC_OK)
    return SC_OK;
  sc_status status = sc_buffer_extend(&bytes, &rows->texts, len);
  if (status == SC_OK && sc_base64_decode(bytes, len, text, SC_BASE64_STANDARD) == SC_OK)
    *out = (sc_archive_value){.kind = SC_ARCHIVE_BLOB, .bytes = {bytes, len}};
  return status;
}

/* The members of a value that is an object. */
typedef struct outside_value {
  bool has_blob, has_long, is_text;
  sc_json_cursor blob;
  int64_t number;
} outside_value;

static sc_status find_members(outside_value *out, sc_rows *rows, sc_json_cursor cursor) {
  *out = (outside_value){.has_blob = false};
  sc_status status = sc_json_cursor_enter(&cursor, SC_JSON_OBJECT);
  while (status == SC_OK && sc_json_cursor_more(&cursor)) {
    sc_buffer key;
    sc_buffer_init(&key, rows->texts.env);
    status = sc_json_cursor_key(&key, &cursor);
    sc_bytes name = sc_buffer_bytes(&key);
    sc_json_cursor value = cursor;
    if (status == SC_OK && sc_bytes_same(name, sc_bytes_text("b"))) {
      out->has_blob = true;
      out->blob = value;
    } else if (status == SC_OK && sc_bytes_same(name, sc_bytes_text("long"))) {
      out->has_long = sc_json_cursor_i64(&out->number, &value) == SC_OK;
    } else if (status == SC_OK && sc_bytes_same(name, sc_bytes_text("text"))) {
      if (sc_json_cursor_bool(&out->is_text, &value) != SC_OK)
        out->is_text = false;
    }
    sc_buffer_free(&key);
    if (status == SC_OK)
      sc_json_cursor_skip(&cursor);
  }
  return status;
}

static sc_status read_object(sc_archive_value *out, sc_rows *rows, sc_json_cursor cursor,
                             sc_long_values *long_values) {
  outside_value found;
  sc_bytes bytes;
  sc_status status = find_members(&found, rows, cursor);
  if (status != SC_OK || found.has_blob == found.has_long)
    return status;
  if (found.has_blob)
    return read_blob(out, rows, &found.blob);
  status = sc_long_values_take(&bytes, long_values, found.number);
  if (status == SC_OK && (!found.is_text || sc_utf8_is_valid(bytes)))
    *out = (sc_archive_value){.kind = found.is_text ? SC_ARCHIVE_TEXT : SC_ARCHIVE_BLOB, .bytes = bytes};
  return status;
}

static sc_status read_real(sc_archive_value *out, sc_json_cursor *cursor) {
  sc_status status = sc_json_cursor_double(&out->real, cursor);
  if (status == SC_OK)
    out->kind = SC_ARCHIVE_REAL;
  else if (status != SC_ERR_NO_MEMORY)
    sc_json_cursor_skip(cursor);
  return status == SC_ERR_NO_MEMORY ? status : SC_OK;
}

/* A value that no row can have stays invalid. */
static sc_status read_value(sc_archive_value *out, sc_rows *rows, sc_json_cursor *cursor,
                            sc_long_values *long_values) {
  *out = (sc_archive_value){.kind = SC_ARCHIVE_INVALID};
  sc_json_cursor value = *cursor;
  sc_status status = SC_OK;
  switch (sc_json_cursor_type(cursor)) {
  case SC_JSON_NULL:
    out->kind = SC_ARCHIVE_NULL;
    break;
  case SC_JSON_INTEGER:
    if (sc_json_cursor_i64(&out->integer, &value) == SC_OK)
      out->kind = SC_ARCHIVE_INTEGER;
    break;
  case SC_JSON_DOUBLE:
    return read_real(out, cursor);
  case SC_JSON_STRING:
    status = read_text(&out->bytes, rows, &value);
    out->kind = SC_ARCHIVE_TEXT;
    break;
  case SC_JSON_OBJECT:
    status = read_object(out, rows, value, long_values);
    break;
  case SC_JSON_BOOL:
  case SC_JSON_ARRAY:
    break;
  }
  sc_json_cursor_skip(cursor);
  return status;
}

sc_status sc_rows_next(bool *found, sc_rows *rows, sc_long_values *long_values) {
  sc_buffer_clear(&rows->texts);
  *found = sc_json_cursor_more(&rows->next);
  if (!*found)
    return SC_OK;
  if (sc_json_cursor_enter(&rows->next, SC_JSON_ARRAY) != SC_OK)
    return SC_ERR_ARCHIVE_FRAME;
  size_t count = 0;
  sc_status status = SC_OK;
  while (status == SC_OK && sc_json_cursor_more(&rows->next)) {
    if (count == rows->column_count)
      return SC_ERR_ARCHIVE_FRAME;
    status = read_value(&rows->values[count++], rows, &rows->next, long_values);
  }
  return status == SC_OK && count < rows->column_count ? SC_ERR_ARCHIVE_FRAME : status;
}
