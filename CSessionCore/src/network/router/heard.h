/* What came of the earlier attempts at one request, and over which routes. A hop does not sign what it says,
 * so a text counts only if routes without a liar in common say the same. */
#ifndef SC_SRC_NETWORK_ROUTER_HEARD_H
#define SC_SRC_NETWORK_ROUTER_HEARD_H

#include "decision.h"

enum { sc_heard_max = 4 };

typedef struct sc_heard {
  sc_evidence_kind kind;
  bool has_node; /* that was asked */
  uint8_t node[SC_KEY_BYTES];
  size_t hop_count;
  uint8_t hops[SC_ONION_MAX_HOPS][SC_KEY_BYTES];
} sc_heard;

/* Zeroed, it is empty. */
typedef struct sc_heard_list {
  sc_heard list[sc_heard_max]; /* the oldest first, and dropped for a further one */
  size_t count;
} sc_heard_list;

/* Adds what came of an attempt over these hops at `node`, or at a server if that is NULL. */
void sc_heard_add(sc_heard_list *heard, sc_evidence_kind kind, const sc_onion_node *hops, size_t hop_count,
                  const uint8_t *node);

/* True if the last one says the same as an earlier one that satisfies the corroboration. */
bool sc_heard_is_corroborated(const sc_heard_list *heard);

/* True if the last one is of this kind. */
bool sc_heard_is_last(const sc_heard_list *heard, sc_evidence_kind kind);

#endif
