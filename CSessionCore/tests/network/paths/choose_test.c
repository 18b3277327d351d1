/* Which path a request takes, and which it may not. */
#include "ways.h"

enum { most = 32 };

/* The requests of one local account for four targets: two swarms, a server, and a file. */
static sc_status call_everything_as(world *w, uint64_t local_account) {
  sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(server.x25519, w->server.x.public_key, SC_KEY_BYTES);
  const sc_onion_request http = {.method = SC_ONION_GET, .endpoint = sc_bytes_text("/room")};
  const sc_storage_request first = world_retrieve(w, 0, 0), second = world_retrieve(w, 25, 0);
  sc_network_request swarm = {.to = SC_NETWORK_TO_SWARM, .storage = &first, .local_account = local_account};
  sc_network_request other = {.to = SC_NETWORK_TO_SWARM, .storage = &second, .local_account = local_account};
  sc_network_request to_server = {
      .to = SC_NETWORK_TO_SERVER, .server = &server, .http = &http, .local_account = local_account};
  sc_network_request file = to_server;
  file.category = SC_NETWORK_FILE;
  sc_status status = world_send(w, &swarm);
  if (status == SC_OK)
    status = world_send(w, &other);
  if (status == SC_OK)
    status = world_send(w, &to_server);
  return status == SC_OK ? world_send(w, &file) : status;
}

static bool all_went_well(world *w) {
  bool good = world_wait(w, w->outcome_count);
  for (size_t i = 0; i < w->outcome_count; i++)
    good &= w->outcomes[i].status == SC_OK;
  return good;
}

/* I1, I2: no last hop learns that two targets, or two accounts, belong together. */
static void each_account_and_target_has_a_path_of_its_own(sc_test *t) {
  WORLD(50, 25);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(call_everything_as(&w, 1));
  OK(call_everything_as(&w, 2));
  HOLDS(all_went_well(&w));
  OK(call_everything_as(&w, 1));
  HOLDS(all_went_well(&w));
  sc_network_path paths[most];
  size_t count = sc_network_paths(paths, most, w.network), of[3] = {0}, files = 0;
  for (size_t i = 0; i < count; i++) {
    HOLDS(paths[i].local_account <= 2 && paths[i].length == 3);
    of[paths[i].local_account]++;
    files += paths[i].category == SC_NETWORK_FILE && paths[i].target == SC_NETWORK_FOR_FILE;
    for (size_t k = 0; k < i; k++)
      HOLDS(!sc_node_same(&paths[i].nodes[2], &paths[k].nodes[2]));
  }
  HOLDS(of[0] == 1 && of[1] == 4 && of[2] == 4 && files == 2);
done:
  world_end(&w, t);
}

/* A file has no name before it is uploaded. */
static void each_file_has_a_path_of_its_own(sc_test *t) {
  WORLD(50, 25);
  static const char *const bodies[] = {"first", "second", "first"};
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(server.x25519, w.server.x.public_key, SC_KEY_BYTES);
  for (size_t i = 0; i < 3; i++) {
    const sc_onion_request http = {.method = SC_ONION_POST,
                                   .endpoint = sc_bytes_text("/room"),
                                   .has_body = true,
                                   .body = sc_bytes_text(bodies[i])};
    OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER,
                                            .server = &server,
                                            .http = &http,
                                            .category = SC_NETWORK_FILE,
                                            .local_account = 1}));
    HOLDS(all_went_well(&w));
  }
  HOLDS(world_active(&w, SC_NETWORK_FILE) == 2);
done:
  world_end(&w, t);
}

/* I3 */
static void requests_of_two_accounts_share_no_batch(sc_test *t) {
  WORLD(50, 25);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 0, 0);
  for (uint64_t account = 1; account <= 2; account++)
    for (size_t i = 0; i < 2; i++)
      OK(world_send(&w, &(sc_network_request){
                            .to = SC_NETWORK_TO_SWARM, .storage = &request, .local_account = account}));
  HOLDS(all_went_well(&w));
  size_t batches = 0;
  for (size_t i = 0; i < w.seen_count; i++)
    batches += w.seen[i].batch == 2;
  HOLDS(batches == 2);
done:
  world_end(&w, t);
}

static void a_batch_about_two_accounts_is_refused(sc_test *t) {
  WORLD(50, 25);
  OK(world_start(&w));
  const sc_storage_request two[] = {world_retrieve(&w, 0, 0), world_retrieve(&w, 25, 0)};
  const sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  sc_network_request request = {.to = SC_NETWORK_TO_NODE, .storage = &batch, .local_account = 1};
  memcpy(request.node, w.nodes[3].node.key, SC_KEY_BYTES);
  FAILS(SC_ERR_STORAGE_BATCH, world_send(&w, &request));
  request.local_account = 0;
  OK(world_send(&w, &request));
  HOLDS(world_wait(&w, 1));
done:
  world_end(&w, t);
}

/* N14: though the path of the first account ended, for ten minutes. */
static void another_account_gets_another_last_hop(sc_test *t) {
  WORLD(40, 40);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  uint8_t seen[most][SC_KEY_BYTES];
  for (size_t i = 0; i < 12; i++) {
    const sc_storage_request request = world_retrieve(&w, 0, 0);
    OK(world_send(
        &w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .local_account = 1 + i}));
    HOLDS(all_went_well(&w));
    sc_path *path = w.network->paths.first;
    HOLDS(path->key.local_account == 1 + i);
    for (size_t k = 0; k < i; k++)
      HOLDS(memcmp(seen[k], sc_path_last(path)->key, SC_KEY_BYTES) != 0);
    memcpy(seen[i], sc_path_last(path)->key, SC_KEY_BYTES);
    sc_path_retire(path);
    world_pass(&w, 10 * WORLD_SECOND);
  }
done:
  world_end(&w, t);
}

static void a_path_through_the_destination_is_not_used(sc_test *t) {
  WORLD(40, 40);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path path = ways_only(&w);
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  for (size_t i = 0; i < path.length; i++)
    OK(world_call_node(&w, world_index(&w, path.nodes[i].key), &info));
  HOLDS(all_went_well(&w));
  for (size_t i = 0; i < path.length; i++) {
    sc_path *taken;
    const sc_path_wish wish = {.destination = path.nodes[i].key};
    HOLDS(sc_paths_choose(&taken, &w.network->paths, &wish) == SC_PATH_FOUND);
    HOLDS(sc_path_place_of(taken, path.nodes[i].key) == SC_ONION_NO_NODE);
  }
done:
  world_end(&w, t);
}

/* Guards and middles learn enough as it is. */
static void guards_and_middles_are_no_last_hops(sc_test *t) {
  WORLD(64, 64);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_guards *guards = &w.network->guards;
  for (size_t i = 0; i < 40; i++) {
    const sc_path_wish wish = {.key = {.local_account = 1 + i}};
    sc_path *path;
    HOLDS(sc_paths_choose(&path, &w.network->paths, &wish) == SC_PATH_FOUND && path->length == 3);
    HOLDS(sc_guards_has(guards, path->nodes[0].key) && sc_guards_has_middle(guards, path->nodes[1].key));
    HOLDS(!sc_guards_has(guards, path->nodes[2].key) && !sc_guards_has_middle(guards, path->nodes[2].key));
  }
done:
  world_end(&w, t);
}

static void files_and_retries_take_the_other_guard(sc_test *t) {
  WORLD(64, 64);
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  sc_node used[sc_sample_in_use];
  HOLDS(sc_guards_in_use(used, &w.network->guards) == 2);
  sc_path_wish wish = {.key = {.local_account = 1}};
  sc_path *path, *file, *again;
  HOLDS(sc_paths_choose(&path, &w.network->paths, &wish) == SC_PATH_FOUND);
  wish.category = SC_NETWORK_FILE;
  HOLDS(sc_paths_choose(&file, &w.network->paths, &wish) == SC_PATH_FOUND);
  HOLDS(sc_node_same(sc_path_guard(path), &used[0]) && sc_node_same(sc_path_guard(file), &used[1]));
  sc_used_hops hops = {0};
  sc_used_hops_add(&hops, path->hops[0].ed25519, sizeof path->hops[0], path->length);
  wish = (sc_path_wish){.key = wish.key, .used = &hops, .attempts = 1};
  HOLDS(sc_paths_choose(&again, &w.network->paths, &wish) == SC_PATH_FOUND);
  for (size_t i = 0; i < 3; i++)
    HOLDS(!sc_node_same(&again->nodes[i], &path->nodes[i]));
done:
  world_end(&w, t);
}

/* L2: the network's own requests. */
static void requests_at_once_for_the_network_take_several_paths(sc_test *t) {
  WORLD(64, 64);
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  const sc_path_wish wish = {.alone = true};
  sc_path *taken[4];
  size_t over_first = 0;
  for (size_t i = 0; i < 4; i++) {
    HOLDS(sc_paths_choose(&taken[i], &w.network->paths, &wish) == SC_PATH_FOUND && taken[i]->requests == 0);
    sc_paths_begin(taken[i]);
    over_first += sc_node_same(sc_path_guard(taken[i]), sc_path_guard(taken[0]));
  }
  HOLDS(over_first == 2);
done:
  for (sc_path *path = w.network != NULL ? w.network->paths.first : NULL; path != NULL; path = path->next)
    while (path->requests > 0)
      sc_paths_end(path);
  world_end(&w, t);
}

/* It is not the path but the destination, so that no more are made. */
static void with_enough_doubted_paths_no_more_are_made(sc_test *t) {
  WORLD(40, 40);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_path_wish wish = {.key = {.local_account = 1}};
  for (size_t i = 0; i < 10; i++) {
    sc_path *path;
    HOLDS(sc_paths_choose(&path, &w.network->paths, &wish) == SC_PATH_FOUND);
    path->is_doubted = true;
  }
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1 + sc_paths_most_of_key);
done:
  world_end(&w, t);
}

SUITE(network_paths_choose, "network/paths/choose",
      {"each account and target has a path of its own", each_account_and_target_has_a_path_of_its_own},
      {"each file has a path of its own", each_file_has_a_path_of_its_own},
      {"requests of two accounts share no batch", requests_of_two_accounts_share_no_batch},
      {"a batch about two accounts is refused", a_batch_about_two_accounts_is_refused},
      {"another account gets another last hop", another_account_gets_another_last_hop},
      {"a path through the destination is not used", a_path_through_the_destination_is_not_used},
      {"guards and middles are no last hops", guards_and_middles_are_no_last_hops},
      {"files and retries take the other guard", files_and_retries_take_the_other_guard},
      {"requests at once for the network take several paths",
       requests_at_once_for_the_network_take_several_paths},
      {"with enough doubted paths no more are made", with_enough_doubted_paths_no_more_are_made});
