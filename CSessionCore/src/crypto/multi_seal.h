/* Single entries of a message for several recipients. */
#ifndef SC_SRC_CRYPTO_MULTI_SEAL_H
#define SC_SRC_CRYPTO_MULTI_SEAL_H

#include "session-core/crypto/multi_seal.h"

/* Derives the key that two parties share for messages from one to the other. SC_ERR_KEY_INVALID. */
SC_NODISCARD sc_status sc_multi_key(uint8_t out[SC_AT_LEAST(32)], const sc_x25519_pair *mine,
                                    const uint8_t other[SC_AT_LEAST(32)], bool i_am_sender, sc_bytes domain);

/* Encrypts or decrypts one entry with the caller's nonce of 24 bytes. SC_ERR_NONCE_SIZE, SC_ERR_KEY_INVALID.
 */
SC_NODISCARD sc_status sc_multi_seal_entry(sc_buffer *out, const sc_x25519_pair *from,
                                           const uint8_t recipient[SC_AT_LEAST(32)], sc_bytes nonce,
                                           sc_bytes domain, sc_bytes message);
SC_NODISCARD sc_status sc_multi_open_entry(sc_buffer *out, const sc_x25519_pair *to,
                                           const uint8_t sender[SC_AT_LEAST(32)], sc_bytes nonce,
                                           sc_bytes domain, sc_bytes entry);

#endif
