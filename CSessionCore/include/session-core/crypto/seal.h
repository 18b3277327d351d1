/* One-to-one encryption, version 1: only the recipient can decrypt, and the sender is verified. */
#ifndef SC_CRYPTO_SEAL_H
#define SC_CRYPTO_SEAL_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"

SC_API_BEGIN

/* The overhead of encryption: ephemeral key, tag, sender's key, signature. */
#define SC_SEAL_OVERHEAD 144

/* The verified sender of a decrypted message. */
typedef struct sc_sender {
  uint8_t ed25519_public[32];
  sc_id id;
} sc_sender;

/* Encrypts for `recipient`: an X25519 key of 32 bytes, or an account id of 33 that begins with 05.
 * SC_ERR_RECIPIENT; SC_ERR_KEY_INVALID for an invalid public key. */
SC_API SC_NODISCARD sc_status sc_seal(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                      sc_bytes recipient, sc_bytes message);

/* Encrypts without randomness: the same sender, recipient and message always give the same bytes. */
SC_API SC_NODISCARD sc_status sc_seal_deterministic(sc_buffer *out, const sc_keypair *from,
                                                    sc_bytes recipient, sc_bytes message);

/* Decrypts and verifies the sender. SC_ERR_TRUNCATED below SC_SEAL_OVERHEAD; SC_ERR_DECRYPT if it is not for
 * `to` or was changed; SC_ERR_SIGNATURE if its sender did not write it for `to`; SC_ERR_KEY_INVALID if the
 * sender's key is unsafe. */
SC_API SC_NODISCARD sc_status sc_seal_open(sc_buffer *out, sc_sender *sender, const sc_x25519_pair *to,
                                           sc_bytes sealed);

SC_API_END

#endif
