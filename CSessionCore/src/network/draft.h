/* A copy of a request, which crosses to the network's thread, so that the caller may free the original.
 * Making one does not touch the network and is allowed on any thread. */
#ifndef SC_SRC_NETWORK_DRAFT_H
#define SC_SRC_NETWORK_DRAFT_H

#include "paths/path_key.h"

/* The kinds of requests that may leave together: those that do not affect each other. */
typedef enum sc_request_kind {
  SC_REQUEST_ALONE,
  SC_REQUEST_READS,
  SC_REQUEST_STORES,
} sc_request_kind;

typedef struct sc_draft {
  sc_network_request request; /* the members that borrow nothing */
  sc_request_kind kind;
  bool is_repeatable; /* safe to do twice */
  size_t reply_bytes; /* estimated size of the reply */
  uint8_t *memory;    /* memory of everything below */
  sc_bytes text;      /* a call in JSON, or the payload for a server */
  sc_onion_server server;
  sc_path_key path_key;
  uint8_t (*accounts)[SC_STORAGE_ACCOUNT_BYTES]; /* the accounts of a batch */
  size_t account_count;
  bool has_account; /* true if the request is about one account */
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
} sc_draft;

/* Checks and encodes the request. The failures of sc_network_send that concern the request, after which there
 * is nothing to free. `scratch` is overwritten. */
SC_NODISCARD sc_status sc_draft_make(sc_draft *out, const sc_env *env, sc_buffer *scratch,
                                     const sc_network_request *request);
void sc_draft_free(sc_draft *draft, const sc_env *env);

/* Sends a recorded request; the draft is then empty. */
SC_NODISCARD sc_status sc_network_submit(sc_network_ticket *out, sc_network *network, uint64_t now,
                                         sc_draft *draft);

#endif
