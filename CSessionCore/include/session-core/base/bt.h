/* bt, the bencode dialect of Session: a pull reader that never allocates and a writer that produces
 * canonical dicts.
 *
 * The reader borrows its input, and the views it returns point into the input. It is strict: no superfluous
 * zeros in numbers, dict keys in strictly ascending order, at most SC_BT_MAX_DEPTH nested containers. The
 * writer therefore reproduces every accepted input byte for byte. A failed call leaves the reader where it
 * was. Reader and writer live on the stack. */
#ifndef SC_BASE_BT_H
#define SC_BASE_BT_H

#include <stdbool.h>

#include "api.h"
#include "bytes.h"

SC_API_BEGIN

#define SC_BT_MAX_DEPTH 32

typedef enum sc_bt_type {
  SC_BT_INTEGER,
  SC_BT_STRING,
  SC_BT_LIST,
  SC_BT_DICT,
  SC_BT_END,     /* end of the container, of the input, or of the single value that the reader holds */
  SC_BT_INVALID, /* no value that is allowed here begins with this byte */
} sc_bt_type;

/* Private to the reader; public so that a reader can live on the stack. */
typedef struct sc_bt_level {
  const uint8_t *key; /* the last key read; NULL before the first */
  size_t key_len;
  uint8_t kind;   /* the container that the level is in: none, a list or a dict */
  bool value_due; /* true if a value may follow: in a dict, a key was read and its value was not */
} sc_bt_level;

typedef struct sc_bt_reader {
  const uint8_t *begin;
  const uint8_t *at;
  const uint8_t *end;
  unsigned depth;
  sc_bt_level levels[SC_BT_MAX_DEPTH + 1]; /* the first level is outside all containers */
} sc_bt_reader;

/* Starts at the first byte of `input`, which must outlive the reader. */
SC_API void sc_bt_reader_init(sc_bt_reader *reader, sc_bytes input);

/* Returns the type of the next element. In a dict that is the value if a key was just read, otherwise the
 * next key or the end. */
SC_API sc_bt_type sc_bt_peek(const sc_bt_reader *reader);

/* Reads a value. SC_ERR_BT_TYPE if the next element has another type, SC_ERR_BT_RANGE if the value does not
 * fit, SC_ERR_STATE in a dict before the key was read. All calls: SC_ERR_BT_SYNTAX for invalid bt,
 * SC_ERR_TRUNCATED if the input ends too early. */
SC_API SC_NODISCARD sc_status sc_bt_read_i64(int64_t *out, sc_bt_reader *reader);
SC_API SC_NODISCARD sc_status sc_bt_read_u64(uint64_t *out, sc_bt_reader *reader);
SC_API SC_NODISCARD sc_status sc_bt_read_string(sc_bytes *out, sc_bt_reader *reader);

/* Enters a container. SC_ERR_BT_DEPTH beyond SC_BT_MAX_DEPTH. */
SC_API SC_NODISCARD sc_status sc_bt_enter_list(sc_bt_reader *reader);
SC_API SC_NODISCARD sc_status sc_bt_enter_dict(sc_bt_reader *reader);

/* Leaves the container; skips and checks the rest of it. */
SC_API SC_NODISCARD sc_status sc_bt_leave(sc_bt_reader *reader);

/* Reads the next key of the dict, skipping the previous value if it was not read. SC_ERR_BT_ORDER unless the
 * key is strictly greater than the previous one, SC_ERR_NOT_FOUND at the end of the dict. */
SC_API SC_NODISCARD sc_status sc_bt_next_key(sc_bytes *out, sc_bt_reader *reader);

/* Skips to `key` and stops before its value. SC_ERR_NOT_FOUND if it is missing; the reader then stands
 * before the first greater key. Look up keys in ascending order. */
SC_API SC_NODISCARD sc_status sc_bt_find_key(sc_bt_reader *reader, sc_bytes key);

/* Skips and checks the next value. */
SC_API SC_NODISCARD sc_status sc_bt_skip(sc_bt_reader *reader);

/* Returns the encoding of the next value, checked, and skips it. */
SC_API SC_NODISCARD sc_status sc_bt_read_raw(sc_bytes *out, sc_bt_reader *reader);

/* Returns the number of bytes read so far. Just before the key of a signature is read, that is the length of
 * the signed part. */
SC_API size_t sc_bt_position(const sc_bt_reader *reader);

/* Ends reading. SC_ERR_TRAILING unless exactly one value was read. */
SC_API SC_NODISCARD sc_status sc_bt_finish(const sc_bt_reader *reader);

/* Checks that `input` is exactly one canonical value. */
SC_API SC_NODISCARD sc_status sc_bt_validate(sc_bytes input);

/* The writer appends to a buffer. Its calls return nothing: the writer keeps the first failure, ignores later
 * calls, and sc_bt_writer_finish returns the failure. Keys may be written in any order: a dict with unordered
 * keys is sorted when it ends. A duplicate key is SC_ERR_BT_ORDER. A misplaced call (a value without a key, a
 * key outside a dict, one end too many) is SC_ERR_STATE. */
typedef struct sc_bt_writer_level {
  size_t body; /* offset of the first byte inside the container */
  size_t keys; /* keys written so far */
  size_t key;  /* offset of the last key */
  size_t key_len;
  bool dict;
  bool value_due; /* true if a value may follow: in a dict, a key was written and its value was not */
  bool unsorted;
} sc_bt_writer_level;

typedef struct sc_bt_writer {
  sc_buffer *out;
  size_t start; /* offset of the first byte written */
  sc_status status;
  unsigned depth;
  sc_bt_writer_level levels[SC_BT_MAX_DEPTH + 1]; /* the first level is outside all containers */
} sc_bt_writer;

/* Starts a value, appended to the content of `out`. */
SC_API void sc_bt_writer_init(sc_bt_writer *writer, sc_buffer *out);
SC_API void sc_bt_write_i64(sc_bt_writer *writer, int64_t value);
SC_API void sc_bt_write_u64(sc_bt_writer *writer, uint64_t value);
SC_API void sc_bt_write_string(sc_bt_writer *writer, sc_bytes value);
SC_API void sc_bt_write_key(sc_bt_writer *writer, sc_bytes key);
/* Writes an encoded value, after checking it. */
SC_API void sc_bt_write_raw(sc_bt_writer *writer, sc_bytes value);
SC_API void sc_bt_begin_list(sc_bt_writer *writer);
SC_API void sc_bt_begin_dict(sc_bt_writer *writer);
SC_API void sc_bt_end(sc_bt_writer *writer);
/* Returns the first failure, or SC_ERR_STATE unless exactly one value was written. After a failure the bytes
 * of this writer are removed from the buffer. */
SC_API SC_NODISCARD sc_status sc_bt_writer_finish(sc_bt_writer *writer);

SC_API_END

#endif
