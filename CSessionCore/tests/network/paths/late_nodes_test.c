#include "network/paths/late_nodes.h"

#include "session-core/network/node_options.h"
#include "support/test.h"

static const uint64_t second = SC_NODE_SECOND;

static void a_node_stays_late_until_it_replies_or_ten_minutes_pass(sc_test *t) {
  static const uint8_t a[SC_KEY_BYTES] = {1}, b[SC_KEY_BYTES] = {2};
  sc_late_nodes late = {0};
  CHECK(!sc_late_nodes_has(&late, a, second));
  sc_late_nodes_add(&late, a, second);
  sc_late_nodes_add(&late, b, second);
  CHECK(sc_late_nodes_has(&late, a, 600 * second) && sc_late_nodes_has(&late, b, 600 * second));
  sc_late_nodes_remove(&late, a);
  CHECK(!sc_late_nodes_has(&late, a, 600 * second) && sc_late_nodes_has(&late, b, 600 * second));
  CHECK(!sc_late_nodes_has(&late, b, 601 * second));
done:;
}

static void the_oldest_late_node_is_forgotten(sc_test *t) {
  uint8_t key[SC_KEY_BYTES] = {0};
  sc_late_nodes late = {0};
  for (uint8_t i = 0; i <= sc_late_nodes_max; i++) {
    key[0] = i;
    sc_late_nodes_add(&late, key, (i + 1) * second);
  }
  for (uint8_t i = 0; i <= sc_late_nodes_max; i++) {
    key[0] = i;
    CHECK(sc_late_nodes_has(&late, key, 100 * second) == (i > 0));
  }
done:;
}

SUITE(network_paths_late_nodes, "network/paths/late_nodes",
      {"a node stays late until it replies or ten minutes pass",
       a_node_stays_late_until_it_replies_or_ten_minutes_pass},
      {"the oldest late node is forgotten", the_oldest_late_node_is_forgotten});
