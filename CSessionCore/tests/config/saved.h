/* Configs made from arbitrary data, and the data of configs, both as bt text. Ids in such texts are a prefix
 * and 32 times the same letter. */
#ifndef SC_TESTS_CONFIG_SAVED_H
#define SC_TESTS_CONFIG_SAVED_H

#include <stdio.h>

#include "device.h"

#define A32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B32 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C32 "cccccccccccccccccccccccccccccccc"

static inline sc_id saved_id(sc_id_kind kind, char letter) {
  uint8_t key[32];
  sc_id id;
  memset(key, letter, sizeof key);
  sc_id_make(&id, kind, key);
  return id;
}

/* Replaces `out` with the dump of a clean config of these data and `extra`. */
static inline sc_status saved_dump_of(sc_buffer *out, sc_bytes data, const char *extra) {
  static const char front[] = "d1:#i1e1:&";
  static const char back[] = "1:<le1:=dee";
  char head[64];
  snprintf(head, sizeof head, "d1:!i0e1:$%zu:%s", strlen(front) + data.len + strlen(back), front);
  const sc_bytes pieces[] = {sc_bytes_text(head),  data,
                             sc_bytes_text(back),  sc_bytes_text("1:(le1:)le1:*de1:+"),
                             sc_bytes_text(extra), sc_bytes_text("e")};
  sc_status status = SC_OK;
  sc_buffer_clear(out);
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0] && status == SC_OK; i++)
    status = sc_buffer_append(out, pieces[i]);
  return status;
}

static inline sc_status saved_dump(sc_buffer *out, const char *data, const char *extra) {
  return saved_dump_of(out, sc_bytes_text(data), extra);
}

#endif
