/* Writes JSON directly into a buffer, for documents of a fixed shape that need neither a tree nor json-c. */
#ifndef SC_SRC_BASE_JSON_TEXT_H
#define SC_SRC_BASE_JSON_TEXT_H

#include "session-core/base/bytes.h"

/* Appends `text` as a JSON string, with quotes and escapes. SC_ERR_UTF8, after which nothing was appended. */
SC_NODISCARD sc_status sc_json_text_append(sc_buffer *out, sc_bytes text);

#endif
