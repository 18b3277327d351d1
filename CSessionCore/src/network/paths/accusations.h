/* What was said against nodes by others who were on the way of a request.
 *
 * Any hop may write "the next node cannot be found", so one that lies could have honest nodes left alone, and
 * with time have only its friends chosen. So what the nodes of one path say against a node leaves it one
 * strike short of being left alone, until a path that shares none of its accusers says the same. */
#ifndef SC_SRC_NETWORK_PATHS_ACCUSATIONS_H
#define SC_SRC_NETWORK_PATHS_ACCUSATIONS_H

#include "session-core/network/onion.h"

enum { sc_accusations_max = 64 }; /* remembered; the oldest goes */

typedef struct sc_accusation {
  uint8_t accused[SC_KEY_BYTES];
  uint8_t accusers[SC_ONION_MAX_HOPS][SC_KEY_BYTES]; /* any of whom may have said it */
  size_t accuser_count;
  uint64_t at; /* wall time, milliseconds */
} sc_accusation;

typedef struct sc_accusations {
  sc_accusation list[sc_accusations_max];
  size_t count;
  size_t next; /* to be overwritten */
} sc_accusations;

/* Remembers that one of `accusers` (at most SC_ONION_MAX_HOPS) accused a node, and says whether somebody who
 * is none of them did within `memory` milliseconds. Without accusers it was seen by this side: true. */
bool sc_accuse(sc_accusations *accusations, const uint8_t accused[static SC_KEY_BYTES],
               const sc_onion_node *accusers, size_t accuser_count, uint64_t wall, uint64_t memory);

#endif
