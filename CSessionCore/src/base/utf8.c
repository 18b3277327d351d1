#include "utf8.h"

typedef struct lead {
  uint8_t first, last;                   /* bytes a character may begin with */
  uint8_t length;                        /* of the character */
  uint8_t lowest_second, highest_second; /* what keeps overlong forms, surrogates and the rest out */
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
