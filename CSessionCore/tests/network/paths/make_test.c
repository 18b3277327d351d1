/* How paths are made: guards, the hops behind them, and what happens when nodes fail. Tests of the
 * reference's defects say so in their names. */
#include "ways.h"

static void only_guards_are_contacted(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  size_t open = 0, asked = 0;
  for (size_t i = 0; i < w.node_count; i++) {
    open += w.nodes[i].connected;
    asked += w.nodes[i].calls + w.nodes[i].called_directly;
  }
  HOLDS(open == 2 && asked == 0);
done:
  world_end(&w, t);
}

static void nodes_of_one_subnet_do_not_share_a_path(sc_test *t) {
  WORLD(32, 32);
  w.options.nodes.subnet_diversity = true;
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].node.ip[2] = (uint8_t)(i / 2);
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  for (uint64_t account = 0; account < 8; account++) {
    sc_path *path;
    const sc_path_wish wish = {.key = {.local_account = account}};
    HOLDS(sc_paths_choose(&path, &w.network->paths, &wish) == SC_PATH_FOUND && path->length == 3);
    for (size_t i = 0; i < path->length; i++)
      for (size_t j = i + 1; j < path->length; j++)
        HOLDS(!sc_node_same_subnet(&path->nodes[i], &path->nodes[j]));
  }
done:
  world_end(&w, t);
}

/* The remembered guard is node 0, and node 1 is in its subnet. */
static sc_status remember_first_node(world *w) {
  sc_buffer file = {0};
  sc_old_guards inherited = {.count = 1};
  inherited.list[0] = (sc_old_guard){.node = w->nodes[0].node, .since = WORLD_WALL};
  sc_status status = sc_old_guards_write(&file, &inherited);
  if (status == SC_OK)
    status =
        sc_network_load(w->network, w->now, SC_NETWORK_OLD_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL);
  sc_buffer_free(&file);
  return status;
}

static void a_guard_is_kept(sc_test *t) {
  static world w;
  for (size_t round = 0; round < 8; round++) {
    world_init(&w, t->env, 12, 12);
    OK(world_start(&w));
    OK(remember_first_node(&w));
    HOLDS(world_connect(&w));
    HOLDS(ways_first(&w) == 0);
    if (round < 7)
      world_end(&w, t);
  }
done:
  world_end(&w, t);
}

/* defect of the reference: neither a kept guard nor its subnet is excluded for the other hops. */
static void defect_a_kept_guard_is_not_chosen_twice(sc_test *t) {
  static world w;
  for (size_t round = 0; round < 16; round++) {
    world_init(&w, t->env, 5, 5);
    w.options.nodes.subnet_diversity = true;
    w.nodes[1].node.ip[2] = w.nodes[0].node.ip[2];
    OK(world_start(&w));
    OK(remember_first_node(&w));
    HOLDS(world_connect(&w));
    sc_network_path path = ways_only(&w);
    HOLDS(ways_first(&w) == 0);
    HOLDS(world_index(&w, path.nodes[1].key) > 1 && world_index(&w, path.nodes[2].key) > 1);
    if (round < 15)
      world_end(&w, t);
  }
done:
  world_end(&w, t);
}

/* When no node replies, this side is offline. */
static void no_node_is_blamed_while_offline(sc_test *t) {
  WORLD(12, 12);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  OK(world_start(&w));
  world_pass(&w, 120 * WORLD_SECOND);
  for (size_t i = 0; i < w.node_count; i++)
    HOLDS(sc_network_node_strikes(w.network, w.nodes[i].node.key) == 0);
done:
  world_end(&w, t);
}

/* Bad input: a peer whose key differs from the list's. Any attacker on the line could cause that. */
static void an_impostor_is_not_struck(sc_test *t) {
  WORLD(12, 12);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_IMPOSTOR;
  OK(world_start(&w));
  world_pass(&w, 20 * WORLD_SECOND); /* after that a seed is called */
  for (size_t i = 0; i < w.node_count; i++)
    HOLDS(sc_network_node_strikes(w.network, w.nodes[i].node.key) == 0);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
done:
  world_end(&w, t);
}

static void building_stops_after_ten_retries(sc_test *t) {
  WORLD(16, 16);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_send(&w, &(sc_network_request){
                        .to = SC_NETWORK_TO_SWARM, .storage = &request, .timeout = 1200 * WORLD_SECOND}));
  world_pass(&w, 1000 * WORLD_SECOND);
  HOLDS(w.outcomes[0].times == 1 && w.outcomes[0].status == SC_ERR_NETWORK_NO_PATH);
  sc_network_status status;
  sc_network_inspect(&status, w.network);
  HOLDS(status.state != SC_NETWORK_CONNECTED && status.why != SC_OK);
done:
  world_end(&w, t);
}

/* Even without requests, paths are rebuilt when the network returns. */
static void abandoned_building_is_tried_again(sc_test *t) {
  WORLD(16, 16);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  OK(world_start(&w));
  world_pass(&w, 100 * WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_FINE;
  world_pass(&w, 65 * WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1);
done:
  world_end(&w, t);
}

/* Two nodes are a network in which one hop leads to the other. */
static void one_hop_is_enough(sc_test *t) {
  WORLD(2, 2);
  w.options.path_length = 1;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  size_t guard = ways_first(&w);
  HOLDS(guard < 2);
  OK(world_call_node(&w, 1 - guard, &info));
  OK(world_call_node(&w, guard, &info));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[0].status == SC_OK && w.nodes[guard].calls >= 1);
done:
  world_end(&w, t);
}

/* There is no way around it, and its failure is reported at once. */
static void the_only_node_is_called_directly(sc_test *t) {
  WORLD(1, 1);
  w.options.path_length = 1;
  OK(world_start(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  OK(world_call_node(&w, 0, &info));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.nodes[0].calls >= 1);
  w.nodes[0].mood = WORLD_DEAF;
  OK(world_call_node(&w, 0, &info));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status != SC_OK);
done:
  world_end(&w, t);
}

static void with_few_nodes_paths_share_them(sc_test *t) {
  WORLD(4, 4);
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  for (size_t i = 0; i < w.node_count; i++)
    OK(world_call_node(&w, i, &info));
  HOLDS(world_wait(&w, w.node_count));
  for (size_t i = 0; i < w.node_count; i++)
    HOLDS(w.outcomes[i].status == SC_OK);
done:
  world_end(&w, t);
}

/* One of four nodes is dead, and the destination is not a hop of its path. The failures show which is dead.
 */
static void with_too_few_nodes_paths_are_shorter(sc_test *t) {
  WORLD(4, 4);
  const size_t dead = 3, rounds = 8;
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  w.nodes[dead].mood = WORLD_DEAF;
  OK(world_start(&w));
  size_t answers = 0;
  for (size_t round = 0; round < rounds && answers < dead; round++) {
    answers = 0;
    for (size_t i = 0; i < dead; i++)
      OK(world_call_node(&w, i, &info));
    HOLDS(world_wait(&w, (round + 1) * dead));
    for (size_t i = 0; i < dead; i++)
      answers += w.outcomes[round * dead + i].status == SC_OK;
  }
  HOLDS(answers == dead);
done:
  world_end(&w, t);
}

static void paths_are_long_again_when_nodes_return(sc_test *t) {
  WORLD(4, 4);
  w.options.nodes.struck_out = 1;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  world_pass(&w, 2 * WORLD_SECOND);
  sc_node used[sc_sample_in_use];
  HOLDS(sc_guards_in_use(used, &w.network->guards) == 2);
  for (size_t i = 0; i < w.node_count; i++)
    if (!sc_node_same(&w.nodes[i].node, &used[0]) && !sc_node_same(&w.nodes[i].node, &used[1]))
      sc_paths_set_aside(&w.network->paths, w.nodes[i].node.key);
  sc_path *path;
  sc_path_wish wish = {.key = {.local_account = 1}};
  HOLDS(sc_paths_choose(&path, &w.network->paths, &wish) == SC_PATH_FOUND && path->length == 1);
  sc_nodes_clear_strikes(w.network->nodes, w.now);
  wish.key.local_account = 2;
  HOLDS(sc_paths_choose(&path, &w.network->paths, &wish) == SC_PATH_FOUND && path->length == 3);
done:
  world_end(&w, t);
}

/* A new list would hardly have more nodes. */
static void with_few_nodes_no_list_is_awaited(sc_test *t) {
  WORLD(6, 6);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  uint64_t began = w.now;
  for (size_t i = 0; i < w.node_count; i++)
    OK(world_call_node(&w, i, &info));
  HOLDS(world_wait(&w, w.node_count));
  HOLDS(w.now - began < WORLD_SECOND / 4);
done:
  world_end(&w, t);
}

static void a_lost_path_is_replaced_by_one_over_the_remaining_nodes(sc_test *t) {
  WORLD(6, 6);
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1);
  size_t first = ways_first(&w);
  w.nodes[first].mood = WORLD_DEAF;
  world_break(&w, first, SC_ERR_QUIC_RESET);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
  OK(world_call_server(&w, "/room"));
  HOLDS(world_wait(&w, 1) && w.outcomes[0].status == SC_OK);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1);
  sc_network_path path = ways_only(&w);
  HOLDS(!ways_has(&path, &w.nodes[first].node));
done:
  world_end(&w, t);
}

static void avoided_nodes_are_skipped(sc_test *t) {
  for (size_t avoided = 6; avoided <= 12; avoided += 6) {
    WORLD(12, 12);
    OK(world_start(&w));
    for (size_t i = 0; i < avoided; i++)
      sc_avoided_add(&w.network->paths.avoided, w.nodes[i].node.key, NULL, w.now, w.node_count);
    world_pass(&w, WORLD_SECOND);
    sc_network_path path = ways_only(&w);
    HOLDS(path.length == 3);
    for (size_t i = 0; i < avoided && avoided < 12; i++)
      HOLDS(!ways_has(&path, &w.nodes[i].node) || ways_first(&w) == i);
  done:
    world_end(&w, t);
  }
}

/* N4: the first guard is connected, but nothing comes back over it. */
static void a_third_attempt_takes_the_guard_that_answers(sc_test *t) {
  WORLD(24, 12);
  sc_node guards[sc_sample_in_use];
  sc_path *path;
  sc_used_hops used = {0};
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  world_pass(&w, WORLD_SECOND);
  HOLDS(sc_guards_in_use(guards, &w.network->guards) == sc_sample_in_use);
  sc_guards_confirm(&w.network->guards, guards[0].key);
  world_pass(&w, WORLD_SECOND);
  for (size_t i = 0; i < sc_sample_in_use; i++)
    sc_used_hops_add(&used, guards[i].key, SC_KEY_BYTES, 1);
  for (size_t i = 0; i < sc_sample_in_use; i++) {
    const sc_path_wish wish = {.key = {.local_account = 1 + i}, .used = &used, .attempts = 2};
    const sc_node answering = guards[i];
    sc_guards_confirm(&w.network->guards, answering.key);
    HOLDS(sc_paths_choose(&path, &w.network->paths, &wish) == SC_PATH_FOUND);
    HOLDS(sc_node_same(sc_path_guard(path), &answering));
    world_pass(&w, WORLD_SECOND);
  }
done:
  world_end(&w, t);
}

SUITE(network_paths_make, "network/paths/make", {"only guards are contacted", only_guards_are_contacted},
      {"nodes of one subnet do not share a path", nodes_of_one_subnet_do_not_share_a_path},
      {"a guard is kept", a_guard_is_kept},
      {"defect: a kept guard is not chosen twice", defect_a_kept_guard_is_not_chosen_twice},
      {"avoided nodes are skipped", avoided_nodes_are_skipped},
      {"no node is blamed while offline", no_node_is_blamed_while_offline},
      {"N4: a third attempt takes the guard that answers", a_third_attempt_takes_the_guard_that_answers},
      {"an impostor is not struck", an_impostor_is_not_struck},
      {"building stops after ten retries", building_stops_after_ten_retries},
      {"abandoned building is tried again", abandoned_building_is_tried_again},
      {"one hop is enough", one_hop_is_enough},
      {"the only node is called directly", the_only_node_is_called_directly},
      {"with few nodes paths share them", with_few_nodes_paths_share_them},
      {"with few nodes no list is awaited", with_few_nodes_no_list_is_awaited},
      {"with too few nodes paths are shorter", with_too_few_nodes_paths_are_shorter},
      {"paths are long again when nodes return", paths_are_long_again_when_nodes_return},
      {"a lost path is replaced by one over the remaining nodes",
       a_lost_path_is_replaced_by_one_over_the_remaining_nodes});
