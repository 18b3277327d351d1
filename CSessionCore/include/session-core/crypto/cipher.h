/* The ciphers under the formats, for those who build a format of their own.
 *
 * `seal` writes ciphertext ‖ tag, `open` takes it. Keys and nonces of a wrong size are SC_ERR_KEY_SIZE and
 * SC_ERR_NONCE_SIZE; anything that does not authenticate is SC_ERR_DECRYPT, with `out` empty. */
#ifndef SC_CRYPTO_CIPHER_H
#define SC_CRYPTO_CIPHER_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_AEAD_TAG_BYTES 16
#define SC_XCHACHA_NONCE_BYTES 24
#define SC_AES_GCM_IV_BYTES 12
#define SC_AES_CBC_IV_BYTES 16

/* XChaCha20-Poly1305 (IETF): key 32, nonce 24. */
SC_API SC_NODISCARD sc_status sc_xchacha20_poly1305_seal(sc_buffer *out, sc_bytes key, sc_bytes nonce,
                                                         sc_bytes associated, sc_bytes plaintext);
SC_API SC_NODISCARD sc_status sc_xchacha20_poly1305_open(sc_buffer *out, sc_bytes key, sc_bytes nonce,
                                                         sc_bytes associated, sc_bytes sealed);

/* AES-GCM: key 16, 24 or 32, an IV of at least one byte (12 in every Session format). SC_ERR_TOO_LARGE over
 * 2^36 - 32 bytes, which is all that one IV is good for. */
SC_API SC_NODISCARD sc_status sc_aes_gcm_seal(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes associated,
                                              sc_bytes plaintext);
SC_API SC_NODISCARD sc_status sc_aes_gcm_open(sc_buffer *out, sc_bytes key, sc_bytes iv, sc_bytes associated,
                                              sc_bytes sealed);

/* AES-CBC with PKCS#7 padding: key 16, 24 or 32, IV 16. It authenticates nothing: check a MAC before opening.
 * The padding is looked at in constant time. */
SC_API SC_NODISCARD sc_status sc_aes_cbc_encrypt(sc_buffer *out, sc_bytes key, sc_bytes iv,
                                                 sc_bytes plaintext);
SC_API SC_NODISCARD sc_status sc_aes_cbc_decrypt(sc_buffer *out, sc_bytes key, sc_bytes iv,
                                                 sc_bytes ciphertext);

/* nonce ‖ XChaCha20-Poly1305 under a fresh random nonce: how local data and push payloads are kept. `key` is
 * 32 bytes. Opening less than 40 bytes is SC_ERR_TRUNCATED. */
SC_API SC_NODISCARD sc_status sc_box_seal(sc_buffer *out, const sc_env *env, sc_bytes key,
                                          sc_bytes plaintext);
SC_API SC_NODISCARD sc_status sc_box_open(sc_buffer *out, sc_bytes key, sc_bytes sealed);

SC_API_END

#endif
