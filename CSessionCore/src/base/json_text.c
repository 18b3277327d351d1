#include "json_text.h"

#include <stdbool.h>

#include "session-core/base/encoding.h"
#include "utf8.h"

static bool needs_escape(uint8_t byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

/* The character behind the backslash of a short escape; 0 for those that have none. */
static char short_escape(uint8_t byte) {
  static const char escaped[] = "\"\\\b\f\n\r\t";
  static const char letters[] = "\"\\bfnrt";
  const char *found = byte == 0 ? NULL : strchr(escaped, byte);
  return found == NULL ? '\0' : letters[found - escaped];
}

static sc_status append_escape(sc_buffer *out, uint8_t byte) {
  char text[] = "\\u0000";
  char letter = short_escape(byte);
  if (letter != '\0') {
    text[1] = letter;
    text[2] = '\0';
  } else {
    sc_hex_encode(text + 4, sc_bytes_make(&byte, 1));
  }
  return sc_buffer_append(out, sc_bytes_text(text));
}

static size_t plain_length(sc_bytes text) {
  size_t length = 0;
  while (length < text.len && !needs_escape(text.ptr[length]))
    length++;
  return length;
}

static sc_status append_characters(sc_buffer *out, sc_bytes text) {
  sc_status status = SC_OK;
  while (text.len > 0 && status == SC_OK) {
    size_t plain = plain_length(text);
    status = sc_buffer_append(out, sc_bytes_make(text.ptr, plain));
    bool escape = plain < text.len;
    if (status == SC_OK && escape)
      status = append_escape(out, text.ptr[plain]);
    size_t passed = plain + (escape ? 1 : 0);
    text = sc_bytes_make(text.ptr + passed, text.len - passed);
  }
  return status;
}

sc_status sc_json_text_append(sc_buffer *out, sc_bytes text) {
  if (!sc_utf8_is_valid(text))
    return SC_ERR_UTF8;
  size_t before = out->len;
  sc_status status = sc_buffer_append_byte(out, '"');
  if (status == SC_OK)
    status = append_characters(out, text);
  if (status == SC_OK)
    status = sc_buffer_append_byte(out, '"');
  if (status != SC_OK)
    sc_buffer_truncate(out, before);
  return status;
}
