/* Suspicions against nodes. A path that failed leaves one on its last hop, and on a destination that did not
 * reply elsewhere. Each names the companions, the other nodes of the request: any of them may be the one at
 * fault. So a node is set aside only after several suspicions in a row without a companion in common.
 *
 * A suspicion counts from the next authenticated reply on, from any node. Without one the network may
 * be down, and no node is at fault. */
#ifndef SC_SRC_NETWORK_PATHS_SUSPICIONS_H
#define SC_SRC_NETWORK_PATHS_SUSPICIONS_H

#include <stdbool.h>

#include "session-core/network/onion.h"

enum {
  sc_suspects_max = 64,      /* the oldest is dropped */
  sc_suspicions_limit = 3,   /* the highest limit */
  sc_suspicions_waiting = 32 /* for a reply; the oldest is dropped */
};

typedef struct sc_companions {
  uint8_t keys[SC_ONION_MAX_HOPS + 2][SC_KEY_BYTES];
  size_t count;
} sc_companions;

/* Adds a companion, unless there is no room. */
void sc_companions_add(sc_companions *companions, const uint8_t key[static SC_KEY_BYTES]);

typedef struct sc_suspicion {
  uint8_t key[SC_KEY_BYTES];
  sc_companions companions;
} sc_suspicion;

typedef struct sc_suspect {
  uint8_t key[SC_KEY_BYTES];
  sc_companions before[sc_suspicions_limit - 1]; /* the companions of each suspicion */
  size_t count;
} sc_suspect;

/* Empty if zeroed. */
typedef struct sc_suspicions {
  sc_suspect list[sc_suspects_max];
  size_t count;
  size_t next; /* index to overwrite next */
  sc_suspicion waiting[sc_suspicions_waiting];
  size_t waiting_count;
} sc_suspicions;

/* Adds a waiting suspicion. */
void sc_suspicions_add(sc_suspicions *suspicions, const uint8_t key[static SC_KEY_BYTES],
                       const sc_companions *companions);

/* Drops the waiting suspicions, because the network was down. */
void sc_suspicions_undo(sc_suspicions *suspicions);

/* An authenticated reply came from a node or over it: drops all suspicions against it. */
void sc_suspicions_clear(sc_suspicions *suspicions, const uint8_t key[static SC_KEY_BYTES]);

/* Counts the waiting suspicions after an authenticated reply. Returns true and the key of a node to set aside
 * after `limit` suspicions; call it until it returns false. */
bool sc_suspicions_settle(uint8_t out[static SC_KEY_BYTES], sc_suspicions *suspicions, size_t limit);

#endif
