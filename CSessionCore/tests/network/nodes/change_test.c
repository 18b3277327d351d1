#include "network/nodes/change.h"

#include "crowd.h"

enum { today = 20000 };

typedef struct town {
  sc_node_pool pool;
  sc_node_list list;
} town;

static void town_init(town *w, sc_test *t) {
  sc_node_pool_init(&w->pool, t->env);
  sc_node_list_init(&w->list, t->env);
}

static void town_free(town *w) {
  sc_node_pool_free(&w->pool);
  sc_node_list_free(&w->list);
}

static sc_status settle(town *w, uint32_t count) {
  sc_status status = crowd_list(&w->list, 0, count);
  if (status == SC_OK)
    sc_node_pool_replace(&w->pool, &w->list);
  return status;
}

static void each_key_that_changes_counts_once(sc_test *t) {
  town w;
  town_init(&w, t);
  OK(settle(&w, 20));
  OK(crowd_list(&w.list, 3, 20)); /* three went, three came */
  CHECK(sc_change_count(&w.pool, &w.list) == 6);
  sc_node *nodes = w.list.table.records;
  nodes[0].ip[3]++;
  CHECK(sc_change_count(&w.pool, &w.list) == 7);
  nodes[0].swarm++;
  CHECK(sc_change_count(&w.pool, &w.list) == 7);
  nodes[1].swarm++;
  CHECK(sc_change_count(&w.pool, &w.list) == 8);
  nodes[2].quic_port++;
  CHECK(sc_change_count(&w.pool, &w.list) == 9);
  nodes[3].version[0]++; /* no change */
  CHECK(sc_change_count(&w.pool, &w.list) == 9);
done:
  town_free(&w);
}

static void three_percent_a_day_are_usual(sc_test *t) {
  static const struct {
    size_t nodes;
    sc_day since;
    size_t usual;
  } cases[] = {
      {2000, today, 60},       {2000, today - 1, 60}, {2000, today - 2, 120}, {2000, today - 10, 600},
      {2000, today - 11, 600}, {2000, 1, 600},        {2000, 0, 60},          {2000, today + 1, 60},
      {100, today, 8},         {100, today - 3, 9},   {0, today, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    CHECK(sc_change_usual(cases[i].nodes, cases[i].since, today) == cases[i].usual);
done:;
}

static void nodes_keep_their_first_day(sc_test *t) {
  town w;
  town_init(&w, t);
  OK(settle(&w, 20));
  OK(crowd_list(&w.list, 10, 20));
  sc_change_date(&w.list, &w.pool, false, today);
  for (size_t i = 0; i < 20; i++)
    CHECK(sc_node_list_nodes(&w.list)[i].first_day == (i < 10 ? 0 : today));
  sc_node_pool_replace(&w.pool, &w.list);
  OK(crowd_list(&w.list, 0, 25)); /* 0 to 9 were gone: they begin anew */
  sc_change_date(&w.list, &w.pool, false, today + 1);
  for (size_t i = 0; i < 25; i++)
    CHECK(sc_node_list_nodes(&w.list)[i].first_day == (i < 10 ? today + 1 : i < 20 ? 0 : today));
done:
  town_free(&w);
}

static void nodes_of_the_first_list_are_old(sc_test *t) {
  town w;
  town_init(&w, t);
  OK(crowd_list(&w.list, 0, 20));
  sc_change_date(&w.list, &w.pool, true, today);
  for (size_t i = 0; i < 20; i++)
    CHECK(sc_node_is_old(&sc_node_list_nodes(&w.list)[i], today));
done:
  town_free(&w);
}

/* Otherwise there would be no guard for three days. */
static void of_a_seeds_list_without_old_nodes_all_are_old(sc_test *t) {
  town w;
  for (uint32_t known = 0; known < 2; known++) {
    for (int proved = 0; proved < 2; proved++) {
      town_init(&w, t);
      OK(settle(&w, 20));
      OK(crowd_list(&w.list, 20 - known, 20));
      sc_change_date(&w.list, &w.pool, proved, today);
      CHECK(sc_node_is_old(&sc_node_list_nodes(&w.list)[10], today) == (proved && known == 0));
      town_free(&w);
    }
  }
done:
  town_free(&w);
}

static void a_node_is_old_after_three_days(sc_test *t) {
  sc_node node = crowd_node(1);
  CHECK(sc_node_is_old(&node, today));
  node.first_day = today;
  CHECK(!sc_node_is_old(&node, today - 1) && !sc_node_is_old(&node, today));
  CHECK(!sc_node_is_old(&node, today + 2) && sc_node_is_old(&node, today + 3));
done:;
}

SUITE(network_nodes_change, "network/nodes/change",
      {"L7: each key that changes counts once", each_key_that_changes_counts_once},
      {"L7: three percent a day are usual", three_percent_a_day_are_usual},
      {"L9: nodes keep their first day", nodes_keep_their_first_day},
      {"L9: nodes of the first list are old", nodes_of_the_first_list_are_old},
      {"L9: of a seed's list without old nodes all are old", of_a_seeds_list_without_old_nodes_all_are_old},
      {"L9: a node is old after three days", a_node_is_old_after_three_days});
