/* Addresses in the form that ngtcp2 takes. */
#ifndef SC_NETWORK_QUIC_PATH_H
#define SC_NETWORK_QUIC_PATH_H

#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>

#include "session-core/network/address.h"

typedef union sc_quic_socket_address {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
} sc_quic_socket_address;

typedef struct sc_quic_path {
  sc_quic_socket_address local;
  sc_quic_socket_address peer;
  ngtcp2_path path; /* points at the two above */
} sc_quic_path;

/* An unknown local address becomes all zeros, and vice versa. */
void sc_quic_path_set(sc_quic_path *out, const sc_address *local, const sc_address *peer);
void sc_quic_path_read(sc_address *out, const ngtcp2_addr *address);

#endif
