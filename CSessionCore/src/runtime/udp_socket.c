#define _GNU_SOURCE /* IP_PKTINFO, SOCK_CLOEXEC */

#include "udp_socket.h"

#include <errno.h>
#include <netinet/udp.h>
#include <unistd.h>

#include "socket_address.h"
#include "system.h"

enum { default_receive_buffer = 4 * 1024 * 1024, default_send_buffer = 1024 * 1024 };

static bool set(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* Options for performance; an old kernel may refuse any of them. */
static void ask_for(sc_udp_socket *s, const sc_runtime_options *options) {
  set(s->fd, SOL_SOCKET, SO_RCVBUF,
      options->receive_buffer > 0 ? options->receive_buffer : default_receive_buffer);
  set(s->fd, SOL_SOCKET, SO_SNDBUF, options->send_buffer > 0 ? options->send_buffer : default_send_buffer);
  bool v4 = s->family == AF_INET || s->dual;
  bool v6 = s->family == AF_INET6;
  if (v4)
    set(s->fd, SOL_IP, IP_RECVTOS, 1);
  if (v6)
    set(s->fd, SOL_IPV6, IPV6_RECVTCLASS, 1);
  /* Never fragment, and believe no stranger's report about the size of the path: QUIC finds it itself. */
  if (v4)
    set(s->fd, SOL_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
  if (v6)
    set(s->fd, SOL_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
  if (v4 && s->any)
    set(s->fd, SOL_IP, IP_PKTINFO, 1);
  if (v6 && s->any)
    set(s->fd, SOL_IPV6, IPV6_RECVPKTINFO, 1);
  int none;
  socklen_t len = sizeof none;
  s->segmentation = !options->no_segmentation && getsockopt(s->fd, SOL_UDP, UDP_SEGMENT, &none, &len) == 0;
  s->coalescing = !options->no_coalescing && set(s->fd, SOL_UDP, UDP_GRO, 1);
}

static bool bind_to(sc_udp_socket *s, const sc_address *address) {
  sc_socket_address wanted, got;
  socklen_t len = sc_socket_address_make(&wanted, address, s->family);
  if (bind(s->fd, &wanted.any, len) != 0)
    return false;
  len = sizeof got;
  if (getsockname(s->fd, &got.any, &len) != 0)
    return false;
  sc_socket_address_read(&s->local, &got);
  return true;
}

sc_status sc_udp_open(sc_udp_socket *out, const sc_address *address, bool dual,
                      const sc_runtime_options *options) {
  if (address->family != SC_ADDRESS_IPV4 && address->family != SC_ADDRESS_IPV6)
    return SC_ERR_ARGUMENT;
  sc_udp_socket s = {.any = sc_socket_address_is_any(address)};
  s.family = address->family == SC_ADDRESS_IPV4 ? AF_INET : AF_INET6;
  s.dual = dual && s.any && s.family == AF_INET6;
  s.fd = socket(s.family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s.fd < 0)
    return sc_system_status(errno);
  if ((s.family == AF_INET6 && !set(s.fd, SOL_IPV6, IPV6_V6ONLY, !s.dual)) || !bind_to(&s, address)) {
    sc_status status = sc_system_status(errno);
    close(s.fd);
    return status;
  }
  ask_for(&s, options);
  *out = s;
  return SC_OK;
}

void sc_udp_close(sc_udp_socket *socket) {
  close(socket->fd);
  socket->fd = -1;
}

bool sc_udp_speaks(const sc_udp_socket *socket, uint16_t family) {
  if (family == SC_ADDRESS_IPV4)
    return socket->family == AF_INET || socket->dual;
  return family == SC_ADDRESS_IPV6 && socket->family == AF_INET6;
}
