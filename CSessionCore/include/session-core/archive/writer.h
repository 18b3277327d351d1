/* Writes the contents of an archive as frames, in their order: the manifest, the rows of each table, the
 * files, the end.
 *
 * Problems may be written anywhere but inside a file. A writer belongs to one thread at a time; after a
 * failure other than those of sc_archive_writer_row that leave it as it was, only _free may be called. */
#ifndef SC_ARCHIVE_WRITER_H
#define SC_ARCHIVE_WRITER_H

#include "../base/api.h"
#include "../crypto/sink.h"
#include "contents.h"

SC_API_BEGIN

typedef struct sc_archive_writer sc_archive_writer;

/* Rows are compressed if `compress`. */
SC_API SC_NODISCARD sc_status sc_archive_writer_new(sc_archive_writer **out, const sc_env *env,
                                                    sc_sink frames, bool compress);
SC_API void sc_archive_writer_free(sc_archive_writer *writer);

/* Comes first. SC_ERR_UTF8, SC_ERR_ARGUMENT for values the format does not allow, SC_ERR_STATE, or the sink's
 * status, like all that follow. */
SC_API SC_NODISCARD sc_status sc_archive_writer_manifest(sc_archive_writer *writer,
                                                         const sc_archive_manifest *manifest);

/* Begins the next table, which is one of the manifest, and states its columns. SC_ERR_ARGUMENT. */
SC_API SC_NODISCARD sc_status sc_archive_writer_table(sc_archive_writer *writer, sc_bytes table,
                                                      const sc_bytes *columns, size_t count);
/* Writes a row of the table: a value for each column. SC_ERR_UTF8, SC_ERR_ARGUMENT for a real that is not
 * finite, and SC_ERR_TOO_LARGE for a row that does not fit: it was left out, and writing goes on. */
SC_API SC_NODISCARD sc_status sc_archive_writer_row(sc_archive_writer *writer,
                                                    const sc_archive_value *values);

/* Begins a file; ids ascend. */
SC_API SC_NODISCARD sc_status sc_archive_writer_file(sc_archive_writer *writer, const sc_archive_file *file);
SC_API SC_NODISCARD sc_status sc_archive_writer_file_data(sc_archive_writer *writer, sc_bytes data);
/* Ends the file. SC_ERR_FILE_SIZE if it has another size than stated: it was written as incomplete, and
 * writing goes on. */
SC_API SC_NODISCARD sc_status sc_archive_writer_file_end(sc_archive_writer *writer);
/* Ends the file as incomplete, because of a problem of this kind. */
SC_API SC_NODISCARD sc_status sc_archive_writer_file_broken(sc_archive_writer *writer, sc_bytes kind);

SC_API SC_NODISCARD sc_status sc_archive_writer_problem(sc_archive_writer *writer,
                                                        const sc_archive_problem *problem);

SC_API SC_NODISCARD sc_status sc_archive_writer_finish(sc_archive_writer *writer);

SC_API_END

#endif
