/* The last changes of guards and middles, and their reasons, for display. In memory only: a file of them
 * would reveal when a user was online. */
#ifndef SC_SRC_NETWORK_GUARDS_JOURNAL_H
#define SC_SRC_NETWORK_GUARDS_JOURNAL_H

#include "sample.h"
#include "session-core/network/client.h"

/* Zeroed, it is empty. */
typedef struct sc_journal {
  sc_network_change list[SC_NETWORK_MAX_CHANGES]; /* a ring */
  uint64_t count;                                 /* total number of changes */
} sc_journal;

void sc_journal_note(sc_journal *journal, uint64_t wall, sc_network_change_kind kind,
                     sc_network_change_reason reason, const uint8_t key[static SC_KEY_BYTES]);

/* The cause of a change of the sample. */
typedef struct sc_journal_cause {
  sc_network_change_reason drawn; /* why nodes were added, unless they replace expired ones */
  sc_network_change_reason left;  /* why listed nodes were removed */
  const uint8_t *failed;          /* NULL, or the middle that left because paths over it failed */
} sc_journal_cause;

/* Notes all differences between two states of the sample. */
void sc_journal_compare(sc_journal *journal, uint64_t wall, const sc_sample *before, const sc_sample *after,
                        const sc_node_pool *pool, const sc_journal_cause *cause);

/* Fills in up to `capacity` changes, the newest first, and returns how many are remembered. */
size_t sc_journal_list(sc_network_change *out, size_t capacity, const sc_journal *journal);

#endif
