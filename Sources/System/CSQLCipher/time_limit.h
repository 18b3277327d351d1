/* A limit of the time that a transaction takes.
 *
 * The library asks now and then, while it works, if it is to go on. The clock is looked at only then, so
 * that short statements cost nothing: the first question notes the time, and the later ones compare. */
#pragma once

#include "shim.h"

#include <time.h>

/* Instructions between two questions: a fraction of a millisecond. */
#define SQLCIPHER_LIMIT_STRIDE 4096

typedef struct sqlcipher_time_limit {
  int64_t limit_ns;
  /* 0 until the first question of a transaction; INT64_MAX for no limit. */
  int64_t began_ns;
} sqlcipher_time_limit;

static inline int sqlcipher_is_over(void *context) {
  sqlcipher_time_limit *limit = (sqlcipher_time_limit *)context;
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
    return 0;
  int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (limit->began_ns == 0)
    limit->began_ns = now_ns;
  return now_ns - limit->began_ns > limit->limit_ns;
}

/* Has steps on a connection fail with SQLITE_INTERRUPT when the time is over. `limit` has to be there
 * until the connection, and all of its statements, are gone. */
static inline void sqlcipher_limit_time(sqlite3 *database, sqlcipher_time_limit *limit) {
  sqlite3_progress_handler(database, SQLCIPHER_LIMIT_STRIDE, sqlcipher_is_over, limit);
}
