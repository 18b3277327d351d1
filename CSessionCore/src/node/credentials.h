/* Checks who may sign for an account. */
#ifndef SC_SRC_NODE_CREDENTIALS_H
#define SC_SRC_NODE_CREDENTIALS_H

#include "session-core/node/storage.h"

/* Checks a signature by the owner of an account, or by a subaccount that has all `rights`.
 * SC_ERR_STORAGE_UNAUTHORIZED. */
SC_NODISCARD sc_status sc_storage_credentials_check(const uint8_t *account, const sc_storage_auth *auth,
                                                    uint8_t rights, bool ask_revoked,
                                                    const sc_storage_judge *judge, sc_bytes message);

#endif
