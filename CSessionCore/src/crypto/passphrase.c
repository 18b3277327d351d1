#include "session-core/crypto/passphrase.h"

#include <sodium.h>
#include <stdbool.h>

_Static_assert(SC_PASSPHRASE_SALT_BYTES == crypto_pwhash_argon2id_SALTBYTES, "the salt is Argon2id's");

enum { min_key = 16, max_key = 64 };

static bool cost_is_allowed(sc_passphrase_cost cost) {
  return cost.passes >= 1 && cost.passes <= SC_PASSPHRASE_MAX_PASSES &&
         cost.memory >= SC_PASSPHRASE_MIN_MEMORY && cost.memory <= SC_PASSPHRASE_MAX_MEMORY;
}

sc_status sc_passphrase_key(uint8_t *out, size_t out_len, sc_bytes passphrase, const uint8_t salt[static 16],
                            sc_passphrase_cost cost) {
  if (!cost_is_allowed(cost))
    return SC_ERR_PASSPHRASE_COST;
  if (out_len < min_key || out_len > max_key)
    return SC_ERR_HASH_SIZE;
  if (passphrase.len > SC_PASSPHRASE_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  const char *text = passphrase.len > 0 ? (const char *)passphrase.ptr : "";
  int failed = crypto_pwhash_argon2id(out, out_len, text, passphrase.len, salt, cost.passes, cost.memory,
                                      crypto_pwhash_argon2id_ALG_ARGON2ID13);
  return failed == 0 ? SC_OK : SC_ERR_NO_MEMORY;
}
