/* nonce 12 | ciphertext | tag 16 */
#include "session-core/crypto/picture.h"

#include "aes_gcm.h"
#include "cipher.h"
#include "sealed.h"
#include "session-core/base/secret.h"

enum {
  nonce_bytes = SC_AES_GCM_IV_BYTES,
  overhead = nonce_bytes + SC_AEAD_TAG_BYTES,
};

static const sc_bytes nothing = {NULL, 0};

sc_status sc_picture_seal(sc_buffer *out, uint8_t key[static 32], const sc_env *env, sc_bytes picture) {
  sc_buffer_clear(out);
  memset(key, 0, SC_PICTURE_KEY_BYTES);
  if (picture.len > SC_PICTURE_MAX_BYTES)
    return SC_ERR_FILE_TOO_LARGE;
  uint8_t *room;
  sc_status status = sc_sealed_room(&room, out, picture, overhead);
  if (status != SC_OK)
    return status;
  sc_random(env, key, SC_PICTURE_KEY_BYTES);
  sc_random(env, room, nonce_bytes);
  sc_aes_gcm_seal_into(room + nonce_bytes, sc_bytes_make(key, SC_PICTURE_KEY_BYTES),
                       sc_bytes_make(room, nonce_bytes), nothing, picture);
  return SC_OK;
}

sc_status sc_picture_open(sc_buffer *out, sc_bytes key, sc_bytes sealed) {
  sc_buffer_clear(out);
  if (key.len != SC_PICTURE_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  if (sealed.len < overhead)
    return SC_ERR_FILE_FORMAT;
  if (sealed.len - overhead > SC_PICTURE_MAX_BYTES)
    return SC_ERR_FILE_TOO_LARGE;
  sc_bytes nonce = sc_bytes_make(sealed.ptr, nonce_bytes);
  sc_bytes rest = sc_bytes_make(sealed.ptr + nonce_bytes, sealed.len - nonce_bytes);
  sc_status status = sc_aes_gcm_open(out, key, nonce, nothing, rest);
  return status == SC_ERR_DECRYPT ? SC_ERR_FILE_DAMAGED : status;
}
