/* What an archive contains: a manifest, values in rows of tables, files, and problems of the export. */
#ifndef SC_ARCHIVE_CONTENTS_H
#define SC_ARCHIVE_CONTENTS_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* Identifies the databases of this program's accounts. */
#define SC_ARCHIVE_APPLICATION_ID 1397052243
#define SC_ARCHIVE_SEED_BYTES 32
#define SC_ARCHIVE_MAX_TABLES 200
#define SC_ARCHIVE_MAX_COLUMNS 200
/* Texts and blobs larger than this travel outside their row. All of them that are on their way together have
 * SC_ARCHIVE_MAX_LONG bytes at most. */
#define SC_ARCHIVE_LONG_FROM ((size_t)256 * 1024)
#define SC_ARCHIVE_MAX_LONG ((size_t)64 * 1024 * 1024)

typedef enum sc_archive_files {
  SC_ARCHIVE_FILES_ALL,
  SC_ARCHIVE_FILES_PICTURES,
  SC_ARCHIVE_FILES_NONE,
} sc_archive_files;

/* The highest row number that a table has ever used. */
typedef struct sc_archive_sequence {
  sc_bytes table;
  int64_t number;
} sc_archive_sequence;

typedef struct sc_archive_manifest {
  sc_bytes account; /* the id, 66 characters */
  sc_bytes name;
  sc_bytes network;    /* "main", "test", or the key of a private network's operator in hexadecimal */
  const uint8_t *seed; /* SC_ARCHIVE_SEED_BYTES of the account's Ed25519 seed; NULL if it does not travel */
  int64_t created;     /* ms since 1970 */
  sc_bytes program;    /* name and version of the program that wrote the archive */
  int64_t schema;      /* number of the last migration of the account's database */
  const sc_bytes *tables; /* in the order in which their rows follow */
  size_t table_count;
  const sc_archive_sequence *sequences;
  size_t sequence_count;
  sc_archive_files files;
  bool disappearing;             /* messages with a running timer travel too */
  const sc_bytes *conversations; /* their addresses, if not all travel */
  size_t conversation_count;
  bool all_conversations;
  int64_t estimated_rows; /* both for progress only: never to be trusted */
  int64_t estimated_file_bytes;
} sc_archive_manifest;

typedef enum sc_archive_value_kind {
  SC_ARCHIVE_NULL,
  SC_ARCHIVE_INTEGER,
  SC_ARCHIVE_REAL,
  SC_ARCHIVE_TEXT,
  SC_ARCHIVE_BLOB,
  SC_ARCHIVE_INVALID, /* read, but not a value of a row: leave the row out */
} sc_archive_value_kind;

typedef struct sc_archive_value {
  sc_archive_value_kind kind;
  int64_t integer;
  double real;
  sc_bytes bytes; /* of a text or blob */
} sc_archive_value;

typedef enum sc_archive_folder {
  SC_ARCHIVE_ATTACHMENTS,
  SC_ARCHIVE_AVATARS,
} sc_archive_folder;

typedef struct sc_archive_file {
  int64_t id;
  int64_t size;
  sc_archive_folder folder;
} sc_archive_file;

/* Something that could not be exported, or only in part. */
typedef struct sc_archive_problem {
  sc_bytes kind;
  sc_bytes item;
  sc_bytes detail;
} sc_archive_problem;

SC_API_END

#endif
