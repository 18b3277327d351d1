/* Packets that belong to no connection: version negotiation, retries, refusals, resets. A short queue; when
 * it is full they are dropped, because no peer relies on them. */
#ifndef SC_NETWORK_QUIC_STRAYS_H
#define SC_NETWORK_QUIC_STRAYS_H

#include <stdbool.h>

#include "session-core/network/driven.h"

enum {
  sc_quic_stray_bytes = 256,
  sc_quic_most_strays = 64,
};

typedef struct sc_quic_stray {
  sc_address local;
  sc_address peer;
  uint16_t len;
  uint8_t bytes[sc_quic_stray_bytes];
} sc_quic_stray;

typedef struct sc_quic_strays {
  size_t first;
  size_t count;
  sc_quic_stray *ring; /* NULL until needed */
  const sc_env *env;
} sc_quic_strays;

void sc_quic_strays_init(sc_quic_strays *strays, const sc_env *env);
void sc_quic_strays_free(sc_quic_strays *strays);

/* Returns the next free entry to write a packet into; sc_quic_strays_push then queues it. NULL if full. */
sc_quic_stray *sc_quic_strays_place(sc_quic_strays *strays);
void sc_quic_strays_push(sc_quic_strays *strays, size_t len);

/* Moves as many packets as fit to the outbox. */
void sc_quic_strays_send(sc_quic_strays *strays, sc_outbox *out);

#endif
