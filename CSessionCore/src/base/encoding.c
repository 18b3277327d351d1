/* Every loop here runs the same way whatever the bytes are: characters are computed or selected with masks,
 * never looked up at a secret index, and a bad character is remembered in a mask instead of being branched
 * on. */
#include "session-core/base/encoding.h"

#include <stdbool.h>

#include "declassify.h"

/* A compiler that sees that a mask is all or nothing may select with a branch after all; so it does not see.
 */
static uint32_t unseen(uint32_t mask) {
  __asm__("" : "+r"(mask));
  return mask;
}

/* All ones when a == b, else zero; for values below 2^31. */
static uint32_t mask_equal(uint32_t a, uint32_t b) {
  uint32_t difference = a ^ b;
  return unseen((uint32_t)((int32_t)(difference - 1) >> 31) & ~(uint32_t)((int32_t)difference >> 31));
}

/* All ones when low <= value <= high, else zero; for values below 2^30. */
static uint32_t mask_between(uint32_t value, uint32_t low, uint32_t high) {
  return unseen(~(uint32_t)((int32_t)(value - low) >> 31) & ~(uint32_t)((int32_t)(high - value) >> 31));
}

static uint32_t fold_case(uint32_t character) {
  return character | (mask_between(character, 'A', 'Z') & 0x20);
}

static char hex_digit(uint32_t nibble) {
  return (char)(nibble + '0' + (mask_between(nibble, 10, 15) & ('a' - '0' - 10)));
}

/* The value of a digit; sets `*bad` for any other character. */
static uint32_t hex_value(uint32_t character, uint32_t *bad) {
  character = fold_case(character);
  uint32_t digit = mask_between(character, '0', '9');
  uint32_t letter = mask_between(character, 'a', 'f');
  *bad |= ~(digit | letter);
  return (digit & (character - '0')) | (letter & (character - 'a' + 10));
}

void sc_hex_encode(char *out, sc_bytes in) {
  for (size_t i = 0; i < in.len; i++) {
    out[2 * i] = hex_digit(in.ptr[i] >> 4);
    out[2 * i + 1] = hex_digit(in.ptr[i] & 15);
  }
  out[2 * in.len] = '\0';
}

sc_status sc_hex_decode(uint8_t *out, size_t out_len, sc_bytes text) {
  if (text.len % 2 != 0 || text.len / 2 != out_len)
    return SC_ERR_HEX;
  uint32_t bad = 0;
  for (size_t i = 0; i < out_len; i++) {
    uint32_t high = hex_value(text.ptr[2 * i], &bad);
    uint32_t low = hex_value(text.ptr[2 * i + 1], &bad);
    out[i] = (uint8_t)(high << 4 | low);
  }
  sc_declassify(&bad, sizeof bad);
  if (bad != 0) {
    memset(out, 0, out_len);
    return SC_ERR_HEX;
  }
  return SC_OK;
}

typedef struct base64_specials {
  uint32_t at_62;
  uint32_t at_63;
} base64_specials;

static base64_specials specials_of(sc_base64_alphabet alphabet) {
  return alphabet == SC_BASE64_URL ? (base64_specials){'-', '_'} : (base64_specials){'+', '/'};
}

static char base64_character(uint32_t value, base64_specials specials) {
  return (char)((mask_between(value, 0, 25) & (value + 'A')) |
                (mask_between(value, 26, 51) & (value - 26 + 'a')) |
                (mask_between(value, 52, 61) & (value - 52 + '0')) |
                (mask_equal(value, 62) & specials.at_62) | (mask_equal(value, 63) & specials.at_63));
}

static uint32_t base64_value(uint32_t character, base64_specials specials, uint32_t *bad) {
  uint32_t upper = mask_between(character, 'A', 'Z');
  uint32_t lower = mask_between(character, 'a', 'z');
  uint32_t digit = mask_between(character, '0', '9');
  uint32_t at_62 = mask_equal(character, specials.at_62);
  uint32_t at_63 = mask_equal(character, specials.at_63);
  *bad |= ~(upper | lower | digit | at_62 | at_63);
  return (upper & (character - 'A')) | (lower & (character - 'a' + 26)) | (digit & (character - '0' + 52)) |
         (at_62 & 62) | (at_63 & 63);
}

size_t sc_base64_encode(char *out, sc_bytes in, sc_base64_alphabet alphabet) {
  base64_specials specials = specials_of(alphabet);
  size_t written = 0;
  uint32_t bits = 0;
  unsigned held = 0;
  for (size_t i = 0; i < in.len; i++) {
    bits = bits << 8 | in.ptr[i];
    for (held += 8; held >= 6;) {
      held -= 6;
      out[written++] = base64_character(bits >> held & 63, specials);
    }
  }
  if (held > 0)
    out[written++] = base64_character(bits << (6 - held) & 63, specials);
  while (alphabet == SC_BASE64_STANDARD && written % 4 != 0)
    out[written++] = '=';
  out[written] = '\0';
  return written;
}

/* Characters of the unpadded base64 form of `n` bytes. */
static size_t base64_unpadded(size_t n) {
  return n / 3 * 4 + (n % 3 == 0 ? 0 : n % 3 + 1);
}

sc_status sc_base64_decoded_len(size_t *out, sc_bytes text) {
  size_t characters = text.len;
  while (characters > 0 && text.len - characters < 2 && text.ptr[characters - 1] == '=')
    characters--;
  bool padded = characters != text.len;
  if (characters % 4 == 1 || (padded && (text.len % 4 != 0 || characters % 4 == 0)))
    return SC_ERR_BASE64;
  *out = characters / 4 * 3 + (characters % 4 == 0 ? 0 : characters % 4 - 1);
  return SC_OK;
}

sc_status sc_base64_decode(uint8_t *out, size_t out_len, sc_bytes text, sc_base64_alphabet alphabet) {
  if (out_len > SIZE_MAX / 2)
    return SC_ERR_BASE64;
  size_t characters = base64_unpadded(out_len);
  if (text.len != characters && text.len != SC_BASE64_CHARS(out_len))
    return SC_ERR_BASE64;
  base64_specials specials = specials_of(alphabet);
  uint32_t bad = 0;
  uint32_t bits = 0;
  unsigned held = 0;
  size_t written = 0;
  for (size_t i = 0; i < characters; i++) {
    bits = bits << 6 | base64_value(text.ptr[i], specials, &bad);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out[written++] = (uint8_t)(bits >> held);
    }
  }
  bad |= bits & ((1U << held) - 1);
  for (size_t i = characters; i < text.len; i++)
    bad |= ~mask_equal(text.ptr[i], '=');
  sc_declassify(&bad, sizeof bad);
  if (bad != 0) {
    memset(out, 0, out_len);
    return SC_ERR_BASE64;
  }
  return SC_OK;
}

static const char base32z_alphabet[] = "ybndrfg8ejkmcpqxot1uwisza345h769";

static char base32z_character(uint32_t value) {
  uint32_t character = 0;
  for (uint32_t i = 0; i < 32; i++)
    character |= mask_equal(value, i) & (uint8_t)base32z_alphabet[i];
  return (char)character;
}

static uint32_t base32z_value(uint32_t character, uint32_t *bad) {
  character = fold_case(character);
  uint32_t value = 0;
  uint32_t found = 0;
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t same = mask_equal(character, (uint8_t)base32z_alphabet[i]);
    value |= same & i;
    found |= same;
  }
  *bad |= ~found;
  return value;
}

void sc_base32z_encode(char *out, sc_bytes in) {
  size_t written = 0;
  uint32_t bits = 0;
  unsigned held = 0;
  for (size_t i = 0; i < in.len; i++) {
    bits = bits << 8 | in.ptr[i];
    for (held += 8; held >= 5;) {
      held -= 5;
      out[written++] = base32z_character(bits >> held & 31);
    }
  }
  if (held > 0)
    out[written++] = base32z_character(bits << (5 - held) & 31);
  out[written] = '\0';
}

sc_status sc_base32z_decode(uint8_t *out, size_t out_len, sc_bytes text) {
  if (out_len > SIZE_MAX / 8 - 4 || text.len != SC_BASE32Z_CHARS(out_len))
    return SC_ERR_BASE32Z;
  uint32_t bad = 0;
  uint32_t bits = 0;
  unsigned held = 0;
  size_t written = 0;
  for (size_t i = 0; i < text.len; i++) {
    bits = bits << 5 | base32z_value(text.ptr[i], &bad);
    held += 5;
    if (held >= 8) {
      held -= 8;
      out[written++] = (uint8_t)(bits >> held);
    }
  }
  bad |= bits & ((1U << held) - 1);
  sc_declassify(&bad, sizeof bad);
  if (bad != 0) {
    memset(out, 0, out_len);
    return SC_ERR_BASE32Z;
  }
  return SC_OK;
}
