/* Guests of a runtime: endpoints that it drives, with the UDP sockets opened for them.
 *
 * The runtime owns the guest and its sockets, not the endpoint. Call everything here on the runtime's thread
 * (inside a command or callback), before the runtime starts or after it has stopped. */
#ifndef SC_RUNTIME_GUEST_H
#define SC_RUNTIME_GUEST_H

#include "../network/driven.h"
#include "loop.h"

SC_API_BEGIN

typedef struct sc_guest sc_guest;

typedef struct sc_guest_options {
  sc_driven driven; /* outlives the guest */
  /* One socket is opened for each address; port 0 lets the system choose. Datagrams without a local address
   * leave by the first socket of the peer's family. */
  const sc_address *addresses;
  size_t address_count; /* 1 to SC_GUEST_MAX_SOCKETS */
  bool dual;            /* IPv6 sockets at [::] also serve IPv4 */
  /* Called once when the runtime stops: the guest starts closing. NULL if there is nothing to close. */
  void (*close)(void *user, uint64_t now);
  /* True if closing is done and nothing must be sent any more. NULL: as soon as nothing is left to send. */
  bool (*closed)(const void *user);
  void *user; /* passed to both */
} sc_guest_options;

/* Opens the sockets and starts driving. SC_ERR_ARGUMENT for a number of addresses out of range or an address
 * without a family; SC_ERR_RUNTIME_THREAD on another thread; SC_ERR_STATE after stopping has begun;
 * SC_ERR_RUNTIME_FULL with SC_RUNTIME_MAX_GUESTS; SC_ERR_SOCKET_IN_USE, SC_ERR_SOCKET_ADDRESS or
 * SC_ERR_SOCKET_PERMISSION if the system refuses an address; SC_ERR_SYSTEM_LIMIT, SC_ERR_SYSTEM and
 * SC_ERR_NO_MEMORY. After a failure no socket is open. */
SC_API SC_NODISCARD sc_status sc_guest_new(sc_guest **out, sc_runtime *runtime,
                                           const sc_guest_options *options);

/* Closes the sockets; the endpoint is not called any more. NULL is allowed. */
SC_API void sc_guest_free(sc_guest *guest);

/* Returns the address of the socket at `index`, with the chosen port. SC_ERR_ARGUMENT beyond the last. */
SC_API SC_NODISCARD sc_status sc_guest_address(sc_address *out, const sc_guest *guest, size_t index);

SC_API_END

#endif
