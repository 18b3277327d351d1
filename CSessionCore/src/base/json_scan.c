/* One pass with one bit of memory for each open container: no recursion, and no copy of anything. */
#include "json_scan.h"

#include "session-core/base/encoding.h"
#include "utf8.h"

typedef struct scanner {
  const uint8_t *at;
  const uint8_t *end;
  unsigned depth;
  unsigned max_depth;
  size_t members;
  size_t values;
  bool in_object[SC_JSON_MAX_DEPTH + 1]; /* by depth */
} scanner;

static bool take(scanner *s, char character) {
  if (s->at == s->end || *s->at != (uint8_t)character)
    return false;
  s->at++;
  return true;
}

static bool take_word(scanner *s, const char *word) {
  size_t len = strlen(word);
  if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
    return false;
  s->at += len;
  return true;
}

static void skip_space(scanner *s) {
  while (take(s, ' ') || take(s, '\n') || take(s, '\r') || take(s, '\t'))
    continue;
}

static bool is_digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

/* At least one digit. */
static bool take_digits(scanner *s) {
  const uint8_t *start = s->at;
  while (s->at != s->end && is_digit(*s->at))
    s->at++;
  return s->at != start;
}

/* True if digits stand for at most 2^64 - 1, or 2^63 for a negative number. */
static bool fits_64_bits(const uint8_t *digits, const uint8_t *end, bool negative) {
  uint64_t value = 0;
  for (; digits != end; digits++) {
    if (__builtin_mul_overflow(value, 10U, &value) ||
        __builtin_add_overflow(value, (uint64_t)(*digits - '0'), &value))
      return false;
  }
  return !negative || value <= (uint64_t)INT64_MAX + 1;
}

static sc_status scan_number(scanner *s) {
  bool negative = take(s, '-');
  const uint8_t *digits = s->at;
  if (!take(s, '0') && !take_digits(s))
    return SC_ERR_JSON_SYNTAX;
  const uint8_t *digits_end = s->at;
  bool has_fraction = take(s, '.');
  if (has_fraction && !take_digits(s))
    return SC_ERR_JSON_SYNTAX;
  bool has_exponent = take(s, 'e') || take(s, 'E');
  if (has_exponent) {
    if (!take(s, '+'))
      take(s, '-');
    if (!take_digits(s))
      return SC_ERR_JSON_SYNTAX;
  }
  bool is_double = has_fraction || has_exponent;
  return is_double || fits_64_bits(digits, digits_end, negative) ? SC_OK : SC_ERR_JSON_RANGE;
}

/* The four digits behind \u. */
static bool take_code_unit(scanner *s, unsigned *out) {
  uint8_t unit[2];
  if (s->end - s->at < 4 || sc_hex_decode(unit, 2, sc_bytes_make(s->at, 4)) != SC_OK)
    return false;
  s->at += 4;
  *out = (unsigned)unit[0] << 8 | unit[1];
  return true;
}

/* Behind \u: one code unit, or the two of a surrogate pair. A key cannot hold U+0000, which would end it. */
static bool scan_unicode_escape(scanner *s, bool is_key) {
  unsigned unit, low;
  if (!take_code_unit(s, &unit) || (unit == 0 && is_key))
    return false;
  bool high_surrogate = unit >= 0xd800 && unit <= 0xdbff;
  bool low_surrogate = unit >= 0xdc00 && unit <= 0xdfff;
  if (!high_surrogate)
    return !low_surrogate;
  return take_word(s, "\\u") && take_code_unit(s, &low) && low >= 0xdc00 && low <= 0xdfff;
}

static bool scan_escape(scanner *s, bool is_key) {
  static const char letters[] = "\"\\/bfnrt";
  if (take(s, 'u'))
    return scan_unicode_escape(s, is_key);
  if (s->at == s->end || memchr(letters, *s->at, sizeof letters - 1) == NULL)
    return false;
  s->at++;
  return true;
}

static bool is_plain(uint8_t byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

static bool take_unicode_character(scanner *s) {
  size_t length = sc_utf8_character(sc_bytes_make(s->at, (size_t)(s->end - s->at)));
  s->at += length;
  return length > 1;
}

/* Behind the opening quote. */
static sc_status scan_string(scanner *s, bool is_key) {
  for (;;) {
    while (s->at != s->end && is_plain(*s->at))
      s->at++;
    if (take(s, '"'))
      return SC_OK;
    if (!(take(s, '\\') ? scan_escape(s, is_key) : take_unicode_character(s)))
      return SC_ERR_JSON_SYNTAX;
  }
}

static sc_status scan_scalar(scanner *s) {
  if (take(s, '"'))
    return scan_string(s, false);
  if (take_word(s, "true") || take_word(s, "false") || take_word(s, "null"))
    return SC_OK;
  return scan_number(s);
}

static sc_status scan_member_name(scanner *s) {
  skip_space(s);
  if (!take(s, '"'))
    return SC_ERR_JSON_SYNTAX;
  sc_status status = scan_string(s, true);
  if (status != SC_OK)
    return status;
  skip_space(s);
  s->members++;
  return take(s, ':') ? SC_OK : SC_ERR_JSON_SYNTAX;
}

static sc_status open_container(scanner *s, bool object) {
  if (s->depth == s->max_depth)
    return SC_ERR_JSON_DEPTH;
  s->in_object[++s->depth] = object;
  return SC_OK;
}

static bool close_container(scanner *s) {
  skip_space(s);
  if (!take(s, s->in_object[s->depth] ? '}' : ']'))
    return false;
  s->depth--;
  return true;
}

/* From behind a value, or behind an opening bracket, to the front of the next value. At the end of the
 * document there is none: depth is 0. */
static sc_status find_next_value(scanner *s, bool opened) {
  while (s->depth > 0 && close_container(s))
    opened = false;
  if (s->depth == 0)
    return SC_OK;
  if (!opened && !take(s, ','))
    return SC_ERR_JSON_SYNTAX;
  return s->in_object[s->depth] ? scan_member_name(s) : SC_OK;
}

/* In memory even an empty container is large: json-c gives each object a table, and each list an array. */
static size_t weight_of(bool object, bool opened) {
  if (object)
    return SC_JSON_OBJECT_VALUES;
  return opened ? SC_JSON_ARRAY_VALUES : 1;
}

static sc_status scan_document(scanner *s) {
  sc_status status;
  do {
    skip_space(s);
    bool object = take(s, '{');
    bool opened = object || take(s, '[');
    s->values += weight_of(object, opened);
    if (s->values > SC_JSON_MAX_VALUES)
      return SC_ERR_TOO_LARGE;
    status = opened ? open_container(s, object) : scan_scalar(s);
    if (status == SC_OK)
      status = find_next_value(s, opened);
  } while (status == SC_OK && s->depth > 0);
  skip_space(s);
  return status == SC_OK && s->at != s->end ? SC_ERR_JSON_SYNTAX : status;
}

sc_status sc_json_scan(size_t *members, sc_bytes text, unsigned max_depth) {
  if (max_depth > SC_JSON_MAX_DEPTH)
    return SC_ERR_ARGUMENT;
  if (text.len > SC_JSON_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  if (text.len == 0)
    return SC_ERR_JSON_SYNTAX;
  scanner s = {.at = text.ptr, .end = text.ptr + text.len, .max_depth = max_depth};
  sc_status status = scan_document(&s);
  *members = s.members;
  return status;
}
