#include "reread.h"

#include "session-core/base/secret.h"

/* Digesting counts the nonce up; both readings must be made under the same one. */
static void reset_nonce(sc_reread *reread) {
  static const uint8_t nonce[1] = {0};
  umac64_set_nonce(&reread->umac, sizeof nonce, nonce);
}

void sc_reread_init(sc_reread *reread, const sc_env *env) {
  uint8_t key[UMAC_KEY_SIZE];
  sc_random(env, key, sizeof key);
  umac64_set_key(&reread->umac, key);
  reset_nonce(reread);
  sc_wipe(key, sizeof key);
}

void sc_reread_update(sc_reread *reread, sc_bytes bytes) {
  if (bytes.len > 0)
    umac64_update(&reread->umac, bytes.len, bytes.ptr);
}

void sc_reread_again(sc_reread *reread) {
  umac64_digest(&reread->umac, sizeof reread->first, reread->first);
  reset_nonce(reread);
}

bool sc_reread_same(sc_reread *reread) {
  uint8_t second[UMAC64_DIGEST_SIZE];
  umac64_digest(&reread->umac, sizeof second, second);
  return sc_equal(reread->first, second, sizeof second);
}
