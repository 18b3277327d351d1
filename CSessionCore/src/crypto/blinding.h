/* Blinding factors. */
#ifndef SC_SRC_CRYPTO_BLINDING_H
#define SC_SRC_CRYPTO_BLINDING_H

#include "session-core/crypto/blinding.h"

/* The blinding factor a server gives everybody (15), and the one it gives this account id (25).
 * SC_ERR_ID_KIND unless `account_id` begins with 05. */
void sc_blind15_factor(uint8_t out[SC_AT_LEAST(32)], const uint8_t server[SC_AT_LEAST(32)]);
SC_NODISCARD sc_status sc_blind25_factor(uint8_t out[SC_AT_LEAST(32)], const sc_id *account_id,
                                         const uint8_t server[SC_AT_LEAST(32)]);

#endif
