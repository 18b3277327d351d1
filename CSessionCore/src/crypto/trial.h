/* Tries one key on many entries that share a nonce, of which at most one was sealed with it. The subkey of
 * key and nonce is computed once. */
#ifndef SC_CRYPTO_TRIAL_H
#define SC_CRYPTO_TRIAL_H

#include "cipher.h"
#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"

enum { sc_trial_nonce_bytes = 12 };

typedef struct sc_trial {
  uint8_t key[SC_KEY_BYTES];
  uint8_t nonce[sc_trial_nonce_bytes];
} sc_trial;

/* Wipe it. */
void sc_trial_begin(sc_trial *out, const uint8_t key[static SC_KEY_BYTES],
                    const uint8_t nonce[static SC_XCHACHA_NONCE_BYTES]);
void sc_trial_wipe(sc_trial *trial);

/* Opens an XChaCha20-Poly1305 entry into `out`, which has room for its length without the tag. SC_ERR_DECRYPT
 * if it is not for this key; `out` is then zeroed. */
SC_NODISCARD sc_status sc_trial_open(uint8_t *out, const sc_trial *trial, sc_bytes entry);

#endif
