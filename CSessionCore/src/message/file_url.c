#include "session-core/message/file_url.h"

#include "../base/text.h"
#include "fields.h"
#include "session-core/base/encoding.h"

enum {
  http_port = 80,
  https_port = 443,
  key_digits = 64,
  most_segments = 4, /* of a path */
  port_digits = 5,
};

/* The characters of room names and file ids: letters, digits, `_` and `-`. */
static bool is_name_character(uint8_t character) {
  return sc_ascii_is_digit(character) || sc_ascii_is_letter(character) || character == '_' ||
         character == '-';
}

static bool is_name(sc_bytes text) {
  for (size_t i = 0; i < text.len; i++) {
    if (!is_name_character(text.ptr[i]))
      return false;
  }
  return text.len > 0;
}

static bool is_address_character(uint8_t character) {
  return sc_ascii_is_digit(character) || sc_ascii_is_letter(character) || character == '.' ||
         character == ':';
}

static bool is_host(sc_bytes text) {
  bool is_address = text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']';
  if (is_address)
    text = sc_bytes_make(text.ptr + 1, text.len - 2);
  for (size_t i = 0; i < text.len; i++) {
    uint8_t character = text.ptr[i];
    if (is_address ? !is_address_character(character) : !is_name_character(character) && character != '.')
      return false;
  }
  return text.len > 0;
}

static uint16_t default_port(bool is_https) {
  return is_https ? https_port : http_port;
}

bool sc_file_url_is_possible(const sc_file_url *url) {
  return is_host(url->host) && url->port > 0 && is_name(url->file_id) &&
         (url->room.len == 0 || is_name(url->room));
}

static bool same_text(sc_bytes text, const char *expected) {
  return sc_bytes_same(text, sc_bytes_text(expected));
}

static bool read_scheme(sc_file_url *out, sc_bytes text) {
  char lower[sizeof "https:"] = {0};
  if (text.len >= sizeof lower)
    return false;
  for (size_t i = 0; i < text.len; i++)
    lower[i] = (char)sc_ascii_lower(text.ptr[i]);
  out->is_https = strcmp(lower, "https:") == 0;
  out->port = default_port(out->is_https);
  return out->is_https || strcmp(lower, "http:") == 0;
}

static bool read_port(sc_file_url *out, sc_bytes digits) {
  uint64_t port;
  if (!sc_text_number(&port, digits, UINT16_MAX))
    return false;
  out->port = (uint16_t)port;
  return true;
}

/* A host, and a port after the colon that follows its brackets, if it has any. */
static bool read_authority(sc_file_url *out, sc_bytes text) {
  size_t at = text.len;
  while (at > 0 && text.ptr[at - 1] != ']')
    at--;
  while (at < text.len && text.ptr[at] != ':')
    at++;
  out->host = sc_bytes_make(text.ptr, at);
  return at == text.len || read_port(out, sc_bytes_make(text.ptr + at + 1, text.len - at - 1));
}

static bool read_path(sc_file_url *out, sc_bytes path) {
  sc_bytes segments[most_segments + 1];
  size_t count = 0;
  while (count <= most_segments && sc_text_part(&segments[count], &path, '/'))
    count++;
  bool is_file = count == 2 && (same_text(segments[0], "file") || same_text(segments[0], "files"));
  bool is_room_file = count == 4 && same_text(segments[0], "room") && same_text(segments[2], "file");
  if (is_room_file)
    out->room = segments[1];
  if (is_file || is_room_file)
    out->file_id = segments[count - 1];
  return is_file || (is_room_file && out->room.len > 0);
}

/* The first key counts; an invalid one is ignored. */
static void read_parameters(sc_file_url *out, sc_bytes fragment) {
  bool met_key = false;
  sc_bytes parameter;
  while (sc_text_part(&parameter, &fragment, '&')) {
    out->is_stream |= same_text(parameter, "d") || sc_text_starts_with(parameter, "d=");
    if (met_key || !sc_text_starts_with(parameter, "p="))
      continue;
    met_key = true;
    sc_bytes digits = sc_bytes_make(parameter.ptr + 2, parameter.len - 2);
    out->has_server_key =
        digits.len == key_digits && sc_hex_decode(out->server_key, sizeof out->server_key, digits) == SC_OK;
  }
}

static bool read_parts(sc_file_url *out, sc_bytes text) {
  sc_bytes scheme, nothing, authority, address;
  if (!sc_text_part(&address, &text, '#'))
    return false;
  bool has_parts = sc_text_part(&scheme, &address, '/') && sc_text_part(&nothing, &address, '/') &&
                   sc_text_part(&authority, &address, '/');
  if (!has_parts || nothing.len > 0 || address.ptr == NULL)
    return false;
  if (!read_scheme(out, scheme) || !read_authority(out, authority) || !read_path(out, address))
    return false;
  if (text.ptr != NULL)
    read_parameters(out, text);
  return sc_file_url_is_possible(out);
}

sc_status sc_file_url_parse(sc_file_url *out, sc_bytes text) {
  *out = (sc_file_url){0};
  if (read_parts(out, text))
    return SC_OK;
  *out = (sc_file_url){0};
  return SC_ERR_FILE_URL;
}

static sc_status append_text(sc_buffer *out, sc_status status, const char *text) {
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text(text)) : status;
}

static sc_status append(sc_buffer *out, sc_status status, sc_bytes bytes) {
  return status == SC_OK ? sc_buffer_append(out, bytes) : status;
}

static sc_status append_port(sc_buffer *out, sc_status status, uint16_t port) {
  uint8_t digits[port_digits];
  size_t at = port_digits;
  for (unsigned rest = port; rest > 0; rest /= 10)
    digits[--at] = (uint8_t)('0' + rest % 10);
  status = append_text(out, status, ":");
  return append(out, status, sc_bytes_make(digits + at, port_digits - at));
}

static sc_status append_fragment(sc_buffer *out, sc_status status, const sc_file_url *url) {
  if (url->has_server_key) {
    char digits[key_digits + 1];
    sc_hex_encode(digits, SC_BYTES(url->server_key));
    status = append_text(out, status, "#p=");
    status = append(out, status, sc_bytes_make(digits, key_digits));
  }
  if (url->is_stream)
    status = append_text(out, status, url->has_server_key ? "&d" : "#d");
  return status;
}

sc_status sc_file_url_write(sc_buffer *out, const sc_file_url *url) {
  sc_buffer_clear(out);
  if (!sc_file_url_is_possible(url))
    return SC_ERR_FILE_URL;
  sc_status status = append_text(out, SC_OK, url->is_https ? "https://" : "http://");
  status = append(out, status, url->host);
  if (url->port != default_port(url->is_https))
    status = append_port(out, status, url->port);
  if (url->room.len > 0) {
    status = append_text(out, status, "/room/");
    status = append(out, status, url->room);
  }
  status = append_text(out, status, "/file/");
  status = append(out, status, url->file_id);
  status = append_fragment(out, status, url);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

uint64_t sc_file_url_number(const sc_file_url *url) {
  uint64_t number = 0;
  return sc_text_number(&number, url->file_id, UINT64_MAX) ? number : 0;
}
