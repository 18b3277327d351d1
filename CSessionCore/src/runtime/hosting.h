/* The loop's view of a guest: its sockets, and datagrams left over by full sockets. */
#ifndef SC_RUNTIME_HOSTING_H
#define SC_RUNTIME_HOSTING_H

#include "session-core/runtime/guest.h"
#include "tally.h"
#include "udp_receive.h"
#include "udp_socket.h"

/* The size of one call of sc_driven_send: one run, which is sent while it is in the processor's cache. */
#define SC_OUTBOX_BYTES SC_RUN_MAX_BYTES
#define SC_OUTBOX_RUNS 64

typedef struct sc_guest_socket {
  sc_guest *guest;
  sc_udp_socket udp;
  bool readable; /* as far as the loop knows */
  bool blocked;  /* full: the loop waits for room */
} sc_guest_socket;

/* Runs that wait for room in a socket. */
typedef struct sc_leftover {
  sc_datagrams *runs; /* NULL: none */
  size_t count;
  size_t next; /* index of the first unsent run */
} sc_leftover;

struct sc_guest {
  sc_runtime *runtime;
  sc_driven driven;
  void (*close)(void *user, uint64_t now);
  bool (*closed)(const void *user);
  void *user;
  sc_guest_socket sockets[SC_GUEST_MAX_SOCKETS];
  size_t socket_count;
  sc_leftover leftover;
  bool gone; /* freed during a turn, removed at its end */
};

/* Buffers that the guests of a runtime share, on its thread. */
typedef struct sc_io {
  const sc_env *env;
  int epoll;
  sc_inbox *inbox;
  sc_outbox outbox;
  sc_tally *tally;
} sc_io;

SC_NODISCARD sc_status sc_io_init(sc_io *out, const sc_env *env, int epoll, bool coalescing, sc_tally *tally);
void sc_io_finish(sc_io *io);

/* Opens and watches the sockets of a new guest; after a failure none is open. */
SC_NODISCARD sc_status sc_guest_open(sc_guest *guest, const sc_guest_options *options,
                                     const sc_runtime_options *sockets, const sc_io *io);
void sc_guest_close(sc_guest *guest, const sc_io *io);

/* Passes on the datagrams at the guest's readable sockets. True if there were any. */
bool sc_guest_receive(sc_guest *guest, sc_io *io, uint64_t now);

/* Starts or stops watching for room in a socket that was full. */
void sc_guest_wait_for_room(sc_guest_socket *socket, const sc_io *io, bool wait);

/* Sends leftovers, then new datagrams of the guest, within the limits of a turn. */
void sc_guest_send(sc_guest *guest, sc_io *io, uint64_t now);

/* Returns when sc_guest_send has work; a guest with a full socket waits only for that. */
uint64_t sc_guest_deadline(const sc_guest *guest);

/* True if a closing guest no longer needs the loop. */
bool sc_guest_is_closed(const sc_guest *guest, uint64_t now);

#endif
