/* What happens to failing paths and their nodes. */
#include "ways.h"

static void judge(world *w, sc_path *path, const uint8_t *asked, const sc_fault *fault) {
  const sc_way way = {.hops = path->hops, .hop_count = path->length, .asked = asked, .is_to_node = true};
  sc_paths_judge(&w->network->paths, path, &way, fault);
}

static void strikes_against_a_path_are_forgiven(sc_test *t) {
  WORLD(12, 12);
  w.options.paths[SC_NETWORK_FILE] = 0;
  w.options.path_rotation = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_path *path = w.network->paths.first;
  const sc_fault fault = {.kind = SC_FAULT_TIMEOUT};
  for (size_t i = 0; i < 2; i++)
    judge(&w, path, w.nodes[0].node.key, &fault);
  HOLDS(sc_path_strikes(path) == 2);
  world_pass(&w, 601 * WORLD_SECOND);
  HOLDS(sc_path_strikes(path) == 1);
  world_pass(&w, 600 * WORLD_SECOND);
  HOLDS(sc_path_strikes(path) == 0);
done:
  world_end(&w, t);
}

/* defect of the reference: a struck-out node is replaced in the path of the request, not in the one that
 * contains it. */
static void defect_the_path_containing_the_node_is_repaired(sc_test *t) {
  WORLD(24, 24);
  w.options.paths[SC_NETWORK_STANDARD] = 2;
  w.options.paths[SC_NETWORK_FILE] = 0;
  w.options.nodes.struck_out = 1;
  OK(world_start(&w));
  world_pass(&w, WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 2);
  sc_path *one = w.network->paths.first, *other = one->next;
  const sc_node bad = other->nodes[1], kept = one->nodes[1];
  const sc_fault fault = {
      .kind = SC_FAULT_ANSWER, .code = 503, .text = sc_bytes_text("Snode not ready"), .from_node = true};
  judge(&w, one, bad.key, &fault);
  HOLDS(!sc_node_same(&other->nodes[1], &bad) && sc_node_same(&one->nodes[1], &kept));
  HOLDS(other->state == SC_PATH_ACTIVE && one->state == SC_PATH_ACTIVE);
  HOLDS(memcmp(other->hops[1].ed25519, other->nodes[1].key, SC_KEY_BYTES) == 0);
done:
  world_end(&w, t);
}

/* Any node behind the guard could say so. */
static void nothing_strikes_a_guard(sc_test *t) {
  WORLD(24, 24);
  w.options.paths[SC_NETWORK_FILE] = 0;
  w.options.nodes.struck_out = 1;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_path *path = w.network->paths.first;
  uint64_t id = path->id;
  const sc_node guard = path->nodes[0];
  const sc_fault fault = {
      .kind = SC_FAULT_ANSWER, .code = 503, .text = sc_bytes_text("Snode not ready"), .from_node = true};
  judge(&w, path, guard.key, &fault);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1 && ways_only(&w).id == id);
  HOLDS(sc_network_node_strikes(w.network, guard.key) == 0);
done:
  world_end(&w, t);
}

static void a_path_without_a_replacement_is_dropped(sc_test *t) {
  WORLD(3, 3);
  w.options.paths[SC_NETWORK_FILE] = 0;
  w.options.nodes.struck_out = 1;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_path *path = w.network->paths.first;
  const sc_node last = path->nodes[2];
  const sc_fault fault = {
      .kind = SC_FAULT_ANSWER, .code = 503, .text = sc_bytes_text("Snode not ready"), .from_node = true};
  judge(&w, path, last.key, &fault);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
done:
  world_end(&w, t);
}

/* The culprit is known. */
static void the_other_hops_of_an_irreparable_path_are_not_blamed(sc_test *t) {
  WORLD(3, 3);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_path *path = w.network->paths.first;
  const sc_network_path before = ways_only(&w);
  const sc_fault silence = {.kind = SC_FAULT_TIMEOUT};
  sc_paths_strike(&w.network->paths, before.nodes[2].key, true, NULL);
  judge(&w, path, w.nodes[0].node.key, &silence);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
  for (size_t i = 0; i < 2; i++)
    HOLDS(sc_network_node_strikes(w.network, before.nodes[i].key) == 0);
done:
  world_end(&w, t);
}

/* A path built for a request to a node must not be repaired with that node. */
static void a_repaired_path_still_avoids_its_destination(sc_test *t) {
  WORLD(4, 4);
  w.options.paths[SC_NETWORK_FILE] = 0;
  w.options.nodes.struck_out = 1;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const uint8_t *wanted = w.nodes[world_index(&w, ways_only(&w).nodes[1].key)].node.key;
  HOLDS(sc_paths_want_without(&w.network->paths, SC_NETWORK_STANDARD, wanted));
  world_pass(&w, WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 2);
  sc_path *path = w.network->paths.first;
  const sc_node bad = path->nodes[1];
  const sc_fault fault = {
      .kind = SC_FAULT_ANSWER, .code = 503, .text = sc_bytes_text("Snode not ready"), .from_node = true};
  judge(&w, path, bad.key, &fault);
  for (path = w.network->paths.first; path != NULL; path = path->next)
    HOLDS(!path->has_unwanted || path->state != SC_PATH_ACTIVE ||
          sc_path_place_of(path, wanted) == SC_ONION_NO_NODE);
done:
  world_end(&w, t);
}

/* The node blamed for the last failure is struck for that, and not again for the path. */
static void no_node_is_struck_twice_for_one_failure(sc_test *t) {
  WORLD(24, 24);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_path *path = w.network->paths.first;
  const sc_network_path before = ways_only(&w);
  const sc_fault silence = {.kind = SC_FAULT_TIMEOUT};
  const sc_fault missing = {.kind = SC_FAULT_HOP,
                            .hop = {.kind = SC_ONION_FAILED_NEXT_UNKNOWN, .code = 502, .node = 2}};
  for (size_t i = 0; i < 2; i++)
    judge(&w, path, w.nodes[0].node.key, &silence);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1);
  judge(&w, path, w.nodes[0].node.key, &missing);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 0);
  for (size_t i = 0; i < 3; i++)
    HOLDS(sc_network_node_strikes(w.network, before.nodes[i].key) == (i == 0 ? 0 : 1));
done:
  world_end(&w, t);
}

/* A destination of two paths may have caused both failures, so it counts as one accuser. */
static void the_destination_counts_as_one_of_the_accusers(sc_test *t) {
  for (size_t same = 0; same < 2; same++) {
    WORLD(24, 24);
    w.options.paths[SC_NETWORK_FILE] = 0;
    w.options.nodes.struck_out = 1;
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    const sc_fault silence = {.kind = SC_FAULT_TIMEOUT};
    const uint8_t asked[2][SC_KEY_BYTES] = {{1}, {2}};
    const sc_node accused = w.network->paths.first->nodes[1];
    for (size_t round = 0; round < 2; round++) {
      sc_path *path = w.network->paths.first;
      path->nodes[1] = accused;
      memcpy(path->hops[1].ed25519, accused.key, SC_KEY_BYTES);
      for (size_t i = 0; i < w.options.path_strikes; i++)
        judge(&w, path, asked[same == 1 ? 0 : round], &silence);
      HOLDS(world_connect(&w));
    }
    HOLDS(sc_network_node_strikes(w.network, accused.key) == (same == 1 ? 0 : 1));
  done:
    world_end(&w, t);
  }
}

SUITE(network_paths_judge, "network/paths/judge",
      {"strikes against a path are forgiven", strikes_against_a_path_are_forgiven},
      {"defect: the path containing the node is repaired", defect_the_path_containing_the_node_is_repaired},
      {"nothing strikes a guard", nothing_strikes_a_guard},
      {"a path without a replacement is dropped", a_path_without_a_replacement_is_dropped},
      {"the other hops of an irreparable path are not blamed",
       the_other_hops_of_an_irreparable_path_are_not_blamed},
      {"a repaired path still avoids its destination", a_repaired_path_still_avoids_its_destination},
      {"the destination counts as one of the accusers", the_destination_counts_as_one_of_the_accusers},
      {"no node is struck twice for one failure", no_node_is_struck_twice_for_one_failure});
