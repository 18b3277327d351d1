/* Reads a JSON document from front to back without building a tree: for large documents of a fixed shape, and
 * for those with secrets, because nothing is copied but what the caller keeps.
 *
 * The whole text is checked first. Afterwards only memory can run out, and a value can have another type than
 * the caller expects. The text must outlive the cursor. */
#ifndef SC_SRC_BASE_JSON_CURSOR_H
#define SC_SRC_BASE_JSON_CURSOR_H

#include <stdbool.h>

#include "session-core/base/json.h"

/* The most keys that objects around one place may have together. */
enum { sc_json_cursor_keys = 256 };

typedef struct sc_json_cursor {
  const uint8_t *at; /* the next value, or what follows the last one */
  const uint8_t *end;
} sc_json_cursor;

/* Checks the text as sc_json_parse does, and places the cursor in front of its value. SC_ERR_TOO_LARGE for
 * more than sc_json_cursor_keys keys, or the failures of sc_json_parse. */
SC_NODISCARD sc_status sc_json_cursor_init(sc_json_cursor *out, sc_bytes text, unsigned max_depth);

/* The type of the next value. */
sc_json_type sc_json_cursor_type(const sc_json_cursor *cursor);

/* Enters the array or object that comes next. SC_ERR_JSON_TYPE for another value. */
SC_NODISCARD sc_status sc_json_cursor_enter(sc_json_cursor *cursor, sc_json_type type);

/* True if the innermost container has another element or member, which is then next. False leaves it. */
bool sc_json_cursor_more(sc_json_cursor *cursor);

/* Replaces `out` with the key that is next. */
SC_NODISCARD sc_status sc_json_cursor_key(sc_buffer *out, sc_json_cursor *cursor);

/* Passes over the next value. */
void sc_json_cursor_skip(sc_json_cursor *cursor);

/* Take the next value. SC_ERR_JSON_TYPE for another type, SC_ERR_JSON_RANGE for a number that does not fit;
 * the value is then still next. */
SC_NODISCARD sc_status sc_json_cursor_bool(bool *out, sc_json_cursor *cursor);
SC_NODISCARD sc_status sc_json_cursor_i64(int64_t *out, sc_json_cursor *cursor);
SC_NODISCARD sc_status sc_json_cursor_double(double *out, sc_json_cursor *cursor);

/* Takes the next string and appends it to `out`. */
SC_NODISCARD sc_status sc_json_cursor_string(sc_buffer *out, sc_json_cursor *cursor);

#endif
