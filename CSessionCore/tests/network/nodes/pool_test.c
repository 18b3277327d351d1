#include "network/nodes/pool.h"

#include "base/draws.h"
#include "crowd.h"

typedef struct world {
  sc_node_pool pool;
  sc_node_list list;
} world;

static void world_init(world *w, sc_test *t) {
  sc_node_pool_init(&w->pool, t->env);
  sc_node_list_init(&w->list, t->env);
}

static void world_free(world *w) {
  sc_node_pool_free(&w->pool);
  sc_node_list_free(&w->list);
}

static sc_status fill(world *w, uint32_t first, uint32_t count) {
  sc_status status = crowd_list(&w->list, first, count);
  if (status == SC_OK)
    sc_node_list_shuffle(&w->list);
  if (status == SC_OK)
    sc_node_pool_replace(&w->pool, &w->list);
  return status;
}

static void replacing_drops_all_earlier_nodes(sc_test *t) {
  const sc_node old = crowd_node(1), new = crowd_node(101);
  world w;
  world_init(&w, t);
  OK(fill(&w, 0, 10));
  CHECK(w.pool.count == 10 && sc_node_pool_find(&w.pool, old.key) != NULL);
  OK(fill(&w, 100, 5));
  CHECK(w.pool.count == 5 && sc_node_list_count(&w.list) == 0);
  CHECK(sc_node_pool_find(&w.pool, old.key) == NULL && sc_node_pool_find(&w.pool, new.key) != NULL);
done:
  world_free(&w);
}

static void a_pick_of_all_has_every_node_once(sc_test *t) {
  enum { count = 40 };
  const sc_node *picked[count + 10];
  world w;
  world_init(&w, t);
  OK(fill(&w, 0, count));
  CHECK(sc_node_pool_pick(picked, &w.pool, count + 10, &(sc_node_wish){0}) == count);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      CHECK(picked[i] != picked[j]);
done:
  world_free(&w);
}

static bool has_small_number(const void *user, const sc_node *node) {
  const uint32_t *below = user;
  return node->key[28] < *below;
}

/* Of many nodes, among which tries would miss the few that are eligible, and of few. */
static void every_eligible_node_is_drawn_equally_often(sc_test *t) {
  enum { few = 4, rounds = 2000 };
  static const uint32_t sizes[] = {5, 200};
  sc_draws draws;
  world w;
  world_init(&w, t);
  sc_draws_init(&draws, t->env, sc_draws_most);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    size_t drawn[few] = {0};
    const uint32_t below = few;
    OK(fill(&w, 0, sizes[i]));
    for (size_t round = 0; round < rounds; round++) {
      const sc_node *node = sc_node_pool_draw(&w.pool, &draws, has_small_number, &below);
      CHECK(node != NULL && node->key[28] < few);
      drawn[node->key[28]]++;
    }
    for (size_t k = 0; k < few; k++) /* seven standard deviations */
      CHECK(drawn[k] > rounds / few - 140 && drawn[k] < rounds / few + 140);
  }
  const uint32_t none = 0;
  CHECK(sc_node_pool_draw(&w.pool, &draws, has_small_number, &none) == NULL);
done:
  world_free(&w);
}

static void an_empty_pool_yields_no_node(sc_test *t) {
  const sc_node *picked;
  world w;
  world_init(&w, t);
  CHECK(sc_node_pool_pick(&picked, &w.pool, 1, &(sc_node_wish){0}) == 0);
  CHECK(sc_node_pool_usable(&w.pool, 1, &(sc_node_wish){0}) == 0);
  OK(fill(&w, 0, 0));
  CHECK(w.pool.count == 0 && sc_node_pool_pick(&picked, &w.pool, 1, &(sc_node_wish){0}) == 0);
done:
  world_free(&w);
}

static bool has_odd_number(void *user, const sc_node *node) {
  (void)user;
  return node->key[28] % 2 == 1;
}

static void refused_and_excluded_nodes_are_left_out(sc_test *t) {
  const sc_node excluded[] = {crowd_node(2), crowd_node(4)};
  const sc_node_wish wish = {.excluded = excluded, .excluded_count = 2, .refuse = has_odd_number};
  const sc_node *picked[10];
  world w;
  world_init(&w, t);
  OK(fill(&w, 0, 10));
  CHECK(sc_node_pool_pick(picked, &w.pool, 10, &wish) == 3); /* 0, 6, 8 */
  for (size_t i = 0; i < 3; i++)
    CHECK(picked[i]->key[28] == 0 || picked[i]->key[28] == 6 || picked[i]->key[28] == 8);
  CHECK(sc_node_pool_usable(&w.pool, 10, &wish) == 5);
done:
  world_free(&w);
}

static void without_diversity_many_nodes_of_one_subnet_are_picked(sc_test *t) {
  const sc_node *picked[4];
  world w;
  world_init(&w, t);
  for (uint32_t i = 0; i < 4; i++) {
    sc_node node = crowd_node(i);
    node.ip[2] = 1;
    node.ip[3] = (uint8_t)i;
    OK(sc_node_list_add(&w.list, &node, false));
  }
  sc_node_pool_replace(&w.pool, &w.list);
  CHECK(sc_node_pool_pick(picked, &w.pool, 4, &(sc_node_wish){0}) == 4);
  CHECK(sc_node_pool_pick(picked, &w.pool, 4, &(sc_node_wish){.diverse = true}) == 1);
done:
  world_free(&w);
}

/* A pool in few subnets, with some nodes excluded. */
static sc_status make_random(world *w, sc_draws *draws, sc_node *excluded, size_t *excluded_count) {
  uint32_t count = sc_draws_below(draws, 120);
  sc_status status = SC_OK;
  *excluded_count = 0;
  sc_node_pool_free(&w->pool);
  for (uint32_t i = 0; status == SC_OK && i < count; i++) {
    sc_node node = crowd_node(i);
    node.ip[1] = 0;
    node.ip[2] = (uint8_t)sc_draws_below(draws, 40);
    status = sc_node_list_add(&w->list, &node, false);
    if (sc_draws_below(draws, 8) == 0)
      excluded[(*excluded_count)++] = node;
  }
  if (status == SC_OK)
    sc_node_list_shuffle(&w->list);
  if (status == SC_OK)
    sc_node_pool_replace(&w->pool, &w->list);
  return status;
}

static bool is_fine(const sc_node *node, const sc_node *other, bool diverse) {
  return !sc_node_same(node, other) && !(diverse && sc_node_same_subnet(node, other));
}

/* True if the node may be added: with diversity, no picked or excluded node is in its subnet. */
static bool could_add(const sc_node *const *picked, size_t count, const sc_node *excluded,
                      size_t excluded_count, const sc_node *node, bool diverse) {
  bool fine = !has_odd_number(NULL, node);
  for (size_t i = 0; fine && i < excluded_count; i++)
    fine = is_fine(node, &excluded[i], diverse);
  for (size_t i = 0; fine && i < count; i++)
    fine = is_fine(node, picked[i], diverse);
  return fine;
}

/* For every random pool: each picked node was allowed next to the others, and if fewer were picked than
 * requested, no other was allowed. */
static void picks_from_random_pools_follow_the_rules(sc_test *t) {
  enum { rounds = 400, most = 120 };
  sc_node excluded[most];
  const sc_node *picked[most];
  size_t excluded_count;
  sc_draws draws;
  world w;
  world_init(&w, t);
  sc_draws_init(&draws, t->env, sc_draws_most);
  for (size_t round = 0; round < (t->torture ? 2 : rounds); round++) {
    OK(make_random(&w, &draws, excluded, &excluded_count));
    bool diverse = sc_draws_below(&draws, 2) == 1;
    size_t wanted = sc_draws_below(&draws, 12);
    const sc_node_wish wish = {excluded, excluded_count, diverse, .refuse = has_odd_number};
    size_t count = sc_node_pool_pick(picked, &w.pool, wanted, &wish);
    CHECK(count <= wanted);
    for (size_t i = 0; i < count; i++)
      CHECK(could_add(picked, i, excluded, excluded_count, picked[i], diverse));
    for (size_t i = 0; count < wanted && i < w.pool.count; i++)
      CHECK(!could_add(picked, count, excluded, excluded_count, &w.pool.nodes[i], diverse));
  }
done:
  world_free(&w);
}

SUITE(network_nodes_pool, "network/nodes/pool",
      {"replacing drops all earlier nodes", replacing_drops_all_earlier_nodes},
      {"a pick of all has every node once", a_pick_of_all_has_every_node_once},
      {"every eligible node is drawn equally often", every_eligible_node_is_drawn_equally_often},
      {"an empty pool yields no node", an_empty_pool_yields_no_node},
      {"refused and excluded nodes are left out", refused_and_excluded_nodes_are_left_out},
      {"without diversity many nodes of one subnet are picked",
       without_diversity_many_nodes_of_one_subnet_are_picked},
      {"picks from random pools follow the rules", picks_from_random_pools_follow_the_rules});
