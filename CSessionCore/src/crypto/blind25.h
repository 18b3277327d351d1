/* Blinding for callers that already have both forms of a key. */
#ifndef SC_CRYPTO_BLIND25_H
#define SC_CRYPTO_BLIND25_H

#include "session-core/crypto/id.h"

/* Derives the id of kind 25 for an account with this Ed25519 key of either sign. SC_ERR_ID_BLIND. */
SC_NODISCARD sc_status sc_blind25_id_of(sc_id *out, const sc_id *account_id, const uint8_t ed25519[static 32],
                                        const uint8_t server[static 32]);

#endif
