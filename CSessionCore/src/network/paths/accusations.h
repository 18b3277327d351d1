/* What was said against nodes by others who were on the way of a request.
 *
 * Any hop may write "the next node cannot be found", so one that lies could have honest nodes left alone, and
 * with time have only its friends chosen. So what the nodes of one path say against a node leaves it one
 * strike short of being left alone, until a path that shares none of its accusers says the same. */
#ifndef SC_SRC_NETWORK_PATHS_ACCUSATIONS_H
#define SC_SRC_NETWORK_PATHS_ACCUSATIONS_H

#include "session-core/network/onion.h"

enum {
  sc_accusations_max = 64, /* remembered; the oldest goes */
  sc_accusers_max = 16,
};

/* Nodes and servers any of whom may have had a node accused: by what it said, or by saying nothing. */
typedef struct sc_accusers {
  uint8_t keys[sc_accusers_max][SC_KEY_BYTES];
  size_t count;
  bool are_more; /* than there is room for: then any node may be among them */
} sc_accusers;

typedef struct sc_accusation {
  uint8_t accused[SC_KEY_BYTES];
  sc_accusers accusers;
  uint64_t at; /* wall time, milliseconds */
} sc_accusation;

typedef struct sc_accusations {
  sc_accusation list[sc_accusations_max];
  size_t count;
  size_t next; /* to be overwritten */
} sc_accusations;

/* Adds one, unless it is among them. */
void sc_accusers_add(sc_accusers *accusers, const uint8_t key[static SC_KEY_BYTES]);

/* Remembers that one of `accusers` accused a node, and says whether somebody who is none of them did within
 * `memory` milliseconds. Without accusers (NULL, or none) it was seen by this side: true. */
bool sc_accuse(sc_accusations *accusations, const uint8_t accused[static SC_KEY_BYTES],
               const sc_accusers *accusers, uint64_t wall, uint64_t memory);

#endif
