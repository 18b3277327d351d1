/* The network between hosts: how long a message takes, and whether it comes through.
 *
 * Hosts lie on a plane, so that latency is a property of a pair and near ones are near to the same others.
 * Each has one line to the rest of the world, with its own bandwidth, jitter and loss. Hosts on different
 * islands do not reach each other. */
#ifndef SC_SIM_LINK_H
#define SC_SIM_LINK_H

#include <stdbool.h>

#include "agenda.h"
#include "support/draws.h"

typedef struct link_end {
  uint32_t x, y;             /* tenths of a millisecond */
  uint64_t jitter;           /* up to so many nanoseconds more */
  uint32_t lost;             /* of 1000 packets */
  uint64_t bytes_per_second; /* that it can send; 0 for any */
  uint64_t busy_until;       /* with sending what was sent before */
  uint32_t island;
  bool cut; /* nothing comes in or out */
} link_end;

/* The bandwidth of a line without faults, in bytes a second. */
enum { link_usual_bandwidth = 12500000 };

/* A line somewhere, without faults. */
void link_end_draw(link_end *out, draws *from);

/* True if anything sent from one end can arrive at the other. */
bool link_joins(const link_end *from, const link_end *to);

/* Sends `bytes` bytes at `now`. `*arrival` is when they are there, those packets that got lost having been
 * sent again; false when so many did that nothing arrives. */
bool link_carry(uint64_t *arrival, link_end *from, const link_end *to, uint64_t now, uint64_t bytes,
                draws *chance);

/* The same for one datagram, which is never retransmitted. */
bool link_carry_datagram(uint64_t *arrival, link_end *from, const link_end *to, uint64_t now, uint64_t bytes,
                         draws *chance);

#endif
