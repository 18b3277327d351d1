#include "town.h"

static const uint64_t hour = 3600 * SC_NODE_SECOND;

static void a_saved_pool_comes_back(sc_test *t) {
  town w;
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  town_init(&w);
  OK(town_settle(&w, t, 20));
  OK(sc_nodes_write_pool(&file, w.nodes));
  town_free(&w);
  OK(town_open(&w, t));
  OK(sc_nodes_load_pool(w.nodes, w.wall, sc_buffer_bytes(&file), w.wall - 1000));
  CHECK(sc_nodes_pool(w.nodes)->count == 20 && w.replaced == 2 && w.saves[SC_NODES_FILE_POOL] == 1);
  for (uint32_t i = 0; i < 20; i++) {
    const sc_node node = crowd_node(i), *found = sc_nodes_find(w.nodes, node.key);
    CHECK(found != NULL && found->swarm == node.swarm);
  }
  CHECK(town_want(&w, NULL) == SC_REFRESH_NEEDLESS);
done:
  town_free(&w);
  sc_buffer_free(&file);
}

/* The age of a file, and whether it triggers a refresh. */
static void a_saved_pool_is_as_old_as_its_file(sc_test *t) {
  static const struct {
    int64_t age; /* milliseconds */
    sc_refresh_want want;
  } ages[] = {{0, SC_REFRESH_NEEDLESS},
              {2 * 3600 * 1000 - 1, SC_REFRESH_NEEDLESS},
              {2 * 3600 * 1000, SC_REFRESH_WAIT},
              {-1, SC_REFRESH_WAIT}}; /* in the future: the pool's age is unknown */
  town w;
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  town_init(&w);
  OK(town_settle(&w, t, 20));
  OK(sc_nodes_write_pool(&file, w.nodes));
  for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++) {
    town_free(&w);
    OK(town_open(&w, t));
    OK(sc_nodes_load_pool(w.nodes, w.wall, sc_buffer_bytes(&file), w.wall - (uint64_t)ages[i].age));
    CHECK(town_want(&w, NULL) == ages[i].want);
  }
  sc_nodes_suspend(w.nodes, w.now);
  sc_nodes_resume(w.nodes);
  town_wait(&w, SC_NODE_SECOND); /* that time has passed, but the pool's age is still unknown */
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
done:
  town_free(&w);
  sc_buffer_free(&file);
}

static void a_file_does_not_replace_a_pool(sc_test *t) {
  static const char other[] =
      "0100000000000000000000000000000000000000000000000000000077000000|9.0.7.1|22021|22020|2.11.0|3000\n";
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  OK(sc_nodes_load_pool(w.nodes, w.wall, sc_bytes_text(other), w.wall));
  CHECK(sc_nodes_pool(w.nodes)->count == 20 && w.replaced == 1);
done:
  town_free(&w);
}

static void a_pool_file_without_a_valid_line_is_refused(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_open(&w, t));
  FAILS(SC_ERR_NODE_FILE, sc_nodes_load_pool(w.nodes, w.wall, sc_bytes_text("rubbish\n"), w.wall));
  FAILS(SC_ERR_NODE_FILE, sc_nodes_load_pool(w.nodes, w.wall, sc_bytes_text("\n"), w.wall));
  OK(sc_nodes_load_pool(w.nodes, w.wall, (sc_bytes){0}, w.wall));
  CHECK(sc_nodes_pool(w.nodes)->count == 0 && w.replaced == 0);
done:
  town_free(&w);
}

static void saved_strikes_come_back(sc_test *t) {
  const sc_node node = crowd_node(1), hurt = crowd_node(2);
  town w;
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  town_init(&w);
  OK(town_open(&w, t));
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, hurt.key, false));
  OK(sc_nodes_write_strikes(&file, w.nodes, w.wall));
  town_free(&w);
  OK(town_open(&w, t));
  OK(sc_nodes_load_strikes(w.nodes, w.wall, sc_buffer_bytes(&file)));
  CHECK(sc_nodes_is_struck_out(w.nodes, w.wall, node.key) &&
        sc_nodes_strikes(w.nodes, w.wall, hurt.key) == 1);
  town_wait(&w, 48 * hour);
  OK(sc_nodes_write_strikes(&file, w.nodes, w.wall));
  CHECK(file.len == 4);
done:
  town_free(&w);
  sc_buffer_free(&file);
}

SUITE(network_nodes_files, "network/nodes/files", {"a saved pool comes back", a_saved_pool_comes_back},
      {"a saved pool is as old as its file", a_saved_pool_is_as_old_as_its_file},
      {"a file does not replace a pool", a_file_does_not_replace_a_pool},
      {"a pool file without a valid line is refused", a_pool_file_without_a_valid_line_is_refused},
      {"saved strikes come back", saved_strikes_come_back});
