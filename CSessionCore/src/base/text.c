#include "text.h"

bool sc_text_starts_with(sc_bytes text, const char *start) {
  size_t len = strlen(start);
  return text.len >= len && sc_bytes_same(sc_bytes_make(text.ptr, len), sc_bytes_make(start, len));
}

bool sc_text_ends_with(sc_bytes text, const char *end) {
  size_t len = strlen(end);
  return text.len >= len &&
         sc_bytes_same(sc_bytes_make(text.ptr + (text.len - len), len), sc_bytes_make(end, len));
}

bool sc_text_part(sc_bytes *out, sc_bytes *rest, char separator) {
  if (rest->ptr == NULL)
    return false;
  const uint8_t *at = memchr(rest->ptr, separator, rest->len);
  size_t len = at == NULL ? rest->len : (size_t)(at - rest->ptr);
  *out = sc_bytes_make(rest->ptr, len);
  *rest = at == NULL ? (sc_bytes){0} : sc_bytes_make(at + 1, rest->len - len - 1);
  return true;
}

bool sc_text_number(uint64_t *out, sc_bytes text, uint64_t largest) {
  enum { most_digits = 20 };
  uint64_t number = 0;
  if (text.len == 0 || text.len > most_digits)
    return false;
  for (size_t i = 0; i < text.len; i++) {
    if (!sc_ascii_is_digit(text.ptr[i]))
      return false;
    uint64_t digit = (uint64_t)(text.ptr[i] - '0');
    if (number > (UINT64_MAX - digit) / 10)
      return false;
    number = number * 10 + digit;
  }
  if (number > largest)
    return false;
  *out = number;
  return true;
}

static size_t line_length(sc_bytes text) {
  size_t len = 0;
  while (len < text.len && len <= sc_text_line_most && text.ptr[len] != '\n' && text.ptr[len] != '\r')
    len++;
  return len;
}

sc_text_line sc_text_next_line(sc_bytes *out, sc_bytes *rest) {
  while (rest->len > 0) {
    size_t len = line_length(*rest);
    if (len > sc_text_line_most)
      return SC_TEXT_LINE_TOO_LONG;
    *out = sc_bytes_make(rest->ptr, len);
    size_t taken = len < rest->len ? len + 1 : len;
    *rest = sc_bytes_make(rest->ptr + taken, rest->len - taken);
    if (len > 0)
      return SC_TEXT_LINE;
  }
  return SC_TEXT_END;
}
