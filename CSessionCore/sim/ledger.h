/* What destinations answered to whom. It is written where answers are made, behind the back of hosts and
 * wires, and read where clients believe one. */
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

/* One answer: `body` in a form on which both sides agree, whatever it was carried in. */
typedef struct ledger_entry {
  uint64_t client;
  uint32_t host; /* that answered */
  int code;
  sc_bytes body;
} ledger_entry;

/* The form of a storage node's reply: what its reader makes of it, who skips records that have no meaning
 * and nodes that are named twice. False when it cannot be read. */
bool ledger_form(sc_buffer *out, const sc_storage_request *request, sc_bytes body);

void ledger_free(ledger *l);
void ledger_note(ledger *l, const ledger_entry *entry);
bool ledger_has(const ledger *l, const ledger_entry *entry);

#endif
