/* BLAKE2b, keyed and salted. */
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

/* Computes a BLAKE2b hash of 16 to 64 bytes with a key of up to 64 bytes (empty for none). SC_ERR_HASH_SIZE
 * for other sizes. */
SC_API SC_NODISCARD sc_status sc_blake2b(uint8_t *out, size_t out_len, sc_bytes key, sc_bytes message);

/* Computes BLAKE2b without a key, with a salt of 16 bytes. */
SC_API SC_NODISCARD sc_status sc_blake2b_salted(uint8_t *out, size_t out_len,
                                                const uint8_t salt[SC_AT_LEAST(16)], sc_bytes message);

SC_API_END

#endif
