/* The reading of a client's mailbox, as programs do it: the members of its swarm in turn, in an order that is
 * drawn once and stays while the swarm is the same, each with the cursor that it gave. A member that says no
 * is passed over in one turn. */
#ifndef SC_SIM_POLLS_H
#define SC_SIM_POLLS_H

#include "session-core/network/client.h"
#include "session-core/network/storage_reply.h"

typedef struct client client;
typedef struct client_call client_call;

typedef struct poll_member {
  uint8_t key[SC_KEY_BYTES];
  char cursor[SC_STORAGE_HASH_CHARS + 1]; /* the last message that it gave, or empty */
  bool is_passed_over;
} poll_member;

typedef struct poll {
  poll_member members[SC_STORAGE_MAX_SWARM];
  size_t count;
  size_t next;
  uint64_t *delivered; /* a table of the beginnings of hashes, open to probing */
  size_t delivered_count;
  size_t delivered_capacity;
} poll;

void poll_free(poll *p);

/* Begins to poll, in worlds in which the oracle watches that. */
void poll_begin(client *c);

/* Chooses the member whose turn it is, and prepares the request; false without a swarm. */
bool poll_prepare(client_call *a);

/* A member replied, or did not. */
void poll_take_reply(client_call *a, const sc_network_reply *reply);

bool poll_has(const poll *p, const char *hash);

#endif
