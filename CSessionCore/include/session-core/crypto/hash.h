/* BLAKE2b, keyed and salted, and BLAKE2b and SHA-256 of what comes in pieces. Nothing allocates. One
 * thread at a time. */
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

/* A BLAKE2b hash of 64 bytes in the making, without a key. */
typedef struct sc_blake2b_stream {
  uint64_t state[48];
} sc_blake2b_stream;

SC_API void sc_blake2b_begin(sc_blake2b_stream *out);
SC_API void sc_blake2b_add(sc_blake2b_stream *stream, sc_bytes piece);

/* Writes the hash of all pieces, and wipes the stream. */
SC_API void sc_blake2b_end(uint8_t out[SC_AT_LEAST(64)], sc_blake2b_stream *stream);

/* A SHA-256 hash in the making. */
typedef struct sc_sha256_stream {
  uint64_t state[16];
} sc_sha256_stream;

SC_API void sc_sha256_begin(sc_sha256_stream *out);
SC_API void sc_sha256_add(sc_sha256_stream *stream, sc_bytes piece);

/* Writes the hash of all pieces, and wipes the stream. */
SC_API void sc_sha256_end(uint8_t out[SC_AT_LEAST(32)], sc_sha256_stream *stream);

SC_API_END

#endif
