/* The store of one node: messages in the order of arrival, by which clients page; recent deletions, so that
 * no other node brings them back; and the rights that owners revoked. Everything that the store returns is
 * borrowed until it changes. */
#ifndef SC_SIM_NODE_STORE_H
#define SC_SIM_NODE_STORE_H

#include <stdbool.h>

#include "blob.h"
#include "session-core/network/storage_request.h"

enum { node_store_most_graves = 256, node_store_most_tokens = SC_STORAGE_MAX_TOKENS };

typedef struct stored {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  int16_t number;
  char hash[SC_STORAGE_HASH_CHARS + 1];
  uint64_t timestamp;
  uint64_t expiry;
  blob *data;
} stored;

typedef struct stored_revocation {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  uint8_t token[SC_STORAGE_TOKEN_BYTES];
} stored_revocation;

typedef struct node_store {
  stored *list; /* oldest first */
  size_t count;
  size_t capacity;
  char (*graves)[SC_STORAGE_HASH_CHARS + 1]; /* the newest, a ring */
  size_t buried;                             /* so far */
  stored_revocation *revoked;                /* oldest first */
  size_t revoked_count;
  size_t revoked_capacity;
} node_store;

void node_store_free(node_store *store);

/* Stores a message, and a share of its data; `message->hash` need not be filled in. A message that is there
 * already only gets the later expiry; in an outbox the new message replaces the old one. `*already` is true
 * if it was there. Returns the message as it is stored. */
const stored *node_store_put(bool *already, node_store *store, const stored *message);

/* The same for a message that another node hands over, unless it was deleted here. */
void node_store_take_over(node_store *store, const stored *message);

/* NULL when there is none. */
const stored *node_store_find(const node_store *store, sc_bytes hash);

/* False when it was not there; it is not to come back either way. */
bool node_store_remove(node_store *store, const uint8_t account[static 33], sc_bytes hash);

/* Drops what has expired. */
void node_store_sweep(node_store *store, uint64_t wall_ms);

/* The next message of the account in the namespace, from `index` on; NULL when there is none. The index goes
 * on behind it. */
stored *node_store_next(node_store *store, size_t *index, const uint8_t account[static 33],
                        sc_storage_namespace where);

/* Takes rights back, or gives them again; the oldest of an account are forgotten when there are too many. The
 * second says whether they had been taken. */
void node_store_revoke(node_store *store, const stored_revocation *revocation);
bool node_store_unrevoke(node_store *store, const stored_revocation *revocation);
bool node_store_is_revoked(const node_store *store, const stored_revocation *revocation);

#endif
