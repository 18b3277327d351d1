#include "aes.h"

#include <nettle/nettle-meta.h>

bool sc_aes_key_size_is_valid(size_t len) {
  return len == AES128_KEY_SIZE || len == AES192_KEY_SIZE || len == AES256_KEY_SIZE;
}

static const struct nettle_cipher *cipher_for(size_t key_len) {
  switch (key_len) {
  case AES128_KEY_SIZE:
    return &nettle_aes128;
  case AES192_KEY_SIZE:
    return &nettle_aes192;
  default:
    return &nettle_aes256;
  }
}

void sc_aes_for_encryption(sc_aes *out, sc_bytes key) {
  const struct nettle_cipher *cipher = cipher_for(key.len);
  cipher->set_encrypt_key(&out->context, key.ptr);
  out->blocks = cipher->encrypt;
}

void sc_aes_for_decryption(sc_aes *out, sc_bytes key) {
  const struct nettle_cipher *cipher = cipher_for(key.len);
  cipher->set_decrypt_key(&out->context, key.ptr);
  out->blocks = cipher->decrypt;
}
