/* Display pictures in the older format: AES-256-GCM under a key that is part of the profile. */
#ifndef SC_CRYPTO_PICTURE_H
#define SC_CRYPTO_PICTURE_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_PICTURE_KEY_BYTES 32
#define SC_PICTURE_MAX_BYTES 5000000

/* Draws a key and encrypts. SC_ERR_FILE_TOO_LARGE over SC_PICTURE_MAX_BYTES. */
SC_API SC_NODISCARD sc_status sc_picture_seal(sc_buffer *out, uint8_t key[SC_AT_LEAST(32)], const sc_env *env,
                                              sc_bytes picture);

/* Decrypts. SC_ERR_KEY_SIZE, SC_ERR_FILE_FORMAT below 28 bytes, SC_ERR_FILE_TOO_LARGE, SC_ERR_FILE_DAMAGED.
 */
SC_API SC_NODISCARD sc_status sc_picture_open(sc_buffer *out, sc_bytes key, sc_bytes sealed);

SC_API_END

#endif
