/* The least that the storage can cost: the statements of SessionStorage in bare loops over the same library,
 * on connections with the same settings.
 *
 * Everything ends the program when it fails. One thread uses a database. */
#ifndef STORAGE_FLOOR_H
#define STORAGE_FLOOR_H

#include <stddef.h>
#include <stdint.h>

enum { FLOOR_KEY_BYTES = 32 };

typedef struct floor_database floor_database;

/* What was read, to compare with what others have read. */
typedef struct floor_sum {
  size_t rows;
  size_t text_bytes;
  int64_t numbers; /* sum of the ids, or of the counts */
} floor_sum;

/* A message as it is written: texts end with a zero. */
typedef struct floor_message {
  char *author;
  char *body;
  char *search_text;
  char *hash;
  int64_t sent_at;
} floor_message;

/* Opens the database of an account, which was made by others. */
floor_database *floor_open(const char *path, const uint8_t key[static FLOOR_KEY_BYTES]);
void floor_close(floor_database *database);

/* All messages of a conversation, to be written again. They are never given back. */
floor_message *floor_take_messages(floor_database *database, int64_t thread, size_t *count);

/* Writes the messages into a new conversation, in one transaction. */
void floor_insert_together(floor_database *database, const floor_message *messages, size_t count);
/* Writes each in a transaction of its own. */
void floor_insert_alone(floor_database *database, const floor_message *messages, size_t count);

/* The messages of a conversation right before a place. */
floor_sum floor_page(floor_database *database, int64_t thread, int64_t sent_at, int64_t id, int limit);
/* The last messages that match a query of the engine. */
floor_sum floor_search(floor_database *database, const char *query, int limit);
floor_sum floor_unread_counts(floor_database *database);

/* Adds jobs with nothing to do, in one transaction, and returns the number of the first. */
int64_t floor_add_jobs(floor_database *database, size_t count);
/* Begins and ends so many jobs from the first on: each transaction, which lasts, ends the batch before and
 * begins the next.
 */
void floor_drain_jobs(floor_database *database, int64_t first, size_t count, size_t batch);

enum { FLOOR_ACCOUNT_BYTES = 33, FLOOR_STORED_BYTES = 200, FLOOR_SEALED_BYTES = 700 };

/* Stores messages of an account in the database of a node, as each has to be: its signature is verified and
 * its data hashed; those of a batch are written in one transaction, which lasts. */
void floor_store(floor_database *database, const uint8_t account[static FLOOR_ACCOUNT_BYTES], size_t count,
                 size_t batch);
/* Reads the first of them, each time after a signature was verified. */
void floor_retrieve(floor_database *database, const uint8_t account[static FLOOR_ACCOUNT_BYTES],
                    size_t count);

/* Opens layers of onions: the secret of two keys, the key that follows from it, and the cipher. */
void floor_peel(size_t count);

/* What is done with a database. */
typedef enum floor_part {
  FLOOR_OF_MESSAGES,
  FLOOR_OF_JOBS,
  FLOOR_OF_NODES,
} floor_part;

/* Begins to remember what statements run on connections that are opened from now on. */
void floor_watch_statements(void);
/* A statement of the floor that nobody has run since; NULL when there is none. Stops watching. */
const char *floor_foreign_statement(floor_part part);

#endif
