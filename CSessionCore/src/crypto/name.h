/* Records of names in forms other than those of today's account ids. */
#ifndef SC_SRC_CRYPTO_NAME_H
#define SC_SRC_CRYPTO_NAME_H

#include "session-core/crypto/name.h"

/* Decrypts the 33 bytes of a name, of any kind. SC_ERR_NONCE_SIZE, SC_ERR_TRUNCATED, SC_ERR_DECRYPT,
 * SC_ERR_NAME_RECORD for another length. */
SC_NODISCARD sc_status sc_name_decrypt(uint8_t out[SC_AT_LEAST(33)], const sc_env *env, sc_bytes name,
                                       sc_bytes encrypted, sc_bytes nonce);

/* Decrypts the account id of a record without a nonce. Takes 256 MiB and about a second. */
SC_NODISCARD sc_status sc_name_open_legacy(sc_id *out, sc_bytes name, sc_bytes encrypted);

#endif
