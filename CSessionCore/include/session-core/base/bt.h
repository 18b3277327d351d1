/* bt, the bencode dialect of Session: a pull reader that never allocates and a writer that keeps dicts
 * canonical.
 *
 * The reader borrows its input: every view it gives points there. It is strict: numbers without spare zeros,
 * dict keys strictly ascending, at most SC_BT_MAX_DEPTH containers; so whatever it accepts, the writer writes
 * back to the same bytes. A call that fails leaves the reader where it was. Reader and writer live on the
 * stack. */
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
  SC_BT_END,     /* of the container the reader is in, of the input, or of the one value it holds */
  SC_BT_INVALID, /* nothing that may stand here begins with this byte */
} sc_bt_type;

/* Private to the reader; here so that one can live on the stack. */
typedef struct sc_bt_level {
  const uint8_t *key; /* the last key read; NULL before the first */
  size_t key_len;
  uint8_t kind;   /* what the level is inside of: nothing, a list or a dict */
  bool value_due; /* a value may stand here: in a dict, a key was read and its value was not */
} sc_bt_level;

typedef struct sc_bt_reader {
  const uint8_t *begin;
  const uint8_t *at;
  const uint8_t *end;
  unsigned depth;
  sc_bt_level levels[SC_BT_MAX_DEPTH + 1]; /* the first is outside of everything */
} sc_bt_reader;

/* Starts at the first byte of `input`, which must outlive the reader. */
SC_API void sc_bt_reader_init(sc_bt_reader *reader, sc_bytes input);

/* What stands next. In a dict that is the value when a key was just read, otherwise the next key or the end.
 */
SC_API sc_bt_type sc_bt_peek(const sc_bt_reader *reader);

/* SC_ERR_BT_TYPE when another type stands there, SC_ERR_BT_RANGE when it does not fit, SC_ERR_STATE in a dict
 * before its key was read. Of every call: SC_ERR_BT_SYNTAX for what is not bt, SC_ERR_TRUNCATED when the
 * input ends too early. */
SC_API SC_NODISCARD sc_status sc_bt_read_i64(int64_t *out, sc_bt_reader *reader);
SC_API SC_NODISCARD sc_status sc_bt_read_u64(uint64_t *out, sc_bt_reader *reader);
SC_API SC_NODISCARD sc_status sc_bt_read_string(sc_bytes *out, sc_bt_reader *reader);

/* Steps into a container; SC_ERR_BT_DEPTH beyond SC_BT_MAX_DEPTH. */
SC_API SC_NODISCARD sc_status sc_bt_enter_list(sc_bt_reader *reader);
SC_API SC_NODISCARD sc_status sc_bt_enter_dict(sc_bt_reader *reader);

/* Steps out of the container, skipping (and checking) what is left in it. */
SC_API SC_NODISCARD sc_status sc_bt_leave(sc_bt_reader *reader);

/* The next key of the dict, past the value of the one before if that was not read. SC_ERR_BT_ORDER unless
 * strictly greater than the one before, SC_ERR_NOT_FOUND at the end of the dict. */
SC_API SC_NODISCARD sc_status sc_bt_next_key(sc_bytes *out, sc_bt_reader *reader);

/* Walks forward to `key` and stands on its value. SC_ERR_NOT_FOUND, standing before the first greater key,
 * when it is not there. Look keys up in ascending order. */
SC_API SC_NODISCARD sc_status sc_bt_find_key(sc_bt_reader *reader, sc_bytes key);

/* Passes over the next value, checking it whole. */
SC_API SC_NODISCARD sc_status sc_bt_skip(sc_bt_reader *reader);

/* The exact encoding of the next value, checked, and passes over it. */
SC_API SC_NODISCARD sc_status sc_bt_read_raw(sc_bytes *out, sc_bt_reader *reader);

/* Bytes read so far: what a signature covers, when asked for just before the signature's key is read. */
SC_API size_t sc_bt_position(const sc_bt_reader *reader);

/* Ends reading: SC_ERR_TRAILING unless one value was read and nothing follows it. */
SC_API SC_NODISCARD sc_status sc_bt_finish(const sc_bt_reader *reader);

/* Checks that `input` is one canonical value and nothing else. */
SC_API SC_NODISCARD sc_status sc_bt_validate(sc_bytes input);

/* The writer appends to a buffer. Its calls return nothing: the first failure is kept, later calls do
 * nothing, and sc_bt_writer_finish reports it. Keys may be written in any order: a dict whose keys came out
 * of order is sorted when it ends, and a key written twice is SC_ERR_BT_ORDER. A call that does not belong
 * where it is made (a value without its key, a key outside of a dict, an end too many) is SC_ERR_STATE. */
typedef struct sc_bt_writer_level {
  size_t body; /* offset of the first byte inside the container */
  size_t keys; /* written so far */
  size_t key;  /* offset of the last key */
  size_t key_len;
  bool dict;
  bool value_due; /* a value may stand here: in a dict, a key was written and its value was not */
  bool unsorted;
} sc_bt_writer_level;

typedef struct sc_bt_writer {
  sc_buffer *out;
  size_t start; /* offset of the first byte written */
  sc_status status;
  unsigned depth;
  sc_bt_writer_level levels[SC_BT_MAX_DEPTH + 1]; /* the first is outside of everything */
} sc_bt_writer;

/* Begins one value, appended to what `out` holds. */
SC_API void sc_bt_writer_init(sc_bt_writer *writer, sc_buffer *out);
SC_API void sc_bt_write_i64(sc_bt_writer *writer, int64_t value);
SC_API void sc_bt_write_u64(sc_bt_writer *writer, uint64_t value);
SC_API void sc_bt_write_string(sc_bt_writer *writer, sc_bytes value);
SC_API void sc_bt_write_key(sc_bt_writer *writer, sc_bytes key);
/* A value that is already encoded; it is checked. */
SC_API void sc_bt_write_raw(sc_bt_writer *writer, sc_bytes value);
SC_API void sc_bt_begin_list(sc_bt_writer *writer);
SC_API void sc_bt_begin_dict(sc_bt_writer *writer);
SC_API void sc_bt_end(sc_bt_writer *writer);
/* The first failure, or SC_ERR_STATE unless exactly one value was written. On failure what this writer
 * appended is removed from the buffer. */
SC_API SC_NODISCARD sc_status sc_bt_writer_finish(sc_bt_writer *writer);

SC_API_END

#endif
