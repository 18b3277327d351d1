/* Slow guards: another is tried in parallel. */
#include "ways.h"

/* The pending handshakes take this long, and end with this status. */
static void let_handshakes_take(world *w, uint64_t time, sc_status end) {
  for (size_t i = 0; i < w->event_count; i++)
    if (w->events[i].call == 0) {
      w->events[i].at = w->now + time;
      w->events[i].status = end;
    }
}

static size_t handshakes(const world *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->event_count; i++)
    count += w->events[i].call == 0;
  return count;
}

static void a_dead_guard_costs_one_second(sc_test *t) {
  WORLD(24, 4);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  world_pass(&w, WORLD_MS);
  HOLDS(handshakes(&w) == 1);
  let_handshakes_take(&w, 3 * WORLD_SECOND, SC_ERR_QUIC_UNREACHABLE);
  size_t dead = w.events[0].node;
  uint64_t begun = w.now;
  HOLDS(world_connect(&w));
  HOLDS(w.now - begun <= WORLD_SECOND + 2 * world_latency_ms * WORLD_MS);
  /* It is blamed once it has failed, and not tried again. */
  HOLDS(sc_network_node_strikes(w.network, w.nodes[dead].node.key) == 0);
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(sc_network_node_strikes(w.network, w.nodes[dead].node.key) == 1);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 1 && handshakes(&w) == 0);
done:
  world_end(&w, t);
}

static void a_slow_guard_is_not_abandoned(sc_test *t) {
  WORLD(24, 4);
  w.options.paths[SC_NETWORK_FILE] = 0;
  OK(world_start(&w));
  world_pass(&w, WORLD_MS);
  HOLDS(handshakes(&w) == 1);
  let_handshakes_take(&w, 2 * WORLD_SECOND, SC_OK);
  HOLDS(world_connect(&w));
  world_pass(&w, 3 * WORLD_SECOND);
  HOLDS(world_active(&w, SC_NETWORK_STANDARD) == 2 && ways_disjoint(&w));
  for (size_t i = 0; i < w.node_count; i++)
    HOLDS(sc_network_node_strikes(w.network, w.nodes[i].node.key) == 0);
done:
  world_end(&w, t);
}

static void few_guards_are_tried_at_once(sc_test *t) {
  WORLD(24, 4);
  w.options.paths[SC_NETWORK_FILE] = 0;
  w.options.stand_ins = 1;
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  OK(world_start(&w));
  for (size_t i = 0; i < 200; i++) {
    world_pass(&w, WORLD_SECOND / 10);
    HOLDS(handshakes(&w) <= 2);
  }
done:
  world_end(&w, t);
}

SUITE(network_paths_stand_in, "network/paths/stand_in",
      {"a dead guard costs one second", a_dead_guard_costs_one_second},
      {"a slow guard is not abandoned", a_slow_guard_is_not_abandoned},
      {"few guards are tried at once", few_guards_are_tried_at_once});
