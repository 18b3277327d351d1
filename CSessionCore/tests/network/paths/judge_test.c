/* When a path failed, and whom that makes suspect. */
#include "ways.h"

static sc_route route_to(const sc_path *path, const uint8_t *destination, bool is_to_node) {
  return (sc_route){
      .hops = path->hops, .hop_count = path->length, .destination = destination, .is_to_node = is_to_node};
}

static void fail_to(world *w, sc_path *path, const uint8_t *destination) {
  const sc_route route = route_to(path, destination, true);
  sc_paths_failed(&w->network->paths, path, &route);
}

static void work_to(world *w, sc_path *path, const uint8_t *destination) {
  const sc_route route = route_to(path, destination, true);
  sc_paths_worked(&w->network->paths, path, &route);
}

static sc_path *path_at(const world *w, size_t place) {
  for (sc_path *path = w->network->paths.first; path != NULL; path = path->next)
    if (path->state == SC_PATH_ACTIVE && path->category == SC_NETWORK_STANDARD && place-- == 0)
      return path;
  return NULL;
}

static const uint8_t node_one[SC_KEY_BYTES] = {1, 200}, node_two[SC_KEY_BYTES] = {2, 200},
                     node_three[SC_KEY_BYTES] = {3, 200};

static size_t waiting_for(const world *w, const uint8_t *key) {
  const sc_suspicions *suspicions = &w->network->paths.suspicions;
  size_t count = 0;
  for (size_t i = 0; i < suspicions->waiting_count; i++)
    count += memcmp(suspicions->waiting[i].key, key, SC_KEY_BYTES) == 0;
  return count;
}

/* Paths of several keys. */
static bool start_with_paths(world *w, uint32_t count) {
  if (world_start(w) != SC_OK)
    return false;
  world_pass(w, WORLD_SECOND);
  for (uint32_t i = 1; i < count; i++) {
    sc_path *path;
    const sc_path_wish wish = {.key = {.local_account = i}};
    if (sc_paths_choose(&path, &w->network->paths, &wish) != SC_PATH_FOUND)
      return false;
  }
  return world_active(w, SC_NETWORK_STANDARD) == count;
}

/* A path of the same key as the first had. */
static bool make_another(world *w) {
  sc_path *path;
  const sc_path_wish wish = {.category = SC_NETWORK_STANDARD};
  return sc_paths_choose(&path, &w->network->paths, &wish) == SC_PATH_FOUND;
}

static void one_destination_says_nothing(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  for (size_t i = 0; i < 5; i++)
    fail_to(&w, path, node_one);
  HOLDS(path->state == SC_PATH_ACTIVE && path->is_doubted && path->failure_count == 1);
  HOLDS(w.network->paths.suspicions.waiting_count == 0);
done:
  world_end(&w, t);
}

static void two_destinations_end_a_path(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  const sc_node guard = path->nodes[0], middle = path->nodes[1], last = path->nodes[2];
  fail_to(&w, path, node_one);
  fail_to(&w, path, node_two);
  HOLDS(path->state != SC_PATH_ACTIVE);
  HOLDS(waiting_for(&w, last.key) == 1 && waiting_for(&w, node_one) == 1 && waiting_for(&w, node_two) == 1);
  HOLDS(waiting_for(&w, guard.key) == 0 && waiting_for(&w, middle.key) == 0);
done:
  world_end(&w, t);
}

static void a_success_between_two_failures_forgives(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  fail_to(&w, path, node_one);
  work_to(&w, path, node_three);
  HOLDS(!path->is_doubted && path->failure_count == 0);
  fail_to(&w, path, node_two);
  HOLDS(path->state == SC_PATH_ACTIVE);
done:
  world_end(&w, t);
}

/* The destination is well, so it was the path. */
static void an_answer_over_another_path_tells_which_failed(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 2));
  sc_path *bad = path_at(&w, 0), *good = path_at(&w, 1);
  const sc_node last = bad->nodes[2];
  fail_to(&w, bad, node_one);
  work_to(&w, good, node_two);
  HOLDS(bad->state == SC_PATH_ACTIVE);
  work_to(&w, good, node_one);
  HOLDS(bad->state != SC_PATH_ACTIVE && good->state == SC_PATH_ACTIVE);
  HOLDS(waiting_for(&w, node_one) == 0);
  HOLDS(w.network->paths.suspicions.count == 1);
  HOLDS(memcmp(w.network->paths.suspicions.list[0].key, last.key, SC_KEY_BYTES) == 0);
done:
  world_end(&w, t);
}

static void an_earlier_answer_over_another_path_tells_as_well(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 2));
  sc_path *bad = path_at(&w, 0), *good = path_at(&w, 1);
  work_to(&w, good, node_one);
  fail_to(&w, bad, node_one);
  HOLDS(bad->state != SC_PATH_ACTIVE);
done:
  world_end(&w, t);
}

static void an_old_answer_tells_nothing(sc_test *t) {
  WORLD(24, 24);
  w.options.path_life = 0;
  HOLDS(start_with_paths(&w, 2));
  sc_path *bad = path_at(&w, 0), *good = path_at(&w, 1);
  work_to(&w, good, node_one);
  for (size_t i = 0; i < 3; i++) {
    world_pass(&w, 201 * WORLD_SECOND);
    bad->used_at = good->used_at = w.now; /* so that the connection is kept */
  }
  fail_to(&w, bad, node_one);
  HOLDS(bad->state == SC_PATH_ACTIVE);
done:
  world_end(&w, t);
}

/* The path works, so it was the destination. */
static void a_path_that_works_makes_the_destination_suspect(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  fail_to(&w, path, node_one);
  work_to(&w, path, node_two);
  HOLDS(w.network->paths.suspicions.count == 1);
  HOLDS(memcmp(w.network->paths.suspicions.list[0].key, node_one, SC_KEY_BYTES) == 0);
done:
  world_end(&w, t);
}

static void a_server_is_no_suspect(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  const sc_route route = route_to(path, node_one, false);
  sc_paths_failed(&w.network->paths, path, &route);
  fail_to(&w, path, node_two);
  HOLDS(path->state != SC_PATH_ACTIVE);
  HOLDS(waiting_for(&w, node_one) == 0 && waiting_for(&w, node_two) == 1);
done:
  world_end(&w, t);
}

/* Any node behind it could say so. */
static void nothing_makes_a_guard_suspect(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  uint8_t guard[SC_KEY_BYTES];
  memcpy(guard, path->nodes[0].key, sizeof guard);
  fail_to(&w, path, guard);
  fail_to(&w, path, node_two);
  HOLDS(waiting_for(&w, guard) == 0);
  sc_paths_set_aside(&w.network->paths, guard);
  HOLDS(sc_network_node_strikes(w.network, guard) == 0);
done:
  world_end(&w, t);
}

static void a_node_is_set_aside_with_its_paths(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  const sc_node last = path->nodes[2];
  sc_paths_set_aside(&w.network->paths, last.key);
  HOLDS(path->state != SC_PATH_ACTIVE);
  HOLDS(sc_network_node_strikes(w.network, last.key) >= w.options.nodes.struck_out);
  HOLDS(make_another(&w));
  sc_network_path next = ways_only(&w);
  HOLDS(next.length == 3 && !ways_has(&next, &last));
done:
  world_end(&w, t);
}

static void suspicions_in_a_row_set_a_node_aside(sc_test *t) {
  WORLD(24, 24);
  w.options.nodes.struck_out = 2;
  HOLDS(start_with_paths(&w, 1));
  for (size_t i = 0; i < 2; i++) {
    sc_path *path = path_at(&w, 0);
    fail_to(&w, path, node_one);
    work_to(&w, path, node_two);
    HOLDS(sc_network_node_strikes(w.network, node_one) == (i == 0 ? 0 : 2));
    sc_paths_set_aside(&w.network->paths, path->nodes[2].key);
    HOLDS(make_another(&w));
  }
done:
  world_end(&w, t);
}

/* While no node replies, the network may be down. */
static void no_node_is_suspect_when_all_guards_are_lost(sc_test *t) {
  WORLD(24, 24);
  HOLDS(start_with_paths(&w, 1));
  sc_path *path = path_at(&w, 0);
  fail_to(&w, path, node_one);
  fail_to(&w, path, node_two);
  HOLDS(w.network->paths.suspicions.waiting_count > 0);
  for (size_t i = 0; i < w.node_count; i++) {
    w.nodes[i].mood = WORLD_DEAF;
    if (w.nodes[i].connected)
      world_break(&w, i, SC_ERR_QUIC_IDLE);
  }
  world_pass(&w, WORLD_SECOND);
  HOLDS(w.network->paths.suspicions.waiting_count == 0);
done:
  world_end(&w, t);
}

SUITE(network_paths_judge, "network/paths/judge",
      {"one destination says nothing", one_destination_says_nothing},
      {"two destinations end a path", two_destinations_end_a_path},
      {"a success between two failures forgives", a_success_between_two_failures_forgives},
      {"an answer over another path tells which failed", an_answer_over_another_path_tells_which_failed},
      {"an earlier answer over another path tells as well",
       an_earlier_answer_over_another_path_tells_as_well},
      {"an old answer tells nothing", an_old_answer_tells_nothing},
      {"a path that works makes the destination suspect", a_path_that_works_makes_the_destination_suspect},
      {"a server is no suspect", a_server_is_no_suspect},
      {"nothing makes a guard suspect", nothing_makes_a_guard_suspect},
      {"a node is set aside with its paths", a_node_is_set_aside_with_its_paths},
      {"suspicions in a row set a node aside", suspicions_in_a_row_set_a_node_aside},
      {"no node is suspect when all guards are lost", no_node_is_suspect_when_all_guards_are_lost});
