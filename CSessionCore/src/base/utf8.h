/* What well-formed UTF-8 is: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef SC_SRC_BASE_UTF8_H
#define SC_SRC_BASE_UTF8_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* Bytes of the character at the front of `text`, 0 when none is well formed there. */
size_t sc_utf8_character(sc_bytes text);

bool sc_utf8_is_valid(sc_bytes text);

#endif
