/* Reading the text of cache files: lines, the fields of a line, the numbers in fields. Nothing is copied. */
#ifndef SC_SRC_NETWORK_NODES_TEXT_H
#define SC_SRC_NETWORK_NODES_TEXT_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* Takes off the front of `*rest` what is before the separator, or all of it when there is none. False when
 * the last part was taken before: `rest->ptr` is NULL then. */
bool sc_text_part(sc_bytes *out, sc_bytes *rest, char separator);

/* A decimal number of up to 20 digits and nothing else, `largest` at most. `*out` stays otherwise. */
bool sc_text_number(uint64_t *out, sc_bytes text, uint64_t largest);

enum { sc_text_line_most = 256 };

typedef enum sc_text_line {
  SC_TEXT_LINE,
  SC_TEXT_END,
  SC_TEXT_LINE_TOO_LONG, /* of more than sc_text_line_most bytes: this is no file of lines */
} sc_text_line;

/* Takes the next line that is not empty; LF or CR ends one. */
sc_text_line sc_text_next_line(sc_bytes *out, sc_bytes *rest);

#endif
