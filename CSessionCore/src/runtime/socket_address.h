/* Conversion between the addresses of the system and of the core.
 *
 * A dual IPv6 socket reports IPv4 addresses as ::ffff:a.b.c.d; the core never sees those. */
#ifndef SC_RUNTIME_SOCKET_ADDRESS_H
#define SC_RUNTIME_SOCKET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "session-core/network/address.h"

typedef union sc_socket_address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
} sc_socket_address;

/* Makes an address for a socket of `family` (AF_INET or AF_INET6); returns its length, or 0 if such a socket
 * cannot use it. */
socklen_t sc_socket_address_make(sc_socket_address *out, const sc_address *address, int family);

/* Reads an address; an unknown family gives an empty one. */
void sc_socket_address_read(sc_address *out, const sc_socket_address *from);

/* Reads the 16 bytes of an IPv6 address, which may be a mapped IPv4 address. */
void sc_socket_address_from_ipv6(sc_address *out, const struct in6_addr *ip, uint32_t scope, uint16_t port);

/* True for the wildcard address. */
bool sc_socket_address_is_any(const sc_address *address);

#endif
