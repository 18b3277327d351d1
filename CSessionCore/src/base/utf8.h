/* UTF-8 text. Well-formed means no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef SC_SRC_BASE_UTF8_H
#define SC_SRC_BASE_UTF8_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* Returns the length of the first character of `text` in bytes, 0 if it is not well formed. */
size_t sc_utf8_character(sc_bytes text);

bool sc_utf8_is_valid(sc_bytes text);

/* Removes the first code point from `*rest`. False if it is not well formed. */
bool sc_utf8_next(uint32_t *out, sc_bytes *rest);

/* True for Unicode white space. */
bool sc_utf8_is_space(uint32_t code_point);

/* Returns the text without leading and trailing white space. */
sc_bytes sc_utf8_trimmed(sc_bytes text);

/* Return the longest prefix of `text` with at most `most` bytes, or `most` code points, that does not split a
 * code point. */
sc_bytes sc_utf8_first_bytes(sc_bytes text, size_t most);
sc_bytes sc_utf8_first_code_points(sc_bytes text, size_t most);

#endif
