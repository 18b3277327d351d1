/* The JSON edge: strict reading and compact writing, over json-c.
 *
 * Reading accepts RFC 8259 and nothing more: no comments, no trailing commas, no NaN, no duplicate keys,
 * valid UTF-8, at most `max_depth` containers, SC_JSON_MAX_VALUES values and SC_JSON_MAX_BYTES; integers keep
 * all 64 bits, signed or unsigned, and a larger one is an error, as is a key with U+0000 in it. A value
 * belongs to its document and lives as long; the caller that parsed a document owns it. One thread
 * at a time. Its memory is json-c's, from malloc, and is not wiped: no place for secrets. */
#ifndef SC_BASE_JSON_H
#define SC_BASE_JSON_H

#include <stdbool.h>

#include "api.h"
#include "bytes.h"

SC_API_BEGIN

#define SC_JSON_MAX_BYTES ((size_t)16 * 1024 * 1024)
#define SC_JSON_MAX_VALUES ((size_t)1024 * 1024) /* in memory each is far larger than its text */
#define SC_JSON_OBJECT_VALUES 8                  /* an object counts for so many, */
#define SC_JSON_ARRAY_VALUES 2                   /* a list for so many, and what is in them besides */
#define SC_JSON_DEFAULT_DEPTH 32
#define SC_JSON_MAX_DEPTH 256 /* the most that may be asked for */

typedef struct sc_json sc_json;

typedef enum sc_json_type {
  SC_JSON_NULL,
  SC_JSON_BOOL,
  SC_JSON_INTEGER,
  SC_JSON_DOUBLE,
  SC_JSON_STRING,
  SC_JSON_ARRAY,
  SC_JSON_OBJECT,
} sc_json_type;

/* Reads one document that fills `text` (white space around it is allowed). The caller frees it. A key twice
 * in an object, its escapes resolved, is refused, and so is a double that only infinity could stand for.
 * SC_ERR_JSON_SYNTAX, SC_ERR_JSON_DEPTH, SC_ERR_JSON_RANGE, SC_ERR_JSON_DUPLICATE_KEY, SC_ERR_TOO_LARGE;
 * SC_ERR_ARGUMENT for a `max_depth` over SC_JSON_MAX_DEPTH. */
SC_API SC_NODISCARD sc_status sc_json_parse(sc_json **out, sc_bytes text, unsigned max_depth);

/* Releases a document (never a value inside one). NULL is allowed. */
SC_API void sc_json_free(sc_json *document);

/* A NULL value is JSON's null. */
SC_API sc_json_type sc_json_type_of(const sc_json *value);

/* The member `key`; SC_ERR_NOT_FOUND when there is none, SC_ERR_JSON_TYPE when `object` is none. */
SC_API SC_NODISCARD sc_status sc_json_member(const sc_json **out, const sc_json *object, const char *key);

/* Elements of an array or members of an object; 0 for anything else. */
SC_API size_t sc_json_count(const sc_json *container);

/* The element at `index`; SC_ERR_NOT_FOUND past the end, SC_ERR_JSON_TYPE when `array` is none. */
SC_API SC_NODISCARD sc_status sc_json_element(const sc_json **out, const sc_json *array, size_t index);

/* Calls `visit` for each member in the order of the text until it returns something else than SC_OK, which is
 * then returned. */
typedef sc_status (*sc_json_visitor)(void *user, sc_bytes key, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_each(const sc_json *object, sc_json_visitor visit, void *user);

/* SC_ERR_JSON_TYPE when the value is of another type; SC_ERR_JSON_RANGE when it does not fit. An integer of
 * up to 2^53 is a double too. */
SC_API SC_NODISCARD sc_status sc_json_bool(bool *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_i64(int64_t *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_u64(uint64_t *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_double(double *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_string(sc_bytes *out, const sc_json *value);

/* The same for a member of an object, in one step. */
SC_API SC_NODISCARD sc_status sc_json_member_bool(bool *out, const sc_json *object, const char *key);
SC_API SC_NODISCARD sc_status sc_json_member_i64(int64_t *out, const sc_json *object, const char *key);
SC_API SC_NODISCARD sc_status sc_json_member_u64(uint64_t *out, const sc_json *object, const char *key);
SC_API SC_NODISCARD sc_status sc_json_member_string(sc_bytes *out, const sc_json *object, const char *key);

/* Replaces `out` with the compact text of a value, members in the order they came. */
SC_API SC_NODISCARD sc_status sc_json_write(sc_buffer *out, const sc_json *value);

SC_API_END

#endif
