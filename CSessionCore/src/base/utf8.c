#include "utf8.h"

typedef struct lead {
  uint8_t first, last;                   /* bytes a character may begin with */
  uint8_t length;                        /* of the character */
  uint8_t lowest_second, highest_second; /* keeps overlong forms, surrogates and the rest out */
} lead;

static const lead leads[] = {
    {0x00, 0x7f, 1, 0x00, 0x00}, {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

static bool is_between(uint8_t byte, uint8_t lowest, uint8_t highest) {
  return byte >= lowest && byte <= highest;
}

static bool continues(const lead *lead, sc_bytes text) {
  if (text.len < lead->length ||
      (lead->length > 1 && !is_between(text.ptr[1], lead->lowest_second, lead->highest_second)))
    return false;
  for (size_t i = 2; i < lead->length; i++) {
    if (!is_between(text.ptr[i], 0x80, 0xbf))
      return false;
  }
  return true;
}

size_t sc_utf8_character(sc_bytes text) {
  for (size_t i = 0; text.len > 0 && i < sizeof leads / sizeof leads[0]; i++) {
    if (is_between(text.ptr[0], leads[i].first, leads[i].last))
      return continues(&leads[i], text) ? leads[i].length : 0;
  }
  return 0;
}

bool sc_utf8_is_valid(sc_bytes text) {
  while (text.len > 0) {
    size_t length = sc_utf8_character(text);
    if (length == 0)
      return false;
    text = sc_bytes_make(text.ptr + length, text.len - length);
  }
  return true;
}

bool sc_utf8_next(uint32_t *out, sc_bytes *rest) {
  static const uint8_t lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  size_t length = sc_utf8_character(*rest);
  if (length == 0)
    return false;
  uint32_t code_point = rest->ptr[0] & lead_bits[length];
  for (size_t i = 1; i < length; i++)
    code_point = code_point << 6 | (rest->ptr[i] & 0x3f);
  *out = code_point;
  *rest = sc_bytes_make(rest->ptr + length, rest->len - length);
  return true;
}

bool sc_utf8_is_space(uint32_t code_point) {
  static const uint32_t spaces[][2] = {
      {0x09, 0x0d},     {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
      {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
  };
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
    if (code_point >= spaces[i][0] && code_point <= spaces[i][1])
      return true;
  }
  return false;
}

sc_bytes sc_utf8_trimmed(sc_bytes text) {
  uint32_t code_point;
  sc_bytes rest = text;
  while (sc_utf8_next(&code_point, &rest) && sc_utf8_is_space(code_point))
    text = rest;
  const uint8_t *end = text.ptr;
  for (rest = text; rest.len > 0 && sc_utf8_next(&code_point, &rest);) {
    if (!sc_utf8_is_space(code_point))
      end = rest.ptr;
  }
  return sc_bytes_make(text.ptr, (size_t)(end - text.ptr));
}

sc_bytes sc_utf8_first_bytes(sc_bytes text, size_t most) {
  if (text.len <= most)
    return text;
  size_t len = most;
  while (len > 0 && (text.ptr[len] & 0xc0) == 0x80)
    len--;
  return sc_bytes_make(text.ptr, len);
}

sc_bytes sc_utf8_first_code_points(sc_bytes text, size_t most) {
  sc_bytes rest = text;
  uint32_t code_point;
  for (size_t i = 0; i < most && rest.len > 0 && sc_utf8_next(&code_point, &rest); i++)
    continue;
  return sc_bytes_make(text.ptr, text.len - rest.len);
}
