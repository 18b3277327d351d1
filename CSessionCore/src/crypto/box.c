#include "session-core/crypto/box.h"

#include <sodium.h>

#include "cipher.h"
#include "sealed.h"
#include "session-core/base/env.h"

sc_status sc_box_seal(sc_buffer *out, const sc_env *env, sc_bytes key, sc_bytes plaintext) {
  return sc_box_seal_bound(out, env, key, sc_bytes_make(NULL, 0), plaintext);
}

sc_status sc_box_seal_bound(sc_buffer *out, const sc_env *env, sc_bytes key, sc_bytes context,
                            sc_bytes plaintext) {
  sc_buffer_clear(out);
  if (key.len != crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    return SC_ERR_KEY_SIZE;
  uint8_t *nonce;
  sc_status status = sc_sealed_room(&nonce, out, plaintext, SC_XCHACHA_NONCE_BYTES + SC_AEAD_TAG_BYTES);
  if (status != SC_OK)
    return status;
  sc_random(env, nonce, SC_XCHACHA_NONCE_BYTES);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + SC_XCHACHA_NONCE_BYTES, NULL, plaintext.ptr,
                                             plaintext.len, context.ptr, context.len, NULL, nonce, key.ptr);
  return SC_OK;
}

sc_status sc_box_open(sc_buffer *out, sc_bytes key, sc_bytes sealed) {
  return sc_box_open_bound(out, key, sc_bytes_make(NULL, 0), sealed);
}

sc_status sc_box_open_bound(sc_buffer *out, sc_bytes key, sc_bytes context, sc_bytes sealed) {
  sc_buffer_clear(out);
  if (key.len != crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    return SC_ERR_KEY_SIZE;
  if (sealed.len < SC_XCHACHA_NONCE_BYTES + SC_AEAD_TAG_BYTES)
    return SC_ERR_TRUNCATED;
  sc_bytes nonce = sc_bytes_make(sealed.ptr, SC_XCHACHA_NONCE_BYTES);
  sc_bytes rest = sc_bytes_make(sealed.ptr + nonce.len, sealed.len - nonce.len);
  return sc_xchacha20_poly1305_open(out, key, nonce, context, rest);
}
