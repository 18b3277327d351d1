/* The state of a writer, which its parts share. */
#ifndef SC_SRC_ARCHIVE_WRITER_STATE_H
#define SC_SRC_ARCHIVE_WRITER_STATE_H

#include <sodium.h>

#include "../base/arena.h"
#include "frame.h"
#include "session-core/archive/writer.h"

typedef enum writer_phase {
  WRITER_BEGINNING,
  WRITER_IN_ROWS,
  WRITER_BETWEEN_FILES,
  WRITER_IN_FILE,
  WRITER_OVER,
} writer_phase;

struct sc_archive_writer {
  const sc_env *env;
  sc_sink frames;
  bool compress;
  writer_phase phase;
  sc_arena arena; /* the names of the tables */
  const sc_bytes *tables;
  size_t table_count;
  int64_t *rows; /* of each table; -1: it was not begun */
  size_t table;  /* of the rows being written; table_count: none was begun */
  size_t columns;
  sc_buffer head; /* of the JSON of each frame of this table: its name and columns */
  sc_buffer json; /* of the rows that wait to be written */
  sc_buffer row;
  sc_buffer packed;
  uint32_t next_long;
  sc_archive_file file;
  int64_t file_bytes;
  crypto_generichash_blake2b_state hash;
  int64_t last_file;
  int64_t files, bytes, problems;
};

SC_NODISCARD sc_status sc_writer_frame(sc_archive_writer *writer, sc_frame_type type, uint8_t flags,
                                       sc_bytes payload);

/* Writes the JSON in `row` as a frame, and clears it. */
SC_NODISCARD sc_status sc_writer_json(sc_archive_writer *writer, sc_frame_type type);

/* Ends the writer if `status` is a failure. Returns it. */
SC_NODISCARD sc_status sc_writer_fail(sc_archive_writer *writer, sc_status status);

/* Writes the rows that wait. */
SC_NODISCARD sc_status sc_writer_flush(sc_archive_writer *writer);

#endif
