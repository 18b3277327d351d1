/* Values of rows, and members of objects, as JSON text. */
#ifndef SC_SRC_ARCHIVE_VALUE_TEXT_H
#define SC_SRC_ARCHIVE_VALUE_TEXT_H

#include "session-core/archive/contents.h"

/* Append; after a failure the buffer may hold a part. */
SC_NODISCARD sc_status sc_text_raw(sc_buffer *out, const char *json);
SC_NODISCARD sc_status sc_text_integer(sc_buffer *out, int64_t number);
SC_NODISCARD sc_status sc_text_hex(sc_buffer *out, sc_bytes bytes);

/* SC_ERR_UTF8, SC_ERR_ARGUMENT for a real that is not finite. */
SC_NODISCARD sc_status sc_text_value(sc_buffer *out, const sc_archive_value *value);

/* The place of a value that travels outside its row. */
SC_NODISCARD sc_status sc_text_long(sc_buffer *out, uint32_t number, bool is_text);

/* A list of strings. SC_ERR_UTF8. */
SC_NODISCARD sc_status sc_text_list(sc_buffer *out, const sc_bytes *texts, size_t count);

#endif
