/* The AES block cipher with keys of all three sizes, in the form that nettle's modes of operation take. */
#ifndef SC_CRYPTO_AES_H
#define SC_CRYPTO_AES_H

#include <nettle/aes.h>
#include <nettle/nettle-types.h>
#include <stdbool.h>

#include "session-core/base/bytes.h"

typedef union sc_aes_context {
  struct aes128_ctx aes128;
  struct aes192_ctx aes192;
  struct aes256_ctx aes256;
} sc_aes_context;

/* Expanded for one direction; holds a secret: wipe it. */
typedef struct sc_aes {
  sc_aes_context context;
  nettle_cipher_func *blocks;
} sc_aes;

/* True for 16, 24 and 32. */
bool sc_aes_key_size_is_valid(size_t len);

void sc_aes_for_encryption(sc_aes *out, sc_bytes key);
void sc_aes_for_decryption(sc_aes *out, sc_bytes key);

#endif
