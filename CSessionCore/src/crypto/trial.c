/* XChaCha20 is ChaCha20 under a key that HChaCha20 makes from the key and the first 16 bytes of the nonce;
 * the other 8 are the nonce that is left. */
#include "trial.h"

#include <assert.h>
#include <sodium.h>

#include "../base/declassify.h"
#include "session-core/base/secret.h"

enum { rest_bytes = SC_XCHACHA_NONCE_BYTES - crypto_core_hchacha20_INPUTBYTES };

_Static_assert(sc_trial_nonce_bytes == crypto_aead_chacha20poly1305_ietf_NPUBBYTES, "the nonce that is left");

void sc_trial_begin(sc_trial *out, const uint8_t key[static SC_KEY_BYTES],
                    const uint8_t nonce[static SC_XCHACHA_NONCE_BYTES]) {
  int failed = crypto_core_hchacha20(out->key, nonce, key, NULL);
  assert(failed == 0);
  (void)failed;
  memset(out->nonce, 0, sizeof out->nonce);
  memcpy(out->nonce + sizeof out->nonce - rest_bytes, nonce + crypto_core_hchacha20_INPUTBYTES, rest_bytes);
}

void sc_trial_wipe(sc_trial *trial) {
  sc_wipe(trial, sizeof *trial);
}

sc_status sc_trial_open(uint8_t *out, const sc_trial *trial, sc_bytes entry) {
  if (entry.len < SC_AEAD_TAG_BYTES)
    return SC_ERR_DECRYPT;
  int failed = crypto_aead_chacha20poly1305_ietf_decrypt(out, NULL, NULL, entry.ptr, entry.len, NULL, 0,
                                                         trial->nonce, trial->key);
  sc_declassify(&failed, sizeof failed);
  return failed == 0 ? SC_OK : SC_ERR_DECRYPT;
}
