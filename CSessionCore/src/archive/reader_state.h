/* The state of a reader, which its parts share. */
#ifndef SC_SRC_ARCHIVE_READER_STATE_H
#define SC_SRC_ARCHIVE_READER_STATE_H

#include <sodium.h>

#include "../base/arena.h"
#include "frame.h"
#include "object.h"
#include "rows.h"
#include "session-core/archive/reader.h"

typedef enum reader_phase {
  READER_BEFORE_MANIFEST,
  READER_IN_ROWS,
  READER_BETWEEN_FILES,
  READER_IN_FILE,
  READER_ENDED,
  READER_OVER,
} reader_phase;

struct sc_archive_reader {
  const sc_env *env;
  sc_archive_visitor visitor;
  const sc_archive_known *known;
  reader_phase phase;
  sc_buffer frame; /* as far as it came */
  sc_buffer unpacked;
  sc_arena arena;   /* of the manifest */
  sc_arena scratch; /* of one frame */
  sc_arena columns_arena;
  const sc_bytes *tables;
  size_t table_count;
  int64_t *rows;     /* of each table; -1: no frame came */
  size_t table;      /* of the last rows; table_count: there were none */
  sc_bytes *columns; /* of that table */
  size_t column_count;
  sc_rows current;
  sc_long_values long_values;
  sc_archive_file file;
  int64_t file_bytes;
  crypto_generichash_blake2b_state hash;
  int64_t last_file;
  int64_t files, bytes, problems;
};

/* Reads the members of a frame's object. SC_ERR_ARCHIVE_FRAME. */
SC_NODISCARD sc_status sc_reader_object(sc_archive_reader *reader, void *into, sc_bytes payload,
                                        const sc_object_member *members, size_t count);

#define SC_READER_OBJECT(reader, into, payload, members)                                                     \
  sc_reader_object((reader), (into), (payload), (members), sizeof(members) / sizeof((members)[0]))

/* Each reads the payload of a frame. */
SC_NODISCARD sc_status sc_reader_manifest(sc_archive_reader *reader, sc_bytes payload);
SC_NODISCARD sc_status sc_reader_rows(sc_archive_reader *reader, sc_bytes payload);
SC_NODISCARD sc_status sc_reader_file(sc_archive_reader *reader, sc_bytes payload);
SC_NODISCARD sc_status sc_reader_file_data(sc_archive_reader *reader, sc_bytes payload);
SC_NODISCARD sc_status sc_reader_file_end(sc_archive_reader *reader, sc_bytes payload);
SC_NODISCARD sc_status sc_reader_end(sc_archive_reader *reader, sc_bytes payload);

#endif
