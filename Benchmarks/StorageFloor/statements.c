#define SQLITE_HAS_CODEC 1
#include "statements.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

#include "storage_floor.h"

#define MESSAGE_COLUMNS                                                                                      \
  "i.id, i.threadID, i.author, i.kind, i.body, i.info, i.sentAt, i.receivedAt, i.serverHash, i.uuid, "       \
  "i.serverID, i.wasRead, i.hasMention, i.state, i.failure, i.readByRecipientAt, i.expiryMode, "             \
  "i.expirySeconds, i.expiryStartedAt, i.linkPreviewID, i.isWhisper, i.whisperTo, i.proMessageFeatures, "    \
  "i.proProfileFeatures"

const char *const floor_sql[FLOOR_STATEMENTS] = {
    [FLOOR_BEGIN] = "BEGIN",
    [FLOOR_BEGIN_IMMEDIATE] = "BEGIN IMMEDIATE",
    [FLOOR_COMMIT] = "COMMIT",
    [FLOOR_FIND_THREAD] =
        "SELECT id, address, kind, createdAt, isVisible, priority, mutedUntil, notifies, sound, "
        "isMarkedUnread, lastReadAt, expiryMode, expirySeconds FROM thread WHERE address = ?",
    [FLOOR_INSERT_THREAD] = "INSERT INTO thread (address, kind, createdAt, isVisible) VALUES (?, ?, ?, ?)",
    [FLOOR_INSERT_MESSAGE] =
        "INSERT INTO interaction (threadID, author, kind, body, info, sentAt, receivedAt, serverHash, uuid, "
        "serverID, wasRead, hasMention, state, failure, readByRecipientAt, expiryMode, expirySeconds, "
        "expiryStartedAt, linkPreviewID, isWhisper, whisperTo, proMessageFeatures, proProfileFeatures) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [FLOOR_FIND_PLACE] = "SELECT 1 FROM messageText WHERE place = ? AND interactionID <> ?",
    [FLOOR_INSERT_TEXT] =
        "INSERT INTO messageText (place, interactionID, text, threadID) VALUES (?, ?, ?, ?)",
    [FLOOR_PAGE] =
        "SELECT " MESSAGE_COLUMNS " FROM interaction i WHERE threadID = ? AND (sentAt, id) < (?, ?) "
        "ORDER BY sentAt DESC, id DESC LIMIT ?",
    [FLOOR_SEARCH] =
        "SELECT " MESSAGE_COLUMNS
        " FROM messageSearch s JOIN messageText m ON m.place = s.docid JOIN interaction i "
        "ON i.id = m.interactionID JOIN thread t ON t.id = i.threadID LEFT JOIN contact c ON c.id = "
        "t.address "
        "WHERE s.text MATCH ? AND s.docid < ? AND ifnull(c.isBlocked, 0) = 0 ORDER BY s.docid DESC LIMIT ?",
    [FLOOR_UNREAD] =
        "SELECT threadID, count(*), sum(hasMention) FROM interaction WHERE wasRead = 0 GROUP BY threadID",
    [FLOOR_INSERT_JOB] =
        "INSERT INTO job (kind, version, payload, queue, partition, uniqueKey, priority, state, needsAny, "
        "conditions, createdAt, notBefore, deadline, interval, attempts, failures, interruptions, deferrals, "
        "deferredSince, againAt, runner, startedAt, finishedAt, progress, failure, threadID, interactionID) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [FLOOR_CLAIM_JOB] =
        "UPDATE job SET state = 1, runner = ?, startedAt = ?, attempts = attempts + 1, progress = NULL "
        "WHERE id = ? AND state = 0",
    [FLOOR_FINISH_JOB] = "UPDATE job SET state = 2, runner = NULL, finishedAt = ?, failure = NULL "
                         "WHERE id = ? AND state = 1 AND runner = ? AND againAt IS NULL",
    [FLOOR_FIND_OWNER] = "SELECT id FROM owners WHERE account = ?",
    [FLOOR_INSERT_OWNER] = "INSERT INTO owners (account) VALUES (?)",
    [FLOOR_INSERT_STORED] =
        "INSERT OR IGNORE INTO messages (hash, owner, namespace, timestamp, expiry, data) "
        "VALUES (?, ?, ?, ?, ?, ?)",
    [FLOOR_FIND_START] = "SELECT messages.id FROM messages JOIN owners ON owners.id = owner\n"
                         "WHERE hash = ? AND account = ? AND namespace = ?",
    [FLOOR_RETRIEVE] = "SELECT hash, timestamp, expiry, data FROM messages\n"
                       "WHERE owner = (SELECT id FROM owners WHERE account = ?) AND namespace = ? AND id > ? "
                       "AND expiry > ?\n"
                       "ORDER BY id",
};

/* The statements of each part. */
static const struct {
  floor_statement first, end;
} parts[] = {
    [FLOOR_OF_MESSAGES] = {0, FLOOR_INSERT_JOB},
    [FLOOR_OF_JOBS] = {FLOOR_INSERT_JOB, FLOOR_FIND_OWNER},
    [FLOOR_OF_NODES] = {FLOOR_FIND_OWNER, FLOOR_STATEMENTS},
};

/* The library calls watch_connection for each connection that is opened, and that has every statement shown
 * to see_statement. */

static bool was_run[FLOOR_STATEMENTS];
static bool is_watching;

static int see_statement(unsigned event, void *user, void *statement, void *text) {
  (void)event;
  (void)user;
  (void)text;
  if (!is_watching)
    return 0;
  const char *sql = sqlite3_sql(statement);
  for (size_t i = 0; sql != NULL && i < FLOOR_STATEMENTS; i++)
    was_run[i] = was_run[i] || strcmp(sql, floor_sql[i]) == 0;
  return 0;
}

static int watch_connection(sqlite3 *database, char **message, const struct sqlite3_api_routines *routines) {
  (void)message;
  (void)routines;
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, see_statement, NULL);
}

void floor_watch_statements(void) {
  is_watching = true;
  sqlite3_auto_extension((void (*)(void))watch_connection);
}

const char *floor_foreign_statement(floor_part part) {
  sqlite3_reset_auto_extension();
  is_watching = false;
  for (size_t i = parts[part].first; i < parts[part].end; i++)
    if (!was_run[i])
      return floor_sql[i];
  return NULL;
}
