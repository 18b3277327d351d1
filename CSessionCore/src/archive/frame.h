/* A frame of the contents:
 *
 *   type 1 | flags 1 | zero 2 | length 4 | payload
 *
 * The only flag says that the payload is one zstd frame. */
#ifndef SC_SRC_ARCHIVE_FRAME_H
#define SC_SRC_ARCHIVE_FRAME_H

#include "session-core/archive/contents.h"

enum {
  sc_frame_head_bytes = 8,
  sc_frame_max_payload = 1 << 20, /* as it stands, and decompressed */
  sc_frame_compressed = 1,        /* the flag */
  sc_frame_long_head_bytes = 5,   /* of a piece of a long value: its number 4 | 1 for the last piece 1 */
};

typedef enum sc_frame_type {
  SC_FRAME_MANIFEST = 1,
  SC_FRAME_ROWS = 2,
  SC_FRAME_FILE = 3,
  SC_FRAME_FILE_DATA = 4,
  SC_FRAME_FILE_END = 5,
  SC_FRAME_PROBLEM = 6,
  SC_FRAME_END = 7,
  SC_FRAME_LONG = 8,
  SC_FRAME_FIRST_UNKNOWN = 9,   /* programs that do not know these cannot read on */
  SC_FRAME_FIRST_IGNORED = 128, /* they pass over these */
} sc_frame_type;

/* The problems of an archive that are described; the others are counted. */
enum { sc_archive_most_problems = 1000 };

/* Of a file's content. */
enum { sc_archive_hash_bytes = 32 };

#endif
