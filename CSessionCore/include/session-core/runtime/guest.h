/* A guest of the runtime: something it drives, with the UDP sockets that are opened for it.
 *
 * The runtime owns the guest and its sockets, never what is driven. Everything here is called on the
 * runtime's thread (inside a command or a callback), before the runtime starts or after it has stopped. */
#ifndef SC_RUNTIME_GUEST_H
#define SC_RUNTIME_GUEST_H

#include "../network/driven.h"
#include "loop.h"

SC_API_BEGIN

typedef struct sc_guest sc_guest;

typedef struct sc_guest_options {
  sc_driven driven; /* outlives the guest */
  /* One socket is opened for each address; port 0 lets the system choose. What is sent without a local
   * address leaves by the first socket of the peer's family. */
  const sc_address *addresses;
  size_t address_count; /* 1 to SC_GUEST_MAX_SOCKETS */
  bool dual;            /* IPv6 sockets at [::] speak IPv4 as well */
  /* Called once when the runtime stops: the guest ends what it has begun. NULL: nothing to end. */
  void (*close)(void *user, uint64_t now);
  /* Whether that is done, so that nothing more need be sent. NULL: as soon as nothing is left to send. */
  bool (*closed)(const void *user);
  void *user; /* of the two */
} sc_guest_options;

/* Opens the sockets and begins to drive. SC_ERR_ARGUMENT for a number of addresses out of range or an address
 * of no family; SC_ERR_RUNTIME_THREAD on another thread; SC_ERR_STATE once stopping has begun;
 * SC_ERR_RUNTIME_FULL when there are SC_RUNTIME_MAX_GUESTS; SC_ERR_SOCKET_IN_USE, SC_ERR_SOCKET_ADDRESS or
 * SC_ERR_SOCKET_PERMISSION when the system refuses an address; SC_ERR_SYSTEM_LIMIT, SC_ERR_SYSTEM and
 * SC_ERR_NO_MEMORY. After a failure no socket is open. */
SC_API SC_NODISCARD sc_status sc_guest_new(sc_guest **out, sc_runtime *runtime,
                                           const sc_guest_options *options);

/* Closes the sockets; what is driven is not called any more. NULL is allowed. */
SC_API void sc_guest_free(sc_guest *guest);

/* The address the socket at `index` has, with the port that was chosen. SC_ERR_ARGUMENT beyond the last. */
SC_API SC_NODISCARD sc_status sc_guest_address(sc_address *out, const sc_guest *guest, size_t index);

SC_API_END

#endif
