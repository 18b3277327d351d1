/* A file that was cut off, as one whose end is there and damaged.
 *
 * The library takes pages behind the end of a file for pages of zeros, without a word: a long row that went
 * on there would be read with zeros at its end. Here they are read as garbage, which
 * the library finds out, as it does with any other page that is damaged.
 *
 * It stands between the library and the file of one connection that only reads. */
#pragma once

#include "shim.h"

#include <string.h>

typedef struct sqlcipher_cut_off_file {
  sqlite3_io_methods methods;
  const sqlite3_io_methods *real;
} sqlcipher_cut_off_file;

static inline const sqlite3_io_methods *sqlcipher_real_methods(sqlite3_file *file) {
  return ((const sqlcipher_cut_off_file *)(const void *)file->pMethods)->real;
}

static inline int sqlcipher_cut_off_read(sqlite3_file *file, void *out, int count, sqlite3_int64 offset) {
  const sqlite3_io_methods *real = sqlcipher_real_methods(file);
  sqlite3_int64 size = 0;
  int status = real->xRead(file, out, count, offset);
  if (status != SQLITE_IOERR_SHORT_READ || real->xFileSize(file, &size) != SQLITE_OK || offset < size)
    return status;
  memset(out, 0xFF, (size_t)count);
  return SQLITE_OK;
}

/* Larger than any database can be. */
static inline int sqlcipher_cut_off_size(sqlite3_file *file, sqlite3_int64 *size) {
  (void)file;
  *size = (sqlite3_int64)1 << 41;
  return SQLITE_OK;
}

/* Has the main file of a connection read so, which has read nothing yet. `cut_off` has to be there until the
 * connection, and all of its statements, are gone. */
static inline int sqlcipher_read_cut_off(sqlite3 *database, sqlcipher_cut_off_file *cut_off) {
  sqlite3_file *file = NULL;
  int status = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (status != SQLITE_OK || file == NULL || file->pMethods == NULL)
    return status == SQLITE_OK ? SQLITE_CANTOPEN : status;
  cut_off->real = file->pMethods;
  cut_off->methods = *file->pMethods;
  cut_off->methods.xRead = sqlcipher_cut_off_read;
  cut_off->methods.xFileSize = sqlcipher_cut_off_size;
  file->pMethods = &cut_off->methods;
  return SQLITE_OK;
}
