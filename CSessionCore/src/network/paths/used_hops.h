/* The hops of other attempts at the same request. */
#ifndef SC_SRC_NETWORK_PATHS_USED_HOPS_H
#define SC_SRC_NETWORK_PATHS_USED_HOPS_H

#include <stdbool.h>

#include "session-core/network/onion.h"

enum { sc_used_hops_max = 8 /* maximum number of attempts; further ones are not recorded */ };

typedef enum sc_used_place {
  SC_USED_GUARD,
  SC_USED_MIDDLE,
  SC_USED_LAST,
  SC_USED_ALWAYS, /* used by every attempt, as a hop or as the called node */
} sc_used_place;

enum { sc_used_places = 4 };

/* Empty if zeroed. */
typedef struct sc_used_hops {
  uint8_t keys[sc_used_places][sc_used_hops_max][SC_KEY_BYTES];
  size_t counts[sc_used_places];
} sc_used_hops;

/* Adds the hops of one attempt, whose Ed25519 keys are `stride` bytes apart. */
void sc_used_hops_add(sc_used_hops *used, const uint8_t *hops, size_t stride, size_t count);

/* Adds the node that an attempt called: it may be the one that failed, so it should not be a last hop. */
void sc_used_hops_add_destination(sc_used_hops *used, const uint8_t key[static SC_KEY_BYTES]);

/* Adds a node that every attempt used. If exactly one node of the network is dead, it is one of these. */
void sc_used_hops_add_always(sc_used_hops *used, const uint8_t key[static SC_KEY_BYTES]);

/* True if an attempt used the node in this place. */
bool sc_used_hops_has(const sc_used_hops *used, sc_used_place place, const uint8_t key[static SC_KEY_BYTES]);

#endif
