#include "session-core/message/session_link.h"

#include "../base/text.h"
#include "../base/utf8.h"
#include "session-core/base/encoding.h"

enum { escape_chars = 3, not_a_digit = 16 };

static const char scheme[] = "session:";

static bool begins_with(sc_bytes text, const char *front) {
  size_t len = strlen(front);
  if (text.len < len)
    return false;
  for (size_t i = 0; i < len; i++)
    if (sc_ascii_lower(text.ptr[i]) != (uint8_t)front[i])
      return false;
  return true;
}

static sc_bytes without_front(sc_bytes text, size_t len) {
  return len == 0 ? text : sc_bytes_make(text.ptr + len, text.len - len);
}

/* Letters, digits and the signs that a URI has. A fragment has no meaning here, so `#` is none of them. */
static bool is_link_character(uint8_t character) {
  static const char signs[] = "-._~:/?@!$&'()*+,;=%[]";
  return sc_ascii_is_letter(character) || sc_ascii_is_digit(character) ||
         (character != '\0' && strchr(signs, character) != NULL);
}

static bool has_only_link_characters(sc_bytes text) {
  for (size_t i = 0; i < text.len; i++)
    if (!is_link_character(text.ptr[i]))
      return false;
  return true;
}

/* Percent-encoding */

static uint8_t digit_value(uint8_t character) {
  if (sc_ascii_is_digit(character))
    return (uint8_t)(character - '0');
  uint8_t lower = sc_ascii_lower(character);
  return lower >= 'a' && lower <= 'f' ? (uint8_t)(lower - 'a' + 10) : not_a_digit;
}

/* Decodes a text, and moves `*to` behind it. A decoded text is never longer than what it is decoded from. */
static sc_status decode(sc_bytes *out, char **to, sc_bytes text) {
  size_t len = 0;
  for (size_t i = 0; i < text.len; len++) {
    uint8_t byte = text.ptr[i];
    size_t step = 1;
    if (byte == '%') {
      if (text.len - i < escape_chars)
        return SC_ERR_LINK_ENCODING;
      uint8_t high = digit_value(text.ptr[i + 1]);
      uint8_t low = digit_value(text.ptr[i + 2]);
      if (high == not_a_digit || low == not_a_digit)
        return SC_ERR_LINK_ENCODING;
      byte = (uint8_t)(high << 4 | low);
      step = escape_chars;
    }
    if (byte == '\0')
      return SC_ERR_LINK_ENCODING;
    (*to)[len] = (char)byte;
    i += step;
  }
  sc_bytes decoded = sc_bytes_make(*to, len);
  if (!sc_utf8_is_valid(decoded))
    return SC_ERR_LINK_ENCODING;
  *to += len;
  *out = decoded;
  return SC_OK;
}

/* Parameters */

typedef struct parameters {
  sc_bytes text;
  sc_bytes name;
  sc_bytes chat;
  bool has_repeated;
} parameters;

static sc_bytes *known_parameter(parameters *all, sc_bytes name) {
  static const char *const names[] = {"text", "name", "chat"};
  sc_bytes *const places[] = {&all->text, &all->name, &all->chat};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (sc_bytes_same(name, sc_bytes_text(names[i])))
      return places[i];
  return NULL;
}

static sc_status read_parameters(parameters *out, char **to, sc_bytes rest) {
  sc_bytes part;
  while (sc_text_part(&part, &rest, '&')) {
    sc_bytes value = part;
    sc_bytes name = {0};
    (void)sc_text_part(&name, &value, '=');
    sc_status status = decode(&value, to, value);
    if (status != SC_OK)
      return status;
    sc_bytes *place = known_parameter(out, name);
    if (place == NULL)
      continue;
    out->has_repeated = out->has_repeated || place->ptr != NULL;
    *place = value;
  }
  return SC_OK;
}

/* Links */

static bool is_web_link(sc_bytes text) {
  return begins_with(text, "https://") || begins_with(text, "http://");
}

static bool read_target(sc_session_link *out, sc_bytes target, const parameters *all) {
  if (target.len == 0) {
    out->kind = SC_SESSION_LINK_CHAT;
    return all->chat.ptr != NULL && sc_text_number(&out->chat, all->chat, INT64_MAX) && out->chat > 0;
  }
  if (is_web_link(target)) {
    out->kind = SC_SESSION_LINK_ROOM;
    out->room = target;
    return true;
  }
  out->kind = SC_SESSION_LINK_PERSON;
  out->text = all->text;
  out->name = all->name;
  return sc_id_parse(&out->person, target) == SC_OK && sc_id_kind_of(&out->person) == SC_ID_STANDARD;
}

/* Reads what follows the scheme. */
static sc_status read_link(sc_session_link *out, char *storage, sc_bytes rest) {
  parameters all = {0};
  sc_bytes target = {0};
  (void)sc_text_part(&target, &rest, '?');
  sc_status status = decode(&target, &storage, target);
  if (status == SC_OK)
    status = read_parameters(&all, &storage, rest);
  if (status == SC_OK && all.has_repeated)
    status = SC_ERR_LINK_REPEATED;
  if (status == SC_OK && !read_target(out, target, &all))
    status = SC_ERR_LINK_TARGET;
  return status;
}

sc_status sc_session_link_parse(sc_session_link *out, char storage[SC_AT_LEAST(4096)], sc_bytes link) {
  sc_session_link parsed = {0};
  memset(out, 0, sizeof *out);
  if (link.len > SC_SESSION_LINK_MAX_CHARS)
    return SC_ERR_LINK_LENGTH;
  bool is_room = is_web_link(link);
  if ((!is_room && !begins_with(link, scheme)) || !has_only_link_characters(link))
    return SC_ERR_LINK;
  if (is_room) {
    /* It is read as it is: it has no escapes. */
    memcpy(storage, link.ptr, link.len);
    parsed.kind = SC_SESSION_LINK_ROOM;
    parsed.room = sc_bytes_make(storage, link.len);
  } else {
    sc_status status = read_link(&parsed, storage, without_front(link, sizeof scheme - 1));
    if (status != SC_OK)
      return status;
  }
  *out = parsed;
  return SC_OK;
}
