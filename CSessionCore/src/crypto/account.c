#include "session-core/crypto/account.h"

#include "session-core/base/encoding.h"
#include "session-core/base/secret.h"

void sc_account_generate(sc_account *out, const sc_env *env) {
  uint8_t seed[SC_SEED_BYTES];
  sc_random(env, seed, sizeof seed);
  sc_account_from_seed(out, seed);
  sc_wipe(seed, sizeof seed);
}

void sc_account_from_seed(sc_account *out, const uint8_t seed[static 16]) {
  uint8_t extended[SC_ED25519_SEED_BYTES] = {0};
  memcpy(extended, seed, SC_SEED_BYTES);
  sc_keypair_from_seed(&out->keys, extended);
  sc_id_make(&out->id, SC_ID_STANDARD, out->keys.x.public_key);
  sc_wipe(extended, sizeof extended);
}

sc_status sc_account_from_hex(sc_account *out, sc_bytes text) {
  if (text.len != SC_HEX_CHARS(SC_SEED_BYTES) && text.len != SC_HEX_CHARS(SC_ED25519_SEED_BYTES))
    return SC_ERR_SEED;
  static const uint8_t zeros[SC_ED25519_SEED_BYTES - SC_SEED_BYTES];
  uint8_t seed[SC_ED25519_SEED_BYTES] = {0};
  sc_status status = sc_hex_decode(seed, text.len / 2, text);
  if (status == SC_OK && !sc_equal(seed + SC_SEED_BYTES, zeros, sizeof zeros))
    status = SC_ERR_SEED;
  if (status == SC_OK)
    sc_account_from_seed(out, seed);
  sc_wipe(seed, sizeof seed);
  return status;
}

const uint8_t *sc_account_seed(const sc_account *account) {
  return account->keys.ed.secret;
}

void sc_account_wipe(sc_account *account) {
  sc_wipe(account, sizeof *account);
}
