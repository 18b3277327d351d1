/* SQLCipher's sqlite3.h, with what it declares for encryption, and the macros that Swift cannot import.
 */
#pragma once

#define SQLITE_HAS_CODEC 1
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

static inline int sqlcipher_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  /* Without an address it would be a null. */
  return sqlite3_bind_text(statement, index, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT);
}

static inline int sqlcipher_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* Reads from the main file of a connection, past everything that the library makes of it. */
static inline int sqlcipher_read_file(sqlite3 *database, void *out, int count, sqlite3_int64 offset) {
  sqlite3_file *file = NULL;
  int status = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (status != SQLITE_OK || file == NULL || file->pMethods == NULL)
    return status == SQLITE_OK ? SQLITE_CANTOPEN : status;
  return file->pMethods->xRead(file, out, count, offset);
}

/* What a column of a row holds: the bits of a number, or of the address where its bytes are until the next
 * row. */
typedef struct sqlcipher_content {
  int type;
  int count;
  sqlite3_uint64 bits;
} sqlcipher_content;

static inline sqlite3_uint64 sqlcipher_bits_of_real(double real) {
  union {
    double real;
    sqlite3_uint64 bits;
  } both = {.real = real};
  return both.bits;
}

/* Everything at once: the library looks for the column but once. One thread at a time uses a statement, so
 * that the value needs no protection. */
static inline sqlcipher_content sqlcipher_column(sqlite3_stmt *statement, int index) {
  sqlite3_value *value = sqlite3_column_value(statement, index);
  sqlcipher_content content = {.type = sqlite3_value_type(value)};
  if (content.type == SQLITE_INTEGER) {
    content.bits = (sqlite3_uint64)sqlite3_value_int64(value);
  } else if (content.type == SQLITE_TEXT) {
    content.bits = (uintptr_t)sqlite3_value_text(value);
    content.count = sqlite3_value_bytes(value);
  } else if (content.type == SQLITE_BLOB) {
    content.bits = (uintptr_t)sqlite3_value_blob(value);
    content.count = sqlite3_value_bytes(value);
  } else if (content.type == SQLITE_FLOAT) {
    content.bits = sqlcipher_bits_of_real(sqlite3_value_double(value));
  }
  return content;
}
