/* Boxes: encryption with a secret key under a random nonce, for local data. */
#ifndef SC_CRYPTO_BOX_H
#define SC_CRYPTO_BOX_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_AEAD_TAG_BYTES 16
#define SC_XCHACHA_NONCE_BYTES 24

/* Replaces `out` with a random nonce of 24 bytes followed by the plaintext encrypted with XChaCha20-Poly1305.
 * `key` has 32 bytes: SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_box_seal(sc_buffer *out, const sc_env *env, sc_bytes key,
                                          sc_bytes plaintext);

/* Decrypts. SC_ERR_KEY_SIZE, SC_ERR_TRUNCATED for less than 40 bytes, SC_ERR_DECRYPT for another key or
 * changed data. */
SC_API SC_NODISCARD sc_status sc_box_open(sc_buffer *out, sc_bytes key, sc_bytes sealed);

/* Like sc_box_seal, for one use: only sc_box_open_bound with the same `context` opens it. The context is not
 * in the output. */
SC_API SC_NODISCARD sc_status sc_box_seal_bound(sc_buffer *out, const sc_env *env, sc_bytes key,
                                                sc_bytes context, sc_bytes plaintext);

/* Like sc_box_open. SC_ERR_DECRYPT for another context too. */
SC_API SC_NODISCARD sc_status sc_box_open_bound(sc_buffer *out, sc_bytes key, sc_bytes context,
                                                sc_bytes sealed);

SC_API_END

#endif
