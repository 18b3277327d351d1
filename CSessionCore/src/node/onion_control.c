#include "onion_control.h"

#include "../base/little.h"
#include "session-core/base/encoding.h"

enum {
  length_bytes = 4,
  control_depth = 8, /* ours are flat; others may say more than we look at */
};

sc_status sc_onion_split(sc_bytes *sealed, sc_bytes *control, sc_bytes bytes) {
  if (bytes.len < length_bytes)
    return SC_ERR_ONION_BLOCK;
  size_t len = sc_load_u32(bytes.ptr);
  sc_bytes rest = sc_bytes_make(bytes.ptr + length_bytes, bytes.len - length_bytes);
  if (len > rest.len)
    return SC_ERR_ONION_BLOCK;
  *sealed = sc_bytes_make(rest.ptr, len);
  *control = sc_bytes_make(rest.ptr + len, rest.len - len);
  return SC_OK;
}

sc_status sc_onion_control_parse(sc_json **out, sc_bytes control) {
  *out = NULL;
  if (control.len > SC_ONION_MAX_CONTROL_BYTES)
    return SC_ERR_ONION_BLOCK;
  sc_json *document;
  sc_status status = sc_json_parse(&document, control, control_depth);
  if (status != SC_OK)
    return status == SC_ERR_NO_MEMORY ? status : SC_ERR_ONION_BLOCK;
  if (sc_json_type_of(document) != SC_JSON_OBJECT) {
    sc_json_free(document);
    return SC_ERR_ONION_BLOCK;
  }
  *out = document;
  return SC_OK;
}

static sc_status decode_key(uint8_t out[static SC_KEY_BYTES], sc_bytes text, bool any_form) {
  if (text.len == SC_HEX_CHARS(SC_KEY_BYTES) || !any_form)
    return sc_hex_decode(out, SC_KEY_BYTES, text);
  if (text.len == SC_BASE32Z_CHARS(SC_KEY_BYTES))
    return sc_base32z_decode(out, SC_KEY_BYTES, text);
  return sc_base64_decode(out, SC_KEY_BYTES, text, SC_BASE64_STANDARD);
}

sc_status sc_onion_control_key(uint8_t out[static SC_KEY_BYTES], const sc_json *control, const char *name,
                               bool any_form) {
  sc_bytes text;
  if (sc_json_member_string(&text, control, name) != SC_OK || decode_key(out, text, any_form) != SC_OK)
    return SC_ERR_ONION_CONTROL;
  return SC_OK;
}

sc_status sc_onion_control_cipher(sc_hop_cipher *out, const sc_json *control) {
  sc_bytes name;
  sc_status status = sc_json_member_string(&name, control, "enc_type");
  if (status == SC_ERR_NOT_FOUND) {
    *out = SC_HOP_AES_GCM;
    return SC_OK;
  }
  return status == SC_OK ? sc_hop_cipher_parse(out, name) : SC_ERR_ONION_CONTROL;
}

sc_status sc_onion_control_bool(bool *out, const sc_json *control, const char *name) {
  sc_status status = sc_json_member_bool(out, control, name);
  return status == SC_OK || status == SC_ERR_NOT_FOUND ? SC_OK : SC_ERR_ONION_CONTROL;
}
