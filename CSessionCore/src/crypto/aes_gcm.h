/* AES-GCM into the caller's memory, for formats that add more around it. */
#ifndef SC_CRYPTO_AES_GCM_H
#define SC_CRYPTO_AES_GCM_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* `key` is 16, 24 or 32 bytes and `iv` at least one. Writes ciphertext ‖ tag: plaintext.len + 16 bytes. */
void sc_aes_gcm_seal_into(uint8_t *out, sc_bytes key, sc_bytes iv, sc_bytes associated, sc_bytes plaintext);

/* Writes sealed.len - 16 bytes; `sealed` has at least 16. False, with `out` wiped, if it is not authentic. */
SC_NODISCARD bool sc_aes_gcm_open_into(uint8_t *out, sc_bytes key, sc_bytes iv, sc_bytes associated,
                                       sc_bytes sealed);

#endif
