#include <string.h>

#include "connection.h"

/* States, as SessionStorage numbers them. */
enum { waiting = 0 };

static const char runner[] = "2n9c1x5k8q7bd";
static const int64_t now = 1700000000000;

static void insert_job(floor_database *database) {
  static const char payload[] = "{}";
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_INSERT_JOB);
  /* What is not named is null. */
  floor_bind_text(database, statement, 1, "trivial");
  floor_bind_number(database, statement, 2, 1);
  floor_ok(database, sqlite3_bind_blob(statement, 3, payload, (int)strlen(payload), SQLITE_STATIC));
  floor_bind_text(database, statement, 4, "trivial");
  floor_bind_number(database, statement, 8, waiting);
  floor_bind_number(database, statement, 11, now);
  static const int zeros[] = {7, 9, 10, 12, 15, 16, 17, 18};
  for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
    floor_bind_number(database, statement, zeros[i], 0);
  floor_finish(database, statement);
}

int64_t floor_add_jobs(floor_database *database, size_t count) {
  floor_run(database, "PRAGMA synchronous = NORMAL");
  floor_do(database, FLOOR_BEGIN_IMMEDIATE);
  for (size_t i = 0; i < count; i++)
    insert_job(database);
  int64_t last = sqlite3_last_insert_rowid(database->connection);
  floor_do(database, FLOOR_COMMIT);
  return last + 1 - (int64_t)count;
}

static void claim(floor_database *database, int64_t first, int64_t end) {
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_CLAIM_JOB);
  for (int64_t id = first; id < end; id++) {
    floor_bind_text(database, statement, 1, runner);
    floor_bind_number(database, statement, 2, now);
    floor_bind_number(database, statement, 3, id);
    floor_finish(database, statement);
  }
}

static void settle(floor_database *database, int64_t first, int64_t end) {
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_FINISH_JOB);
  for (int64_t id = first; id < end; id++) {
    floor_bind_number(database, statement, 1, now);
    floor_bind_number(database, statement, 2, id);
    floor_bind_text(database, statement, 3, runner);
    floor_finish(database, statement);
  }
}

void floor_drain_jobs(floor_database *database, int64_t first, size_t count, size_t batch) {
  floor_run(database, "PRAGMA synchronous = FULL");
  int64_t settled = first;
  int64_t claimed = first;
  int64_t end = first + (int64_t)count;
  while (settled < end) {
    int64_t next = end - claimed < (int64_t)batch ? end : claimed + (int64_t)batch;
    floor_do(database, FLOOR_BEGIN_IMMEDIATE);
    settle(database, settled, claimed);
    claim(database, claimed, next);
    floor_do(database, FLOOR_COMMIT);
    settled = claimed;
    claimed = next;
  }
}
