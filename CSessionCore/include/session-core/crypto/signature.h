/* Signatures: Ed25519, and XEd25519 for owners of only an X25519 key.
 *
 * Verification is strict: canonical scalars, no keys or commitments of small order. A signature may overwrite
 * its message. */
#ifndef SC_CRYPTO_SIGNATURE_H
#define SC_CRYPTO_SIGNATURE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "keys.h"

SC_API_BEGIN

#define SC_SIGNATURE_BYTES 64

SC_API void sc_ed25519_sign(uint8_t out[SC_AT_LEAST(64)], const sc_ed25519_pair *signer, sc_bytes message);

/* Verifies a signature. SC_ERR_KEY_SIZE, SC_ERR_SIGNATURE_SIZE, SC_ERR_SIGNATURE. */
SC_API SC_NODISCARD sc_status sc_ed25519_verify(sc_bytes public_key, sc_bytes message, sc_bytes signature);

/* Signs with an X25519 key, to be verified with the X25519 public key. Cannot fail: always SC_OK. */
SC_API SC_NODISCARD sc_status sc_xed25519_sign(uint8_t out[SC_AT_LEAST(64)], const sc_env *env,
                                               const uint8_t x25519_secret[SC_AT_LEAST(32)],
                                               sc_bytes message);

/* Verifies. As sc_ed25519_verify, and SC_ERR_KEY_INVALID if the key has no Ed25519 form. */
SC_API SC_NODISCARD sc_status sc_xed25519_verify(sc_bytes x25519_public, sc_bytes message,
                                                 sc_bytes signature);

SC_API_END

#endif
