/* A UDP socket as QUIC wants it: non-blocking, never fragmenting, telling ECN bits and, bound to all
 * addresses of the host, which of them a datagram came to. */
#ifndef SC_RUNTIME_UDP_SOCKET_H
#define SC_RUNTIME_UDP_SOCKET_H

#include <stdbool.h>

#include "session-core/network/address.h"
#include "session-core/runtime/loop.h"

typedef struct sc_udp_socket {
  int fd;
  int family;        /* AF_INET or AF_INET6 */
  bool dual;         /* an IPv6 socket that speaks IPv4 too */
  bool any;          /* bound to all addresses: each datagram tells its own */
  bool segmentation; /* a run of datagrams goes to the system in one piece */
  bool coalescing;   /* and comes from it in one */
  sc_address local;
} sc_udp_socket;

/* Options the system does not have are left out; those the socket cannot do without fail with the statuses of
 * sc_guest_new. */
SC_NODISCARD sc_status sc_udp_open(sc_udp_socket *out, const sc_address *address, bool dual,
                                   const sc_runtime_options *options);
void sc_udp_close(sc_udp_socket *socket);

/* True if it can reach a peer of the family. */
bool sc_udp_speaks(const sc_udp_socket *socket, uint16_t family);

#endif
