/* The results of earlier attempts at one request, with their routes. A hop's errors are not signed, so one
 * counts only if another route, without the same possible liar, has the same result. */
#ifndef SC_SRC_NETWORK_ROUTER_HEARD_H
#define SC_SRC_NETWORK_ROUTER_HEARD_H

#include "decision.h"

enum { sc_heard_max = 4 };

typedef struct sc_heard {
  sc_evidence_kind kind;
  size_t named;  /* the index of the hop that an error names; SC_ONION_NO_NODE for none */
  bool has_node; /* true if a node was called */
  uint8_t node[SC_KEY_BYTES];
  size_t hop_count;
  uint8_t hops[SC_ONION_MAX_HOPS][SC_KEY_BYTES];
} sc_heard;

/* Empty if zeroed. */
typedef struct sc_heard_list {
  sc_heard list[sc_heard_max]; /* oldest first; the oldest is dropped */
  size_t count;
} sc_heard_list;

/* Adds the result of an attempt over these hops to reach `node`, or a server if that is NULL. */
void sc_heard_add(sc_heard_list *heard, const sc_evidence *evidence, const sc_onion_node *hops,
                  size_t hop_count, const uint8_t *node);

/* True if the attempt may have failed because of the node. If no hop lies, that is the lost guard, the node
 * that an error names, or any node on the route. */
bool sc_heard_implicates(const sc_heard *heard, const uint8_t key[static SC_KEY_BYTES]);

/* True if the last result equals an earlier one and their routes corroborate each other. */
bool sc_heard_is_corroborated(const sc_heard_list *heard);

/* True if the last result is of this kind. */
bool sc_heard_is_last(const sc_heard_list *heard, sc_evidence_kind kind);

#endif
