#include "session-core/network/node.h"

#include "crowd.h"

static const char known_line[] =
    "0100000000000000000000000000000000000000000000000000000007000000|9.0.7.1|22021|22020|"
    "2.11.0|3000";

static void the_known_line_is_read_and_written(sc_test *t) {
  const sc_node expected = crowd_node(7);
  sc_node node;
  char text[SC_NODE_TEXT_BYTES];
  OK(sc_node_parse(&node, sc_bytes_text(known_line)));
  CHECK(sc_node_same(&node, &expected) && memcmp(node.ip, expected.ip, 4) == 0);
  CHECK(node.https_port == 22021 && node.quic_port == 22020 && node.swarm == 3000);
  CHECK(node.version[0] == 2 && node.version[1] == 11 && node.version[2] == 0);
  SAME(sc_bytes_text(known_line), sc_bytes_make(text, sc_node_format(text, &node)));
done:;
}

static void the_longest_line_fits(sc_test *t) {
  sc_node node = {.https_port = UINT16_MAX, .quic_port = UINT16_MAX, .swarm = UINT64_MAX}, read;
  char text[SC_NODE_TEXT_BYTES];
  memset(node.key, 0xff, sizeof node.key);
  memset(node.ip, 0xff, sizeof node.ip);
  memset(node.version, 0xff, sizeof node.version);
  size_t len = sc_node_format(text, &node);
  CHECK(len < sizeof text && text[len] == '\0');
  OK(sc_node_parse(&read, sc_bytes_make(text, len)));
  CHECK(read.swarm == UINT64_MAX && read.version[2] == UINT16_MAX && read.ip[3] == 255);
done:;
}

#define KEY "0100000000000000000000000000000000000000000000000000000000000007"

static void invalid_lines_are_refused(sc_test *t) {
  static const char *const bad[] = {"",
                                    KEY,
                                    KEY "|9.0.7.1|22021|22020|2.11.0",
                                    KEY "|9.0.7.1|22021|22020|2.11.0|",
                                    KEY "|9.0.7.1|22021|22020|2.11.0|3000|",
                                    KEY "|9.0.7.1|22021|22020|2.11|3000",
                                    KEY "|9.0.7.1|22021|22020|2.11.0.1|3000",
                                    KEY "|9.0.7.1|22021|22020|2.11.65536|3000",
                                    KEY "|9.0.7.1|22021|22020|2.11.0|18446744073709551616",
                                    KEY "|9.0.7.1|22021|22020|2.11.0|-1",
                                    KEY "|9.0.7.1|65536|22020|2.11.0|3000",
                                    KEY "|9.0.7.1|22021|65536|2.11.0|3000",
                                    KEY "|9.0.7|22021|22020|2.11.0|3000",
                                    KEY "|9.0.7.256|22021|22020|2.11.0|3000",
                                    KEY "|9.0.7.1.1|22021|22020|2.11.0|3000",
                                    KEY "|::1|22021|22020|2.11.0|3000",
                                    KEY "|localhost|22021|22020|2.11.0|3000",
                                    "01|9.0.7.1|22021|22020|2.11.0|3000",
                                    KEY "00|9.0.7.1|22021|22020|2.11.0|3000"};
  const sc_node before = crowd_node(1);
  sc_node node = before;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_NODE_TEXT, sc_node_parse(&node, sc_bytes_text(bad[i])));
  SAME(SC_BYTES(before.key), SC_BYTES(node.key));
done:;
}

static sc_node at(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
  sc_node node = crowd_node(1);
  const uint8_t ip[] = {a, b, c, d};
  memcpy(node.ip, ip, 4);
  return node;
}

static void special_addresses_are_not_usable(sc_test *t) {
  const sc_node unusable[] = {at(0, 0, 0, 0),   at(0, 1, 2, 3),         at(224, 0, 0, 1),
                              at(239, 1, 2, 3), at(255, 255, 255, 255), at(240, 0, 0, 1)};
  for (size_t i = 0; i < sizeof unusable / sizeof unusable[0]; i++)
    CHECK(!sc_node_is_usable(&unusable[i], false) && !sc_node_is_usable(&unusable[i], true));
done:;
}

static void private_addresses_are_usable_when_allowed(sc_test *t) {
  const sc_node nearby[] = {at(127, 0, 0, 1),    at(127, 4, 5, 1),    at(10, 1, 2, 3),   at(172, 16, 0, 1),
                            at(172, 31, 255, 1), at(192, 168, 1, 20), at(100, 64, 0, 1), at(169, 254, 1, 1)};
  const sc_node beside[] = {at(126, 0, 0, 1),   at(11, 0, 0, 1),    at(172, 15, 0, 1),  at(172, 32, 0, 1),
                            at(192, 167, 1, 1), at(100, 128, 0, 1), at(169, 253, 1, 1), at(223, 255, 0, 1)};
  for (size_t i = 0; i < sizeof nearby / sizeof nearby[0]; i++)
    CHECK(!sc_node_is_usable(&nearby[i], false) && sc_node_is_usable(&nearby[i], true));
  for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
    CHECK(sc_node_is_usable(&beside[i], false));
done:;
}

static void a_node_needs_key_and_port(sc_test *t) {
  sc_node node = crowd_node(1);
  node.https_port = 0; /* not needed here */
  CHECK(sc_node_is_usable(&node, false));
  node.quic_port = 0;
  CHECK(!sc_node_is_usable(&node, false));
  node = crowd_node(1);
  memset(node.key, 0, sizeof node.key);
  CHECK(!sc_node_is_usable(&node, false));
done:;
}

static void a_node_is_identified_by_its_key(sc_test *t) {
  sc_node a = crowd_node(1), b = crowd_node(2);
  memcpy(b.key, a.key, sizeof b.key);
  CHECK(sc_node_same(&a, &b));
  b.key[31] ^= 1;
  CHECK(!sc_node_same(&a, &b));
done:;
}

static void a_subnet_is_the_first_three_bytes(sc_test *t) {
  const sc_node a = at(9, 8, 7, 6), b = at(9, 8, 7, 5), c = at(9, 8, 6, 6);
  CHECK(sc_node_same_subnet(&a, &b) && !sc_node_same_subnet(&a, &c));
done:;
}

static void a_nodes_address_uses_its_quic_port(sc_test *t) {
  const sc_node node = crowd_node(7);
  sc_address address = sc_node_address(&node);
  CHECK(address.family == SC_ADDRESS_IPV4 && address.port == 22020 && address.ip[2] == 7);
done:;
}

SUITE(network_nodes_node, "network/nodes/node",
      {"the known line is read and written", the_known_line_is_read_and_written},
      {"the longest line fits", the_longest_line_fits},
      {"invalid lines are refused", invalid_lines_are_refused},
      {"special addresses are not usable", special_addresses_are_not_usable},
      {"private addresses are usable when allowed", private_addresses_are_usable_when_allowed},
      {"a node needs key and port", a_node_needs_key_and_port},
      {"a node is identified by its key", a_node_is_identified_by_its_key},
      {"a subnet is the first three bytes", a_subnet_is_the_first_three_bytes},
      {"a node's address uses its QUIC port", a_nodes_address_uses_its_quic_port});
