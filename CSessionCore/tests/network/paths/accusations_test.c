#include "network/paths/accusations.h"

#include "support/test.h"

enum { memory_ms = 1000 };

static const uint8_t accused[SC_KEY_BYTES] = {1}, other[SC_KEY_BYTES] = {2};
static const sc_accusers first = {.keys = {{10}, {11}}, .count = 2};
static const sc_accusers second = {.keys = {{20}, {21}}, .count = 2};
static const sc_accusers mixed = {.keys = {{20}, {11}}, .count = 2};

static void one_path_is_not_enough_however_often_it_accuses(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  for (uint64_t at = 0; at < 5; at++)
    CHECK(!sc_accuse(&list, accused, &first, at, memory_ms));
  CHECK(list.count == 1);
done:;
}

static void two_disjoint_paths_are_enough(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  CHECK(!sc_accuse(&list, accused, &first, 0, memory_ms));
  CHECK(sc_accuse(&list, accused, &second, 1, memory_ms));
done:;
}

static void a_node_in_two_paths_counts_once(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  CHECK(!sc_accuse(&list, accused, &first, 0, memory_ms));
  CHECK(!sc_accuse(&list, accused, &mixed, 1, memory_ms));
done:;
}

static void accusations_of_another_node_do_not_count(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  CHECK(!sc_accuse(&list, other, &first, 0, memory_ms));
  CHECK(!sc_accuse(&list, accused, &second, 1, memory_ms));
done:;
}

static void old_accusations_do_not_count(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  CHECK(!sc_accuse(&list, accused, &first, 0, memory_ms));
  CHECK(!sc_accuse(&list, accused, &second, memory_ms + 1, memory_ms));
done:;
}

/* An accuser that could not be recorded may be the liar. */
static void too_many_accusers_prove_nothing(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  sc_accusers many = {0};
  for (uint8_t i = 0; i <= sc_accusers_max; i++) {
    const uint8_t key[SC_KEY_BYTES] = {50, i};
    sc_accusers_add(&many, key);
    sc_accusers_add(&many, key);
    CHECK(many.count == (i < sc_accusers_max ? i + 1U : sc_accusers_max));
  }
  CHECK(many.are_more);
  CHECK(!sc_accuse(&list, accused, &many, 0, memory_ms));
  CHECK(!sc_accuse(&list, accused, &first, 0, memory_ms));
  CHECK(!sc_accuse(&list, accused, &many, 1, memory_ms));
  CHECK(sc_accuse(&list, accused, &second, 1, memory_ms));
done:;
}

static void an_accusation_by_this_client_counts(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  CHECK(sc_accuse(&list, accused, NULL, 0, memory_ms));
done:;
}

static void the_oldest_accusation_is_forgotten(sc_test *t) {
  static sc_accusations list;
  list = (sc_accusations){0};
  CHECK(!sc_accuse(&list, accused, &first, 0, memory_ms));
  for (uint8_t i = 0; i < sc_accusations_max; i++) {
    const uint8_t stranger[SC_KEY_BYTES] = {100, i};
    CHECK(!sc_accuse(&list, stranger, &first, 0, memory_ms));
  }
  CHECK(list.count == sc_accusations_max);
  CHECK(!sc_accuse(&list, accused, &second, 0, memory_ms));
done:;
}

SUITE(network_paths_accusations, "network/paths/accusations",
      {"one path is not enough, however often it accuses", one_path_is_not_enough_however_often_it_accuses},
      {"two disjoint paths are enough", two_disjoint_paths_are_enough},
      {"a node in two paths counts once", a_node_in_two_paths_counts_once},
      {"accusations of another node do not count", accusations_of_another_node_do_not_count},
      {"old accusations do not count", old_accusations_do_not_count},
      {"too many accusers prove nothing", too_many_accusers_prove_nothing},
      {"an accusation by this client counts", an_accusation_by_this_client_counts},
      {"the oldest accusation is forgotten", the_oldest_accusation_is_forgotten});
