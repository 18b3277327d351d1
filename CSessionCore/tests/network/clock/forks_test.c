#include "network/clock/forks.h"

#include "network/nodes/crowd.h"

static bool is_agreed(const sc_forks *forks, size_t voices, uint16_t major, uint16_t minor) {
  uint16_t fork[2] = {0, 0};
  bool agreed = sc_forks_agreed(fork, forks, voices);
  return major == 0 ? !agreed : agreed && fork[0] == major && fork[1] == minor;
}

static void note(sc_forks *forks, uint32_t number, uint16_t major, uint16_t minor) {
  const sc_node node = crowd_node(number);
  sc_forks_note(forks, &node, (const uint16_t[2]){major, minor}, true);
}

static void two_nodes_must_say_it(sc_test *t) {
  sc_forks forks = {0};
  CHECK(is_agreed(&forks, 2, 0, 0));
  note(&forks, 1, 19, 6);
  CHECK(is_agreed(&forks, 2, 0, 0) && is_agreed(&forks, 1, 19, 6));
  note(&forks, 1, 19, 6);
  CHECK(is_agreed(&forks, 2, 0, 0));
  note(&forks, 2, 99, 9); /* so both say 19.6 at least */
  CHECK(is_agreed(&forks, 2, 19, 6));
  note(&forks, 3, 20, 0);
  CHECK(is_agreed(&forks, 2, 20, 0));
  note(&forks, 4, 19, 7);
  CHECK(is_agreed(&forks, 2, 20, 0));
done:;
}

static void nodes_of_one_subnet_count_as_one(sc_test *t) {
  sc_forks forks = {0};
  const sc_node node = crowd_node(1);
  sc_node near = crowd_node(2);
  memcpy(near.ip, node.ip, 3);
  for (int by_subnet = 1; by_subnet >= 0; by_subnet--) {
    sc_forks_note(&forks, &node, (const uint16_t[2]){20, 0}, by_subnet);
    sc_forks_note(&forks, &near, (const uint16_t[2]){20, 0}, by_subnet);
    CHECK(is_agreed(&forks, 2, by_subnet ? 0 : 20, 0));
  }
done:;
}

static void the_highest_claims_are_kept(sc_test *t) {
  sc_forks forks = {0};
  for (uint32_t i = 0; i < 100; i++)
    note(&forks, i, 19, (uint16_t)(i % 50));
  CHECK(forks.count == sc_forks_most && is_agreed(&forks, 2, 19, 49));
done:;
}

SUITE(network_clock_forks, "network/clock/forks", {"two nodes must say it", two_nodes_must_say_it},
      {"nodes of one subnet count as one", nodes_of_one_subnet_count_as_one},
      {"the highest claims are kept", the_highest_claims_are_kept});
