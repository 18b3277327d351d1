#include "value_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/json_text.h"
#include "session-core/base/encoding.h"

sc_status sc_text_raw(sc_buffer *out, const char *json) {
  return sc_buffer_append(out, sc_bytes_text(json));
}

sc_status sc_text_integer(sc_buffer *out, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)number);
  return sc_text_raw(out, text);
}

sc_status sc_text_hex(sc_buffer *out, sc_bytes bytes) {
  uint8_t *room;
  size_t chars = SC_HEX_CHARS(bytes.len);
  sc_status status = sc_buffer_extend(&room, out, chars + 1);
  if (status != SC_OK)
    return status;
  sc_hex_encode((char *)room, bytes);
  out->len--; /* the terminator */
  return SC_OK;
}

/* The shortest text that is read as the same double. */
static sc_status append_real(sc_buffer *out, double real) {
  if (!isfinite(real))
    return SC_ERR_ARGUMENT;
  char text[40];
  int digits = 15;
  do
    snprintf(text, sizeof text - 2, "%.*g", digits, real);
  while (strtod(text, NULL) != real && digits++ < 17);
  bool fraction = false;
  for (char *c = text; *c != '\0'; c++) {
    bool of_a_number = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
    if (!of_a_number)
      *c = '.'; /* the locale may have another sign */
    fraction = fraction || *c == '.' || *c == 'e';
  }
  sc_status status = sc_text_raw(out, text);
  return status == SC_OK && !fraction ? sc_text_raw(out, ".0") : status;
}

static sc_status append_blob(sc_buffer *out, sc_bytes blob) {
  uint8_t *room;
  sc_status status = sc_text_raw(out, "{\"b\":\"");
  size_t chars = SC_BASE64_CHARS(blob.len);
  if (status == SC_OK)
    status = sc_buffer_extend(&room, out, chars + 1);
  if (status != SC_OK)
    return status;
  size_t written = sc_base64_encode((char *)room, blob, SC_BASE64_STANDARD);
  out->len -= chars + 1 - written;
  return sc_text_raw(out, "\"}");
}

sc_status sc_text_value(sc_buffer *out, const sc_archive_value *value) {
  switch (value->kind) {
  case SC_ARCHIVE_NULL:
    return sc_text_raw(out, "null");
  case SC_ARCHIVE_INTEGER:
    return sc_text_integer(out, value->integer);
  case SC_ARCHIVE_REAL:
    return append_real(out, value->real);
  case SC_ARCHIVE_TEXT:
    return sc_json_text_append(out, value->bytes);
  case SC_ARCHIVE_BLOB:
    return append_blob(out, value->bytes);
  case SC_ARCHIVE_INVALID:
    break;
  }
  return SC_ERR_ARGUMENT;
}

sc_status sc_text_long(sc_buffer *out, uint32_t number, bool is_text) {
  sc_status status = sc_text_raw(out, "{\"long\":");
  if (status == SC_OK)
    status = sc_text_integer(out, number);
  return status == SC_OK ? sc_text_raw(out, is_text ? ",\"text\":true}" : "}") : status;
}

sc_status sc_text_list(sc_buffer *out, const sc_bytes *texts, size_t count) {
  sc_status status = sc_text_raw(out, "[");
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    if (i > 0)
      status = sc_text_raw(out, ",");
    if (status == SC_OK)
      status = sc_json_text_append(out, texts[i]);
  }
  return status == SC_OK ? sc_text_raw(out, "]") : status;
}
