#include "reader_state.h"

/* What the end says that came. */
typedef struct totals {
  const sc_archive_reader *reader;
  size_t tables;
  bool differ; /* in the rows of a table */
  int64_t files, problems, bytes;
} totals;

static sc_status compare_table(totals *out, sc_bytes table, int64_t rows) {
  const sc_archive_reader *reader = out->reader;
  size_t index = 0;
  while (index < reader->table_count && !sc_bytes_same(reader->tables[index], table))
    index++;
  out->differ = out->differ || index == reader->table_count || reader->rows[index] != rows;
  out->tables++;
  return SC_OK;
}

static sc_status read_row_counts(sc_object_place *place, sc_json_cursor *cursor) {
  sc_status status = sc_json_cursor_enter(cursor, SC_JSON_OBJECT);
  while (status == SC_OK && sc_json_cursor_more(cursor)) {
    int64_t rows;
    status = sc_json_cursor_key(&place->text, cursor);
    if (status == SC_OK)
      status = sc_object_count(&rows, cursor);
    if (status == SC_OK)
      status = compare_table(place->into, sc_buffer_bytes(&place->text), rows);
  }
  return status;
}

static sc_status read_files(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_count(&((totals *)place->into)->files, cursor);
}

static sc_status read_problems(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_count(&((totals *)place->into)->problems, cursor);
}

static sc_status read_bytes(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_count(&((totals *)place->into)->bytes, cursor);
}

/* Problems beyond the first ones are only counted. */
static bool totals_are_right(const sc_archive_reader *reader, const totals *said) {
  size_t tables = 0;
  for (size_t i = 0; i < reader->table_count; i++)
    tables += reader->rows[i] >= 0;
  bool problems = said->problems == reader->problems ||
                  (reader->problems == sc_archive_most_problems && said->problems > reader->problems);
  return !said->differ && said->tables == tables && said->files == reader->files &&
         said->bytes == reader->bytes && problems && reader->long_values.count == 0;
}

sc_status sc_reader_end(sc_archive_reader *reader, sc_bytes payload) {
  static const sc_object_member members[] = {{"rows", read_row_counts, false},
                                             {"files", read_files, false},
                                             {"problems", read_problems, false},
                                             {"fileBytes", read_bytes, false}};
  totals said = {.reader = reader};
  if (reader->phase == READER_IN_FILE)
    return SC_ERR_ARCHIVE_ORDER;
  sc_status status = SC_READER_OBJECT(reader, &said, payload, members);
  if (status != SC_OK)
    return status;
  reader->phase = READER_ENDED;
  return totals_are_right(reader, &said) ? SC_OK : SC_ERR_ARCHIVE_COUNTS;
}
