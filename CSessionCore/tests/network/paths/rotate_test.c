/* How a path is replaced by another, which has to work first. */
#include "ways.h"

static void rotation_replaces_all_hops_but_the_guard(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path before = ways_only(&w);
  world_pass(&w, 601 * WORLD_SECOND);
  sc_network_path after = ways_only(&w);
  HOLDS(after.id != before.id && world_active(&w, SC_NETWORK_STANDARD) == 1);
  HOLDS(memcmp(after.nodes[0].key, before.nodes[0].key, SC_KEY_BYTES) == 0);
  for (size_t i = 1; i < 3; i++)
    HOLDS(!ways_has(&before, &after.nodes[i]));
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 1);
done:
  world_end(&w, t);
}

/* defect of the reference: the request that tests a new path is counted on it for good. */
static void defect_a_rotated_path_is_idle(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  world_pass(&w, 602 * WORLD_SECOND);
  HOLDS(ways_only(&w).requests == 0);
  world_pass(&w, 600 * WORLD_SECOND);
  HOLDS(ways_only(&w).requests == 0 && sc_network_paths(NULL, 0, w.network) == 1);
done:
  world_end(&w, t);
}

/* defect of the reference: a rotated path does not notice the loss of its guard. */
static void defect_a_rotated_path_notices_its_guard(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  world_pass(&w, 602 * WORLD_SECOND);
  sc_network_path before = ways_only(&w);
  HOLDS(before.length == 3);
  world_break(&w, ways_first(&w), SC_ERR_QUIC_RESET);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
  HOLDS(world_connect(&w));
  HOLDS(ways_only(&w).id != before.id);
done:
  world_end(&w, t);
}

static void an_irreplaceable_path_stays(sc_test *t) {
  WORLD(4, 4);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path before = ways_only(&w);
  world_pass(&w, 700 * WORLD_SECOND);
  HOLDS(ways_only(&w).id == before.id);
done:
  world_end(&w, t);
}

/* The replacement path does not work: the old one stays, and rotation is retried in a minute. */
static void a_rotated_path_must_work_before_it_takes_over(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path before = ways_only(&w);
  for (size_t i = 0; i < w.node_count; i++)
    if (!ways_has(&before, &w.nodes[i].node))
      w.nodes[i].mood = WORLD_SILENT;
  world_pass(&w, 620 * WORLD_SECOND);
  HOLDS(ways_only(&w).id == before.id);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_FINE;
  world_pass(&w, 60 * WORLD_SECOND);
  HOLDS(ways_only(&w).id != before.id);
done:
  world_end(&w, t);
}

static void a_replaced_busy_path_drains(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  world_pass(&w, 590 * WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1);
  sc_network_path before = ways_only(&w);
  w.nodes[world_index(&w, before.nodes[2].key)].mood = WORLD_SILENT;
  sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(server.x25519, w.server.x.public_key, SC_KEY_BYTES);
  const sc_onion_request http = {.method = SC_ONION_GET, .endpoint = sc_bytes_text("/room")};
  OK(world_ask(&w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER,
                                         .server = &server,
                                         .http = &http,
                                         .timeout = 30 * WORLD_SECOND,
                                         .attempts = 1}));
  world_pass(&w, 15 * WORLD_SECOND);
  sc_network_path paths[4];
  size_t count = sc_network_paths(paths, 4, w.network), draining = 0;
  for (size_t i = 0; i < count; i++)
    draining += paths[i].state == SC_NETWORK_PATH_DRAINING && paths[i].id == before.id;
  HOLDS(draining == 1 && world_active(&w, SC_NETWORK_STANDARD) == 1);
  HOLDS(world_wait(&w, 1));
  world_pass(&w, WORLD_SECOND);
  HOLDS(sc_network_paths(NULL, 0, w.network) == 1);
done:
  world_end(&w, t);
}

static void rotation_can_be_turned_off(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  w.options.path_rotation = SC_NEVER;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path before = ways_only(&w);
  world_pass(&w, 700 * WORLD_SECOND);
  HOLDS(ways_only(&w).id == before.id);
done:
  world_end(&w, t);
}

static void with_few_nodes_paths_exchange_hops(sc_test *t) {
  WORLD(6, 6);
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  HOLDS(ways_disjoint(&w));
  sc_network_path before = ways_only(&w);
  world_pass(&w, w.options.path_rotation + WORLD_SECOND);
  sc_network_path after = ways_only(&w);
  HOLDS(after.length == 3 && sc_node_same(&after.nodes[0], &before.nodes[0]));
  HOLDS(!ways_has(&before, &after.nodes[1]) && !ways_has(&before, &after.nodes[2]));
done:
  world_end(&w, t);
}

SUITE(network_paths_rotate, "network/paths/rotate",
      {"rotation replaces all hops but the guard", rotation_replaces_all_hops_but_the_guard},
      {"defect: a rotated path is idle", defect_a_rotated_path_is_idle},
      {"defect: a rotated path notices its guard", defect_a_rotated_path_notices_its_guard},
      {"an irreplaceable path stays", an_irreplaceable_path_stays},
      {"a rotated path must work before it takes over", a_rotated_path_must_work_before_it_takes_over},
      {"a replaced busy path drains", a_replaced_busy_path_drains},
      {"rotation can be turned off", rotation_can_be_turned_off},
      {"with few nodes paths exchange hops", with_few_nodes_paths_exchange_hops});
