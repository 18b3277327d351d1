/* What the parts of the floor share: a connection and its prepared statements. Everything ends the program
 * when it fails. */
#ifndef STORAGE_FLOOR_CONNECTION_H
#define STORAGE_FLOOR_CONNECTION_H

#define SQLITE_HAS_CODEC 1
#include <sqlite3.h>

#include "statements.h"
#include "storage_floor.h"

struct floor_database {
  sqlite3 *connection;
  sqlite3_stmt *statements[FLOOR_STATEMENTS];
  uint64_t threads;
  /* Where what was read is kept. */
  char texts[1 << 20];
};

void floor_check(floor_database *database, int status, int expected);
void floor_ok(floor_database *database, int status);
void floor_run(floor_database *database, const char *sql);

sqlite3_stmt *floor_prepared(floor_database *database, floor_statement which);
/* Runs a statement that gives no rows, and makes it ready to be run again. */
void floor_finish(floor_database *database, sqlite3_stmt *statement);
/* The same with one that takes no values. */
void floor_do(floor_database *database, floor_statement which);

/* The text must last until the statement was run. */
void floor_bind_text(floor_database *database, sqlite3_stmt *statement, int place, const char *text);
void floor_bind_number(floor_database *database, sqlite3_stmt *statement, int place, int64_t number);

#endif
