/* Reads the frames of an archive, and checks everything about them: their form, their order, the numbers at
 * the end, and the size and hash of each file.
 *
 * What a visitor is given is borrowed until its function returns. A result other than SC_OK ends the reading
 * and is returned. A reader belongs to one thread at a time; after a failure only _free may be called. */
#ifndef SC_ARCHIVE_READER_H
#define SC_ARCHIVE_READER_H

#include "../base/api.h"
#include "../crypto/sink.h"
#include "contents.h"

SC_API_BEGIN

/* Functions may be NULL. */
typedef struct sc_archive_visitor {
  void *user;
  sc_status (*manifest)(void *user, const sc_archive_manifest *manifest);
  /* The rows that follow are of this table. A table may come several times in a row, with the same columns.
   */
  sc_status (*table)(void *user, sc_bytes table, const sc_bytes *columns, size_t count);
  sc_status (*row)(void *user, const sc_archive_value *values, size_t count);
  sc_status (*file)(void *user, const sc_archive_file *file);
  sc_status (*file_data)(void *user, sc_bytes data);
  /* `error` is empty if the file is complete: its size and hash are as stated. */
  sc_status (*file_end)(void *user, sc_bytes error);
  sc_status (*problem)(void *user, const sc_archive_problem *problem);
} sc_archive_visitor;

/* What the program knows of its own database. */
typedef struct sc_archive_known {
  int64_t schema; /* number of its last migration */
  const char *const *tables;
  size_t table_count;
} sc_archive_known;

typedef struct sc_archive_reader sc_archive_reader;

/* `known` is borrowed. */
SC_API SC_NODISCARD sc_status sc_archive_reader_new(sc_archive_reader **out, const sc_env *env,
                                                    const sc_archive_visitor *visitor,
                                                    const sc_archive_known *known);
/* SC_ERR_ARCHIVE_FRAME for an invalid frame, SC_ERR_ARCHIVE_VERSION for a frame of a newer program,
 * SC_ERR_ARCHIVE_ORDER for one in the wrong place, SC_ERR_ARCHIVE_MANIFEST, SC_ERR_ARCHIVE_DOWNGRADE for
 * tables of a newer schema, SC_ERR_ARCHIVE_COUNTS, SC_ERR_ARCHIVE_FILE, or the visitor's status. */
SC_API SC_NODISCARD sc_status sc_archive_reader_write(sc_archive_reader *reader, sc_bytes frames);
/* SC_ERR_ARCHIVE_TRUNCATED if the end is missing. */
SC_API SC_NODISCARD sc_status sc_archive_reader_finish(sc_archive_reader *reader);
SC_API void sc_archive_reader_free(sc_archive_reader *reader);

/* Returns a sink that writes to the reader. */
SC_API sc_sink sc_archive_reader_sink(sc_archive_reader *reader);

SC_API_END

#endif
