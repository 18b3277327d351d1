/* ciphertext | tag 16 | nonce 24
 *
 * Both key and nonce follow from the message, so that devices which store the same config store the same
 * bytes. The nonce is a hash of the whole message: two messages never share one. */
#include "encryption.h"

#include <assert.h>
#include <sodium.h>

#include "../crypto/blake2b.h"
#include "../crypto/cipher.h"
#include "../crypto/sealed.h"
#include "envelope.h"
#include "session-core/base/secret.h"

static const char nonce_purpose[] = "libsessionutil-config-encrypted-";

enum {
  purpose_bytes = sizeof nonce_purpose - 1,
  length_bytes = sizeof(uint64_t),
};

_Static_assert(SC_CONFIG_ENCRYPT_OVERHEAD == SC_AEAD_TAG_BYTES + SC_XCHACHA_NONCE_BYTES, "tag and nonce");

static bool is_domain(sc_bytes domain) {
  return domain.len > 0 && domain.len <= SC_CONFIG_MAX_DOMAIN_BYTES;
}

sc_status sc_config_check_key(sc_bytes key, sc_bytes domain) {
  if (!is_domain(domain))
    return SC_ERR_ARGUMENT;
  return key.len == SC_KEY_BYTES ? SC_OK : SC_ERR_KEY_SIZE;
}

void sc_config_derive_key(uint8_t out[static SC_KEY_BYTES], sc_bytes key, sc_bytes domain,
                          size_t message_len) {
  uint8_t length[length_bytes];
  uint64_t left = message_len;
  for (size_t i = length_bytes; i-- > 0; left >>= 8)
    length[i] = (uint8_t)left;
  const sc_bytes pieces[] = {key, SC_BYTES(length), domain};
  sc_blake2b_pieces(out, SC_KEY_BYTES, sc_bytes_make(NULL, 0), NULL, pieces, 3);
}

static void derive_nonce(uint8_t out[static SC_XCHACHA_NONCE_BYTES], sc_bytes domain, sc_bytes message) {
  uint8_t purpose[purpose_bytes + SC_CONFIG_MAX_DOMAIN_BYTES];
  memcpy(purpose, nonce_purpose, purpose_bytes);
  memcpy(purpose + purpose_bytes, domain.ptr, domain.len);
  sc_blake2b_pieces(out, SC_XCHACHA_NONCE_BYTES, sc_bytes_make(purpose, purpose_bytes + domain.len), NULL,
                    &message, 1);
}

void sc_config_encrypt_in_place(uint8_t *room, size_t len, sc_bytes key, sc_bytes domain) {
  uint8_t message_key[SC_KEY_BYTES];
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
  sc_config_derive_key(message_key, key, domain, len);
  derive_nonce(nonce, domain, sc_bytes_make(room, len));
  int failed =
      crypto_aead_xchacha20poly1305_ietf_encrypt(room, NULL, room, len, NULL, 0, NULL, nonce, message_key);
  assert(failed == 0);
  (void)failed;
  memcpy(room + len + SC_AEAD_TAG_BYTES, nonce, sizeof nonce);
  sc_wipe(message_key, sizeof message_key);
}

sc_status sc_config_encrypt(sc_buffer *out, sc_bytes key, sc_bytes domain, sc_bytes message) {
  sc_buffer_clear(out);
  sc_status status = sc_config_check_key(key, domain);
  if (status != SC_OK)
    return status;
  uint8_t *room;
  status = sc_sealed_room(&room, out, message, SC_CONFIG_ENCRYPT_OVERHEAD);
  if (status != SC_OK)
    return status;
  if (message.len > 0)
    memcpy(room, message.ptr, message.len);
  sc_config_encrypt_in_place(room, message.len, key, domain);
  return SC_OK;
}

static sc_status decrypt_with(sc_buffer *out, sc_bytes key, sc_bytes domain, sc_bytes encrypted) {
  uint8_t message_key[SC_KEY_BYTES];
  size_t sealed_len = encrypted.len - SC_XCHACHA_NONCE_BYTES;
  sc_config_derive_key(message_key, key, domain, encrypted.len - SC_CONFIG_ENCRYPT_OVERHEAD);
  sc_status status = sc_xchacha20_poly1305_open(
      out, SC_BYTES(message_key), sc_bytes_make(encrypted.ptr + sealed_len, SC_XCHACHA_NONCE_BYTES),
      sc_bytes_make(NULL, 0), sc_bytes_make(encrypted.ptr, sealed_len));
  sc_wipe(message_key, sizeof message_key);
  return status;
}

static sc_status check_keys(const sc_bytes *keys, size_t key_count, sc_bytes domain) {
  if (!is_domain(domain))
    return SC_ERR_ARGUMENT;
  for (size_t i = 0; i < key_count; i++)
    if (keys[i].len != SC_KEY_BYTES)
      return SC_ERR_KEY_SIZE;
  return SC_OK;
}

sc_status sc_config_decrypt(sc_buffer *out, const sc_bytes *keys, size_t key_count, sc_bytes domain,
                            sc_bytes encrypted) {
  sc_buffer_clear(out);
  sc_status status = check_keys(keys, key_count, domain);
  if (status != SC_OK)
    return status;
  if (encrypted.len < SC_CONFIG_ENCRYPT_OVERHEAD)
    return SC_ERR_TRUNCATED;
  for (size_t i = 0; i < key_count; i++) {
    status = decrypt_with(out, keys[i], domain, encrypted);
    if (status != SC_ERR_DECRYPT)
      return status;
  }
  return SC_ERR_NO_KEY;
}
