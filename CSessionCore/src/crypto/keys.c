#include "session-core/crypto/keys.h"

#include <assert.h>
#include <sodium.h>

#include "../base/declassify.h"
#include "birational.h"
#include "session-core/base/secret.h"

void sc_ed25519_pair_from_seed(sc_ed25519_pair *out, const uint8_t seed[static 32]) {
  uint8_t own_seed[SC_ED25519_SEED_BYTES]; /* `seed` may lie in `out`, which is written before it is read */
  memcpy(own_seed, seed, sizeof own_seed);
  int failed = crypto_sign_ed25519_seed_keypair(out->public_key, out->secret, own_seed);
  assert(failed == 0);
  (void)failed;
  sc_wipe(own_seed, sizeof own_seed);
}

void sc_ed25519_pair_wipe(sc_ed25519_pair *pair) {
  sc_wipe(pair, sizeof *pair);
}

void sc_x25519_pair_generate(sc_x25519_pair *out, const sc_env *env) {
  uint8_t secret[SC_KEY_BYTES];
  sc_random(env, secret, sizeof secret);
  sc_x25519_pair_from_secret(out, secret);
  sc_wipe(secret, sizeof secret);
}

void sc_x25519_pair_from_secret(sc_x25519_pair *out, const uint8_t secret[static 32]) {
  memmove(out->secret, secret, SC_KEY_BYTES);
  int failed = crypto_scalarmult_curve25519_base(out->public_key, out->secret);
  assert(failed == 0);
  (void)failed;
}

void sc_x25519_pair_wipe(sc_x25519_pair *pair) {
  sc_wipe(pair, sizeof *pair);
}

void sc_keypair_generate(sc_keypair *out, const sc_env *env) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_random(env, seed, sizeof seed);
  sc_keypair_from_seed(out, seed);
  sc_wipe(seed, sizeof seed);
}

void sc_keypair_from_seed(sc_keypair *out, const uint8_t seed[static 32]) {
  sc_ed25519_pair_from_seed(&out->ed, seed);
  int failed = crypto_sign_ed25519_sk_to_curve25519(out->x.secret, out->ed.secret);
  failed |= crypto_scalarmult_curve25519_base(out->x.public_key, out->x.secret);
  assert(failed == 0);
  (void)failed;
}

sc_status sc_keypair_from_secret(sc_keypair *out, sc_bytes secret) {
  if (secret.len != SC_ED25519_SEED_BYTES && secret.len != SC_ED25519_SECRET_BYTES)
    return SC_ERR_KEY_SIZE;
  sc_keypair pair;
  sc_status status = SC_OK;
  sc_keypair_from_seed(&pair, secret.ptr);
  bool same = sc_equal(pair.ed.secret, secret.ptr, secret.len);
  sc_declassify(&same, sizeof same);
  if (same)
    *out = pair;
  else
    status = SC_ERR_KEY_MISMATCH;
  sc_keypair_wipe(&pair);
  return status;
}

void sc_keypair_wipe(sc_keypair *pair) {
  sc_wipe(pair, sizeof *pair);
}

sc_status sc_x25519_from_ed25519(uint8_t out[static 32], sc_bytes ed25519_public) {
  if (ed25519_public.len != SC_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  int failed = crypto_sign_ed25519_pk_to_curve25519(out, ed25519_public.ptr);
  return failed == 0 ? SC_OK : SC_ERR_KEY_INVALID;
}

sc_status sc_ed25519_from_x25519(uint8_t out[static 32], sc_bytes x25519_public) {
  if (x25519_public.len != SC_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  uint8_t point[SC_KEY_BYTES];
  sc_ed25519_form_of(point, x25519_public.ptr);
  if (crypto_core_ed25519_is_valid_point(point) != 1)
    return SC_ERR_KEY_INVALID;
  memcpy(out, point, sizeof point);
  return SC_OK;
}

sc_status sc_x25519(uint8_t out[static 32], const uint8_t secret[static 32],
                    const uint8_t public_key[static 32]) {
  int failed = crypto_scalarmult_curve25519(out, secret, public_key);
  sc_declassify(&failed, sizeof failed);
  if (failed != 0) {
    sc_wipe(out, SC_KEY_BYTES);
    return SC_ERR_KEY_INVALID;
  }
  return SC_OK;
}
