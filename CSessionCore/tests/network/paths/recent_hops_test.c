#include "network/paths/recent_hops.h"

#include <string.h>

#include "session-core/network/node_options.h"
#include "support/test.h"

static const uint8_t node[SC_KEY_BYTES] = {1}, other[SC_KEY_BYTES] = {2};
static const uint64_t minute = 60 * SC_NODE_SECOND;

static void a_last_hop_is_known_for_ten_minutes(sc_test *t) {
  static sc_recent_hops hops;
  memset(&hops, 0, sizeof hops);
  sc_recent_hops_add(&hops, node, 1, minute);
  CHECK(sc_recent_hops_has(&hops, node, 11 * minute - 1) && !sc_recent_hops_has(&hops, other, minute));
  CHECK(!sc_recent_hops_has(&hops, node, 11 * minute));
done:;
}

static void it_counts_for_other_accounts(sc_test *t) {
  static sc_recent_hops hops;
  memset(&hops, 0, sizeof hops);
  sc_recent_hops_add(&hops, node, 1, minute);
  CHECK(!sc_recent_hops_has_other(&hops, node, 1, minute) &&
        sc_recent_hops_has_other(&hops, node, 2, minute));
  sc_recent_hops_add(&hops, other, 0, minute);
  CHECK(!sc_recent_hops_has_other(&hops, other, 2, minute));
done:;
}

static void the_oldest_is_forgotten(sc_test *t) {
  static sc_recent_hops hops;
  memset(&hops, 0, sizeof hops);
  uint8_t key[SC_KEY_BYTES] = {0};
  for (uint32_t i = 0; i <= sc_recent_hops_max; i++) {
    memcpy(key, &i, sizeof i);
    sc_recent_hops_add(&hops, key, 1, minute);
    sc_recent_hops_add(&hops, key, 1, minute);
  }
  CHECK(sc_recent_hops_has(&hops, key, minute));
  CHECK(!sc_recent_hops_has(&hops, (const uint8_t[SC_KEY_BYTES]){0}, minute));
  CHECK(sc_recent_hops_has(&hops, node, minute));
done:;
}

SUITE(network_paths_recent_hops, "network/paths/recent_hops",
      {"a last hop is known for ten minutes", a_last_hop_is_known_for_ten_minutes},
      {"it counts for other accounts", it_counts_for_other_accounts},
      {"the oldest is forgotten", the_oldest_is_forgotten});
