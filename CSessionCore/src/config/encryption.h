/* The encryption of one stored message, in place. */
#ifndef SC_CONFIG_ENCRYPTION_H
#define SC_CONFIG_ENCRYPTION_H

#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"

/* SC_ERR_ARGUMENT for the length of the domain, SC_ERR_KEY_SIZE. */
SC_NODISCARD sc_status sc_config_check_key(sc_bytes key, sc_bytes domain);

/* Derives the key for messages of this length; wipe it. The arguments must have been checked. */
void sc_config_derive_key(uint8_t out[static SC_KEY_BYTES], sc_bytes key, sc_bytes domain,
                          size_t message_len);

/* Encrypts `len` bytes at `room`, which has room for SC_CONFIG_ENCRYPT_OVERHEAD more. The arguments must have
 * been checked. */
void sc_config_encrypt_in_place(uint8_t *room, size_t len, sc_bytes key, sc_bytes domain);

#endif
