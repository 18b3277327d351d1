/* A UDP socket for QUIC: non-blocking, without fragmentation, with ECN bits and, if bound to all addresses,
 * the local address of each datagram. */
#ifndef SC_RUNTIME_UDP_SOCKET_H
#define SC_RUNTIME_UDP_SOCKET_H

#include <stdbool.h>

#include "session-core/network/address.h"
#include "session-core/runtime/loop.h"

typedef struct sc_udp_socket {
  int fd;
  int family;        /* AF_INET or AF_INET6 */
  bool dual;         /* an IPv6 socket that also serves IPv4 */
  bool any;          /* bound to all addresses: each datagram has its own */
  bool segmentation; /* a run of datagrams is sent in one call */
  bool coalescing;   /* and received in one */
  sc_address local;
} sc_udp_socket;

/* Opens a socket. Missing optional features are ignored; required ones fail with the statuses of
 * sc_guest_new. */
SC_NODISCARD sc_status sc_udp_open(sc_udp_socket *out, const sc_address *address, bool dual,
                                   const sc_runtime_options *options);
void sc_udp_close(sc_udp_socket *socket);

/* True if it can reach peers of this family. */
bool sc_udp_speaks(const sc_udp_socket *socket, uint16_t family);

#endif
