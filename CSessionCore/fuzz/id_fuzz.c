/* Ids as text and as bytes: an accepted id has one form, and a refused one gets the first reason that holds.
 */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

static bool is_hex(sc_bytes text) {
  for (size_t i = 0; i < text.len; i++) {
    uint8_t c = text.ptr[i];
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F'))
      return false;
  }
  return true;
}

static bool has_known_kind(const uint8_t *bytes) {
  return bytes[0] == 0x00 || bytes[0] == 0x03 || bytes[0] == 0x05 || bytes[0] == 0x07 || bytes[0] == 0x15 ||
         bytes[0] == 0x25;
}

static sc_status expected_for_text(sc_bytes text) {
  uint8_t bytes[SC_ID_BYTES];
  if (text.len != SC_ID_CHARS)
    return SC_ERR_ID_LENGTH;
  if (!is_hex(text))
    return SC_ERR_ID_HEX;
  REQUIRE(sc_hex_decode(bytes, sizeof bytes, text) == SC_OK);
  return has_known_kind(bytes) ? SC_OK : SC_ERR_ID_PREFIX;
}

static char lower(uint8_t c) {
  return (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
}

static void text_form(sc_bytes text) {
  sc_id id;
  sc_status status = sc_id_parse(&id, text);
  REQUIRE(status == expected_for_text(text));
  if (status != SC_OK)
    return;
  char formatted[SC_ID_CHARS + 1];
  sc_id_format(formatted, &id);
  REQUIRE(formatted[SC_ID_CHARS] == '\0');
  for (size_t i = 0; i < SC_ID_CHARS; i++)
    REQUIRE(formatted[i] == lower(text.ptr[i]));
}

static void byte_form(sc_bytes bytes) {
  sc_id id;
  sc_id again;
  sc_status status = sc_id_from_bytes(&id, bytes);
  if (bytes.len != SC_ID_BYTES) {
    REQUIRE(status == SC_ERR_ID_LENGTH);
    return;
  }
  REQUIRE(status == (has_known_kind(bytes.ptr) ? SC_OK : SC_ERR_ID_PREFIX));
  if (status != SC_OK)
    return;
  sc_id_make(&again, sc_id_kind_of(&id), sc_id_key(&id));
  REQUIRE(memcmp(bytes.ptr, id.bytes, SC_ID_BYTES) == 0 && memcmp(bytes.ptr, again.bytes, SC_ID_BYTES) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  text_form(sc_bytes_make(data, size));
  byte_form(sc_bytes_make(data, size));
  return 0;
}
