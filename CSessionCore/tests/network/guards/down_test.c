/* A network that is down is not a node's fault; and what the host reports about the link. */
#include "network/guards/sample_file.h"
#include "network/paths/ways.h"

enum { node_count = 48, primaries = 3 };

static const uint64_t minute = 60 * WORLD_SECOND;
static const uint64_t hour = 3600 * WORLD_SECOND;

/* Begins with the first six nodes as guards, in this order; those before `deaf` do not answer. */
static sc_status begin(world *w, size_t deaf) {
  enum { guards = 6 };
  sc_buffer file = {0};
  sc_sample sample = {.count = guards};
  for (size_t i = 0; i < guards; i++) {
    sample.guards[i] = (sc_guard){.sampled = sc_day_of(WORLD_WALL), .ends = sc_day_of(WORLD_WALL) + 100};
    memcpy(sample.guards[i].key, w->nodes[i].node.key, SC_KEY_BYTES);
  }
  for (size_t i = 0; i < deaf; i++)
    w->nodes[i].mood = WORLD_DEAF;
  sc_status status = world_start(w);
  if (status == SC_OK)
    status = sc_sample_write(&file, &sample);
  if (status == SC_OK)
    status = sc_network_load(w->network, w->now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL);
  sc_buffer_free(&file);
  return status;
}

static sc_status send_request(world *w, size_t index) {
  sc_storage_request request = world_retrieve(w, index, 0);
  return world_send(w,
                    &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .overall = hour});
}

static sc_network_status status_of(const world *w) {
  sc_network_status status;
  sc_network_inspect(&status, w->network);
  return status;
}

static size_t tried(const world *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->network->guards.line_count; i++)
    count += w->network->guards.lines[i].tried_at != 0;
  return count;
}

static size_t count_noted(const world *w) {
  const sc_paths *paths = &w->network->paths;
  size_t count = paths->suspicions.waiting_count + w->network->guards.outcomes.waiting_count;
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    count += path->failure_count;
  return count;
}

static void a_silent_network_is_no_nodes_fault(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 0));
  HOLDS(world_connect(&w));
  OK(send_request(&w, 20));
  HOLDS(world_wait(&w, 1));
  w.cut_at = w.now;
  for (size_t i = 1; i <= 6; i++)
    OK(send_request(&w, 20 + 4 * i));
  world_pass(&w, 15 * WORLD_SECOND);
  HOLDS(count_noted(&w) > 0 && status_of(&w).state == SC_NETWORK_CONNECTED);
  world_pass(&w, 6 * WORLD_SECOND);
  HOLDS(count_noted(&w) == 0);
  HOLDS(status_of(&w).state == SC_NETWORK_CONNECTING && status_of(&w).why == SC_ERR_NETWORK_DOWN);
  world_pass(&w, minute);
  HOLDS(count_noted(&w) == 0 && w.outcomes[1].times == 0);
  w.cut_at = 0;
  HOLDS(world_wait(&w, 7));
  for (size_t i = 0; i < w.outcome_count; i++)
    HOLDS(w.outcomes[i].status == SC_OK);
  HOLDS(status_of(&w).state == SC_NETWORK_CONNECTED);
done:
  world_end(&w, t);
}

/* One silent destination is not the network. */
static void one_silent_node_is_not_the_network(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 0));
  HOLDS(world_connect(&w));
  for (size_t i = 20; i < 24; i++)
    w.nodes[i].mood = WORLD_SILENT;
  OK(send_request(&w, 20));
  for (size_t i = 0; i < 40; i++) {
    world_pass(&w, WORLD_SECOND);
    HOLDS(status_of(&w).why != SC_ERR_NETWORK_DOWN);
  }
done:
  world_end(&w, t);
}

static void requests_wait_for_the_link(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 0));
  HOLDS(world_connect(&w));
  sc_network_note_link(w.network, w.now, SC_NETWORK_LINK_DOWN);
  OK(send_request(&w, 20));
  world_pass(&w, 10 * minute);
  HOLDS(w.outcomes[0].times == 0 && status_of(&w).why == SC_ERR_NETWORK_NO_LINK);
  sc_network_note_link(w.network, w.now, SC_NETWORK_LINK_UP);
  HOLDS(world_wait(&w, 1) && w.outcomes[0].status == SC_OK);
done:
  world_end(&w, t);
}

static void the_walk_stands_still_without_a_link(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 6));
  OK(send_request(&w, 20));
  world_pass(&w, minute);
  sc_network_note_link(w.network, w.now, SC_NETWORK_LINK_DOWN);
  world_pass(&w, 20 * minute);
  HOLDS(tried(&w) == primaries && status_of(&w).next_guard_at == 0);
  sc_network_note_link(w.network, w.now, SC_NETWORK_LINK_UP);
  world_pass(&w, 50 * WORLD_SECOND);
  HOLDS(tried(&w) == primaries);
  world_pass(&w, 20 * WORLD_SECOND);
  HOLDS(tried(&w) == primaries + 1);
done:
  world_end(&w, t);
}

static void the_time_of_the_next_guard_is_known(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 6));
  OK(send_request(&w, 20));
  uint64_t began = w.now;
  world_pass(&w, 10 * WORLD_SECOND);
  uint64_t at = status_of(&w).next_guard_at;
  HOLDS(at >= began + 2 * minute && at <= began + 2 * minute + WORLD_SECOND);
done:
  world_end(&w, t);
}

static void another_link_has_the_primary_guards_tried_at_once(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 3));
  OK(send_request(&w, 20));
  world_pass(&w, 110 * WORLD_SECOND);
  for (size_t i = 0; i < primaries; i++)
    w.nodes[i].mood = WORLD_FINE;
  for (size_t i = 0; i < primaries; i++)
    w.network->guards.lines[i].next_at = w.now + minute;
  sc_network_note_link(w.network, w.now, SC_NETWORK_LINK_UP);
  world_pass(&w, 4 * WORLD_SECOND);
  HOLDS(w.nodes[0].open && w.nodes[1].open && w.outcomes[0].times == 1);
done:
  world_end(&w, t);
}

static void links_that_change_in_a_storm_count_every_ten_seconds(sc_test *t) {
  enum { storm_s = 60, most = 1 + storm_s / 10 };
  WORLD(node_count, 4);
  OK(begin(&w, 3));
  OK(send_request(&w, 20));
  world_pass(&w, 30 * WORLD_SECOND);
  uint32_t before = w.network->guards.lines[0].failures;
  for (size_t i = 0; i < storm_s; i++) {
    w.network->guards.lines[0].retry_delay = hour; /* so that it is not tried by itself */
    if (w.network->guards.lines[0].next_at > w.now)
      w.network->guards.lines[0].next_at = w.now + minute;
    sc_network_note_link(w.network, w.now, SC_NETWORK_LINK_UP);
    world_pass(&w, WORLD_SECOND);
  }
  HOLDS(w.network->guards.lines[0].failures - before >= most - 2);
  HOLDS(w.network->guards.lines[0].failures - before <= most);
done:
  world_end(&w, t);
}

static void a_guard_that_nothing_uses_is_closed(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 0));
  HOLDS(world_connect(&w));
  OK(send_request(&w, 20));
  HOLDS(world_wait(&w, 1));
  world_pass(&w, 4 * minute);
  HOLDS(w.nodes[0].open && w.nodes[1].open);
  world_pass(&w, 3 * minute);
  HOLDS(!w.nodes[0].open && !w.nodes[1].open);
  world_pass(&w, hour);
  HOLDS(!w.nodes[0].open && !w.nodes[1].open);
  OK(send_request(&w, 20));
  HOLDS(world_wait(&w, 2) && w.outcomes[1].status == SC_OK && w.nodes[0].open);
done:
  world_end(&w, t);
}

/* A guard that lets connections be made and nothing through is no connection. */
static void connected_means_that_something_works(sc_test *t) {
  WORLD(node_count, 4);
  OK(begin(&w, 0));
  w.nodes[0].mood = w.nodes[1].mood = WORLD_SILENT;
  HOLDS(world_connect(&w));
  OK(send_request(&w, 20));
  world_pass(&w, 11 * WORLD_SECOND);
  HOLDS(status_of(&w).state == SC_NETWORK_CONNECTING);
  w.nodes[0].mood = w.nodes[1].mood = WORLD_FINE;
  HOLDS(world_wait(&w, 1) && w.outcomes[0].status == SC_OK);
  HOLDS(status_of(&w).state == SC_NETWORK_CONNECTED);
done:
  world_end(&w, t);
}

SUITE(network_guards_down, "network/guards/down",
      {"a silent network is not a node's fault", a_silent_network_is_no_nodes_fault},
      {"one silent node is not the network", one_silent_node_is_not_the_network},
      {"requests wait for the link", requests_wait_for_the_link},
      {"G6: the walk stands still without a link", the_walk_stands_still_without_a_link},
      {"G6: the time of the next guard is known", the_time_of_the_next_guard_is_known},
      {"G9: another link has the primary guards tried at once",
       another_link_has_the_primary_guards_tried_at_once},
      {"G9: links that change in a storm count every ten seconds",
       links_that_change_in_a_storm_count_every_ten_seconds},
      {"a guard that nothing uses is closed, and connected again when it is wanted",
       a_guard_that_nothing_uses_is_closed},
      {"connected means that something works", connected_means_that_something_works});
