#include "json_cursor.h"

#include "json_scan.h"
#include "session-core/base/encoding.h"

static bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static void skip_space(sc_json_cursor *cursor) {
  while (cursor->at != cursor->end && is_space(*cursor->at))
    cursor->at++;
}

static unsigned code_unit(const uint8_t *digits) {
  uint8_t unit[2] = {0};
  sc_status status = sc_hex_decode(unit, sizeof unit, sc_bytes_make(digits, 4));
  (void)status; /* the text was checked */
  return (unsigned)unit[0] << 8 | unit[1];
}

static size_t put_utf8(uint8_t out[static 4], uint32_t code_point) {
  if (code_point < 0x80) {
    out[0] = (uint8_t)code_point;
    return 1;
  }
  size_t len = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  for (size_t i = len - 1; i > 0; i--, code_point >>= 6)
    out[i] = (uint8_t)(0x80 | (code_point & 0x3f));
  static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  out[0] = (uint8_t)(leads[len] | code_point);
  return len;
}

/* Decodes the escape behind a backslash, and moves behind it. */
static size_t take_escape(uint8_t out[static 4], const uint8_t **at) {
  static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  uint8_t letter = *(*at)++;
  if (letter != 'u') {
    out[0] = (uint8_t)meant[strchr(letters, letter) - letters];
    return 1;
  }
  uint32_t code_point = code_unit(*at);
  *at += 4;
  if (code_point >= 0xd800 && code_point <= 0xdbff) { /* the other half follows behind \u */
    code_point = 0x10000 + ((code_point - 0xd800) << 10) + (code_unit(*at + 2) - 0xdc00);
    *at += 6;
  }
  return put_utf8(out, code_point);
}

/* A string, one piece after the other: what stands between escapes, or one escape. */
static bool next_piece(sc_bytes *out, uint8_t room[static 4], const uint8_t **at) {
  if (**at == '"')
    return false;
  if (**at == '\\') {
    (*at)++;
    *out = sc_bytes_make(room, take_escape(room, at));
    return true;
  }
  const uint8_t *start = *at;
  while (**at != '"' && **at != '\\')
    (*at)++;
  *out = sc_bytes_make(start, (size_t)(*at - start));
  return true;
}

/* From behind the opening quote to behind the closing one. */
static sc_status append_string(sc_buffer *out, sc_json_cursor *cursor) {
  size_t before = out->len;
  const uint8_t *at = cursor->at;
  sc_bytes piece;
  uint8_t room[4];
  sc_status status = SC_OK;
  while (status == SC_OK && next_piece(&piece, room, &at))
    status = sc_buffer_append(out, piece);
  if (status == SC_OK)
    cursor->at = at + 1;
  else
    sc_buffer_truncate(out, before);
  return status;
}

static void skip_string(sc_json_cursor *cursor) {
  for (; *cursor->at != '"'; cursor->at++)
    if (*cursor->at == '\\')
      cursor->at++;
  cursor->at++;
}

/* Compares two keys, each from behind its opening quote, by what their escapes mean. */
static bool same_key(const uint8_t *a, const uint8_t *b) {
  uint8_t room_a[4], room_b[4];
  sc_bytes piece_a = {NULL, 0}, piece_b = {NULL, 0};
  for (;;) {
    bool more_a = piece_a.len > 0 || next_piece(&piece_a, room_a, &a);
    bool more_b = piece_b.len > 0 || next_piece(&piece_b, room_b, &b);
    if (!more_a || !more_b)
      return more_a == more_b;
    size_t len = piece_a.len < piece_b.len ? piece_a.len : piece_b.len;
    if (memcmp(piece_a.ptr, piece_b.ptr, len) != 0)
      return false;
    piece_a = sc_bytes_make(piece_a.ptr + len, piece_a.len - len);
    piece_b = sc_bytes_make(piece_b.ptr + len, piece_b.len - len);
  }
}

/* The keys of the objects around a place in the text, and where those of each container begin. */
typedef struct open_keys {
  const uint8_t *keys[sc_json_cursor_keys];
  size_t count;
  size_t first[SC_JSON_MAX_DEPTH + 1];
  size_t depth;
} open_keys;

static sc_status add_key(open_keys *open, const uint8_t *key) {
  for (size_t i = open->first[open->depth]; i < open->count; i++)
    if (same_key(open->keys[i], key))
      return SC_ERR_JSON_DUPLICATE_KEY;
  if (open->count == sc_json_cursor_keys)
    return SC_ERR_TOO_LARGE;
  open->keys[open->count++] = key;
  return SC_OK;
}

/* A string in front of a colon is a key. */
static sc_status pass_string(open_keys *open, sc_json_cursor *cursor) {
  const uint8_t *string = ++cursor->at;
  skip_string(cursor);
  skip_space(cursor);
  return cursor->at != cursor->end && *cursor->at == ':' ? add_key(open, string) : SC_OK;
}

static sc_status check_keys(sc_bytes text) {
  open_keys open = {.count = 0};
  sc_json_cursor cursor = {text.ptr, text.ptr + text.len};
  sc_status status = SC_OK;
  while (cursor.at != cursor.end && status == SC_OK) {
    uint8_t byte = *cursor.at;
    if (byte == '"') {
      status = pass_string(&open, &cursor);
      continue;
    }
    cursor.at++;
    if (byte == '{' || byte == '[')
      open.first[++open.depth] = open.count;
    else if (byte == '}' || byte == ']')
      open.count = open.first[open.depth--];
  }
  return status;
}

sc_status sc_json_cursor_init(sc_json_cursor *out, sc_bytes text, unsigned max_depth) {
  size_t members;
  sc_status status = sc_json_scan(&members, text, max_depth);
  if (status == SC_OK && members > 0)
    status = check_keys(text);
  *out = (sc_json_cursor){text.ptr, text.ptr + text.len};
  if (status == SC_OK)
    skip_space(out);
  return status;
}

/* The text of the number that is next, and whether it is a whole one. */
static sc_bytes number_text(bool *whole, const sc_json_cursor *cursor) {
  const uint8_t *at = cursor->at;
  *whole = true;
  for (; at != cursor->end; at++) {
    bool fraction = *at == '.' || *at == 'e' || *at == 'E' || *at == '+';
    if (fraction)
      *whole = false;
    else if ((*at < '0' || *at > '9') && *at != '-')
      break;
  }
  return sc_bytes_make(cursor->at, (size_t)(at - cursor->at));
}

sc_json_type sc_json_cursor_type(const sc_json_cursor *cursor) {
  bool whole;
  switch (*cursor->at) {
  case '{':
    return SC_JSON_OBJECT;
  case '[':
    return SC_JSON_ARRAY;
  case '"':
    return SC_JSON_STRING;
  case 't':
  case 'f':
    return SC_JSON_BOOL;
  case 'n':
    return SC_JSON_NULL;
  default:
    number_text(&whole, cursor);
    return whole ? SC_JSON_INTEGER : SC_JSON_DOUBLE;
  }
}

sc_status sc_json_cursor_enter(sc_json_cursor *cursor, sc_json_type type) {
  if ((type != SC_JSON_OBJECT && type != SC_JSON_ARRAY) || sc_json_cursor_type(cursor) != type)
    return SC_ERR_JSON_TYPE;
  cursor->at++;
  return SC_OK;
}

bool sc_json_cursor_more(sc_json_cursor *cursor) {
  skip_space(cursor);
  bool closed = *cursor->at == ']' || *cursor->at == '}';
  if (closed || *cursor->at == ',')
    cursor->at++;
  skip_space(cursor);
  return !closed;
}

sc_status sc_json_cursor_key(sc_buffer *out, sc_json_cursor *cursor) {
  sc_buffer_clear(out);
  cursor->at++;
  sc_status status = append_string(out, cursor);
  if (status != SC_OK)
    return status;
  skip_space(cursor);
  cursor->at++; /* the colon */
  skip_space(cursor);
  return SC_OK;
}

static void skip_container(sc_json_cursor *cursor) {
  size_t depth = 0;
  do {
    uint8_t byte = *cursor->at++;
    if (byte == '"')
      skip_string(cursor);
    else if (byte == '{' || byte == '[')
      depth++;
    else if (byte == '}' || byte == ']')
      depth--;
  } while (depth > 0);
}

void sc_json_cursor_skip(sc_json_cursor *cursor) {
  bool whole;
  switch (sc_json_cursor_type(cursor)) {
  case SC_JSON_OBJECT:
  case SC_JSON_ARRAY:
    skip_container(cursor);
    break;
  case SC_JSON_STRING:
    cursor->at++;
    skip_string(cursor);
    break;
  case SC_JSON_BOOL:
  case SC_JSON_NULL:
    cursor->at += *cursor->at == 'f' ? 5 : 4;
    break;
  case SC_JSON_INTEGER:
  case SC_JSON_DOUBLE:
    cursor->at += number_text(&whole, cursor).len;
    break;
  }
}

sc_status sc_json_cursor_bool(bool *out, sc_json_cursor *cursor) {
  if (sc_json_cursor_type(cursor) != SC_JSON_BOOL)
    return SC_ERR_JSON_TYPE;
  *out = *cursor->at == 't';
  sc_json_cursor_skip(cursor);
  return SC_OK;
}

/* The text was checked: it stands for a number from -2^63 to 2^64 - 1. */
sc_status sc_json_cursor_i64(int64_t *out, sc_json_cursor *cursor) {
  bool whole;
  if (sc_json_cursor_type(cursor) != SC_JSON_INTEGER)
    return SC_ERR_JSON_TYPE;
  sc_bytes text = number_text(&whole, cursor);
  bool negative = text.ptr[0] == '-';
  uint64_t value = 0;
  for (size_t i = negative; i < text.len; i++)
    value = value * 10 + (uint64_t)(text.ptr[i] - '0');
  if (!negative && value > INT64_MAX)
    return SC_ERR_JSON_RANGE;
  *out = negative && value > 0 ? -(int64_t)(value - 1) - 1 : (int64_t)value;
  cursor->at += text.len;
  return SC_OK;
}

/* The C library reads numbers by the locale of the program, json-c does not. */
sc_status sc_json_cursor_double(double *out, sc_json_cursor *cursor) {
  bool whole;
  sc_json *number;
  sc_json_type type = sc_json_cursor_type(cursor);
  if (type != SC_JSON_INTEGER && type != SC_JSON_DOUBLE)
    return SC_ERR_JSON_TYPE;
  sc_bytes text = number_text(&whole, cursor);
  sc_status status = sc_json_parse(&number, text, 0);
  if (status == SC_OK)
    status = sc_json_double(out, number);
  sc_json_free(number);
  if (status == SC_OK)
    cursor->at += text.len;
  return status;
}

sc_status sc_json_cursor_string(sc_buffer *out, sc_json_cursor *cursor) {
  if (sc_json_cursor_type(cursor) != SC_JSON_STRING)
    return SC_ERR_JSON_TYPE;
  sc_json_cursor inside = {cursor->at + 1, cursor->end};
  sc_status status = append_string(out, &inside);
  if (status == SC_OK)
    cursor->at = inside.at;
  return status;
}
