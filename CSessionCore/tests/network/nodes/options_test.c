#include "session-core/network/node_options.h"

#include "support/test.h"

static void the_main_network_has_the_known_constants(sc_test *t) {
  const uint64_t s = SC_NODE_SECOND, minute = 60 * s, hour = 60 * minute;
  sc_node_options o;
  sc_node_options_default(&o, SC_NETWORK_MAIN);
  CHECK(o.subnet_diversity && !o.private_addresses && o.seed_count == 0);
  CHECK(o.smallest_pool == 12 && o.smallest_swarm == 3 && o.lists == 3 && o.agreeing_lists == 2);
  CHECK(o.struck_out == 3 && o.strike_expiry == 48 * hour);
  CHECK(o.pool_expiry == 2 * hour && o.pool_interval == 2 * s && o.list_timeout == 10 * s);
  CHECK(o.retry_delay == s / 5 && o.max_retry_delay == 5 * s && o.evidence_base == minute);
  CHECK(o.strikes_save == 5 * minute && o.old_guard_expiry == 240 * hour);
done:;
}

static void a_private_network_may_be_small_and_have_private_addresses(sc_test *t) {
  sc_node_options o;
  sc_node_options_default(&o, SC_NETWORK_PRIVATE);
  CHECK(!o.subnet_diversity && o.private_addresses && o.smallest_pool == 1 && o.smallest_swarm == 1);
  CHECK(o.strike_expiry < 48 * 3600 * SC_NODE_SECOND);
  sc_node_options_default(&o, SC_NETWORK_TEST);
  CHECK(!o.subnet_diversity && !o.private_addresses && o.smallest_pool == 12);
done:;
}

SUITE(network_nodes_options, "network/nodes/options",
      {"the main network has the known constants", the_main_network_has_the_known_constants},
      {"a private network may be small and have private addresses",
       a_private_network_may_be_small_and_have_private_addresses});
