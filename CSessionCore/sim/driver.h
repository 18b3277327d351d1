/* Drives an object that speaks UDP (session-core/network/driven.h) in virtual time, and carries its
 * datagrams, in place of a loop with a socket. It drives a network over a transport of messages in the same
 * way, which then has nothing to send. */
#ifndef SC_SIM_DRIVER_H
#define SC_SIM_DRIVER_H

#include "session-core/network/driven.h"
#include "wire.h"

typedef struct world world;

typedef struct driver {
  world *world;
  wire_host host; /* whose line it sends over */
  sc_address address;
  sc_driven driven;
  bool running;
  uint64_t generation; /* of the driven object */
  uint64_t woken_for;  /* the earliest time that is on the agenda for it */
  uint64_t spun_at;
  unsigned spins; /* at that time, without time going on */
} driver;

/* `d` stays where it is. Nothing is driven yet. */
void driver_init(driver *d, world *w, wire_host host, const sc_address *address);

void driver_start(driver *d, sc_driven driven);
void driver_stop(driver *d);

/* It was called, by the program or a callback: its deadline may be another. */
void driver_wake(driver *d);

/* A datagram has come for it. */
void driver_receive(driver *d, const sc_datagrams *run);

/* Returns the driver at an address, or NULL. */
driver *driver_at(world *w, const sc_address *address);

/* The address of a client, and back: 0 for no client's, otherwise the client's index + 1. */
sc_address driver_client_address(uint32_t client);
uint64_t driver_client_at(const sc_address *address);

#endif
