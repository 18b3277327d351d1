/* Reading text: ASCII characters in any locale, prefixes, lines, fields and decimal numbers. Nothing is
 * copied. Not for secrets: the time depends on the data. */
#ifndef SC_SRC_BASE_TEXT_H
#define SC_SRC_BASE_TEXT_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

static inline uint8_t sc_ascii_lower(uint8_t character) {
  return character >= 'A' && character <= 'Z' ? (uint8_t)(character - 'A' + 'a') : character;
}

static inline bool sc_ascii_is_digit(uint8_t character) {
  return character >= '0' && character <= '9';
}

static inline bool sc_ascii_is_letter(uint8_t character) {
  return sc_ascii_lower(character) >= 'a' && sc_ascii_lower(character) <= 'z';
}

bool sc_text_starts_with(sc_bytes text, const char *start);
bool sc_text_ends_with(sc_bytes text, const char *end);

/* Removes the part before the separator from the front of `*rest`, or all of it if there is none. False
 * after the last part; `rest->ptr` is then NULL. */
bool sc_text_part(sc_bytes *out, sc_bytes *rest, char separator);

/* Reads a decimal number of up to 20 digits, `largest` at most. False leaves `*out` unchanged. */
bool sc_text_number(uint64_t *out, sc_bytes text, uint64_t largest);

enum { sc_text_line_most = 256 };

typedef enum sc_text_line {
  SC_TEXT_LINE,
  SC_TEXT_END,
  SC_TEXT_LINE_TOO_LONG, /* longer than sc_text_line_most: not a file of lines */
} sc_text_line;

/* Takes the next line that is not empty; LF or CR ends one. */
sc_text_line sc_text_next_line(sc_bytes *out, sc_bytes *rest);

#endif
