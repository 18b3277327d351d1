/* Text in UTF-8. Well-formed means: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef SC_SRC_BASE_UTF8_H
#define SC_SRC_BASE_UTF8_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* Bytes of the character at the front of `text`, 0 when none is well formed there. */
size_t sc_utf8_character(sc_bytes text);

bool sc_utf8_is_valid(sc_bytes text);

/* Takes the code point at the front off `*rest`. False when none is well formed there. */
bool sc_utf8_next(uint32_t *out, sc_bytes *rest);

/* True for the white space of Unicode. */
bool sc_utf8_is_space(uint32_t code_point);

/* The text without white space at its ends. */
sc_bytes sc_utf8_trimmed(sc_bytes text);

/* The longest beginning of `text` that ends with a whole code point and has up to `most` bytes, or up to
 * `most` code points. */
sc_bytes sc_utf8_first_bytes(sc_bytes text, size_t most);
sc_bytes sc_utf8_first_code_points(sc_bytes text, size_t most);

#endif
