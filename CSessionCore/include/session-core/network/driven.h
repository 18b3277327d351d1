/* Endpoints for a UDP driver: take datagrams in, give datagrams out, report the next deadline.
 *
 * An endpoint opens no socket and reads no clock. Its driver (the runtime, a simulator, a test) repeats, on
 * one thread at a time:
 *
 *   1. wait until datagrams arrive or sc_driven_deadline() has come;
 *   2. pass all arrived datagrams to sc_driven_receive();
 *   3. call sc_driven_send() until it returns nothing, and send each run.
 *
 * Any call of the program into the endpoint may change the deadline and leave something to send; afterwards
 * the driver continues with step 3. The endpoint calls the program back only during steps 2 and 3 or during a
 * call of the program.
 *
 * Times are nanoseconds of a monotonic clock, the same for all calls on one endpoint. */
#ifndef SC_NETWORK_DRIVEN_H
#define SC_NETWORK_DRIVEN_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "address.h"

SC_API_BEGIN

/* A deadline that never comes. */
#define SC_NEVER UINT64_MAX

/* Limits of one run, from segmented sends on Linux. */
#define SC_RUN_MAX_BYTES 65000
#define SC_RUN_MAX_SEGMENTS 60

/* One or more datagrams on one path, contiguous in memory: each has `segment` bytes, except for the last,
 * which may be shorter. For a single datagram `segment` is its length or, when received, 0.
 *
 * `local` is this host's address of the datagrams; its family is SC_ADDRESS_NONE if the driver does not know
 * it or lets the system choose. A driver that passes it for one datagram of a path passes it for all. */
typedef struct sc_datagrams {
  sc_address local;
  sc_address peer;
  sc_bytes bytes;
  uint16_t segment;
  uint8_t ecn; /* the two ECN bits of the IP header */
} sc_datagrams;

/* A buffer that the driver lends for output. The driver owns both arrays and sets both capacities: at least
 * SC_RUN_MAX_BYTES bytes and one run. */
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

/* An endpoint and its methods; a borrowed pair, copied freely. */
typedef struct sc_driven {
  void *self;
  const sc_driven_methods *methods;
} sc_driven;

/* Passes `count` runs, which are read before the call returns. Invalid datagrams are handled inside; the
 * call cannot fail. */
static inline void sc_driven_receive(sc_driven driven, uint64_t now, const sc_datagrams *runs, size_t count) {
  driven.methods->receive(driven.self, now, runs, count);
}

/* Does the work due at `now`, then empties `out` and fills it with runs whose bytes are in the outbox. No
 * runs means that there is nothing more to send. A run that cannot be sent counts as lost; a driver with a
 * full socket keeps the outbox and calls again when it has space. */
static inline void sc_driven_send(sc_driven driven, uint64_t now, sc_outbox *out) {
  driven.methods->send(driven.self, now, out);
}

/* Returns the time by which sc_driven_send must be called: SC_NEVER, or 0 for immediately. */
static inline uint64_t sc_driven_deadline(sc_driven driven) {
  return driven.methods->deadline(driven.self);
}

SC_API_END

#endif
