#include "manifest.h"
#include "reader_state.h"

sc_status sc_reader_manifest(sc_archive_reader *reader, sc_bytes payload) {
  sc_archive_manifest manifest;
  if (reader->phase != READER_BEFORE_MANIFEST)
    return SC_ERR_ARCHIVE_ORDER;
  sc_status status = sc_manifest_read(&manifest, &reader->arena, payload, reader->known);
  if (status != SC_OK)
    return status;
  reader->rows = sc_arena_take(&reader->arena, (manifest.table_count + 1) * sizeof *reader->rows);
  if (reader->rows == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < manifest.table_count; i++)
    reader->rows[i] = -1;
  reader->tables = manifest.tables;
  reader->table_count = reader->table = manifest.table_count;
  reader->phase = READER_IN_ROWS;
  return reader->visitor.manifest == NULL ? SC_OK : reader->visitor.manifest(reader->visitor.user, &manifest);
}

static bool same_columns(const sc_archive_reader *reader) {
  bool same = reader->column_count == reader->current.column_count;
  for (size_t i = 0; i < reader->column_count && same; i++)
    same = sc_bytes_same(reader->columns[i], reader->current.columns[i]);
  return same;
}

static sc_status keep_columns(sc_archive_reader *reader) {
  sc_arena_free(&reader->columns_arena);
  size_t count = reader->current.column_count;
  reader->columns = sc_arena_take(&reader->columns_arena, (count + 1) * sizeof *reader->columns);
  reader->column_count = 0;
  if (reader->columns == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < count; i++) {
    sc_bytes column = reader->current.columns[i];
    uint8_t *copy = sc_arena_take(&reader->columns_arena, column.len + 1);
    if (copy == NULL)
      return SC_ERR_NO_MEMORY;
    if (column.len > 0)
      memcpy(copy, column.ptr, column.len);
    reader->columns[i] = sc_bytes_make(copy, column.len);
  }
  reader->column_count = count;
  return SC_OK;
}

/* Continues the same table, or begins a later one of the manifest. */
static sc_status enter_table(sc_archive_reader *reader) {
  bool begun = reader->table < reader->table_count;
  if (begun && sc_bytes_same(reader->tables[reader->table], reader->current.table))
    return same_columns(reader) ? SC_OK : SC_ERR_ARCHIVE_FRAME;
  size_t index = begun ? reader->table + 1 : 0;
  while (index < reader->table_count && !sc_bytes_same(reader->tables[index], reader->current.table))
    index++;
  if (index == reader->table_count)
    return SC_ERR_ARCHIVE_ORDER;
  reader->table = index;
  reader->rows[index] = 0;
  return keep_columns(reader);
}

static sc_status visit_rows(sc_archive_reader *reader) {
  const sc_archive_visitor *visitor = &reader->visitor;
  sc_rows *rows = &reader->current;
  sc_status status = SC_OK;
  bool found = true;
  if (visitor->table != NULL)
    status = visitor->table(visitor->user, rows->table, rows->columns, rows->column_count);
  while (status == SC_OK && found) {
    status = sc_rows_next(&found, rows, &reader->long_values);
    if (status != SC_OK || !found)
      break;
    reader->rows[reader->table]++;
    if (visitor->row != NULL)
      status = visitor->row(visitor->user, rows->values, rows->column_count);
    sc_long_values_drop_taken(&reader->long_values);
  }
  return status;
}

sc_status sc_reader_rows(sc_archive_reader *reader, sc_bytes payload) {
  if (reader->phase != READER_IN_ROWS)
    return SC_ERR_ARCHIVE_ORDER;
  sc_status status = sc_rows_begin(&reader->current, &reader->scratch, payload);
  if (status == SC_OK)
    status = enter_table(reader);
  return status == SC_OK ? visit_rows(reader) : status;
}
