/* ML-KEM-768 (FIPS 203): a key agreement that quantum computers cannot break.
 *
 * One side publishes an encapsulation key, the other makes a ciphertext for it, and both then share 32 secret
 * bytes. Use it together with X25519, never alone. Running time does not depend on secrets. Store the 64-byte
 * seed, from which the decapsulation key can be derived again. Wipe seeds, decapsulation keys and shared
 * secrets with sc_wipe. Outputs must not overlap inputs. */
#ifndef SC_CRYPTO_MLKEM_H
#define SC_CRYPTO_MLKEM_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_MLKEM768_SEED_BYTES 64
#define SC_MLKEM768_PUBLIC_BYTES 1184
#define SC_MLKEM768_SECRET_BYTES 2400
#define SC_MLKEM768_CIPHERTEXT_BYTES 1088
#define SC_MLKEM768_SHARED_BYTES 32

/* Draws a seed and derives both keys. SC_ERR_NO_RANDOM if the environment returns only zeros. */
SC_API SC_NODISCARD sc_status sc_mlkem768_generate(uint8_t seed[SC_AT_LEAST(64)],
                                                   uint8_t public_key[SC_AT_LEAST(1184)],
                                                   uint8_t secret[SC_AT_LEAST(2400)], const sc_env *env);

/* Derives both keys from a seed, which FIPS 203 calls d ‖ z. */
SC_API void sc_mlkem768_from_seed(uint8_t public_key[SC_AT_LEAST(1184)], uint8_t secret[SC_AT_LEAST(2400)],
                                  const uint8_t seed[SC_AT_LEAST(64)]);

/* Checks an encapsulation key from another party. SC_ERR_KEY_SIZE, SC_ERR_KEY_INVALID if a coefficient is not
 * reduced. */
SC_API SC_NODISCARD sc_status sc_mlkem768_check_public(sc_bytes public_key);

/* Checks a decapsulation key from another party. SC_ERR_KEY_SIZE, SC_ERR_KEY_MISMATCH if its hash does not
 * match its public half. */
SC_API SC_NODISCARD sc_status sc_mlkem768_check_secret(sc_bytes secret);

/* Makes a shared secret and its ciphertext. Fails like sc_mlkem768_check_public; the outputs are then zero.
 */
SC_API SC_NODISCARD sc_status sc_mlkem768_encapsulate(uint8_t ciphertext[SC_AT_LEAST(1088)],
                                                      uint8_t shared[SC_AT_LEAST(32)], const sc_env *env,
                                                      sc_bytes public_key);

/* The same with the caller's 32 random bytes: use them once, then wipe them. */
SC_API SC_NODISCARD sc_status sc_mlkem768_encapsulate_with(uint8_t ciphertext[SC_AT_LEAST(1088)],
                                                           uint8_t shared[SC_AT_LEAST(32)],
                                                           sc_bytes public_key,
                                                           const uint8_t random[SC_AT_LEAST(32)]);

/* Recovers the shared secret. A changed ciphertext is not an error: it yields 32 other bytes, which only the
 * holder of the secret key can compute. SC_ERR_KEY_SIZE, and SC_ERR_DECRYPT for a ciphertext of another
 * length; the output is then zero. */
SC_API SC_NODISCARD sc_status sc_mlkem768_decapsulate(uint8_t shared[SC_AT_LEAST(32)], sc_bytes secret,
                                                      sc_bytes ciphertext);

SC_API_END

#endif
