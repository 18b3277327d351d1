/* What a loop needs to know of a thing that speaks UDP: take datagrams in, give datagrams out, say when next.
 *
 * The thing (an endpoint) opens no socket and reads no clock. Its driver (the runtime, a simulator, a test)
 * keeps to this order, on one thread at a time:
 *
 *   1. wait until datagrams arrive or sc_driven_deadline() has come;
 *   2. pass what arrived to sc_driven_receive(), as much as there is at once;
 *   3. call sc_driven_send() until it gives nothing, and send each run it gives.
 *
 * Any call of the program into the thing may change the deadline and leave something to send, so after one
 * the driver goes on at 3. The thing calls the program back inside 2 and 3 only, or inside a call of the
 * program.
 *
 * Time is in nanoseconds of any clock that never goes back, the same for all calls on one thing. */
#ifndef SC_NETWORK_DRIVEN_H
#define SC_NETWORK_DRIVEN_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "address.h"

SC_API_BEGIN

/* A deadline that never comes. */
#define SC_NEVER UINT64_MAX

/* Limits of one run, those of a segmented send on Linux. */
#define SC_RUN_MAX_BYTES 65000
#define SC_RUN_MAX_SEGMENTS 60

/* One or more datagrams on one path, one behind the other in memory: each has `segment` bytes, but for the
 * last, which may be shorter. One datagram alone has a `segment` equal to its length, or, when received, 0.
 *
 * `local` is the address of this host that the datagram was sent to or is sent from; its family is
 * SC_ADDRESS_NONE where the driver does not know it, or the system shall choose. A driver that passes it for
 * one datagram of a path passes the same for all. */
typedef struct sc_datagrams {
  sc_address local;
  sc_address peer;
  sc_bytes bytes;
  uint16_t segment;
  uint8_t ecn; /* the two ECN bits of the IP header */
} sc_datagrams;

/* Room that the driver lends for what is to be sent. It owns both arrays and sets both capacities; to take
 * anything at all the room has at least SC_RUN_MAX_BYTES bytes and one run. */
typedef struct sc_outbox {
  sc_datagrams *runs;
  size_t run_capacity;
  size_t run_count;
  uint8_t *bytes;
  size_t capacity;
  size_t len;
} sc_outbox;

static inline void sc_outbox_clear(sc_outbox *out) {
  out->run_count = 0;
  out->len = 0;
}

typedef struct sc_driven_methods {
  void (*receive)(void *self, uint64_t now, const sc_datagrams *runs, size_t count);
  void (*send)(void *self, uint64_t now, sc_outbox *out);
  uint64_t (*deadline)(const void *self);
} sc_driven_methods;

/* A thing and how to drive it; a borrowed pair, copied freely. */
typedef struct sc_driven {
  void *self;
  const sc_driven_methods *methods;
} sc_driven;

/* Takes in `count` runs, which are read before the call returns. Whatever they hold is dealt with: nothing of
 * what the network brings is an error of this call. */
static inline void sc_driven_receive(sc_driven driven, uint64_t now, const sc_datagrams *runs, size_t count) {
  driven.methods->receive(driven.self, now, runs, count);
}

/* Does what is due at `now`, then empties `out` and fills it with runs whose bytes lie in the outbox. None
 * means that there is nothing more to send. A run that cannot be sent is lost, as any datagram may be; a
 * driver whose socket is full keeps the outbox and calls again once it is not. */
static inline void sc_driven_send(sc_driven driven, uint64_t now, sc_outbox *out) {
  driven.methods->send(driven.self, now, out);
}

/* When sc_driven_send must be called at the latest: SC_NEVER, or 0 when there is something to do at once. */
static inline uint64_t sc_driven_deadline(sc_driven driven) {
  return driven.methods->deadline(driven.self);
}

SC_API_END

#endif
