#include "scalar.h"

#include <assert.h>
#include <sodium.h>

#include "../base/declassify.h"
#include "blake2b.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/signature.h"

enum { wide_bytes = crypto_core_ed25519_NONREDUCEDSCALARBYTES };

_Static_assert(SC_SCALAR_BYTES == crypto_core_ed25519_SCALARBYTES, "a scalar is libsodium's");

void sc_scalar_from_sha512(uint8_t out[static SC_SCALAR_BYTES], const sc_bytes *pieces, size_t count) {
  uint8_t wide[wide_bytes];
  crypto_hash_sha512_state state;
  int failed = crypto_hash_sha512_init(&state);
  for (size_t i = 0; i < count; i++)
    failed |= crypto_hash_sha512_update(&state, pieces[i].ptr, pieces[i].len);
  failed |= crypto_hash_sha512_final(&state, wide);
  assert(failed == 0);
  (void)failed;
  crypto_core_ed25519_scalar_reduce(out, wide);
  sc_wipe(wide, sizeof wide);
  sc_wipe(&state, sizeof state);
}

void sc_scalar_from_blake2b(uint8_t out[static SC_SCALAR_BYTES], sc_bytes key, const uint8_t *personal,
                            const sc_bytes *pieces, size_t count) {
  uint8_t wide[wide_bytes];
  sc_blake2b_pieces(wide, sizeof wide, key, personal, pieces, count);
  crypto_core_ed25519_scalar_reduce(out, wide);
  sc_wipe(wide, sizeof wide);
}

void sc_scalar_negate_if(uint8_t scalar[static SC_SCALAR_BYTES], unsigned negate) {
  uint8_t negative[SC_SCALAR_BYTES];
  crypto_core_ed25519_scalar_negate(negative, scalar);
  uint8_t mask = (uint8_t)(0U - negate);
  for (size_t i = 0; i < SC_SCALAR_BYTES; i++)
    scalar[i] ^= mask & (scalar[i] ^ negative[i]);
  sc_wipe(negative, sizeof negative);
}

void sc_scalar_seeded_nonce(uint8_t out[static SC_SCALAR_BYTES], const sc_scalar_nonce_labels *labels,
                            const sc_ed25519_pair *signer, const uint8_t public_key[static 32],
                            sc_bytes message) {
  uint8_t hashed[32];
  const sc_bytes seed = sc_bytes_make(signer->secret, SC_ED25519_SEED_BYTES);
  sc_blake2b_pieces(hashed, sizeof hashed, sc_bytes_text(labels->seed), NULL, &seed, 1);
  const sc_bytes pieces[] = {SC_BYTES(hashed), sc_bytes_make(public_key, SC_KEY_BYTES), message};
  sc_scalar_from_blake2b(out, sc_bytes_text(labels->nonce), NULL, pieces, 3);
  sc_wipe(hashed, sizeof hashed);
}

/* R ‖ S, where R is the nonce's point and S = nonce + SHA-512(R ‖ public key ‖ message) · scalar. */
void sc_scalar_sign(uint8_t out[static 64], const uint8_t scalar[static SC_SCALAR_BYTES],
                    const uint8_t public_key[static 32], const uint8_t nonce[static SC_SCALAR_BYTES],
                    sc_bytes message) {
  uint8_t signature[SC_SIGNATURE_BYTES]; /* `out` may lie in the message */
  uint8_t *commitment = signature;
  uint8_t *response = signature + SC_KEY_BYTES;
  int failed = crypto_scalarmult_ed25519_base_noclamp(commitment, nonce);
  sc_declassify(&failed, sizeof failed);
  if (failed != 0) {
    /* A nonce of zero never happens; a signature under it would give the scalar away. */
    sc_wipe(out, SC_SIGNATURE_BYTES);
    return;
  }
  const sc_bytes pieces[] = {sc_bytes_make(commitment, SC_KEY_BYTES), sc_bytes_make(public_key, SC_KEY_BYTES),
                             message};
  uint8_t challenge[SC_SCALAR_BYTES];
  sc_scalar_from_sha512(challenge, pieces, 3);
  crypto_core_ed25519_scalar_mul(response, challenge, scalar);
  crypto_core_ed25519_scalar_add(response, response, nonce);
  memcpy(out, signature, sizeof signature);
}
