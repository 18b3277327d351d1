/* Blinding factors. */
#ifndef SC_SRC_CRYPTO_BLINDING_H
#define SC_SRC_CRYPTO_BLINDING_H

#include "session-core/crypto/blinding.h"

/* Derive the blinding factor of a server for all accounts (15), and for this account id (25). SC_ERR_ID_KIND
 * unless `account_id` begins with 05. */
void sc_blind15_factor(uint8_t out[SC_AT_LEAST(32)], const uint8_t server[SC_AT_LEAST(32)]);
SC_NODISCARD sc_status sc_blind25_factor(uint8_t out[SC_AT_LEAST(32)], const sc_id *account_id,
                                         const uint8_t server[SC_AT_LEAST(32)]);

#endif
