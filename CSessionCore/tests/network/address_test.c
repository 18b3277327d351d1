#include "support/test.h"

static void text_form_survives_a_round_trip(sc_test *t) {
  static const char *const texts[] = {"192.0.2.1:443",       "0.0.0.0:0",      "255.255.255.255:65535",
                                      "[2001:db8::1]:22021", "[::]:1",         "[fe80::1%7]:9",
                                      "[::ffff:1.2.3.4]:80", "127.0.0.1:65535"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    sc_address address;
    char text[SC_ADDRESS_TEXT_BYTES];
    OK(sc_address_parse(&address, sc_bytes_text(texts[i])));
    sc_address_format(text, &address);
    SAME(sc_bytes_text(texts[i]), sc_bytes_text(text));
  }
done:;
}

static void an_invalid_address_is_refused(sc_test *t) {
  static const char *const texts[] = {"",
                                      ":",
                                      "1.2.3.4",
                                      "1.2.3.4:",
                                      "1.2.3.4:65536",
                                      "1.2.3:4",
                                      "1.2.3.4:-1",
                                      "1.2.3.4:+1",
                                      "localhost:80",
                                      "[::1]",
                                      "::1:80",
                                      "[::1:80",
                                      "[::1%]:80",
                                      "[::1%eth0]:80",
                                      "[1.2.3.4]:80",
                                      "[]:80",
                                      " 1.2.3.4:1",
                                      "1.2.3.4:1 ",
                                      "[::1]:",
                                      "1.2.3.4:00000000001",
                                      ":80",
                                      "[::1%4294967296]:80"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    sc_address address;
    FAILS(SC_ERR_ADDRESS, sc_address_parse(&address, sc_bytes_text(texts[i])));
  }
done:;
}

static void a_text_with_a_nul_is_refused(sc_test *t) {
  sc_address address;
  FAILS(SC_ERR_ADDRESS, sc_address_parse(&address, sc_bytes_make("1.2.3.4\0.5:80", 13)));
done:;
}

static void an_ipv4_address_has_its_parts(sc_test *t) {
  sc_address address;
  static const uint8_t ip[16] = {192, 0, 2, 1};
  OK(sc_address_parse(&address, sc_bytes_text("192.0.2.1:258")));
  SAME(SC_BYTES(ip), SC_BYTES(address.ip));
  CHECK(address.family == SC_ADDRESS_IPV4);
  CHECK(address.port == 258);
done:;
}

static void an_unset_address_is_written_as_a_dash(sc_test *t) {
  sc_address none = {.port = 1};
  char text[SC_ADDRESS_TEXT_BYTES];
  sc_address_format(text, &none);
  SAME(sc_bytes_text("-"), sc_bytes_text(text));
done:;
}

static void addresses_differ_if_any_part_differs(sc_test *t) {
  static const char *const texts[] = {"1.2.3.4:1", "1.2.3.4:2", "1.2.3.5:1", "[102:304::]:1",
                                      "[102:304::%1]:1"};
  enum { count = sizeof texts / sizeof texts[0] };
  sc_address all[count];
  for (size_t i = 0; i < count; i++)
    OK(sc_address_parse(&all[i], sc_bytes_text(texts[i])));
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      CHECK(sc_address_same(&all[i], &all[j]) == (i == j));
      CHECK(sc_address_same_host(&all[i], &all[j]) == (i == j || i + j == 1));
    }
done:;
}

SUITE(network_address, "network/address",
      {"text form survives a round trip", text_form_survives_a_round_trip},
      {"an invalid address is refused", an_invalid_address_is_refused},
      {"a text with a NUL is refused", a_text_with_a_nul_is_refused},
      {"an IPv4 address has its parts", an_ipv4_address_has_its_parts},
      {"an unset address is written as a dash", an_unset_address_is_written_as_a_dash},
      {"addresses differ if any part differs", addresses_differ_if_any_part_differs});
