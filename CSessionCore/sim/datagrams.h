/* Datagrams in flight between hosts, never retransmitted. */
#ifndef SC_SIM_DATAGRAMS_H
#define SC_SIM_DATAGRAMS_H

#include "session-core/network/driven.h"
#include "wire.h"

typedef struct world world;

typedef struct datagram {
  sc_address from, to;
  uint8_t ecn;
  blob *bytes;
  uint32_t next_free;
} datagram;

typedef struct datagrams {
  datagram *slots;
  size_t count;
  size_t capacity;
  uint32_t free_slot; /* + 1 */
  uint64_t sent;
} datagrams;

void datagrams_free(datagrams *d);

/* Sends each datagram of a run over the line of a host. */
void datagrams_send(world *w, wire_host from, const sc_address *address, const sc_datagrams *run);

#endif
