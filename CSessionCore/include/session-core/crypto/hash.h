/* Hashes: BLAKE2b keyed, personalised and salted, SHA-2, HMAC and HKDF. */
#ifndef SC_CRYPTO_HASH_H
#define SC_CRYPTO_HASH_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_BLAKE2B_MIN_BYTES 16
#define SC_BLAKE2B_MAX_BYTES 64
#define SC_BLAKE2B_MAX_KEY_BYTES 64
#define SC_BLAKE2B_PERSONAL_BYTES 16
#define SC_BLAKE2B_SALT_BYTES 16

/* BLAKE2b of 16 to 64 bytes with a key of up to 64 (empty means none). SC_ERR_HASH_SIZE otherwise. */
SC_API SC_NODISCARD sc_status sc_blake2b(uint8_t *out, size_t out_len, sc_bytes key, sc_bytes message);

/* The same with a personalisation of 16 bytes. */
SC_API SC_NODISCARD sc_status sc_blake2b_personal(uint8_t *out, size_t out_len, sc_bytes key,
                                                  const uint8_t personal[SC_AT_LEAST(16)], sc_bytes message);

/* The same without a key and with a salt of 16 bytes. */
SC_API SC_NODISCARD sc_status sc_blake2b_salted(uint8_t *out, size_t out_len,
                                                const uint8_t salt[SC_AT_LEAST(16)], sc_bytes message);

SC_API void sc_sha256(uint8_t out[SC_AT_LEAST(32)], sc_bytes message);
SC_API void sc_sha512(uint8_t out[SC_AT_LEAST(64)], sc_bytes message);
SC_API void sc_hmac_sha256(uint8_t out[SC_AT_LEAST(32)], sc_bytes key, sc_bytes message);
SC_API void sc_hmac_sha512(uint8_t out[SC_AT_LEAST(64)], sc_bytes key, sc_bytes message);

/* Extract and expand; SC_ERR_HASH_SIZE over 255 × 32 bytes. `out` must not overlap `info`, which is read for
 * each block. */
SC_API SC_NODISCARD sc_status sc_hkdf_sha256(uint8_t *out, size_t out_len, sc_bytes key_material,
                                             sc_bytes salt, sc_bytes info);

SC_API_END

#endif
