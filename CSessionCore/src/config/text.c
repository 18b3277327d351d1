#include "session-core/config/text.h"

#include "../base/utf8.h"

enum { milliseconds = 1000, microseconds = 1000000 };

sc_bytes sc_config_cut(sc_bytes text, size_t limit) {
  return sc_utf8_first_bytes(text, limit);
}

static sc_bytes up_to_nul(sc_bytes text) {
  const uint8_t *nul = text.len == 0 ? NULL : memchr(text.ptr, 0, text.len);
  return nul == NULL ? text : sc_bytes_make(text.ptr, (size_t)(nul - text.ptr));
}

sc_status sc_config_shown(sc_buffer *out, sc_bytes text, size_t limit) {
  static const uint8_t replacement[] = {0xef, 0xbf, 0xbd};
  sc_bytes rest = sc_config_cut(up_to_nul(text), limit);
  sc_status status = SC_OK;
  sc_buffer_clear(out);
  while (rest.len > 0 && status == SC_OK) {
    size_t length = sc_utf8_character(rest);
    size_t taken = length == 0 ? 1 : length;
    status = sc_buffer_append(out, length == 0 ? SC_BYTES(replacement) : sc_bytes_make(rest.ptr, taken));
    rest = sc_bytes_make(rest.ptr + taken, rest.len - taken);
  }
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

int64_t sc_config_seconds(int64_t time) {
  if (time > SC_CONFIG_MAX_SECONDS * milliseconds)
    return time / microseconds;
  return time > SC_CONFIG_MAX_SECONDS ? time / milliseconds : time;
}
