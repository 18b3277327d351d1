#include "cipher.h"

#include <assert.h>
#include <nettle/cbc.h>
#include <sodium.h>

#include "../base/declassify.h"
#include "aes.h"
#include "aes_gcm.h"
#include "sealed.h"
#include "session-core/base/secret.h"

static sc_status check_xchacha(sc_bytes key, sc_bytes nonce) {
  if (key.len != crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    return SC_ERR_KEY_SIZE;
  return nonce.len == SC_XCHACHA_NONCE_BYTES ? SC_OK : SC_ERR_NONCE_SIZE;
}

/* Writes ciphertext ‖ tag. */
static void xchacha_seal_into(uint8_t *out, const uint8_t *key, const uint8_t *nonce, sc_bytes associated,
                              sc_bytes plaintext) {
  int failed = crypto_aead_xchacha20poly1305_ietf_encrypt(out, NULL, plaintext.ptr, plaintext.len,
                                                          associated.ptr, associated.len, NULL, nonce, key);
  assert(failed == 0);
  (void)failed;
}

static sc_status xchacha_append_opened(sc_buffer *out, const uint8_t *key, const uint8_t *nonce,
                                       sc_bytes associated, sc_bytes sealed) {
  if (sealed.len < SC_AEAD_TAG_BYTES)
    return SC_ERR_DECRYPT;
  uint8_t *plaintext;
  sc_status status = sc_buffer_extend(&plaintext, out, sealed.len - SC_AEAD_TAG_BYTES);
  if (status != SC_OK)
    return status;
  int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(plaintext, NULL, NULL, sealed.ptr, sealed.len,
                                                          associated.ptr, associated.len, nonce, key);
  sc_declassify(&failed, sizeof failed);
  return failed == 0 ? SC_OK : SC_ERR_DECRYPT;
}

sc_status sc_xchacha20_poly1305_seal(sc_buffer *out, sc_bytes key, sc_bytes nonce, sc_bytes associated,
                                     sc_bytes plaintext) {
  sc_buffer_clear(out);
  sc_status status = check_xchacha(key, nonce);
  if (status != SC_OK)
    return status;
  uint8_t *sealed;
  status = sc_sealed_room(&sealed, out, plaintext, SC_AEAD_TAG_BYTES);
  if (status == SC_OK)
    xchacha_seal_into(sealed, key.ptr, nonce.ptr, associated, plaintext);
  return status;
}

sc_status sc_xchacha20_poly1305_open(sc_buffer *out, sc_bytes key, sc_bytes nonce, sc_bytes associated,
                                     sc_bytes sealed) {
  sc_buffer_clear(out);
  sc_status status = check_xchacha(key, nonce);
  if (status == SC_OK)
    status = xchacha_append_opened(out, key.ptr, nonce.ptr, associated, sealed);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

/* Beyond this the block counter starts again, and two blocks would be encrypted alike. */
static const uint64_t gcm_most_bytes = ((uint64_t)1 << 36) - 32;

static sc_status check_gcm(sc_bytes key, sc_bytes iv, uint64_t plaintext_len) {
  if (!sc_aes_key_size_is_valid(key.len))
    return SC_ERR_KEY_SIZE;
  if (iv.len == 0)
    return SC_ERR_NONCE_SIZE;
  return plaintext_len <= gcm_most_bytes ? SC_OK : SC_ERR_TOO_LARGE;
}

sc_status sc_aes_gcm_seal(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes associated,
                          sc_bytes plaintext) {
  sc_buffer_clear(out);
  sc_status status = check_gcm(key, iv, plaintext.len);
  if (status != SC_OK)
    return status;
  uint8_t *sealed;
  status = sc_sealed_room(&sealed, out, plaintext, SC_AEAD_TAG_BYTES);
  if (status == SC_OK)
    sc_aes_gcm_seal_into(sealed, key, iv, associated, plaintext);
  return status;
}

sc_status sc_aes_gcm_open(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes associated, sc_bytes sealed) {
  sc_buffer_clear(out);
  size_t len = sealed.len < SC_AEAD_TAG_BYTES ? 0 : sealed.len - SC_AEAD_TAG_BYTES;
  sc_status status = check_gcm(key, iv, len);
  if (status != SC_OK)
    return status;
  if (sealed.len < SC_AEAD_TAG_BYTES)
    return SC_ERR_DECRYPT;
  uint8_t *plaintext;
  status = sc_buffer_extend(&plaintext, out, len);
  if (status != SC_OK)
    return status;
  if (!sc_aes_gcm_open_into(plaintext, key, iv, associated, sealed)) {
    sc_buffer_clear(out);
    return SC_ERR_DECRYPT;
  }
  return SC_OK;
}

static sc_status check_cbc(sc_bytes key, sc_bytes iv) {
  if (!sc_aes_key_size_is_valid(key.len))
    return SC_ERR_KEY_SIZE;
  return iv.len == SC_AES_CBC_IV_BYTES ? SC_OK : SC_ERR_NONCE_SIZE;
}

sc_status sc_aes_cbc_encrypt(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes plaintext) {
  sc_buffer_clear(out);
  sc_status status = check_cbc(key, iv);
  if (status != SC_OK)
    return status;
  size_t tail_len = plaintext.len % AES_BLOCK_SIZE;
  size_t whole = plaintext.len - tail_len;
  uint8_t *ciphertext;
  status = sc_sealed_room(&ciphertext, out, plaintext, AES_BLOCK_SIZE - tail_len);
  if (status != SC_OK)
    return status;
  uint8_t last[AES_BLOCK_SIZE];
  memset(last, (int)(AES_BLOCK_SIZE - tail_len), sizeof last);
  if (tail_len > 0)
    memcpy(last, plaintext.ptr + whole, tail_len);
  uint8_t chain[AES_BLOCK_SIZE];
  memcpy(chain, iv.ptr, sizeof chain);
  sc_aes aes;
  sc_aes_for_encryption(&aes, key);
  cbc_encrypt(&aes.context, aes.blocks, AES_BLOCK_SIZE, chain, whole, ciphertext, plaintext.ptr);
  cbc_encrypt(&aes.context, aes.blocks, AES_BLOCK_SIZE, chain, sizeof last, ciphertext + whole, last);
  sc_wipe(&aes, sizeof aes);
  sc_wipe(last, sizeof last);
  return SC_OK;
}

/* All ones when a < b, else zero; for values below 2^31. */
static uint32_t mask_less(uint32_t a, uint32_t b) {
  return (uint32_t)((int32_t)(a - b) >> 31);
}

/* The PKCS#7 padding at the end of `block`: 1 to 16, or 0 when there is none. */
static size_t padding_len(const uint8_t block[static AES_BLOCK_SIZE]) {
  uint32_t len = block[AES_BLOCK_SIZE - 1];
  uint32_t bad = mask_less(AES_BLOCK_SIZE, len);
  for (uint32_t i = 0; i < AES_BLOCK_SIZE; i++)
    bad |= mask_less(i, len) & (block[AES_BLOCK_SIZE - 1 - i] ^ len);
  uint32_t good = mask_less(bad & 0xff, 1);
  return len & good;
}

sc_status sc_aes_cbc_decrypt(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes ciphertext) {
  sc_buffer_clear(out);
  sc_status status = check_cbc(key, iv);
  if (status != SC_OK)
    return status;
  if (ciphertext.len == 0 || ciphertext.len % AES_BLOCK_SIZE != 0)
    return SC_ERR_DECRYPT;
  uint8_t *plaintext;
  status = sc_buffer_extend(&plaintext, out, ciphertext.len);
  if (status != SC_OK)
    return status;
  uint8_t chain[AES_BLOCK_SIZE];
  memcpy(chain, iv.ptr, sizeof chain);
  sc_aes aes;
  sc_aes_for_decryption(&aes, key);
  cbc_decrypt(&aes.context, aes.blocks, AES_BLOCK_SIZE, chain, ciphertext.len, plaintext, ciphertext.ptr);
  sc_wipe(&aes, sizeof aes);
  size_t padding = padding_len(plaintext + ciphertext.len - AES_BLOCK_SIZE);
  sc_declassify(&padding, sizeof padding);
  sc_buffer_truncate(out, padding > 0 ? ciphertext.len - padding : 0);
  return padding > 0 ? SC_OK : SC_ERR_DECRYPT;
}
