#define _GNU_SOURCE /* IP_MTU_DISCOVER */

#include "runtime/udp_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/udp.h>

#include "loopback.h"

static const sc_runtime_options usual = {0};

static int option_of(const sc_udp_socket *socket, int level, int option) {
  int value = -1;
  socklen_t len = sizeof value;
  return getsockopt(socket->fd, level, option, &value, &len) == 0 ? value : -1;
}

static void a_socket_has_the_options_quic_needs(sc_test *t) {
  sc_udp_socket s = {.fd = -1};
  sc_address address = loopback_v4(0);
  OK(sc_udp_open(&s, &address, false, &usual));
  CHECK(s.local.port != 0 && sc_address_same_host(&s.local, &address));
  CHECK(!s.any && !s.dual);
  CHECK((fcntl(s.fd, F_GETFL) & O_NONBLOCK) != 0 && (fcntl(s.fd, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(option_of(&s, SOL_IP, IP_RECVTOS) == 1);
  CHECK(option_of(&s, SOL_IP, IP_MTU_DISCOVER) == IP_PMTUDISC_PROBE);
  /* The system doubles the requested size, and caps it. */
  CHECK(option_of(&s, SOL_SOCKET, SO_RCVBUF) > 212992 / 2);
done:
  sc_udp_close(&s);
}

static void buffers_have_the_requested_size(sc_test *t) {
  sc_udp_socket s = {.fd = -1};
  sc_address address = loopback_v4(0);
  const sc_runtime_options options = {.receive_buffer = 30000, .send_buffer = 20000};
  OK(sc_udp_open(&s, &address, false, &options));
  CHECK(option_of(&s, SOL_SOCKET, SO_RCVBUF) == 60000);
  CHECK(option_of(&s, SOL_SOCKET, SO_SNDBUF) == 40000);
done:
  sc_udp_close(&s);
}

static void segmentation_and_coalescing_can_be_turned_off(sc_test *t) {
  sc_udp_socket s = {.fd = -1};
  sc_address address = loopback_v4(0);
  const sc_runtime_options options = {.no_segmentation = true, .no_coalescing = true};
  OK(sc_udp_open(&s, &address, false, &options));
  CHECK(!s.segmentation && !s.coalescing);
  CHECK(option_of(&s, SOL_UDP, UDP_GRO) == 0);
done:
  sc_udp_close(&s);
}

static void unavailable_addresses_give_distinct_errors(sc_test *t) {
  sc_udp_socket first = {.fd = -1}, second = {.fd = -1};
  sc_address address = loopback_v4(0), none = {0}, foreign;
  sc_address_ipv4(&foreign, (const uint8_t[4]){192, 0, 2, 1}, 0);
  OK(sc_udp_open(&first, &address, false, &usual));
  FAILS(SC_ERR_SOCKET_IN_USE, sc_udp_open(&second, &first.local, false, &usual));
  FAILS(SC_ERR_SOCKET_ADDRESS, sc_udp_open(&second, &foreign, false, &usual));
  FAILS(SC_ERR_ARGUMENT, sc_udp_open(&second, &none, false, &usual));
  CHECK(second.fd == -1);
done:
  sc_udp_close(&first);
}

static void only_a_dual_stack_socket_serves_both_families(sc_test *t) {
  sc_udp_socket v4 = {.fd = -1}, v6 = {.fd = -1}, dual = {.fd = -1};
  if (!loopback_has_v6())
    SKIP("this machine has no ::1");
  sc_address addresses[] = {any_v4(), any_v6()};
  OK(sc_udp_open(&v4, &addresses[0], true, &usual));
  OK(sc_udp_open(&v6, &addresses[1], false, &usual));
  OK(sc_udp_open(&dual, &addresses[1], true, &usual));
  CHECK(!v4.dual && !v6.dual && dual.dual);
  CHECK(option_of(&v6, SOL_IPV6, IPV6_V6ONLY) == 1 && option_of(&dual, SOL_IPV6, IPV6_V6ONLY) == 0);
  CHECK(sc_udp_speaks(&v4, SC_ADDRESS_IPV4) && !sc_udp_speaks(&v4, SC_ADDRESS_IPV6));
  CHECK(!sc_udp_speaks(&v6, SC_ADDRESS_IPV4) && sc_udp_speaks(&v6, SC_ADDRESS_IPV6));
  CHECK(sc_udp_speaks(&dual, SC_ADDRESS_IPV4) && sc_udp_speaks(&dual, SC_ADDRESS_IPV6));
  CHECK(!sc_udp_speaks(&dual, SC_ADDRESS_NONE));
done:
  sc_udp_close(&v4);
  sc_udp_close(&v6);
  sc_udp_close(&dual);
}

SUITE(runtime_udp_socket, "runtime/udp_socket",
      {"a socket has the options QUIC needs", a_socket_has_the_options_quic_needs},
      {"buffers have the requested size", buffers_have_the_requested_size},
      {"segmentation and coalescing can be turned off", segmentation_and_coalescing_can_be_turned_off},
      {"unavailable addresses give distinct errors", unavailable_addresses_give_distinct_errors},
      {"only a dual-stack socket serves both families", only_a_dual_stack_socket_serves_both_families});
