/* Key pairs: Ed25519 for signing, X25519 for key agreement, and conversion between them.
 *
 * Pairs are plain values with secrets: wipe each with its _wipe function. For keys from outside, lengths are
 * checked and points of small order are refused (SC_ERR_KEY_INVALID). */
#ifndef SC_CRYPTO_KEYS_H
#define SC_CRYPTO_KEYS_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_KEY_BYTES 32
#define SC_ED25519_SEED_BYTES 32
#define SC_ED25519_SECRET_BYTES 64

typedef struct sc_ed25519_pair {
  uint8_t public_key[SC_KEY_BYTES];
  uint8_t secret[SC_ED25519_SECRET_BYTES]; /* seed ‖ public key */
} sc_ed25519_pair;

typedef struct sc_x25519_pair {
  uint8_t public_key[SC_KEY_BYTES];
  uint8_t secret[SC_KEY_BYTES];
} sc_x25519_pair;

/* One identity in both forms. */
typedef struct sc_keypair {
  sc_ed25519_pair ed;
  sc_x25519_pair x;
} sc_keypair;

SC_API void sc_ed25519_pair_from_seed(sc_ed25519_pair *out, const uint8_t seed[SC_AT_LEAST(32)]);
SC_API void sc_ed25519_pair_wipe(sc_ed25519_pair *pair);

SC_API void sc_x25519_pair_generate(sc_x25519_pair *out, const sc_env *env);
SC_API void sc_x25519_pair_from_secret(sc_x25519_pair *out, const uint8_t secret[SC_AT_LEAST(32)]);
SC_API void sc_x25519_pair_wipe(sc_x25519_pair *pair);

SC_API void sc_keypair_generate(sc_keypair *out, const sc_env *env);
SC_API void sc_keypair_from_seed(sc_keypair *out, const uint8_t seed[SC_AT_LEAST(32)]);

/* Makes a pair from a 32-byte seed or a 64-byte secret. SC_ERR_KEY_SIZE; SC_ERR_KEY_MISMATCH if the second
 * half of a 64-byte secret is not the public key of the first. */
SC_API SC_NODISCARD sc_status sc_keypair_from_secret(sc_keypair *out, sc_bytes secret);
SC_API void sc_keypair_wipe(sc_keypair *pair);

/* Converts an Ed25519 public key to X25519. SC_ERR_KEY_SIZE, SC_ERR_KEY_INVALID. */
SC_API SC_NODISCARD sc_status sc_x25519_from_ed25519(uint8_t out[SC_AT_LEAST(32)], sc_bytes ed25519_public);

/* Converts an X25519 public key to Ed25519 with sign bit 0; the account's own key may be the negative of it.
 * SC_ERR_KEY_SIZE, SC_ERR_KEY_INVALID if there is no such point. */
SC_API SC_NODISCARD sc_status sc_ed25519_from_x25519(uint8_t out[SC_AT_LEAST(32)], sc_bytes x25519_public);

/* Computes the X25519 shared secret; wipe it. SC_ERR_KEY_INVALID if it would be zero. */
SC_API SC_NODISCARD sc_status sc_x25519(uint8_t out[SC_AT_LEAST(32)], const uint8_t secret[SC_AT_LEAST(32)],
                                        const uint8_t public_key[SC_AT_LEAST(32)]);

SC_API_END

#endif
