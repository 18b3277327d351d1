#include "session-core/config/community_url.h"

#include "../base/text.h"
#include "session-core/base/encoding.h"

enum { shortest_host = 4, largest_port = UINT16_MAX, max_port_chars = 5 };

static const char key_parameter[] = "?public_key=";
static const char room_folder[] = "/r/";

_Static_assert(SC_COMMUNITY_MAX_LINK_CHARS == SC_COMMUNITY_MAX_URL_CHARS + 1 + SC_COMMUNITY_MAX_ROOM_CHARS +
                                                  (sizeof key_parameter - 1) + SC_HEX_CHARS(SC_KEY_BYTES),
               "a link is all of that");

static bool is_letter_or_digit(uint8_t character) {
  return sc_ascii_is_letter(character) || sc_ascii_is_digit(character);
}

static void copy_lower(char *out, sc_bytes text) {
  for (size_t i = 0; i < text.len; i++)
    out[i] = (char)sc_ascii_lower(text.ptr[i]);
}

static sc_bytes without_front(sc_bytes text, size_t len) {
  return len == 0 ? text : sc_bytes_make(text.ptr + len, text.len - len);
}

/* The url's normal form */

typedef struct scheme {
  const char *front;
  uint32_t port;
} scheme;

static const scheme schemes[] = {{"http://", 80}, {"https://", 443}};

static bool begins_with(sc_bytes text, sc_bytes front) {
  if (text.len < front.len)
    return false;
  for (size_t i = 0; i < front.len; i++)
    if (sc_ascii_lower(text.ptr[i]) != front.ptr[i])
      return false;
  return true;
}

/* Takes the scheme off the front; NULL when there is none that we know. */
static const scheme *take_scheme(sc_bytes *text) {
  for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
    sc_bytes front = sc_bytes_text(schemes[i].front);
    if (begins_with(*text, front)) {
      *text = without_front(*text, front.len);
      return &schemes[i];
    }
  }
  return NULL;
}

/* Takes the characters that may stand in a host off the front. */
static sc_bytes take_host(sc_bytes *text) {
  size_t len = 0;
  while (len < text->len &&
         (is_letter_or_digit(text->ptr[len]) || text->ptr[len] == '-' || text->ptr[len] == '.'))
    len++;
  sc_bytes host = sc_bytes_make(text->ptr, len);
  *text = without_front(*text, len);
  return host;
}

/* Names with single dots between them. */
static bool is_host(sc_bytes host) {
  bool dotted = false;
  bool after_dot = true;
  for (size_t i = 0; i < host.len; i++) {
    bool dot = host.ptr[i] == '.';
    if (dot && after_dot)
      return false;
    dotted = dotted || dot;
    after_dot = dot;
  }
  return dotted && !after_dot && host.len >= shortest_host;
}

/* Takes ":" and a port off the front; `*port` stays if there is none. False if the port is invalid. */
static bool take_port(uint32_t *port, sc_bytes *text) {
  if (text->len == 0 || text->ptr[0] != ':')
    return true;
  uint32_t number = 0;
  size_t len = 1;
  for (; len < text->len && sc_ascii_is_digit(text->ptr[len]) && number <= largest_port; len++)
    number = 10 * number + (uint32_t)(text->ptr[len] - '0');
  if (len == 1 || number > largest_port)
    return false;
  *port = number;
  *text = without_front(*text, len);
  return true;
}

/* Writes ":" and the port; returns how many characters. */
static size_t write_port(char *out, uint32_t port) {
  char digits[max_port_chars];
  size_t count = 0;
  for (; port > 0; port /= 10)
    digits[count++] = (char)('0' + port % 10);
  out[0] = ':';
  for (size_t i = 0; i < count; i++)
    out[1 + i] = digits[count - 1 - i];
  return 1 + count;
}

/* Neither the port of the scheme nor port 0 needs saying. */
static sc_status write_url(char out[static SC_COMMUNITY_MAX_URL_CHARS + 1], size_t *out_len,
                           const scheme *scheme, sc_bytes host, uint32_t port) {
  char port_text[1 + max_port_chars];
  size_t front_len = strlen(scheme->front);
  size_t port_len = port == 0 || port == scheme->port ? 0 : write_port(port_text, port);
  if (host.len > SC_COMMUNITY_MAX_URL_CHARS - front_len - port_len)
    return SC_ERR_COMMUNITY_URL;
  memcpy(out, scheme->front, front_len);
  copy_lower(out + front_len, host);
  memcpy(out + front_len + host.len, port_text, port_len);
  *out_len = front_len + host.len + port_len;
  out[*out_len] = '\0';
  return SC_OK;
}

sc_status sc_community_url_normalize(char out[SC_AT_LEAST(268)], size_t *out_len, sc_bytes text) {
  out[0] = '\0';
  *out_len = 0;
  const scheme *scheme = take_scheme(&text);
  if (scheme == NULL)
    return SC_ERR_COMMUNITY_URL;
  uint32_t port = scheme->port;
  sc_bytes host = take_host(&text);
  if (!is_host(host) || !take_port(&port, &text))
    return SC_ERR_COMMUNITY_URL;
  bool rest_is_good = text.len == 0 || (text.len == 1 && text.ptr[0] == '/');
  return rest_is_good ? write_url(out, out_len, scheme, host, port) : SC_ERR_COMMUNITY_URL;
}

/* Room and key */

static bool is_room(sc_bytes text) {
  for (size_t i = 0; i < text.len; i++)
    if (!is_letter_or_digit(text.ptr[i]) && text.ptr[i] != '-' && text.ptr[i] != '_')
      return false;
  return text.len > 0 && text.len <= SC_COMMUNITY_MAX_ROOM_CHARS;
}

sc_status sc_community_room_normalize(char out[SC_AT_LEAST(65)], size_t *out_len, sc_bytes text) {
  *out_len = is_room(text) ? text.len : 0;
  copy_lower(out, sc_bytes_make(text.ptr, *out_len));
  out[*out_len] = '\0';
  return *out_len > 0 ? SC_OK : SC_ERR_COMMUNITY_ROOM;
}

sc_status sc_community_make(sc_community *out, sc_bytes url, sc_bytes room, const uint8_t *key) {
  sc_community community;
  sc_status status = sc_community_url_normalize(community.url, &community.url_len, url);
  if (status == SC_OK)
    status = sc_community_room_normalize(community.room, &community.room_len, room);
  if (status != SC_OK)
    return status;
  if (key != NULL)
    memcpy(community.key, key, sizeof community.key);
  else
    memset(community.key, 0, sizeof community.key);
  *out = community;
  return SC_OK;
}

sc_status sc_community_key_parse(uint8_t out[SC_AT_LEAST(32)], sc_bytes text) {
  uint8_t key[SC_KEY_BYTES];
  sc_status status;
  if (text.len == SC_HEX_CHARS(SC_KEY_BYTES))
    status = sc_hex_decode(key, sizeof key, text);
  else if (text.len == SC_BASE32Z_CHARS(SC_KEY_BYTES))
    status = sc_base32z_decode(key, sizeof key, text);
  else
    status = sc_base64_decode(key, sizeof key, text, SC_BASE64_STANDARD);
  if (status != SC_OK)
    return SC_ERR_COMMUNITY_KEY;
  memcpy(out, key, sizeof key);
  return SC_OK;
}

/* Links */

/* The last position of `pattern` in `text`, or the text's length. */
static size_t find_last(sc_bytes text, sc_bytes pattern) {
  for (size_t at = text.len < pattern.len ? 0 : text.len - pattern.len + 1; at-- > 0;)
    if (memcmp(text.ptr + at, pattern.ptr, pattern.len) == 0)
      return at;
  return text.len;
}

/* Takes the key off the back, if there is one. */
static sc_status take_key(sc_community_link *out, sc_bytes *text) {
  sc_bytes parameter = sc_bytes_text(key_parameter);
  size_t at = find_last(*text, parameter);
  out->has_key = at < text->len;
  if (!out->has_key)
    return SC_OK;
  sc_bytes key = without_front(*text, at + parameter.len);
  text->len = at;
  return sc_community_key_parse(out->key, key);
}

/* Removes the room from the end. Without a / there is no room, and the rest is not a URL. */
static sc_bytes take_room(sc_bytes *text) {
  sc_bytes separator = sc_bytes_text(room_folder);
  size_t at = find_last(*text, separator);
  if (at == text->len) {
    separator = sc_bytes_text("/");
    at = find_last(*text, separator);
  }
  size_t room_at = at == text->len ? at : at + separator.len;
  sc_bytes room = without_front(*text, room_at);
  text->len = at;
  return room;
}

sc_status sc_community_link_parse(sc_community_link *out, sc_bytes text) {
  sc_community_link link = {0};
  sc_status status = take_key(&link, &text);
  if (status == SC_OK) {
    link.room = take_room(&text);
    status = sc_community_url_normalize(link.url, &link.url_len, text);
  }
  *out = status == SC_OK ? link : (sc_community_link){0};
  return status;
}

sc_status sc_community_link_parse_full(sc_community_link *out, sc_bytes text) {
  sc_status status = sc_community_link_parse(out, text);
  if (status != SC_OK || out->has_key)
    return status;
  *out = (sc_community_link){0};
  return SC_ERR_COMMUNITY_NO_KEY;
}

sc_status sc_community_link_write(char out[SC_AT_LEAST(409)], size_t *out_len, sc_bytes url, sc_bytes room,
                                  const uint8_t key[SC_AT_LEAST(32)]) {
  size_t len;
  *out_len = 0;
  sc_status status = sc_community_url_normalize(out, &len, url);
  if (status == SC_OK && !is_room(room))
    status = SC_ERR_COMMUNITY_ROOM;
  if (status != SC_OK) {
    out[0] = '\0';
    return status;
  }
  out[len++] = '/';
  memcpy(out + len, room.ptr, room.len);
  len += room.len;
  memcpy(out + len, key_parameter, sizeof key_parameter - 1);
  len += sizeof key_parameter - 1;
  sc_hex_encode(out + len, sc_bytes_make(key, SC_KEY_BYTES));
  *out_len = len + SC_HEX_CHARS(SC_KEY_BYTES);
  return SC_OK;
}
