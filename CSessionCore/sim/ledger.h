/* A record of every answer of a destination, and its recipient. The code that makes answers writes it, unseen
 * by hosts and wires; the oracle reads it when a client believes an answer. */
#ifndef SC_SIM_LEDGER_H
#define SC_SIM_LEDGER_H

#include <stdbool.h>

#include "session-core/base/bytes.h"
#include "session-core/network/storage_reply.h"

static const uint32_t ledger_anybody = UINT32_MAX;

typedef struct ledger {
  uint64_t *set; /* of hashes; 0 is an empty place */
  size_t count;
  size_t capacity;
} ledger;

/* One answer: `body` in a form on which both sides agree, independent of its encoding on the wire. */
typedef struct ledger_entry {
  uint64_t client;
  uint32_t host; /* that answered */
  int code;
  sc_bytes body;
} ledger_entry;

/* Writes the form of a storage node's reply as its reader sees it, without meaningless records and repeated
 * nodes. False if it cannot be read. */
bool ledger_form(sc_buffer *out, const sc_storage_request *request, sc_bytes body);

void ledger_free(ledger *l);
void ledger_note(ledger *l, const ledger_entry *entry);
bool ledger_has(const ledger *l, const ledger_entry *entry);

#endif
