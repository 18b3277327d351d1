#include "session-core/network/node_options.h"

enum { minute = 60, hour = 60 * minute, day = 24 * hour };

void sc_node_options_default(sc_node_options *out, sc_network_kind kind) {
  *out = (sc_node_options){.kind = kind,
                           .subnet_diversity = kind == SC_NETWORK_MAIN,
                           .smallest_pool = 12,
                           .smallest_swarm = 3,
                           .lists = 3,
                           .agreeing_lists = 2,
                           .struck_out = 3,
                           .strike_expiry = 48 * hour * SC_NODE_SECOND,
                           .pool_expiry = 2 * hour * SC_NODE_SECOND,
                           .pool_interval = 2 * SC_NODE_SECOND,
                           .list_timeout = 10 * SC_NODE_SECOND,
                           .path_timeout = 30 * SC_NODE_SECOND,
                           .seed_interval = hour * SC_NODE_SECOND,
                           .retry_delay = SC_NODE_SECOND / 5,
                           .max_retry_delay = 5 * SC_NODE_SECOND,
                           .evidence_base = minute * SC_NODE_SECOND,
                           .strikes_save = 5 * minute * SC_NODE_SECOND,
                           .old_guard_expiry = 10 * day * SC_NODE_SECOND};
  if (kind == SC_NETWORK_PRIVATE) {
    out->private_addresses = true;
    out->smallest_pool = 1;
    out->smallest_swarm = 1;
    out->strike_expiry = 10 * minute * SC_NODE_SECOND;
    out->struck_out = 2;
  }
}
