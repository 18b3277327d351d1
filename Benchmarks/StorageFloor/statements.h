/* The statements of the floor, word for word as SessionStorage has them: floor_foreign_statement tells when
 * they are not any more. */
#ifndef STORAGE_FLOOR_STATEMENTS_H
#define STORAGE_FLOOR_STATEMENTS_H

typedef enum floor_statement {
  FLOOR_BEGIN,
  FLOOR_BEGIN_IMMEDIATE,
  FLOOR_COMMIT,
  FLOOR_FIND_THREAD,
  FLOOR_INSERT_THREAD,
  FLOOR_INSERT_MESSAGE,
  FLOOR_FIND_PLACE,
  FLOOR_INSERT_TEXT,
  FLOOR_PAGE,
  FLOOR_SEARCH,
  FLOOR_UNREAD,
  FLOOR_INSERT_JOB,
  FLOOR_CLAIM_JOB,
  FLOOR_FINISH_JOB,
  FLOOR_FIND_OWNER,
  FLOOR_INSERT_OWNER,
  FLOOR_INSERT_STORED,
  FLOOR_FIND_START,
  FLOOR_RETRIEVE,
  FLOOR_STATEMENTS,
} floor_statement;

extern const char *const floor_sql[FLOOR_STATEMENTS];

#endif
