#include "runtime/socket_address.h"

#include "loopback.h"

static void addresses_survive_a_round_trip_through_the_system(sc_test *t) {
  sc_address cases[] = {loopback_v4(65535), loopback_v6(1), any_v4(), any_v6()};
  sc_address_ipv6(&cases[3], (const uint8_t[16]){0xfe, 0x80, [15] = 9}, 7, 443);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int family = cases[i].family == SC_ADDRESS_IPV4 ? AF_INET : AF_INET6;
    sc_socket_address system;
    sc_address back;
    CHECK(sc_socket_address_make(&system, &cases[i], family) > 0);
    CHECK(system.any.sa_family == family);
    sc_socket_address_read(&back, &system);
    CHECK(sc_address_same(&back, &cases[i]) && back.scope == cases[i].scope);
  }
done:;
}

static void an_ipv6_socket_uses_mapped_ipv4_addresses(sc_test *t) {
  sc_address v4 = loopback_v4(4000), back;
  sc_socket_address system;
  CHECK(sc_socket_address_make(&system, &v4, AF_INET6) == sizeof system.v6);
  CHECK(IN6_IS_ADDR_V4MAPPED(&system.v6.sin6_addr));
  sc_socket_address_read(&back, &system);
  CHECK(sc_address_same(&back, &v4));
done:;
}

static void an_address_the_socket_cannot_express_has_no_length(sc_test *t) {
  sc_address v6 = loopback_v6(1), none = {0}, back = v6;
  sc_socket_address system;
  CHECK(sc_socket_address_make(&system, &v6, AF_INET) == 0);
  CHECK(sc_socket_address_make(&system, &none, AF_INET) == 0);
  CHECK(sc_socket_address_make(&system, &none, AF_INET6) == 0);
  system.any.sa_family = AF_UNIX;
  sc_socket_address_read(&back, &system);
  CHECK(back.family == SC_ADDRESS_NONE);
done:;
}

static void a_zero_address_means_any(sc_test *t) {
  sc_address addresses[] = {any_v4(), any_v6(), loopback_v4(0), loopback_v6(0)};
  CHECK(sc_socket_address_is_any(&addresses[0]) && sc_socket_address_is_any(&addresses[1]));
  CHECK(!sc_socket_address_is_any(&addresses[2]) && !sc_socket_address_is_any(&addresses[3]));
done:;
}

SUITE(runtime_socket_address, "runtime/socket_address",
      {"addresses survive a round trip through the system",
       addresses_survive_a_round_trip_through_the_system},
      {"an IPv6 socket uses mapped IPv4 addresses", an_ipv6_socket_uses_mapped_ipv4_addresses},
      {"an address the socket cannot express has no length",
       an_address_the_socket_cannot_express_has_no_length},
      {"a zero address means any", a_zero_address_means_any});
