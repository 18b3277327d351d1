/* The ciphers used by the formats.
 *
 * `seal` writes ciphertext ‖ tag, `open` reads it. Keys and nonces of the wrong size are SC_ERR_KEY_SIZE and
 * SC_ERR_NONCE_SIZE; data that is not authentic is SC_ERR_DECRYPT, with `out` empty. */
#ifndef SC_SRC_CRYPTO_CIPHER_H
#define SC_SRC_CRYPTO_CIPHER_H

#include "session-core/base/api.h"
#include "session-core/base/bytes.h"
#include "session-core/crypto/box.h"

#define SC_AES_GCM_IV_BYTES 12
#define SC_AES_CBC_IV_BYTES 16

/* XChaCha20-Poly1305 (IETF): key 32, nonce 24. */
SC_NODISCARD sc_status sc_xchacha20_poly1305_seal(sc_buffer *out, sc_bytes key, sc_bytes nonce,
                                                  sc_bytes associated, sc_bytes plaintext);
SC_NODISCARD sc_status sc_xchacha20_poly1305_open(sc_buffer *out, sc_bytes key, sc_bytes nonce,
                                                  sc_bytes associated, sc_bytes sealed);

/* AES-GCM: key 16, 24 or 32, an IV of at least one byte (12 in every Session format). SC_ERR_TOO_LARGE over
 * 2^36 - 32 bytes, the limit for one IV. */
SC_NODISCARD sc_status sc_aes_gcm_seal(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes associated,
                                       sc_bytes plaintext);
SC_NODISCARD sc_status sc_aes_gcm_open(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes associated,
                                       sc_bytes sealed);

/* AES-CBC with PKCS#7 padding: key 16, 24 or 32, IV 16. It authenticates nothing: check a MAC before opening.
 * The padding is checked in constant time. */
SC_NODISCARD sc_status sc_aes_cbc_encrypt(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes plaintext);
SC_NODISCARD sc_status sc_aes_cbc_decrypt(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes ciphertext);

#endif
