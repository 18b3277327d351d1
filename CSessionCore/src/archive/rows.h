/* A frame of rows: the table, its columns, and a value for each column of each row. */
#ifndef SC_SRC_ARCHIVE_ROWS_H
#define SC_SRC_ARCHIVE_ROWS_H

#include "../base/arena.h"
#include "../base/json_cursor.h"
#include "long_values.h"

typedef struct sc_rows {
  sc_bytes table;
  sc_bytes *columns;
  size_t column_count;
  sc_json_cursor next; /* row */
  sc_buffer texts;     /* of the current row: it never grows, so that values can point into it */
  sc_archive_value values[SC_ARCHIVE_MAX_COLUMNS];
} sc_rows;

void sc_rows_init(sc_rows *out, const sc_env *env);
void sc_rows_free(sc_rows *rows);

/* Reads a frame up to its first row. Names are put into the arena. The text must outlive the rows.
 * SC_ERR_ARCHIVE_FRAME. */
SC_NODISCARD sc_status sc_rows_begin(sc_rows *rows, sc_arena *arena, sc_bytes text);

/* Reads the next row into `values`; `*found` is false behind the last one. SC_ERR_ARCHIVE_FRAME for a row
 * without a value for each column, SC_ERR_ARCHIVE_ORDER for a long value that is not there. */
SC_NODISCARD sc_status sc_rows_next(bool *found, sc_rows *rows, sc_long_values *long_values);

#endif
