/* The messages that one node keeps. Their order is the order in which they came, which is what clients page
 * by. Whatever it shows is borrowed until the store changes. */
#ifndef SC_SIM_NODE_STORE_H
#define SC_SIM_NODE_STORE_H

#include <stdbool.h>

#include "blob.h"
#include "session-core/network/storage_request.h"

typedef struct stored {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  int16_t number;
  char hash[SC_STORAGE_HASH_CHARS + 1];
  uint64_t timestamp;
  uint64_t expiry;
  blob *data;
} stored;

typedef struct node_store {
  stored *list; /* oldest first */
  size_t count;
  size_t capacity;
} node_store;

void node_store_free(node_store *store);

/* Keeps a message, and a share of its data; `message->hash` need not be filled in. What is kept already only
 * gets the later expiry. Says whether it was, and shows the message as it is kept now. */
const stored *node_store_put(bool *already, node_store *store, const stored *message);

/* NULL when there is none. */
const stored *node_store_find(const node_store *store, sc_bytes hash);

/* False when it was not there. */
bool node_store_remove(node_store *store, const uint8_t account[static 33], sc_bytes hash);

/* Drops what has expired. */
void node_store_sweep(node_store *store, uint64_t wall_ms);

#endif
