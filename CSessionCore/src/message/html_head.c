#include "session-core/message/html_head.h"

#include <string.h>

#include "../base/text.h"
#include "../base/utf8.h"

/* --- Tags --- */

/* An attribute that is looked at; the name has any case. */
typedef struct attribute {
  sc_bytes name;
  sc_bytes value;
} attribute;

typedef struct tag {
  sc_bytes name;
  bool is_end;
  attribute attributes[SC_HTML_MAX_ATTRIBUTES];
  size_t count;
} tag;

static sc_bytes from(sc_bytes bytes, size_t at) {
  return sc_bytes_make(bytes.ptr + at, bytes.len - at);
}

static bool is_blank(uint8_t character) {
  return character == ' ' || (character >= '\t' && character <= '\r' && character != '\v');
}

static bool is_name_end(uint8_t character) {
  return is_blank(character) || character == '>' || character == '/';
}

static bool same_word(sc_bytes text, const char *word) {
  if (text.len != strlen(word))
    return false;
  for (size_t i = 0; i < text.len; i++) {
    if (sc_ascii_lower(text.ptr[i]) != (uint8_t)word[i])
      return false;
  }
  return true;
}

static bool starts_with_word(sc_bytes text, const char *word) {
  size_t len = strlen(word);
  return text.len >= len && same_word(sc_bytes_make(text.ptr, len), word);
}

static void skip_blanks(sc_bytes *rest) {
  while (rest->len > 0 && is_blank(rest->ptr[0]))
    *rest = from(*rest, 1);
}

/* Takes what comes before a character that ends it. */
static sc_bytes take_until(sc_bytes *rest, bool (*ends)(uint8_t)) {
  size_t len = 0;
  while (len < rest->len && !ends(rest->ptr[len]))
    len++;
  sc_bytes taken = sc_bytes_make(rest->ptr, len);
  *rest = from(*rest, len);
  return taken;
}

static bool ends_attribute_name(uint8_t character) {
  return is_name_end(character) || character == '=';
}

static bool ends_plain_value(uint8_t character) {
  return is_blank(character) || character == '>';
}

/* Takes the value behind a name; empty without one. False if its quote is never closed. */
static bool take_value(sc_bytes *out, sc_bytes *rest) {
  *out = sc_bytes_make(rest->ptr, 0);
  skip_blanks(rest);
  if (rest->len == 0 || rest->ptr[0] != '=')
    return true;
  *rest = from(*rest, 1);
  skip_blanks(rest);
  if (rest->len == 0 || (rest->ptr[0] != '"' && rest->ptr[0] != '\'')) {
    *out = take_until(rest, ends_plain_value);
    return true;
  }
  const uint8_t *end = memchr(rest->ptr + 1, rest->ptr[0], rest->len - 1);
  if (end == NULL)
    return false;
  *out = sc_bytes_make(rest->ptr + 1, (size_t)(end - rest->ptr) - 1);
  *rest = from(*rest, out->len + 2);
  return true;
}

/* Takes the rest of a tag, behind its `<`. False at the end of the page. */
static bool take_tag(tag *out, sc_bytes *rest) {
  out->count = 0;
  out->is_end = rest->len > 0 && rest->ptr[0] == '/';
  if (out->is_end)
    *rest = from(*rest, 1);
  out->name = take_until(rest, is_name_end);
  while (rest->len > 0) {
    if (rest->ptr[0] == '>') {
      *rest = from(*rest, 1);
      return true;
    }
    if (is_blank(rest->ptr[0]) || rest->ptr[0] == '/') {
      *rest = from(*rest, 1);
      continue;
    }
    attribute next;
    /* A name may begin with `=`. */
    sc_bytes whole = *rest;
    *rest = from(*rest, 1);
    sc_bytes more = take_until(rest, ends_attribute_name);
    next.name = sc_bytes_make(whole.ptr, more.len + 1);
    if (!take_value(&next.value, rest))
      return false;
    if (out->count < SC_HTML_MAX_ATTRIBUTES && next.value.len <= SC_HTML_MAX_VALUE)
      out->attributes[out->count++] = next;
  }
  return false;
}

/* The first value of a name; empty if there is none. */
static sc_bytes value_of(const tag *found, const char *name) {
  for (size_t i = 0; i < found->count; i++) {
    if (same_word(found->attributes[i].name, name))
      return found->attributes[i].value;
  }
  return sc_bytes_make(NULL, 0);
}

/* --- The head --- */

/* Takes the text up to `</NAME`, which it leaves. Without an end it is all that is left. */
static sc_bytes take_raw_text(sc_bytes *rest, const char *name) {
  size_t len = strlen(name);
  sc_bytes text = *rest;
  for (size_t at = 0; at + 2 + len < text.len; at++) {
    const uint8_t *next = memchr(text.ptr + at, '<', text.len - at);
    if (next == NULL)
      break;
    at = (size_t)(next - text.ptr);
    sc_bytes end = from(text, at);
    if (end.len > 2 + len && end.ptr[1] == '/' && starts_with_word(from(end, 2), name) &&
        is_name_end(end.ptr[2 + len])) {
      *rest = end;
      return sc_bytes_make(text.ptr, at);
    }
  }
  *rest = from(text, text.len);
  return text;
}

/* Skips what begins with `<!` or `<?`, behind the `<`. */
static void skip_declaration(sc_bytes *rest) {
  if (!sc_text_starts_with(*rest, "!--")) {
    const uint8_t *end = memchr(rest->ptr, '>', rest->len);
    *rest = end == NULL ? from(*rest, rest->len) : from(*rest, (size_t)(end - rest->ptr) + 1);
    return;
  }
  /* `<!-->` is a whole comment. */
  for (size_t at = 1; at + 2 < rest->len; at++) {
    if (memcmp(rest->ptr + at, "-->", 3) == 0) {
      *rest = from(*rest, at + 3);
      return;
    }
  }
  *rest = from(*rest, rest->len);
}

static void keep_first(sc_bytes *kept, sc_bytes found) {
  if (kept->len == 0)
    *kept = found;
}

/* The encoding in a value such as `text/html; charset=utf-8`. */
static sc_bytes charset_in(sc_bytes value) {
  for (size_t at = 0; at < value.len; at++) {
    sc_bytes rest = from(value, at);
    if (!starts_with_word(rest, "charset"))
      continue;
    rest = from(rest, strlen("charset"));
    skip_blanks(&rest);
    if (rest.len == 0 || rest.ptr[0] != '=')
      continue;
    rest = from(rest, 1);
    skip_blanks(&rest);
    size_t len = 0;
    if (rest.len > 0 && (rest.ptr[0] == '"' || rest.ptr[0] == '\''))
      rest = from(rest, 1);
    while (len < rest.len && (sc_ascii_is_letter(rest.ptr[len]) || sc_ascii_is_digit(rest.ptr[len]) ||
                              memchr("-_.:+", rest.ptr[len], 5) != NULL))
      len++;
    return sc_bytes_make(rest.ptr, len);
  }
  return sc_bytes_make(NULL, 0);
}

static void take_meta(sc_html_head *out, const tag *meta) {
  sc_bytes content = value_of(meta, "content");
  sc_bytes property = value_of(meta, "property");
  sc_bytes name = value_of(meta, "name");
  keep_first(&out->charset, value_of(meta, "charset"));
  if (same_word(value_of(meta, "http-equiv"), "content-type"))
    keep_first(&out->charset, charset_in(content));
  if (same_word(property, "og:title") || same_word(name, "og:title"))
    keep_first(&out->og_title, content);
  if (same_word(property, "og:image") || same_word(name, "og:image"))
    keep_first(&out->og_image, content);
  if (same_word(property, "twitter:title") || same_word(name, "twitter:title"))
    keep_first(&out->twitter_title, content);
}

/* Elements whose content is a text and no tags. */
static const char *const raw_elements[] = {"script", "style", "noscript", "template", "textarea", "svg"};

static void skip_raw_element(const tag *found, sc_bytes *rest) {
  for (size_t i = 0; i < sizeof raw_elements / sizeof raw_elements[0]; i++) {
    if (same_word(found->name, raw_elements[i]))
      take_raw_text(rest, raw_elements[i]);
  }
}

void sc_html_head_read(sc_html_head *out, sc_bytes page) {
  sc_bytes rest = page;
  memset(out, 0, sizeof *out);
  while (rest.len > 0) {
    const uint8_t *start = memchr(rest.ptr, '<', rest.len);
    if (start == NULL)
      return;
    rest = from(rest, (size_t)(start - rest.ptr) + 1);
    if (rest.len == 0)
      return;
    if (rest.ptr[0] == '!' || rest.ptr[0] == '?') {
      skip_declaration(&rest);
      continue;
    }
    if (!sc_ascii_is_letter(rest.ptr[0]) && rest.ptr[0] != '/')
      continue;
    tag found;
    if (!take_tag(&found, &rest))
      return;
    bool ends_head = found.is_end && same_word(found.name, "head");
    if (ends_head || (!found.is_end && same_word(found.name, "body"))) {
      out->is_whole = true;
      return;
    }
    if (found.is_end)
      continue;
    if (same_word(found.name, "meta"))
      take_meta(out, &found);
    else if (same_word(found.name, "title"))
      keep_first(&out->title, take_raw_text(&rest, "title"));
    else
      skip_raw_element(&found, &rest);
  }
}

/* --- References --- */

typedef struct entity {
  const char *name;
  uint16_t code_point;
} entity;

/* Those of HTML 4 that titles have: the marks, Latin-1, and typography. */
static const entity entities[] = {
    {"amp", '&'},       {"lt", '<'},        {"gt", '>'},       {"quot", '"'},      {"apos", '\''},
    {"nbsp", 0xa0},     {"iexcl", 0xa1},    {"cent", 0xa2},    {"pound", 0xa3},    {"curren", 0xa4},
    {"yen", 0xa5},      {"brvbar", 0xa6},   {"sect", 0xa7},    {"uml", 0xa8},      {"copy", 0xa9},
    {"ordf", 0xaa},     {"laquo", 0xab},    {"not", 0xac},     {"shy", 0xad},      {"reg", 0xae},
    {"macr", 0xaf},     {"deg", 0xb0},      {"plusmn", 0xb1},  {"sup2", 0xb2},     {"sup3", 0xb3},
    {"acute", 0xb4},    {"micro", 0xb5},    {"para", 0xb6},    {"middot", 0xb7},   {"cedil", 0xb8},
    {"sup1", 0xb9},     {"ordm", 0xba},     {"raquo", 0xbb},   {"frac14", 0xbc},   {"frac12", 0xbd},
    {"frac34", 0xbe},   {"iquest", 0xbf},   {"Agrave", 0xc0},  {"Aacute", 0xc1},   {"Acirc", 0xc2},
    {"Atilde", 0xc3},   {"Auml", 0xc4},     {"Aring", 0xc5},   {"AElig", 0xc6},    {"Ccedil", 0xc7},
    {"Egrave", 0xc8},   {"Eacute", 0xc9},   {"Ecirc", 0xca},   {"Euml", 0xcb},     {"Igrave", 0xcc},
    {"Iacute", 0xcd},   {"Icirc", 0xce},    {"Iuml", 0xcf},    {"ETH", 0xd0},      {"Ntilde", 0xd1},
    {"Ograve", 0xd2},   {"Oacute", 0xd3},   {"Ocirc", 0xd4},   {"Otilde", 0xd5},   {"Ouml", 0xd6},
    {"times", 0xd7},    {"Oslash", 0xd8},   {"Ugrave", 0xd9},  {"Uacute", 0xda},   {"Ucirc", 0xdb},
    {"Uuml", 0xdc},     {"Yacute", 0xdd},   {"THORN", 0xde},   {"szlig", 0xdf},    {"agrave", 0xe0},
    {"aacute", 0xe1},   {"acirc", 0xe2},    {"atilde", 0xe3},  {"auml", 0xe4},     {"aring", 0xe5},
    {"aelig", 0xe6},    {"ccedil", 0xe7},   {"egrave", 0xe8},  {"eacute", 0xe9},   {"ecirc", 0xea},
    {"euml", 0xeb},     {"igrave", 0xec},   {"iacute", 0xed},  {"icirc", 0xee},    {"iuml", 0xef},
    {"eth", 0xf0},      {"ntilde", 0xf1},   {"ograve", 0xf2},  {"oacute", 0xf3},   {"ocirc", 0xf4},
    {"otilde", 0xf5},   {"ouml", 0xf6},     {"divide", 0xf7},  {"oslash", 0xf8},   {"ugrave", 0xf9},
    {"uacute", 0xfa},   {"ucirc", 0xfb},    {"uuml", 0xfc},    {"yacute", 0xfd},   {"thorn", 0xfe},
    {"yuml", 0xff},     {"OElig", 0x152},   {"oelig", 0x153},  {"Scaron", 0x160},  {"scaron", 0x161},
    {"ndash", 0x2013},  {"mdash", 0x2014},  {"lsquo", 0x2018}, {"rsquo", 0x2019},  {"sbquo", 0x201a},
    {"ldquo", 0x201c},  {"rdquo", 0x201d},  {"bdquo", 0x201e}, {"dagger", 0x2020}, {"bull", 0x2022},
    {"hellip", 0x2026}, {"permil", 0x2030}, {"prime", 0x2032}, {"lsaquo", 0x2039}, {"rsaquo", 0x203a},
    {"euro", 0x20ac},   {"trade", 0x2122},  {"larr", 0x2190},  {"rarr", 0x2192},   {"minus", 0x2212},
};

enum { longest_reference = 10, replacement = 0xfffd };

/* Numbers that mean characters of Windows-1252, as browsers read them. */
static uint32_t from_windows(uint32_t number) {
  static const uint16_t characters[32] = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                          0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                          0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                          0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
  return number >= 0x80 && number <= 0x9f ? characters[number - 0x80] : number;
}

/* The character of `#123` or `#x7b`. False for what is no number. */
static bool read_number(uint32_t *out, sc_bytes text) {
  bool is_hex = text.len > 1 && sc_ascii_lower(text.ptr[1]) == 'x';
  size_t first = is_hex ? 2 : 1;
  uint32_t number = 0;
  if (text.len <= first)
    return false;
  for (size_t i = first; i < text.len; i++) {
    uint8_t digit = sc_ascii_lower(text.ptr[i]);
    bool is_letter = is_hex && digit >= 'a' && digit <= 'f';
    if (!sc_ascii_is_digit(digit) && !is_letter)
      return false;
    number = number * (is_hex ? 16 : 10) + (uint32_t)(is_letter ? digit - 'a' + 10 : digit - '0');
    if (number > 0x10ffff)
      number = 0x110000;
  }
  bool is_character = number != 0 && number <= 0x10ffff && (number < 0xd800 || number > 0xdfff);
  *out = is_character ? from_windows(number) : replacement;
  return true;
}

/* Takes a reference such as `&amp;` off the front. */
static bool take_reference(uint32_t *out, sc_bytes *rest) {
  size_t most = rest->len < longest_reference + 2 ? rest->len : longest_reference + 2;
  const uint8_t *end = memchr(rest->ptr, ';', most);
  if (end == NULL || rest->ptr[0] != '&')
    return false;
  sc_bytes name = sc_bytes_make(rest->ptr + 1, (size_t)(end - rest->ptr) - 1);
  bool is_known = name.len > 0 && name.ptr[0] == '#' && read_number(out, name);
  for (size_t i = 0; !is_known && i < sizeof entities / sizeof entities[0]; i++) {
    if (sc_bytes_same(name, sc_bytes_text(entities[i].name))) {
      *out = entities[i].code_point;
      is_known = true;
    }
  }
  if (is_known)
    *rest = from(*rest, name.len + 2);
  return is_known;
}

static size_t encode(uint8_t out[static 4], uint32_t character) {
  if (character < 0x80) {
    out[0] = (uint8_t)character;
    return 1;
  }
  size_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
  for (size_t i = more; i > 0; i--) {
    out[i] = (uint8_t)(0x80 | (character & 0x3f));
    character >>= 6;
  }
  out[0] = (uint8_t)(marks[more] | character);
  return more + 1;
}

size_t sc_html_text(uint8_t *out, size_t size, sc_bytes text) {
  size_t len = 0;
  while (text.len > 0) {
    uint32_t character;
    uint8_t encoded[4];
    if (!take_reference(&character, &text) && !sc_utf8_next(&character, &text)) {
      text = from(text, 1);
      continue;
    }
    size_t added = encode(encoded, character);
    if (added > size - len)
      break;
    memcpy(out + len, encoded, added);
    len += added;
  }
  return len;
}
