/* Hashes used only inside the library. */
#ifndef SC_SRC_CRYPTO_HASH_H
#define SC_SRC_CRYPTO_HASH_H

#include "session-core/crypto/hash.h"

/* Computes BLAKE2b with a personalisation of 16 bytes. */
SC_NODISCARD sc_status sc_blake2b_personal(uint8_t *out, size_t out_len, sc_bytes key,
                                           const uint8_t personal[SC_AT_LEAST(16)], sc_bytes message);
void sc_sha256(uint8_t out[SC_AT_LEAST(32)], sc_bytes message);
void sc_sha512(uint8_t out[SC_AT_LEAST(64)], sc_bytes message);
void sc_hmac_sha256(uint8_t out[SC_AT_LEAST(32)], sc_bytes key, sc_bytes message);
void sc_hmac_sha512(uint8_t out[SC_AT_LEAST(64)], sc_bytes key, sc_bytes message);

/* Extract and expand; SC_ERR_HASH_SIZE over 255 × 32 bytes. `out` must not overlap `info`, which is read for
 * each block. */
SC_NODISCARD sc_status sc_hkdf_sha256(uint8_t *out, size_t out_len, sc_bytes key_material, sc_bytes salt,
                                      sc_bytes info);

#endif
