/* The last hops of recently retired paths. They saw the requests of one local account and should not see
 * those of another so soon. */
#ifndef SC_SRC_NETWORK_PATHS_RECENT_HOPS_H
#define SC_SRC_NETWORK_PATHS_RECENT_HOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "session-core/network/node.h"

enum { sc_recent_hops_max = 2048 /* the oldest is dropped */ };

typedef struct sc_recent_hop {
  uint8_t key[SC_KEY_BYTES];
  uint64_t local_account;
  uint64_t until; /* 0: unused entry */
} sc_recent_hop;

/* Empty if zeroed. */
typedef struct sc_recent_hops {
  sc_recent_hop list[sc_recent_hops_max];
  size_t count; /* so far, at most all */
  size_t next;  /* to be replaced */
} sc_recent_hops;

/* Records for ten minutes that a path of this local account with this last hop was retired. */
void sc_recent_hops_add(sc_recent_hops *hops, const uint8_t key[static SC_KEY_BYTES], uint64_t local_account,
                        uint64_t now);

/* True if the node was recently the last hop of any path. */
bool sc_recent_hops_has(const sc_recent_hops *hops, const uint8_t key[static SC_KEY_BYTES], uint64_t now);

/* True if it was one for another local account; 0 is none. */
bool sc_recent_hops_has_other(const sc_recent_hops *hops, const uint8_t key[static SC_KEY_BYTES],
                              uint64_t local_account, uint64_t now);

#endif
