/* Which path a request takes, and which it may not. */
#include "ways.h"

static void the_least_busy_path_is_taken(sc_test *t) {
  WORLD(24, 24);
  w.options.paths[SC_NETWORK_STANDARD] = 2;
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  for (size_t i = 0; i < 6; i++)
    OK(world_ask_server(&w, "/room"));
  world_pass(&w, WORLD_MS);
  sc_network_path paths[8];
  size_t count = sc_network_paths(paths, 8, w.network);
  HOLDS(count == 2 && paths[0].requests == 3 && paths[1].requests == 3);
  HOLDS(world_wait(&w, 6));
done:
  world_end(&w, t);
}

static void a_path_through_the_destination_is_not_used(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path path = ways_only(&w);
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  for (size_t i = 0; i < path.length; i++)
    OK(world_ask_node(&w, world_index(&w, path.nodes[i].key), &info));
  HOLDS(world_wait(&w, 3));
  for (size_t i = 0; i < 3; i++)
    HOLDS(w.outcomes[i].status == SC_OK);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) >= 2 && ways_disjoint(&w));
done:
  world_end(&w, t);
}

static void a_path_built_for_one_request_is_dropped_later(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path path = ways_only(&w);
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(world_ask_node(&w, world_index(&w, path.nodes[1].key), &info));
  HOLDS(world_wait(&w, 1));
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 2);
  world_pass(&w, 61 * WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1);
done:
  world_end(&w, t);
}

static void with_one_path_its_ends_are_not_destinations(sc_test *t) {
  WORLD(12, 12);
  w.options.single_path = true;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path path = ways_only(&w);
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  for (size_t i = 0; i < path.length; i++)
    OK(world_ask_node(&w, world_index(&w, path.nodes[i].key), &info));
  HOLDS(world_wait(&w, 3));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_DESTINATION);
  HOLDS(w.outcomes[1].status == SC_OK);
  HOLDS(w.outcomes[2].status == SC_ERR_NETWORK_DESTINATION);
done:
  world_end(&w, t);
}

/* defect of the reference: with one path, counters of file requests are kept where they are never read. */
static void defect_with_a_single_path_file_requests_are_counted(sc_test *t) {
  WORLD(12, 12);
  w.options.single_path = true;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_ask(&w, &(sc_network_request){
                       .to = SC_NETWORK_TO_SWARM, .storage = &request, .category = SC_NETWORK_FILE}));
  world_pass(&w, WORLD_MS);
  HOLDS(ways_only(&w).requests == 1);
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && ways_only(&w).requests == 0);
  HOLDS(sc_network_paths(NULL, 0, w.network) == 1);
done:
  world_end(&w, t);
}

/* Requests over a dead guard reach no member, so that asking them again is not in vain. */
static void with_one_path_members_are_asked_again_over_another_guard(sc_test *t) {
  WORLD(12, 4);
  w.options.single_path = true;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  size_t guard = world_index(&w, ways_only(&w).nodes[0].key);
  w.nodes[guard].mood = WORLD_SILENT;
  const sc_storage_request request = world_retrieve(&w, guard, 0);
  OK(world_ask_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
done:
  world_end(&w, t);
}

SUITE(network_paths_choose, "network/paths/choose",
      {"the least busy path is taken", the_least_busy_path_is_taken},
      {"a path through the destination is not used", a_path_through_the_destination_is_not_used},
      {"a path built for one request is dropped later", a_path_built_for_one_request_is_dropped_later},
      {"with one path its ends are not destinations", with_one_path_its_ends_are_not_destinations},
      {"with one path, members are asked again over another guard",
       with_one_path_members_are_asked_again_over_another_guard},
      {"defect: with a single path, file requests are counted",
       defect_with_a_single_path_file_requests_are_counted});
