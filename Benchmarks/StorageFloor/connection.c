#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void floor_check(floor_database *database, int status, int expected) {
  if (status == expected)
    return;
  fprintf(stderr, "the floor failed: %s\n", sqlite3_errmsg(database->connection));
  exit(1);
}

void floor_ok(floor_database *database, int status) {
  floor_check(database, status, SQLITE_OK);
}

void floor_run(floor_database *database, const char *sql) {
  floor_ok(database, sqlite3_exec(database->connection, sql, NULL, NULL, NULL));
}

floor_database *floor_open(const char *path, const uint8_t key[static FLOOR_KEY_BYTES]) {
  floor_database *database = calloc(1, sizeof *database);
  if (database == NULL)
    abort();
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  floor_ok(database, sqlite3_open_v2(path, &database->connection, flags, NULL));
  char form[3 + 2 * FLOOR_KEY_BYTES + 1];
  int length = snprintf(form, sizeof form, "x'");
  for (size_t i = 0; i < FLOOR_KEY_BYTES; i++)
    length += snprintf(form + length, sizeof form - (size_t)length, "%02x", key[i]);
  length += snprintf(form + length, sizeof form - (size_t)length, "'");
  floor_ok(database, sqlite3_key(database->connection, form, length));
  floor_run(database,
            "PRAGMA cipher_page_size = 4096; SELECT count(*) FROM sqlite_master;"
            "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
            "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 1000");
  return database;
}

void floor_close(floor_database *database) {
  for (size_t i = 0; i < FLOOR_STATEMENTS; i++)
    sqlite3_finalize(database->statements[i]);
  floor_ok(database,
           sqlite3_wal_checkpoint_v2(database->connection, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));
  floor_ok(database, sqlite3_close(database->connection));
  free(database);
}

sqlite3_stmt *floor_prepared(floor_database *database, floor_statement which) {
  sqlite3_stmt **statement = &database->statements[which];
  if (*statement == NULL)
    floor_ok(database, sqlite3_prepare_v2(database->connection, floor_sql[which], -1, statement, NULL));
  return *statement;
}

void floor_finish(floor_database *database, sqlite3_stmt *statement) {
  floor_check(database, sqlite3_step(statement), SQLITE_DONE);
  sqlite3_reset(statement);
}

void floor_do(floor_database *database, floor_statement which) {
  floor_finish(database, floor_prepared(database, which));
}

void floor_bind_text(floor_database *database, sqlite3_stmt *statement, int place, const char *text) {
  floor_ok(database, sqlite3_bind_text(statement, place, text, (int)strlen(text), SQLITE_STATIC));
}

void floor_bind_number(floor_database *database, sqlite3_stmt *statement, int place, int64_t number) {
  floor_ok(database, sqlite3_bind_int64(statement, place, number));
}
