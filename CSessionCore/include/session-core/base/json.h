/* JSON: strict reading and compact writing, based on json-c.
 *
 * Reading accepts only RFC 8259: no comments, no trailing commas, no NaN, no duplicate keys, valid UTF-8, at
 * most `max_depth` nested containers, SC_JSON_MAX_VALUES values and SC_JSON_MAX_BYTES bytes. Integers keep
 * all 64 bits, signed or unsigned; a larger integer is an error, and so is a key that contains U+0000. A
 * value belongs to its document and lives as long as it does; the caller that parsed a document owns it. One
 * thread at a time. The memory comes from malloc through json-c and is not wiped: do not parse secrets. */
#ifndef SC_BASE_JSON_H
#define SC_BASE_JSON_H

#include <stdbool.h>

#include "api.h"
#include "bytes.h"

SC_API_BEGIN

#define SC_JSON_MAX_BYTES ((size_t)16 * 1024 * 1024)
#define SC_JSON_MAX_VALUES ((size_t)1024 * 1024) /* in memory each value is far larger than its text */
#define SC_JSON_OBJECT_VALUES 8 /* values that an object counts as, in addition to its members */
#define SC_JSON_ARRAY_VALUES 2  /* values that an array counts as, in addition to its elements */
#define SC_JSON_DEFAULT_DEPTH 32
#define SC_JSON_MAX_DEPTH 256 /* the largest allowed `max_depth` */

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

/* Parses one document that fills `text`, apart from surrounding white space. The caller frees it. A key that
 * occurs twice in an object after resolving escapes is refused, and so is a number too large for a double.
 * SC_ERR_JSON_SYNTAX, SC_ERR_JSON_DEPTH, SC_ERR_JSON_RANGE, SC_ERR_JSON_DUPLICATE_KEY, SC_ERR_TOO_LARGE;
 * SC_ERR_ARGUMENT for a `max_depth` over SC_JSON_MAX_DEPTH. */
SC_API SC_NODISCARD sc_status sc_json_parse(sc_json **out, sc_bytes text, unsigned max_depth);

/* Releases a document (never a value inside one). NULL is allowed. */
SC_API void sc_json_free(sc_json *document);

/* Returns the type of a value. NULL is JSON's null. */
SC_API sc_json_type sc_json_type_of(const sc_json *value);

/* Returns the member `key`. SC_ERR_NOT_FOUND if there is none, SC_ERR_JSON_TYPE if `object` is not an
 * object. */
SC_API SC_NODISCARD sc_status sc_json_member(const sc_json **out, const sc_json *object, const char *key);

/* Returns the number of elements of an array or members of an object; 0 for other values. */
SC_API size_t sc_json_count(const sc_json *container);

/* Returns the element at `index`. SC_ERR_NOT_FOUND past the end, SC_ERR_JSON_TYPE if `array` is not an
 * array. */
SC_API SC_NODISCARD sc_status sc_json_element(const sc_json **out, const sc_json *array, size_t index);

/* Calls `visit` for each member in text order. Stops at the first result other than SC_OK and returns it. */
typedef sc_status (*sc_json_visitor)(void *user, sc_bytes key, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_each(const sc_json *object, sc_json_visitor visit, void *user);

/* Read a value. SC_ERR_JSON_TYPE for another type, SC_ERR_JSON_RANGE if it does not fit. Integers up to 2^53
 * can be read as double; community servers state times as seconds with a fraction. */
SC_API SC_NODISCARD sc_status sc_json_bool(bool *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_i64(int64_t *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_u64(uint64_t *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_double(double *out, const sc_json *value);
SC_API SC_NODISCARD sc_status sc_json_string(sc_bytes *out, const sc_json *value);

/* Read a member of an object in one step. */
SC_API SC_NODISCARD sc_status sc_json_member_bool(bool *out, const sc_json *object, const char *key);
SC_API SC_NODISCARD sc_status sc_json_member_i64(int64_t *out, const sc_json *object, const char *key);
SC_API SC_NODISCARD sc_status sc_json_member_u64(uint64_t *out, const sc_json *object, const char *key);
SC_API SC_NODISCARD sc_status sc_json_member_string(sc_bytes *out, const sc_json *object, const char *key);

/* Replaces `out` with the compact text of a value, members in their original order. */
SC_API SC_NODISCARD sc_status sc_json_write(sc_buffer *out, const sc_json *value);

SC_API_END

#endif
