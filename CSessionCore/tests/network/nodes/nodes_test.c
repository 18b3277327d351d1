#include "network/nodes/nodes.h"

#include "town.h"

static const uint64_t second = SC_NODE_SECOND, minute = 60 * SC_NODE_SECOND;

static void options_are_validated(sc_test *t) {
  town w;
  for (int bad = 0; bad < 10; bad++) {
    town_init(&w);
    sc_node_options *o = &w.options;
    o->struck_out = bad == 0 ? 0 : bad == 1 ? SC_NODE_MAX_STRIKES + 1 : 3;
    o->agreeing_lists = bad == 2 ? 0 : bad == 3 ? 4 : 2;
    o->smallest_pool = bad == 4 ? 0 : 12;
    o->retry_delay = bad == 5 ? 0 : second;
    if (bad == 6)
      o->lists = o->agreeing_lists = SC_NODE_MAX_LISTS + 1;
    if (bad == 7)
      w.seeds[1].quic_port = 0;
    if (bad == 8)
      w.seeds[2].ip[0] = 127;
    if (bad == 9)
      o->seed_count = SC_NODE_MAX_SEEDS + 1;
    FAILS(SC_ERR_ARGUMENT, town_open(&w, t));
    CHECK(w.nodes == NULL);
  }
  town_init(&w);
  w.options.lists = w.options.agreeing_lists = 0;
  OK(town_open(&w, t));
done:
  town_free(&w);
}

static void a_private_network_needs_seeds(sc_test *t) {
  town w;
  town_init(&w);
  sc_node_options_default(&w.options, SC_NETWORK_PRIVATE);
  FAILS(SC_ERR_NO_SEEDS, town_open(&w, t));
  w.options.kind = SC_NETWORK_TEST;
  FAILS(SC_ERR_NO_SEEDS, town_open(&w, t));
  w.options.seeds = w.seeds;
  w.options.seed_count = 1;
  OK(town_open(&w, t));
done:
  town_free(&w);
}

static void picking_respects_strikes_and_diversity(sc_test *t) {
  const sc_node *picked[30];
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 30));
  const sc_node struck = crowd_node(1), hurt = crowd_node(2), excluded = crowd_node(4);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, struck.key, true));
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, hurt.key, false));
  size_t count = sc_nodes_pick(picked, w.nodes, w.wall, 30, &excluded, 1);
  CHECK(count == 28 && sc_nodes_usable(w.nodes, w.wall, 100) == 29);
  for (size_t i = 0; i < count; i++)
    CHECK(!sc_node_same(picked[i], &struck) && !sc_node_same(picked[i], &excluded));
  sc_nodes_clear_strikes(w.nodes, w.now);
  CHECK(sc_nodes_usable(w.nodes, w.wall, 100) == 30 && sc_nodes_strikes(w.nodes, w.wall, hurt.key) == 0);
done:
  town_free(&w);
}

static void diversity_can_be_turned_off(sc_test *t) {
  const sc_node *picked[12];
  town w;
  town_init(&w);
  w.options.subnet_diversity = false;
  OK(town_settle(&w, t, 12));
  sc_node excluded = crowd_node(99);
  memcpy(excluded.ip, sc_nodes_pool(w.nodes)->nodes[0].ip, 4); /* in the subnet of another */
  CHECK(sc_nodes_pick(picked, w.nodes, w.wall, 12, &excluded, 1) == 12);
  town_free(&w);
  town_init(&w);
  OK(town_settle(&w, t, 12));
  memcpy(excluded.ip, sc_nodes_pool(w.nodes)->nodes[0].ip, 4);
  CHECK(sc_nodes_pick(picked, w.nodes, w.wall, 12, &excluded, 1) == 11);
done:
  town_free(&w);
}

static void a_swarm_excludes_struck_out_nodes(sc_test *t) {
  const uint8_t account[SC_KEY_BYTES] = {0}; /* at 0, as swarm 0 is */
  const sc_node struck = crowd_node(4);
  sc_swarm swarm;
  town w;
  town_init(&w);
  OK(town_open(&w, t));
  FAILS(SC_ERR_NO_SWARM, sc_nodes_swarm(&swarm, w.nodes, w.wall, account, false));
  town_free(&w);
  OK(town_settle(&w, t, 20));
  OK(sc_nodes_swarm(&swarm, w.nodes, w.wall, account, false));
  CHECK(swarm.count == 5 && swarm.nodes[0]->swarm == 0);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, struck.key, true));
  OK(sc_nodes_swarm(&swarm, w.nodes, w.wall, account, false));
  CHECK(swarm.count == 4);
  OK(sc_nodes_swarm(&swarm, w.nodes, w.wall, account, true));
  CHECK(swarm.count == 5);
done:
  town_free(&w);
}

static void strikes_are_saved_at_most_every_five_minutes(sc_test *t) {
  const sc_node node = crowd_node(1);
  size_t *saves;
  town w;
  town_init(&w);
  saves = &w.saves[SC_NODES_FILE_STRIKES];
  OK(town_settle(&w, t, 20));
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, false));
  CHECK(*saves == 0 && sc_nodes_deadline(w.nodes) == w.now);
  OK(town_pass(&w, 0));
  CHECK(*saves == 1 && sc_nodes_deadline(w.nodes) == UINT64_MAX);
  town_wait(&w, minute);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, false));
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, false));
  OK(town_pass(&w, 4 * minute - 1));
  CHECK(*saves == 1);
  OK(town_pass(&w, 1));
  CHECK(*saves == 2);
  town_wait(&w, 10 * minute);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, false));
  OK(town_pass(&w, 0));
  CHECK(*saves == 3);
done:
  town_free(&w);
}

static void suspending_saves_new_strikes(sc_test *t) {
  const sc_node node = crowd_node(1);
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  sc_nodes_suspend(w.nodes, w.now);
  CHECK(w.saves[SC_NODES_FILE_STRIKES] == 0);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, false));
  sc_nodes_suspend(w.nodes, w.now);
  sc_nodes_suspend(w.nodes, w.now);
  CHECK(w.saves[SC_NODES_FILE_STRIKES] == 1 && sc_nodes_deadline(w.nodes) == UINT64_MAX);
done:
  town_free(&w);
}

static void clearing_forgets_all(sc_test *t) {
  const sc_node node = crowd_node(1);
  const uint8_t account[SC_KEY_BYTES] = {0};
  const sc_node *picked[20];
  sc_swarm swarm;
  town_waiter waiter;
  town w;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_settle(&w, t, 20));
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  town_wait(&w, minute);
  CHECK(sc_nodes_want_evidence(w.nodes, w.now, w.wall, NULL, &waiter.waiter) == SC_REFRESH_WAIT);
  sc_nodes_clear(w.nodes, w.now);
  CHECK(waiter.times == 1 && !waiter.refreshed && w.replaced == 2);
  CHECK(sc_nodes_pool(w.nodes)->count == 0 && sc_nodes_strikes(w.nodes, w.wall, node.key) == 0);
  CHECK(w.saves[SC_NODES_FILE_POOL] == 2 && w.saves[SC_NODES_FILE_STRIKES] == 1);
  FAILS(SC_ERR_NO_SWARM, sc_nodes_swarm(&swarm, w.nodes, w.wall, account, false));
  CHECK(sc_nodes_pick(picked, w.nodes, w.wall, 20, NULL, 0) == 0 && sc_nodes_find(w.nodes, node.key) == NULL);
  w.call_count = 0;
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 1);
  OK(town_answer(&w, 0, 0, 20));
  CHECK(sc_nodes_pick(picked, w.nodes, w.wall, 20, NULL, 0) == 20);
done:
  town_free(&w);
}

SUITE(network_nodes_nodes, "network/nodes/nodes", {"options are validated", options_are_validated},
      {"a private network needs seeds", a_private_network_needs_seeds},
      {"picking respects strikes and diversity", picking_respects_strikes_and_diversity},
      {"diversity can be turned off", diversity_can_be_turned_off},
      {"a swarm excludes struck-out nodes", a_swarm_excludes_struck_out_nodes},
      {"strikes are saved at most every five minutes", strikes_are_saved_at_most_every_five_minutes},
      {"suspending saves new strikes", suspending_saves_new_strikes},
      {"clearing forgets all", clearing_forgets_all});
