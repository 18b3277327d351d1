#include "path.h"

#include <arpa/inet.h>
#include <string.h>

static ngtcp2_socklen write_address(sc_quic_socket_address *out, const sc_address *address) {
  memset(out, 0, sizeof *out);
  if (address->family != SC_ADDRESS_IPV6) {
    out->ipv4.sin_family = AF_INET;
    out->ipv4.sin_port = htons(address->port);
    memcpy(&out->ipv4.sin_addr, address->ip, sizeof out->ipv4.sin_addr);
    return sizeof out->ipv4;
  }
  out->ipv6.sin6_family = AF_INET6;
  out->ipv6.sin6_port = htons(address->port);
  out->ipv6.sin6_scope_id = address->scope;
  memcpy(&out->ipv6.sin6_addr, address->ip, sizeof out->ipv6.sin6_addr);
  return sizeof out->ipv6;
}

void sc_quic_path_set(sc_quic_path *out, const sc_address *local, const sc_address *peer) {
  static const sc_address unknown = {.family = SC_ADDRESS_NONE};
  const sc_address *from = local->family == SC_ADDRESS_NONE ? &unknown : local;
  out->path = (ngtcp2_path){0};
  out->path.local = (ngtcp2_addr){.addr = &out->local.any, .addrlen = write_address(&out->local, from)};
  out->path.remote = (ngtcp2_addr){.addr = &out->peer.any, .addrlen = write_address(&out->peer, peer)};
}

void sc_quic_path_read(sc_address *out, const ngtcp2_addr *address) {
  if (address->addr->sa_family == AF_INET6) {
    const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)(const void *)address->addr;
    sc_address_ipv6(out, (const uint8_t *)&ipv6->sin6_addr, ipv6->sin6_scope_id, ntohs(ipv6->sin6_port));
    return;
  }
  const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)(const void *)address->addr;
  sc_address_ipv4(out, (const uint8_t *)&ipv4->sin_addr, ntohs(ipv4->sin_port));
  if (ipv4->sin_addr.s_addr == 0 && ipv4->sin_port == 0)
    *out = (sc_address){.family = SC_ADDRESS_NONE};
}
