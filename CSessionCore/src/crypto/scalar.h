/* Secret scalars of Ed25519: hashing to one, negating one, signing with one. Signatures made with a bare
 * scalar (XEd25519, the blinded ids) differ from Ed25519, and from each other, only in their nonce. */
#ifndef SC_CRYPTO_SCALAR_H
#define SC_CRYPTO_SCALAR_H

#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"

#define SC_SCALAR_BYTES 32

/* SHA-512 of the pieces, modulo the group's order. */
void sc_scalar_from_sha512(uint8_t out[static SC_SCALAR_BYTES], const sc_bytes *pieces, size_t count);

/* BLAKE2b-512 of the pieces, modulo the group's order; arguments as for sc_blake2b_pieces. */
void sc_scalar_from_blake2b(uint8_t out[static SC_SCALAR_BYTES], sc_bytes key, const uint8_t *personal,
                            const sc_bytes *pieces, size_t count);

/* Replaces the scalar with its reduced negative if `negate` is 1, and leaves it if that is 0, in constant
 * time. */
void sc_scalar_negate_if(uint8_t scalar[static SC_SCALAR_BYTES], unsigned negate);

/* BLAKE2b keys that separate the nonces of one purpose from those of others. */
typedef struct sc_scalar_nonce_labels {
  const char *seed;
  const char *nonce;
} sc_scalar_nonce_labels;

/* Derives a nonce from the signer's seed, the public key it signs as, and the message. */
void sc_scalar_seeded_nonce(uint8_t out[static SC_SCALAR_BYTES], const sc_scalar_nonce_labels *labels,
                            const sc_ed25519_pair *signer, const uint8_t public_key[static 32],
                            sc_bytes message);

/* Makes an Ed25519 signature with `scalar`, whose point is `public_key`. The nonce must be secret and never
 * be used for two messages. */
void sc_scalar_sign(uint8_t out[static 64], const uint8_t scalar[static SC_SCALAR_BYTES],
                    const uint8_t public_key[static 32], const uint8_t nonce[static SC_SCALAR_BYTES],
                    sc_bytes message);

#endif
