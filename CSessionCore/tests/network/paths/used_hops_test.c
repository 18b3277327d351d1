#include "network/paths/used_hops.h"

#include "support/test.h"

static void each_hop_is_known_in_its_place(sc_test *t) {
  static const uint8_t hops[3][SC_KEY_BYTES] = {{1}, {2}, {3}};
  sc_used_hops used = {0};
  sc_used_hops_add(&used, hops[0], sizeof hops[0], 3);
  CHECK(sc_used_hops_has(&used, SC_USED_GUARD, hops[0]) && !sc_used_hops_has(&used, SC_USED_GUARD, hops[2]));
  CHECK(sc_used_hops_has(&used, SC_USED_MIDDLE, hops[1]) && sc_used_hops_has(&used, SC_USED_LAST, hops[2]));
done:;
}

static void a_short_path_has_no_middle(sc_test *t) {
  static const uint8_t hops[2][SC_KEY_BYTES] = {{1}, {2}};
  sc_used_hops used = {0};
  sc_used_hops_add(&used, hops[0], sizeof hops[0], 0);
  CHECK(used.counts[SC_USED_GUARD] == 0);
  sc_used_hops_add(&used, hops[0], sizeof hops[0], 2);
  CHECK(used.counts[SC_USED_MIDDLE] == 0 && sc_used_hops_has(&used, SC_USED_LAST, hops[1]));
done:;
}

static void only_some_attempts_are_remembered(sc_test *t) {
  sc_used_hops used = {0};
  for (uint8_t i = 1; i <= sc_used_hops_max + 1; i++) {
    uint8_t hops[1][SC_KEY_BYTES] = {{i}};
    sc_used_hops_add(&used, hops[0], sizeof hops[0], 1);
    sc_used_hops_add(&used, hops[0], sizeof hops[0], 1);
  }
  CHECK(used.counts[SC_USED_GUARD] == sc_used_hops_max);
  CHECK(!sc_used_hops_has(&used, SC_USED_LAST, (const uint8_t[SC_KEY_BYTES]){sc_used_hops_max + 1}));
done:;
}

SUITE(network_paths_used_hops, "network/paths/used_hops",
      {"each hop is known in its place", each_hop_is_known_in_its_place},
      {"a short path has no middle", a_short_path_has_no_middle},
      {"only some attempts are remembered", only_some_attempts_are_remembered});
