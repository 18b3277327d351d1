#include "network/guards/sample.h"

#include "network/nodes/crowd.h"

enum { today = 20000, apart = 256 /* nodes whose numbers differ by this are in different /16 */ };

static const sc_sample_rules strict = {.is_diverse = true};

typedef struct world {
  sc_node_pool pool;
  sc_node_list list;
  sc_sample sample;
} world;

static void world_init(world *w, sc_test *t) {
  w->sample = (sc_sample){0};
  sc_node_pool_init(&w->pool, t->env);
  sc_node_list_init(&w->list, t->env);
}

static void world_free(world *w) {
  sc_node_pool_free(&w->pool);
  sc_node_list_free(&w->list);
}

/* The pool has `count` nodes, each in a /16 of its own, but no guard at a place before `without`. */
static sc_status fill(world *w, uint32_t count, size_t without) {
  sc_status status = SC_OK;
  sc_node_list_free(&w->list);
  for (uint32_t i = 0; status == SC_OK && i < count; i++) {
    sc_node node = crowd_node(i * apart);
    bool is_left_out = false;
    for (size_t k = 0; k < without; k++)
      is_left_out |= memcmp(w->sample.guards[k].key, node.key, SC_KEY_BYTES) == 0;
    if (!is_left_out)
      status = sc_node_list_add(&w->list, &node, false);
  }
  if (status == SC_OK)
    sc_node_pool_replace(&w->pool, &w->list);
  return status;
}

static bool review(world *w, sc_test *t, const sc_sample_rules *rules, sc_day day) {
  return sc_sample_review(&w->sample, &w->pool, rules, day, t->env);
}

static size_t usable(const world *w, sc_day day) {
  const sc_guard *order[sc_sample_most];
  return sc_sample_order(order, &w->sample, day);
}

static void six_guards_of_different_networks_are_drawn(sc_test *t) {
  world w;
  world_init(&w, t);
  OK(fill(&w, 40, 0));
  CHECK(review(&w, t, &strict, today));
  CHECK(w.sample.count == 6 && usable(&w, today) == 6);
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < i; k++)
      CHECK(memcmp(w.sample.guards[i].key, w.sample.guards[k].key, SC_KEY_BYTES) != 0);
  CHECK(!review(&w, t, &strict, today));
done:
  world_free(&w);
}

static void guards_are_drawn_apart_while_there_are_others(sc_test *t) {
  world w;
  for (size_t round = 0; round < 20; round++) {
    world_init(&w, t);
    for (uint32_t i = 0; i < 40; i++) {
      sc_node node = crowd_node(i < 34 ? i : i * apart);
      OK(sc_node_list_add(&w.list, &node, false));
    }
    sc_node_pool_replace(&w.pool, &w.list);
    CHECK(review(&w, t, &strict, today));
    size_t near = 0;
    for (size_t i = 0; i < w.sample.count; i++)
      near += sc_node_pool_find(&w.pool, w.sample.guards[i].key)->ip[1] == 0;
    CHECK(w.sample.count == 6 && near <= 1);
    if (round < 19)
      world_free(&w);
  }
done:
  world_free(&w);
}

static void each_node_may_become_a_guard(sc_test *t) {
  world w;
  bool drawn[12] = {0};
  size_t kinds = 0;
  for (size_t round = 0; round < 60; round++) {
    world_init(&w, t);
    OK(fill(&w, 12, 0));
    CHECK(review(&w, t, &strict, today));
    for (size_t i = 0; i < w.sample.count; i++)
      drawn[sc_node_pool_find(&w.pool, w.sample.guards[i].key)->ip[1]] = true;
    if (round < 59)
      world_free(&w);
  }
  for (size_t i = 0; i < 12; i++)
    kinds += drawn[i];
  CHECK(kinds == 12);
done:
  world_free(&w);
}

static void small_networks_have_small_samples(sc_test *t) {
  static const size_t sizes[][2] = {{0, 0},  {1, 1},  {2, 2},  {3, 3},  {11, 3},  {12, 3},
                                    {16, 4}, {20, 5}, {24, 6}, {25, 6}, {2000, 6}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    CHECK(sc_sample_size(sizes[i][0]) == sizes[i][1]);
done:;
}

static void confirmed_guards_come_first(sc_test *t) {
  world w;
  const sc_guard *order[sc_sample_most];
  world_init(&w, t);
  OK(fill(&w, 40, 0));
  CHECK(review(&w, t, &strict, today));
  CHECK(sc_sample_confirm(&w.sample, w.sample.guards[4].key, today, t->env));
  CHECK(sc_sample_confirm(&w.sample, w.sample.guards[2].key, today, t->env));
  CHECK(!sc_sample_confirm(&w.sample, w.sample.guards[4].key, today, t->env));
  CHECK(sc_sample_order(order, &w.sample, today) == 6);
  static const size_t expected[] = {4, 2, 0, 1, 3, 5};
  for (size_t i = 0; i < 6; i++)
    CHECK(order[i] == &w.sample.guards[expected[i]]);
  w.sample.guards[4].back_until = today + 7;
  CHECK(sc_sample_order(order, &w.sample, today + 6) == 6);
  CHECK(order[0] == &w.sample.guards[2] && order[5] == &w.sample.guards[4]);
  CHECK(sc_sample_order(order, &w.sample, today + 7) == 6 && order[0] == &w.sample.guards[4]);
done:
  world_free(&w);
}

static void a_confirmed_guard_lives_for_two_to_four_months(sc_test *t) {
  world w;
  sc_day least = UINT32_MAX, most = 0;
  for (size_t round = 0; round < 60; round++) {
    world_init(&w, t);
    OK(fill(&w, 40, 0));
    CHECK(review(&w, t, &strict, today));
    CHECK(w.sample.guards[0].ends == today + 120);
    CHECK(sc_sample_confirm(&w.sample, w.sample.guards[0].key, today + 1, t->env));
    sc_day life = w.sample.guards[0].ends - (today + 1);
    least = life < least ? life : least;
    most = life > most ? life : most;
    if (round < 59)
      world_free(&w);
  }
  CHECK(least >= 60 && most <= 120 && most - least > 30);
done:
  world_free(&w);
}

static void unlisted_guards_are_unusable_and_leave_after_a_week(sc_test *t) {
  world w;
  world_init(&w, t);
  OK(fill(&w, 40, 0));
  CHECK(review(&w, t, &strict, today));
  OK(fill(&w, 40, 2));
  CHECK(review(&w, t, &strict, today + 1));
  CHECK(w.sample.count == 6 && usable(&w, today + 1) == 4);
  OK(fill(&w, 40, 1));
  CHECK(review(&w, t, &strict, today + 2));
  CHECK(w.sample.count == 6 && usable(&w, today + 2) == 5);
  CHECK(!review(&w, t, &strict, today + 7));
  CHECK(review(&w, t, &strict, today + 8));
  CHECK(w.sample.count == 5 && usable(&w, today + 8) == 5);
done:
  world_free(&w);
}

static void a_small_sample_grows_by_one_a_day_and_three_a_month(sc_test *t) {
  world w;
  sc_day day = today;
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  CHECK(review(&w, t, &strict, day++));
  OK(fill(&w, 60, 4));
  for (size_t i = 0; i < 3; i++, day++) {
    CHECK(review(&w, t, &strict, day));
    CHECK(usable(&w, day) == 3 + i);
    CHECK(!review(&w, t, &strict, day));
  }
  CHECK(w.sample.count == sc_sample_most);
  for (; day < today + 31; day++) {
    (void)review(&w, t, &strict, day);
    CHECK(usable(&w, day) == 5);
  }
  CHECK(review(&w, t, &strict, day) && usable(&w, day) == 6);
  CHECK(!review(&w, t, &strict, day + 1));
done:
  world_free(&w);
}

static void the_sample_does_not_grow_twice_in_24_hours(sc_test *t) {
  world w;
  const sc_sample_rules midnight = {.is_diverse = true, .has_grown = true};
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  CHECK(review(&w, t, &strict, today));
  OK(fill(&w, 60, 4));
  CHECK(review(&w, t, &strict, today + 1) && usable(&w, today + 1) == 3);
  CHECK(!review(&w, t, &midnight, today + 2));
  CHECK(review(&w, t, &strict, today + 2) && usable(&w, today + 2) == 4);
done:
  world_free(&w);
}

static void with_three_usable_guards_the_sample_does_not_grow(sc_test *t) {
  world w;
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  CHECK(review(&w, t, &strict, today));
  OK(fill(&w, 60, 3));
  CHECK(review(&w, t, &strict, today + 1));
  CHECK(w.sample.count == 6 && usable(&w, today + 1) == 3 && w.sample.growths[0] == 0);
done:
  world_free(&w);
}

/* Only a day of trying in vain lets it grow although all guards are listed, and never beyond nine. */
static void a_day_without_guards_lets_the_sample_grow(sc_test *t) {
  world w;
  const sc_sample_rules starved = {.is_diverse = true, .may_grow = true};
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  CHECK(review(&w, t, &strict, today));
  for (sc_day day = today + 1; day < today + 60; day++)
    (void)review(&w, t, &starved, day);
  CHECK(w.sample.count == 9);
  CHECK(w.sample.growths[2] == today + 1 && w.sample.growths[0] == today + 3);
done:
  world_free(&w);
}

static void a_seed_may_replace_a_sample_of_which_nothing_is_left(sc_test *t) {
  world w;
  const sc_sample_rules proved = {.is_diverse = true, .is_proved = true};
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  CHECK(review(&w, t, &strict, today));
  OK(fill(&w, 60, 6));
  CHECK(review(&w, t, &strict, today));
  CHECK(usable(&w, today) == 1);
  w.sample.guards[6].unlisted = today;
  w.sample.count = 6;
  CHECK(review(&w, t, &proved, today + 1));
  CHECK(usable(&w, today + 1) == 6 && w.sample.count == 9);
done:
  world_free(&w);
}

static void expired_guards_are_replaced_one_a_day(sc_test *t) {
  world w;
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  CHECK(review(&w, t, &strict, today));
  const sc_sample before = w.sample;
  for (sc_day day = today + 120; day < today + 126; day++) {
    size_t kept = 0;
    CHECK(review(&w, t, &strict, day));
    CHECK(!review(&w, t, &strict, day));
    for (size_t i = 0; i < 6; i++)
      kept += sc_sample_has(&w.sample, before.guards[i].key);
    CHECK(w.sample.count == 6 && kept == 5 - (day - today - 120));
  }
  CHECK(w.sample.growths[0] == 0);
done:
  world_free(&w);
}

static void guards_of_older_programs_are_confirmed(sc_test *t) {
  world w;
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  for (uint32_t i = 0; i < 8; i++) {
    const sc_node node = crowd_node(i * apart);
    sc_sample_inherit(&w.sample, node.key, today - 5, t->env);
    sc_sample_inherit(&w.sample, node.key, today - 5, t->env);
  }
  CHECK(w.sample.count == 6);
  for (uint32_t i = 0; i < 6; i++) {
    const sc_guard *guard = &w.sample.guards[i];
    CHECK(guard->number == i + 1 && guard->confirmed == today - 5);
    CHECK(guard->ends >= today + 55 && guard->ends <= today + 115);
  }
  CHECK(!review(&w, t, &strict, today));
done:
  world_free(&w);
}

static void a_private_network_has_no_limits(sc_test *t) {
  world w;
  const sc_sample_rules private = {.is_private = true};
  world_init(&w, t);
  OK(fill(&w, 60, 0));
  CHECK(review(&w, t, &private, today) && w.sample.count == 6);
  OK(fill(&w, 60, 6));
  CHECK(review(&w, t, &private, today) && usable(&w, today) == 6 && w.sample.count == 9);
done:
  world_free(&w);
}

static void new_nodes_are_no_guards_for_three_days(sc_test *t) {
  world w;
  world_init(&w, t);
  for (uint32_t i = 0; i < 40; i++) {
    sc_node node = crowd_node(i * apart);
    node.first_day = i < 35 ? today : i == 35 ? today - 2 : i == 36 ? today - 3 : i == 37 ? today - 100 : 0;
    OK(sc_node_list_add(&w.list, &node, false));
  }
  sc_node_pool_replace(&w.pool, &w.list);
  CHECK(review(&w, t, &strict, today) && w.sample.count == 4);
  for (size_t i = 0; i < w.sample.count; i++)
    CHECK(sc_node_pool_find(&w.pool, w.sample.guards[i].key)->ip[1] >= 36);
  w.sample = (sc_sample){0};
  const sc_sample_rules free = {.is_private = true};
  CHECK(review(&w, t, &free, today) && w.sample.count == 6);
done:
  world_free(&w);
}

SUITE(network_guards_sample, "network/guards/sample",
      {"G1: six guards of different networks are drawn", six_guards_of_different_networks_are_drawn},
      {"guards are drawn apart while there are others", guards_are_drawn_apart_while_there_are_others},
      {"each node may become a guard", each_node_may_become_a_guard},
      {"small networks have small samples", small_networks_have_small_samples},
      {"G2: confirmed guards come first", confirmed_guards_come_first},
      {"G4: a confirmed guard lives for two to four months", a_confirmed_guard_lives_for_two_to_four_months},
      {"G4: unlisted guards are unusable and leave after a week",
       unlisted_guards_are_unusable_and_leave_after_a_week},
      {"G5: a small sample grows by one a day and three a month",
       a_small_sample_grows_by_one_a_day_and_three_a_month},
      {"G5: the sample does not grow twice in 24 hours", the_sample_does_not_grow_twice_in_24_hours},
      {"G5: with three usable guards the sample does not grow",
       with_three_usable_guards_the_sample_does_not_grow},
      {"G6: a day without guards lets the sample grow", a_day_without_guards_lets_the_sample_grow},
      {"G5: a seed may replace a sample of which nothing is left",
       a_seed_may_replace_a_sample_of_which_nothing_is_left},
      {"G4: expired guards are replaced one a day", expired_guards_are_replaced_one_a_day},
      {"guards of older programs are confirmed", guards_of_older_programs_are_confirmed},
      {"a private network has no limits", a_private_network_has_no_limits},
      {"L9: new nodes are no guards for three days", new_nodes_are_no_guards_for_three_days});
