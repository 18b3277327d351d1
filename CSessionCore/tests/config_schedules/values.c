#include "values.h"

#include <stdio.h>

void value_id(sc_id *out, sc_id_kind kind, unsigned record) {
  uint8_t key[SC_KEY_BYTES] = {(uint8_t)record};
  sc_id_make(out, kind, key);
}

sc_bytes draw_name(draws *from) {
  static const char *const names[] = {"", "Ada", "Bo", "Zoë",
                                      "a name that is somewhat longer than the others"};
  return sc_bytes_text(names[draw_below(from, sizeof names / sizeof names[0])]);
}

sc_config_picture draw_picture(draws *from) {
  static const uint8_t keys[3][SC_CONFIG_PICTURE_KEY_BYTES] = {{1}, {2}, {3}};
  static const char *const urls[] = {"", "http://files.example/1", "http://files.example/2"};
  sc_bytes url = sc_bytes_text(urls[draw_below(from, 3)]);
  return (sc_config_picture){url, sc_bytes_make(keys[draw_below(from, 3)], SC_CONFIG_PICTURE_KEY_BYTES)};
}

int32_t draw_number(draws *from) {
  return (int32_t)draw_below(from, 5) - 1;
}

int64_t draw_time(draws *from) {
  return (int64_t)draw_below(from, 4) * 1000;
}

sc_bytes draw_url(draws *from) {
  static const char *const urls[] = {"http://one.example", "https://two.example:8443", "HTTP://One.Example/"};
  return sc_bytes_text(urls[draw_below(from, 3)]);
}

sc_bytes draw_room(draws *from) {
  static const char *const rooms[] = {"lobby", "Lobby", "sudoku"};
  return sc_bytes_text(rooms[draw_below(from, 3)]);
}

const uint8_t *draw_server_key(draws *from) {
  static const uint8_t keys[2][SC_KEY_BYTES] = {{7}, {8}};
  return keys[draw_below(from, 2)];
}

void draw_letters(char *out, size_t count, draws *from) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  for (size_t i = 0; i < count; i++)
    out[i] = letters[draw_below(from, sizeof letters - 1)];
}

void describe_bytes(description *to, sc_bytes bytes) {
  describe_number(to, (int64_t)bytes.len);
  if (to->status == SC_OK)
    to->status = sc_buffer_append(to->out, bytes);
}

void describe_number(description *to, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%lld ", (long long)number);
  if (to->status == SC_OK)
    to->status = sc_buffer_append(to->out, sc_bytes_text(text));
}

void describe_text(description *to, const char *text) {
  describe_bytes(to, sc_bytes_text(text));
}

void describe_id(description *to, const sc_id *id) {
  describe_bytes(to, SC_BYTES(id->bytes));
}

void describe_picture(description *to, const sc_config_picture *picture) {
  describe_bytes(to, picture->url);
  describe_bytes(to, picture->key);
}

sc_status description_end(const description *to, sc_status walk) {
  if (to->status != SC_OK)
    return to->status;
  return walk == SC_ERR_NOT_FOUND ? SC_OK : walk;
}
