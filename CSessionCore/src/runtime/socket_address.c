#include "socket_address.h"

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

socklen_t sc_socket_address_make(sc_socket_address *out, const sc_address *address, int family) {
  memset(out, 0, sizeof *out);
  if (family == AF_INET) {
    if (address->family != SC_ADDRESS_IPV4)
      return 0;
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = htons(address->port);
    memcpy(&out->v4.sin_addr, address->ip, 4);
    return sizeof out->v4;
  }
  out->v6.sin6_family = AF_INET6;
  out->v6.sin6_port = htons(address->port);
  if (address->family == SC_ADDRESS_IPV6) {
    memcpy(&out->v6.sin6_addr, address->ip, 16);
    out->v6.sin6_scope_id = address->scope;
  } else if (address->family == SC_ADDRESS_IPV4) {
    memcpy(&out->v6.sin6_addr, mapped_prefix, sizeof mapped_prefix);
    memcpy(out->v6.sin6_addr.s6_addr + sizeof mapped_prefix, address->ip, 4);
  } else {
    return 0;
  }
  return sizeof out->v6;
}

void sc_socket_address_from_ipv6(sc_address *out, const struct in6_addr *ip, uint32_t scope, uint16_t port) {
  if (memcmp(ip, mapped_prefix, sizeof mapped_prefix) == 0)
    sc_address_ipv4(out, ip->s6_addr + sizeof mapped_prefix, port);
  else
    sc_address_ipv6(out, ip->s6_addr, scope, port);
}

void sc_socket_address_read(sc_address *out, const sc_socket_address *from) {
  *out = (sc_address){0};
  if (from->any.sa_family == AF_INET)
    sc_address_ipv4(out, (const uint8_t *)&from->v4.sin_addr, ntohs(from->v4.sin_port));
  else if (from->any.sa_family == AF_INET6)
    sc_socket_address_from_ipv6(out, &from->v6.sin6_addr, from->v6.sin6_scope_id, ntohs(from->v6.sin6_port));
}

bool sc_socket_address_is_any(const sc_address *address) {
  for (size_t i = 0; i < sizeof address->ip; i++)
    if (address->ip[i] != 0)
      return false;
  return true;
}
