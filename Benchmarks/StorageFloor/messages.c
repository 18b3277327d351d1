#define _POSIX_C_SOURCE 200809L /* strdup */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"

/* Kinds of messages and states, as SessionStorage numbers them. */
enum { incoming = 0, contact = 0, received = 0 };

static char *copy_of_column(sqlite3_stmt *statement, int column) {
  char *copy = strdup((const char *)sqlite3_column_text(statement, column));
  if (copy == NULL)
    abort();
  return copy;
}

floor_message *floor_take_messages(floor_database *database, int64_t thread, size_t *count) {
  sqlite3_stmt *statement;
  floor_ok(database, sqlite3_prepare_v2(
                         database->connection,
                         "SELECT i.author, i.body, t.text, i.serverHash, i.sentAt FROM interaction i "
                         "JOIN messageText t ON t.interactionID = i.id WHERE i.threadID = ? ORDER BY i.id",
                         -1, &statement, NULL));
  floor_bind_number(database, statement, 1, thread);
  floor_message *messages = NULL;
  size_t got = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    messages = realloc(messages, (got + 1) * sizeof *messages);
    if (messages == NULL)
      abort();
    messages[got++] = (floor_message){.author = copy_of_column(statement, 0),
                                      .body = copy_of_column(statement, 1),
                                      .search_text = copy_of_column(statement, 2),
                                      .hash = copy_of_column(statement, 3),
                                      .sent_at = sqlite3_column_int64(statement, 4)};
  }
  floor_ok(database, sqlite3_finalize(statement));
  *count = got;
  return messages;
}

static int64_t insert_thread(floor_database *database) {
  char address[67];
  snprintf(address, sizeof address, "05%064" PRIx64, ++database->threads);
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_FIND_THREAD);
  floor_bind_text(database, statement, 1, address);
  floor_finish(database, statement);
  statement = floor_prepared(database, FLOOR_INSERT_THREAD);
  floor_bind_text(database, statement, 1, address);
  floor_bind_number(database, statement, 2, contact);
  floor_bind_number(database, statement, 3, 1);
  floor_bind_number(database, statement, 4, 1);
  floor_finish(database, statement);
  return sqlite3_last_insert_rowid(database->connection);
}

static void insert_message(floor_database *database, int64_t thread, const floor_message *message) {
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_INSERT_MESSAGE);
  /* What is not named is null. */
  floor_bind_number(database, statement, 1, thread);
  floor_bind_text(database, statement, 2, message->author);
  floor_bind_number(database, statement, 3, incoming);
  floor_bind_text(database, statement, 4, message->body);
  floor_bind_number(database, statement, 6, message->sent_at);
  floor_bind_number(database, statement, 7, message->sent_at + 1);
  floor_bind_text(database, statement, 8, message->hash);
  floor_bind_number(database, statement, 13, received);
  static const int zeros[] = {11, 12, 16, 17, 20, 22, 23};
  for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
    floor_bind_number(database, statement, zeros[i], 0);
  floor_finish(database, statement);
  int64_t id = sqlite3_last_insert_rowid(database->connection);
  int64_t place = message->sent_at * 4096 + id % 4096;
  statement = floor_prepared(database, FLOOR_FIND_PLACE);
  floor_bind_number(database, statement, 1, place);
  floor_bind_number(database, statement, 2, id);
  floor_finish(database, statement);
  statement = floor_prepared(database, FLOOR_INSERT_TEXT);
  floor_bind_number(database, statement, 1, place);
  floor_bind_number(database, statement, 2, id);
  floor_bind_text(database, statement, 3, message->search_text);
  floor_bind_number(database, statement, 4, thread);
  floor_finish(database, statement);
}

void floor_insert_together(floor_database *database, const floor_message *messages, size_t count) {
  floor_do(database, FLOOR_BEGIN_IMMEDIATE);
  int64_t thread = insert_thread(database);
  for (size_t i = 0; i < count; i++)
    insert_message(database, thread, &messages[i]);
  floor_do(database, FLOOR_COMMIT);
}

void floor_insert_alone(floor_database *database, const floor_message *messages, size_t count) {
  floor_do(database, FLOOR_BEGIN_IMMEDIATE);
  int64_t thread = insert_thread(database);
  floor_do(database, FLOOR_COMMIT);
  for (size_t i = 0; i < count; i++) {
    floor_do(database, FLOOR_BEGIN_IMMEDIATE);
    insert_message(database, thread, &messages[i]);
    floor_do(database, FLOOR_COMMIT);
  }
}

/* What a column holds: numbers as they are, texts and blobs as pointers into the page of rows that was read.
 */
typedef union floor_value {
  int64_t number;
  const char *bytes;
} floor_value;

enum { message_columns = 24 };

/* Keeps a row as a program would that goes on to the next one. */
static void keep_row(floor_database *database, sqlite3_stmt *statement, floor_value row[message_columns],
                     floor_sum *sum) {
  for (int column = 0; column < message_columns; column++) {
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      row[column].number = sqlite3_column_int64(statement, column);
      break;
    case SQLITE_NULL:
      row[column].bytes = NULL;
      break;
    default: {
      const void *bytes = sqlite3_column_blob(statement, column);
      size_t length = (size_t)sqlite3_column_bytes(statement, column);
      if (sum->text_bytes + length > sizeof database->texts)
        abort();
      row[column].bytes = memcpy(database->texts + sum->text_bytes, bytes, length);
      sum->text_bytes += length;
    }
    }
  }
  sum->rows++;
  sum->numbers += row[0].number;
}

enum { max_rows = 100 };

static floor_sum read_messages(floor_database *database, sqlite3_stmt *statement) {
  floor_value rows[max_rows][message_columns];
  floor_sum sum = {0};
  floor_do(database, FLOOR_BEGIN);
  int status;
  while ((status = sqlite3_step(statement)) == SQLITE_ROW && sum.rows < max_rows)
    keep_row(database, statement, rows[sum.rows], &sum);
  floor_check(database, status, SQLITE_DONE);
  sqlite3_reset(statement);
  floor_do(database, FLOOR_COMMIT);
  __asm__ volatile("" : : "r"(rows) : "memory");
  return sum;
}

floor_sum floor_page(floor_database *database, int64_t thread, int64_t sent_at, int64_t id, int limit) {
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_PAGE);
  floor_bind_number(database, statement, 1, thread);
  floor_bind_number(database, statement, 2, sent_at);
  floor_bind_number(database, statement, 3, id);
  floor_bind_number(database, statement, 4, limit);
  return read_messages(database, statement);
}

floor_sum floor_search(floor_database *database, const char *query, int limit) {
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_SEARCH);
  floor_bind_text(database, statement, 1, query);
  floor_bind_number(database, statement, 2, INT64_MAX);
  floor_bind_number(database, statement, 3, limit);
  return read_messages(database, statement);
}

floor_sum floor_unread_counts(floor_database *database) {
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_UNREAD);
  floor_sum sum = {0};
  floor_do(database, FLOOR_BEGIN);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    sum.numbers += sqlite3_column_int64(statement, 0);
    sum.numbers += sqlite3_column_int64(statement, 1);
    sum.numbers += sqlite3_column_int64(statement, 2);
    sum.rows++;
  }
  sqlite3_reset(statement);
  floor_do(database, FLOOR_COMMIT);
  return sum;
}
