/* In a small network a dead node is on most paths. Attempts at one request share as few nodes as possible. */
#include "world.h"

enum { sizes = 6 };

static const size_t network_sizes[sizes] = {2, 3, 4, 5, 8, 11};

static sc_status send_request(world *w, size_t index, bool to_any, bool interactive) {
  const sc_storage_request retrieve = world_retrieve(w, index, 0);
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  sc_network_request request = {.to = to_any ? SC_NETWORK_TO_ANY_NODE : SC_NETWORK_TO_SWARM,
                                .storage = to_any ? &info : &retrieve,
                                .alone = true,
                                .local_account = 1,
                                .interactive = interactive};
  return world_send(w, &request);
}

/* One request after the other to the swarm of a node, before the client knows which node is dead. */
static bool serves_all(world *w, size_t index, bool interactive) {
  enum { requests = 4 };
  for (size_t i = 0; i < requests; i++) {
    if (send_request(w, index, i % 2 == 1, interactive) != SC_OK || !world_wait(w, i + 1) ||
        w->outcomes[i].status != SC_OK)
      return false;
  }
  return true;
}

/* N18 */
static void one_dead_node_costs_no_request(sc_test *t) {
  for (size_t i = 0; i < (t->torture ? 1 : sizes); i++)
    for (size_t dead = 0; dead < network_sizes[i]; dead++)
      for (int interactive = 0; interactive < 2; interactive++) {
        WORLD(network_sizes[i], network_sizes[i]);
        OK(world_start(&w));
        HOLDS(world_connect(&w));
        w.nodes[dead].mood = WORLD_SILENT;
        HOLDS(serves_all(&w, 0, interactive == 1));
      done:
        world_end(&w, t);
      }
}

/* N18: also if the other node of the swarm is a guard, and the dead one the other guard. */
static void one_dead_node_of_a_swarm_of_two_costs_no_request(sc_test *t) {
  static const size_t counts[] = {4, 6, 8, 10};
  for (size_t i = 0; i < (t->torture ? 1 : sizeof counts / sizeof counts[0]); i++)
    for (size_t dead = 0; dead < counts[i]; dead++)
      for (int interactive = 0; interactive < 2; interactive++) {
        WORLD(counts[i], 2);
        OK(world_start(&w));
        HOLDS(world_connect(&w));
        w.nodes[dead].mood = WORLD_SILENT;
        HOLDS(serves_all(&w, dead, interactive == 1));
      done:
        world_end(&w, t);
      }
}

SUITE(network_router_apart, "network/router/apart",
      {"one dead node costs no request", one_dead_node_costs_no_request},
      {"N18: one dead node of a swarm of two costs no request",
       one_dead_node_of_a_swarm_of_two_costs_no_request});
