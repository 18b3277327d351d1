/* One local account, and the account whose swarm its requests are for: replies of swarm members to one local
 * account have no effect on another. */
#ifndef SC_SRC_NETWORK_PATHS_SWARM_KEY_H
#define SC_SRC_NETWORK_PATHS_SWARM_KEY_H

#include <stdbool.h>
#include <string.h>

#include "session-core/network/storage_request.h"

typedef struct sc_swarm_key {
  uint64_t local_account; /* 0: none */
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
} sc_swarm_key;

static inline sc_swarm_key sc_swarm_key_make(uint64_t local_account,
                                             const uint8_t account[static SC_STORAGE_ACCOUNT_BYTES]) {
  sc_swarm_key key = {.local_account = local_account};
  memcpy(key.account, account, sizeof key.account);
  return key;
}

static inline bool sc_swarm_key_same(const sc_swarm_key *a, const sc_swarm_key *b) {
  return a->local_account == b->local_account && memcmp(a->account, b->account, sizeof a->account) == 0;
}

#endif
