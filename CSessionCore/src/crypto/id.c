#include "session-core/crypto/id.h"

#include <stdbool.h>

#include "session-core/base/encoding.h"

static bool kind_is_known(uint8_t kind) {
  switch (kind) {
  case SC_ID_UNBLINDED:
  case SC_ID_GROUP:
  case SC_ID_STANDARD:
  case SC_ID_VERSION:
  case SC_ID_BLINDED_15:
  case SC_ID_BLINDED_25:
    return true;
  default:
    return false;
  }
}

void sc_id_make(sc_id *out, sc_id_kind kind, const uint8_t key[static 32]) {
  out->bytes[0] = (uint8_t)kind;
  memcpy(out->bytes + 1, key, SC_ID_BYTES - 1);
}

sc_status sc_id_from_bytes(sc_id *out, sc_bytes bytes) {
  if (bytes.len != SC_ID_BYTES)
    return SC_ERR_ID_LENGTH;
  if (!kind_is_known(bytes.ptr[0]))
    return SC_ERR_ID_PREFIX;
  memcpy(out->bytes, bytes.ptr, SC_ID_BYTES);
  return SC_OK;
}

sc_status sc_id_parse(sc_id *out, sc_bytes text) {
  if (text.len != SC_ID_CHARS)
    return SC_ERR_ID_LENGTH;
  uint8_t bytes[SC_ID_BYTES];
  if (sc_hex_decode(bytes, sizeof bytes, text) != SC_OK)
    return SC_ERR_ID_HEX;
  return sc_id_from_bytes(out, SC_BYTES(bytes));
}

void sc_id_format(char out[static 67], const sc_id *id) {
  sc_hex_encode(out, SC_BYTES(id->bytes));
}

sc_id_kind sc_id_kind_of(const sc_id *id) {
  return (sc_id_kind)id->bytes[0];
}

const uint8_t *sc_id_key(const sc_id *id) {
  return id->bytes + 1;
}
