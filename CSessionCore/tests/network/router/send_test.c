/* Routing: requests over three hops, to nodes and servers. */
#include "world.h"

static void a_request_reaches_its_swarm(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
  HOLDS(w.outcomes[0].code == 200 && w.outcomes[0].attempts == 1);
  HOLDS(strstr(w.outcomes[0].body, "\"messages\":[]") != NULL);
  size_t node = world_index(&w, w.outcomes[0].node);
  HOLDS(node < w.node_count && w.nodes[node].node.swarm == w.nodes[5].node.swarm);
done:
  world_end(&w, t);
}

static void a_request_reaches_a_node(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(world_call_node(&w, 3, &info));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
  HOLDS(w.nodes[3].answered == 1);
done:
  world_end(&w, t);
}

static void a_request_reaches_any_node(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_ANY_NODE, .storage = &info}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
done:
  world_end(&w, t);
}

static void a_request_reaches_a_server(sc_test *t) {
  WORLD(6, 6);
  OK(world_start(&w));
  OK(world_call_server(&w, "/room"));
  OK(world_call_server(&w, "/missing"));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].code == 200);
  HOLDS(strcmp(w.outcomes[0].body, "served") == 0);
  HOLDS(w.outcomes[1].status == SC_ERR_REQUEST_FAILED && w.outcomes[1].code == 404);
done:
  world_end(&w, t);
}

static void a_path_has_three_hops_and_not_the_destination(sc_test *t) {
  WORLD(4, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path path;
  HOLDS(world_path(&path, &w, SC_NETWORK_STANDARD));
  HOLDS(path.length == 3);
  const sc_storage_request request = world_retrieve(&w, 0, 0);
  for (size_t i = 0; i < 8; i++)
    OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 8));
  for (size_t i = 0; i < w.seen_count; i++)
    for (size_t hop = 0; hop < 3; hop++)
      HOLDS(w.seen[i].node != world_index(&w, path.nodes[hop].key));
done:
  world_end(&w, t);
}

static void a_pool_is_fetched_first(sc_test *t) {
  WORLD(12, 4);
  OK(world_start_empty(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
  HOLDS(w.nodes[0].called_directly == 1);
  HOLDS(w.saves[SC_NETWORK_POOL_FILE] == 1 && w.saves[SC_NETWORK_OLD_GUARDS_FILE] >= 1);
done:
  world_end(&w, t);
}

/* A node called directly for the list is not needed any more. */
static void the_seeds_connection_is_closed(sc_test *t) {
  WORLD(12, 4);
  OK(world_start_empty(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_ANY_NODE, .storage = &info}));
  HOLDS(world_wait(&w, 1));
  sc_network_path path;
  HOLDS(world_path(&path, &w, SC_NETWORK_STANDARD));
  HOLDS(w.nodes[0].open == (world_index(&w, path.nodes[0].key) == 0));
done:
  world_end(&w, t);
}

static void a_request_without_nodes_fails(sc_test *t) {
  WORLD(12, 4);
  w.nodes[0].mood = WORLD_DEAF;
  OK(world_start_empty(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_send(&w, &(sc_network_request){
                        .to = SC_NETWORK_TO_SWARM, .storage = &request, .timeout = 50 * WORLD_SECOND}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_NO_NODES || w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT);
done:
  world_end(&w, t);
}

static void a_node_outside_the_network_cannot_be_called(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_NODE, .storage = &info, .node = {9}}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_UNKNOWN_NODE);
done:
  world_end(&w, t);
}

static void contradictory_requests_are_refused(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  sc_storage_request two[2] = {world_retrieve(&w, 5, 0), world_retrieve(&w, 1, 0)};
  const sc_storage_request mixed = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  const sc_storage_request empty = {.method = SC_STORAGE_BATCH};
  FAILS(SC_ERR_ARGUMENT, world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_NODE}));
  FAILS(SC_ERR_ARGUMENT, world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER, .storage = &info}));
  FAILS(SC_ERR_ARGUMENT, world_send(&w, &(sc_network_request){.storage = &info}));
  FAILS(SC_ERR_ARGUMENT, world_call_swarm(&w, &info));
  FAILS(SC_ERR_ARGUMENT, world_call_swarm(&w, &mixed));
  FAILS(SC_ERR_STORAGE_BATCH, world_call_node(&w, 1, &empty));
done:
  world_end(&w, t);
}

typedef struct found {
  sc_status status;
  size_t count;
  size_t times;
  sc_node nodes[world_most_nodes];
} found;

static void note_found(void *user, sc_network_ticket ticket, sc_status status, const sc_node *nodes,
                       size_t count) {
  found *f = user;
  (void)ticket;
  *f = (found){.status = status, .count = count, .times = f->times + 1};
  for (size_t i = 0; i < count; i++)
    f->nodes[i] = nodes[i];
}

static void a_swarm_is_found(sc_test *t) {
  WORLD(12, 4);
  found f = {0};
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  sc_network_ticket ticket;
  world_account(account, &w, 5);
  OK(world_start_empty(&w));
  OK(sc_network_find_swarm(&ticket, w.network, w.now, account, note_found, &f));
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(f.times == 1 && f.status == SC_OK && f.count == 4);
done:
  world_end(&w, t);
}

static void a_swarm_is_listed_without_nodes_set_aside(sc_test *t) {
  WORLD(12, 12);
  static found f;
  f = (found){0};
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  world_account(account, &w, 5);
  OK(world_start(&w));
  for (size_t i = 0; i < w.node_count; i += 2)
    sc_paths_set_aside(&w.network->paths, w.nodes[i].node.key);
  OK(sc_network_find_swarm(NULL, w.network, w.now, account, note_found, &f));
  world_pass(&w, WORLD_SECOND);
  HOLDS(f.times == 1 && f.count >= 6 && f.count < 12);
  for (size_t i = 0; i < f.count; i++)
    HOLDS(sc_network_node_strikes(w.network, f.nodes[i].key) == 0);
done:
  world_end(&w, t);
}

static void a_ticket_is_optional(sc_test *t) {
  WORLD(12, 4);
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  world_account(account, &w, 5);
  OK(world_start(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(sc_network_send(NULL, w.network, w.now,
                     &(sc_network_request){.to = SC_NETWORK_TO_ANY_NODE, .storage = &info}));
  FAILS(SC_ERR_ARGUMENT, sc_network_find_swarm(NULL, w.network, w.now, account, NULL, NULL));
  world_pass(&w, WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 1);
done:
  world_end(&w, t);
}

/* A swarm lookup notices the age of the list; the present list is used meanwhile. */
static void an_old_list_is_refreshed_in_the_background(sc_test *t) {
  WORLD(12, 4);
  w.options.path_life = 0;
  OK(world_start(&w));
  world_pass(&w, 7201 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_ACTIVE_NODES) == 0);
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 1);
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_ACTIVE_NODES) == 3);
done:
  world_end(&w, t);
}

/* A node older than the binary list is asked for the JSON list on the same connection. */
static void an_old_seed_is_asked_for_the_json_list(sc_test *t) {
  WORLD(6, 6);
  w.are_old = true;
  OK(world_start_empty(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.nodes[0].called_directly == 2);
done:
  world_end(&w, t);
}

static void small_requests_use_their_own_stream(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_ANY_NODE, .storage = &info}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.small_calls == 0);
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_ANY_NODE, .storage = &info, .small = true}));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.small_calls == 1);
done:
  world_end(&w, t);
}

/* Bad input: nothing can be sealed for this key. */
static void a_server_needs_a_valid_key(sc_test *t) {
  WORLD(6, 6);
  OK(world_start(&w));
  const sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  const sc_onion_request http = {.method = SC_ONION_GET, .endpoint = sc_bytes_text("/room")};
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER, .server = &server, .http = &http}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_KEY_INVALID && w.outcomes[0].attempts == 0);
done:
  world_end(&w, t);
}

static sc_status call_of_namespace(world *w, int16_t number) {
  const sc_storage_request request = world_retrieve(w, 5, number);
  return world_call_swarm(w, &request);
}

/* Another request arrived while there was no path: it waits its turn. */
static void retries_go_first(sc_test *t) {
  WORLD(12, 4);
  w.options.request_timeout = 60 * WORLD_SECOND;
  for (size_t i = 4; i < 8; i++) {
    w.nodes[i].mood = WORLD_ANSWERS;
    w.nodes[i].code = 503;
    w.nodes[i].text = "busy";
  }
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(call_of_namespace(&w, 1));
  world_pass(&w, (world_latency_ms + 1) * WORLD_MS);
  HOLDS(w.seen_count == 1);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  for (size_t i = 0; i < w.node_count; i++)
    world_break(&w, i, SC_ERR_QUIC_RESET);
  OK(call_of_namespace(&w, 2));
  world_pass(&w, WORLD_SECOND);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_FINE;
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[0].attempts == 2 && w.outcomes[1].attempts == 1);
  HOLDS(strstr(w.seen[1].text, "\"namespace\":1,") != NULL);
  HOLDS(strstr(w.seen[2].text, "\"namespace\":2,") != NULL);
done:
  world_end(&w, t);
}

SUITE(network_router_send, "network/router/send",
      {"a request reaches its swarm", a_request_reaches_its_swarm},
      {"a request reaches a node", a_request_reaches_a_node},
      {"a request reaches any node", a_request_reaches_any_node},
      {"a request reaches a server", a_request_reaches_a_server},
      {"a path has three hops, and not the destination", a_path_has_three_hops_and_not_the_destination},
      {"a pool is fetched first", a_pool_is_fetched_first},
      {"the seed's connection is closed", the_seeds_connection_is_closed},
      {"a request without nodes fails", a_request_without_nodes_fails},
      {"a node outside the network cannot be called", a_node_outside_the_network_cannot_be_called},
      {"contradictory requests are refused", contradictory_requests_are_refused},
      {"a swarm is found", a_swarm_is_found},
      {"a swarm is listed without nodes set aside", a_swarm_is_listed_without_nodes_set_aside},
      {"a ticket is optional", a_ticket_is_optional},
      {"an old list is refreshed in the background", an_old_list_is_refreshed_in_the_background},
      {"an old seed is asked for the JSON list", an_old_seed_is_asked_for_the_json_list},
      {"small requests use their own stream", small_requests_use_their_own_stream},
      {"a server needs a valid key", a_server_needs_a_valid_key}, {"retries go first", retries_go_first});
