#include "session-core/crypto/signature.h"

#include <assert.h>
#include <sodium.h>

#include "../base/declassify.h"
#include "scalar.h"
#include "session-core/base/secret.h"

enum { random_bytes = 64 };

void sc_ed25519_sign(uint8_t out[static 64], const sc_ed25519_pair *signer, sc_bytes message) {
  uint8_t signature[SC_SIGNATURE_BYTES]; /* `out` may lie in the message, which is read twice */
  int failed = crypto_sign_ed25519_detached(signature, NULL, message.ptr, message.len, signer->secret);
  assert(failed == 0);
  (void)failed;
  memcpy(out, signature, sizeof signature);
}

static sc_status check_sizes(sc_bytes public_key, sc_bytes signature) {
  if (public_key.len != SC_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  return signature.len == SC_SIGNATURE_BYTES ? SC_OK : SC_ERR_SIGNATURE_SIZE;
}

sc_status sc_ed25519_verify(sc_bytes public_key, sc_bytes message, sc_bytes signature) {
  sc_status status = check_sizes(public_key, signature);
  if (status != SC_OK)
    return status;
  int differs = crypto_sign_ed25519_verify_detached(signature.ptr, message.ptr, message.len, public_key.ptr);
  sc_declassify(&differs, sizeof differs);
  return differs == 0 ? SC_OK : SC_ERR_SIGNATURE;
}

static void clamp(uint8_t scalar[static SC_SCALAR_BYTES]) {
  scalar[0] &= 248;
  scalar[31] &= 127;
  scalar[31] |= 64;
}

/* The scalar of an X25519 secret and its Ed25519 public key, both negated where that key's sign bit would be
 * 1: who verifies knows the X25519 key alone and takes the sign to be 0. */
static void signing_pair(uint8_t scalar[static SC_SCALAR_BYTES], uint8_t public_key[static SC_KEY_BYTES],
                         const uint8_t x25519_secret[static SC_KEY_BYTES]) {
  memcpy(scalar, x25519_secret, SC_SCALAR_BYTES);
  clamp(scalar);
  int failed = crypto_scalarmult_ed25519_base_noclamp(public_key, scalar);
  sc_declassify(&failed, sizeof failed);
  assert(failed == 0);
  (void)failed;
  sc_scalar_negate_if(scalar, public_key[31] >> 7);
  public_key[31] &= 0x7f;
}

sc_status sc_xed25519_sign(uint8_t out[static 64], const sc_env *env, const uint8_t x25519_secret[static 32],
                           sc_bytes message) {
  static const uint8_t personal[] = {'x', 'e', 'd', '2', '5', '5', '1', '9',
                                     's', 'i', 'g', 'n', 'a', 't', 'u', 'r'};
  uint8_t scalar[SC_SCALAR_BYTES];
  uint8_t public_key[SC_KEY_BYTES];
  uint8_t random[random_bytes];
  uint8_t nonce[SC_SCALAR_BYTES];
  signing_pair(scalar, public_key, x25519_secret);
  sc_random(env, random, sizeof random);
  const sc_bytes pieces[] = {SC_BYTES(scalar), message, SC_BYTES(random)};
  sc_scalar_from_blake2b(nonce, (sc_bytes){0}, personal, pieces, 3);
  sc_scalar_sign(out, scalar, public_key, nonce, message);
  sc_wipe(scalar, sizeof scalar);
  sc_wipe(random, sizeof random);
  sc_wipe(nonce, sizeof nonce);
  return SC_OK;
}

sc_status sc_xed25519_verify(sc_bytes x25519_public, sc_bytes message, sc_bytes signature) {
  sc_status status = check_sizes(x25519_public, signature);
  if (status != SC_OK)
    return status;
  uint8_t public_key[SC_KEY_BYTES];
  status = sc_ed25519_from_x25519(public_key, x25519_public);
  if (status != SC_OK)
    return status;
  return sc_ed25519_verify(SC_BYTES(public_key), message, signature);
}
