/* Only how a server's key is written; its length says in which of the text forms. */
#include "topics.h"

static sc_status decode_key(uint8_t out[SC_KEY_BYTES], sc_bytes text) {
  if (text.len == SC_HEX_CHARS(SC_KEY_BYTES))
    return sc_hex_decode(out, SC_KEY_BYTES, text);
  if (text.len == SC_BASE32Z_CHARS(SC_KEY_BYTES))
    return sc_base32z_decode(out, SC_KEY_BYTES, text);
  return sc_base64_decode(out, SC_KEY_BYTES, text, SC_BASE64_STANDARD);
}

static sc_status decode_pubkey(known_case *c) {
  uint8_t key[SC_KEY_BYTES];
  sc_status status = decode_key(key, known_text(c, "text"));
  if (status == SC_OK)
    known_same(c, "pubkey", SC_BYTES(key));
  return status;
}

TOPIC(community_url, {"decode_pubkey", decode_pubkey});
