/* The purpose of a path: one local account and one target, so that no last hop sees two of them. */
#ifndef SC_SRC_NETWORK_PATHS_PATH_KEY_H
#define SC_SRC_NETWORK_PATHS_PATH_KEY_H

#include <string.h>

#include "session-core/network/client.h"

/* All zeros: for the network itself (lists and times) and requests without a local account. */
typedef struct sc_path_key {
  uint64_t local_account;
  sc_network_target target;
  uint8_t of[SC_STORAGE_ACCOUNT_BYTES]; /* the account of a swarm, the key of a server, the hash of a file */
} sc_path_key;

static inline bool sc_path_key_same(const sc_path_key *a, const sc_path_key *b) {
  return a->local_account == b->local_account && a->target == b->target &&
         memcmp(a->of, b->of, sizeof a->of) == 0;
}

#endif
