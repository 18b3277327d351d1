/* Paths over time: each has its life, its key, and a place among a limited number. Tests of the reference's
 * defects say so in their names. */
#include "ways.h"

static const uint64_t minute = 60 * WORLD_SECOND;

/* Asks a server on behalf of a local account, and waits for its reply. */
static bool call_as(world *w, uint64_t local_account) {
  sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(server.x25519, w->server.x.public_key, SC_KEY_BYTES);
  const sc_onion_request http = {.method = SC_ONION_GET, .endpoint = sc_bytes_text("/room")};
  return world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER,
                                             .server = &server,
                                             .http = &http,
                                             .local_account = local_account}) == SC_OK &&
         world_wait(w, w->outcome_count) && w->outcomes[w->outcome_count - 1].status == SC_OK;
}

static size_t paths_of(const world *w, uint64_t local_account) {
  sc_network_path paths[128];
  size_t count = sc_network_paths(paths, 128, w->network), found = 0;
  for (size_t i = 0; i < count; i++)
    found += paths[i].local_account == local_account && paths[i].state == SC_NETWORK_PATH_ACTIVE;
  return found;
}

/* Ten minutes from its first use, give or take two. */
static void a_path_lives_for_ten_minutes(sc_test *t) {
  uint64_t ends[3] = {0};
  for (size_t round = 0; round < 3; round++) {
    WORLD(40, 40);
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    world_pass(&w, 20 * minute);
    HOLDS(call_as(&w, 7 + round) && paths_of(&w, 7 + round) == 1);
    uint64_t began = w.now, built = w.network->paths.built;
    for (size_t i = 0; i < 2; i++) {
      world_pass(&w, 4 * minute - WORLD_SECOND);
      HOLDS(call_as(&w, 7 + round) && paths_of(&w, 7 + round) == 1);
    }
    HOLDS(w.network->paths.built == built);
    while (paths_of(&w, 7 + round) == 1 && w.now - began < 13 * minute)
      world_pass(&w, WORLD_SECOND);
    ends[round] = w.now - began;
    HOLDS(ends[round] <= 12 * minute + WORLD_SECOND);
    HOLDS(call_as(&w, 7 + round) && paths_of(&w, 7 + round) == 1);
  done:
    world_end(&w, t);
  }
}

static void a_path_that_ends_keeps_its_requests(sc_test *t) {
  WORLD(40, 40);
  w.options.path_life = 5 * WORLD_SECOND;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.late_calls = 1;
  w.late_by = 8 * WORLD_SECOND;
  HOLDS(call_as(&w, 1));
  HOLDS(paths_of(&w, 1) == 0);
  HOLDS(w.outcomes[0].attempts == 1);
done:
  world_end(&w, t);
}

/* Asks about another account, for a path with another target, and forgets what came of it. */
static bool call_about(world *w, uint64_t local_account, uint8_t number) {
  sc_storage_request request = world_retrieve(w, 5, 0);
  request.account[SC_STORAGE_ACCOUNT_BYTES - 1] = number;
  bool good = world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM,
                                                  .storage = &request,
                                                  .local_account = local_account}) == SC_OK &&
              world_wait(w, 1) && w->outcomes[0].times == 1;
  w->outcome_count = w->seen_count = 0;
  memset(w->outcomes, 0, sizeof w->outcomes);
  return good;
}

static void the_path_of_an_account_not_used_for_longest_makes_room(sc_test *t) {
  WORLD(64, 64);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  HOLDS(call_about(&w, 2, 0));
  for (uint8_t number = 1; number <= sc_paths_most; number++)
    HOLDS(call_about(&w, 1, number) && call_about(&w, 1, 1));
  HOLDS(paths_of(&w, 1) == sc_paths_most);
  uint64_t built = w.network->paths.built;
  HOLDS(call_about(&w, 1, sc_paths_most + 1) && paths_of(&w, 1) == sc_paths_most);
  HOLDS(call_about(&w, 1, 1) && w.network->paths.built == built + 1);
  HOLDS(call_about(&w, 1, 2) && w.network->paths.built == built + 2);
  HOLDS(call_about(&w, 2, 0) && w.network->paths.built == built + 2);
done:
  world_end(&w, t);
}

/* With many accounts, none of them costs another its path, and all share the connections. */
static void two_hundred_accounts_have_a_path_each(sc_test *t) {
  enum { accounts = 200 };
  WORLD(64, 64);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  for (uint64_t account = 1; account <= accounts; account++)
    HOLDS(call_about(&w, account, 0));
  uint64_t built = w.network->paths.built;
  for (uint64_t account = 1; account <= accounts; account++)
    HOLDS(call_about(&w, account, 0));
  HOLDS(w.network->paths.built == built);
  sc_network_account state;
  for (uint64_t account = 1; account <= accounts; account++) {
    sc_network_inspect_account(&state, w.network, account);
    HOLDS(state.paths == 1 && state.requests == 0);
  }
  size_t open = 0;
  for (size_t i = 0; i < w.node_count; i++)
    open += w.nodes[i].open;
  HOLDS(open == sc_sample_in_use);
done:
  world_end(&w, t);
}

static void an_idle_path_is_small(sc_test *t) {
  CHECK(sizeof(sc_path) <= 2048);
done:;
}

/* The person who replaces the guards does not want to use the old ones for ten minutes more. */
static void paths_end_with_their_guard(sc_test *t) {
  WORLD(40, 40);
  OK(world_start(&w));
  HOLDS(world_connect(&w) && call_as(&w, 1));
  sc_guards *guards = &w.network->guards;
  OK(sc_network_reset_guards(w.network, w.now));
  sc_network_path paths[8];
  size_t count = sc_network_paths(paths, 8, w.network);
  for (size_t i = 0; i < count; i++)
    HOLDS(paths[i].state != SC_NETWORK_PATH_ACTIVE || sc_guards_has(guards, paths[i].nodes[0].key));
done:
  world_end(&w, t);
}

/* A path whose last hop becomes a guard or a middle takes no more requests. */
static void no_node_has_two_places(sc_test *t) {
  WORLD(40, 40);
  OK(world_start(&w));
  HOLDS(world_connect(&w) && call_as(&w, 1));
  sc_path *path = w.network->paths.first;
  sc_sample *sample = &w.network->guards.sample;
  HOLDS(path->state == SC_PATH_ACTIVE && path->length == 3 && sample->middle_count > 0);
  memcpy(sample->middles[0].key, path->nodes[2].key, SC_KEY_BYTES);
  sc_paths_review(&w.network->paths);
  HOLDS(path->state != SC_PATH_ACTIVE);
done:
  world_end(&w, t);
}

/* defect of the reference: the request that tests a new path is counted on it for good. */
static void defect_paths_are_idle_when_nothing_is_on_its_way(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w) && call_as(&w, 1));
  sc_network_path paths[8];
  size_t count = sc_network_paths(paths, 8, w.network);
  HOLDS(count == 2);
  for (size_t i = 0; i < count; i++)
    HOLDS(paths[i].requests == 0);
done:
  world_end(&w, t);
}

/* defect of the reference: a path made later does not notice the loss of its guard. */
static void defect_each_path_notices_the_loss_of_its_guard(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w) && call_as(&w, 1) && call_as(&w, 2));
  world_break(&w, ways_first(&w), SC_ERR_QUIC_RESET);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
  HOLDS(world_connect(&w) && call_as(&w, 1) && paths_of(&w, 1) == 1);
done:
  world_end(&w, t);
}

SUITE(network_paths_paths, "network/paths/paths",
      {"a path lives for ten minutes", a_path_lives_for_ten_minutes},
      {"a path that ends keeps its requests", a_path_that_ends_keeps_its_requests},
      {"I4: the path of an account not used for longest makes room",
       the_path_of_an_account_not_used_for_longest_makes_room},
      {"two hundred accounts have a path each", two_hundred_accounts_have_a_path_each},
      {"an idle path is small", an_idle_path_is_small},
      {"paths end with their guard", paths_end_with_their_guard},
      {"no node has two places", no_node_has_two_places},
      {"defect: paths are idle when nothing is on its way", defect_paths_are_idle_when_nothing_is_on_its_way},
      {"defect: each path notices the loss of its guard", defect_each_path_notices_the_loss_of_its_guard});
