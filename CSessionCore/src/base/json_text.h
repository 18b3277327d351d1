/* Writes JSON directly into a buffer, for documents of a fixed shape that need neither a tree nor json-c. */
#ifndef SC_SRC_BASE_JSON_TEXT_H
#define SC_SRC_BASE_JSON_TEXT_H

#include "session-core/base/bytes.h"

/* Appends `text` as a JSON string, quotes and escapes included. SC_ERR_UTF8, with nothing appended. */
SC_NODISCARD sc_status sc_json_text_append(sc_buffer *out, sc_bytes text);

#endif
