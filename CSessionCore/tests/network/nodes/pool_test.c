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
  return status == SC_OK ? sc_node_pool_replace(&w->pool, &w->list) : status;
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

static void one_walk_visits_every_node_once(sc_test *t) {
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

static void a_walk_starts_at_a_random_node(sc_test *t) {
  enum { count = 8, rounds = 200 };
  bool began[count] = {false};
  const sc_node *picked;
  world w;
  world_init(&w, t);
  OK(fill(&w, 0, count));
  for (size_t i = 0; i < rounds; i++) {
    CHECK(sc_node_pool_pick(&picked, &w.pool, 1, &(sc_node_wish){0}) == 1);
    began[picked - w.pool.nodes] = true;
  }
  for (size_t i = 0; i < count; i++)
    CHECK(began[i]);
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

static void nodes_in_use_are_not_picked(sc_test *t) {
  const sc_node used = crowd_node(3);
  const sc_node *picked[5];
  world w;
  world_init(&w, t);
  OK(fill(&w, 0, 5));
  OK(sc_node_pool_use(&w.pool, &used));
  OK(sc_node_pool_use(&w.pool, &used));
  CHECK(sc_node_pool_pick(picked, &w.pool, 5, &(sc_node_wish){0}) == 4);
  CHECK(sc_node_pool_usable(&w.pool, 9, &(sc_node_wish){0}) == 4);
  CHECK(sc_node_pool_usable(&w.pool, 2, &(sc_node_wish){0}) == 2);
  CHECK(sc_node_pool_pick(picked, &w.pool, 5, &(sc_node_wish){.in_use_too = true}) == 5);
  sc_node_pool_unuse(&w.pool, &used);
  CHECK(sc_node_pool_usable(&w.pool, 9, &(sc_node_wish){0}) == 4);
  sc_node_pool_unuse(&w.pool, &used);
  CHECK(sc_node_pool_usable(&w.pool, 9, &(sc_node_wish){0}) == 5);
  sc_node_pool_unuse(&w.pool, &used);
  CHECK(sc_node_pool_usable(&w.pool, 9, &(sc_node_wish){0}) == 5);
done:
  world_free(&w);
}

static void use_counts_survive_a_replacement(sc_test *t) {
  const sc_node kept = crowd_node(3), gone = crowd_node(1);
  const sc_node *picked[5];
  world w;
  world_init(&w, t);
  OK(fill(&w, 0, 5));
  OK(sc_node_pool_use(&w.pool, &kept));
  OK(sc_node_pool_use(&w.pool, &gone));
  OK(fill(&w, 2, 5));
  CHECK(sc_node_pool_pick(picked, &w.pool, 5, &(sc_node_wish){0}) == 4);
  sc_node_pool_unuse(&w.pool, &gone);
  CHECK(sc_node_pool_pick(picked, &w.pool, 5, &(sc_node_wish){0}) == 4);
  OK(fill(&w, 0, 5)); /* the node that left is back, and is not in use */
  CHECK(sc_node_pool_pick(picked, &w.pool, 5, &(sc_node_wish){0}) == 4);
  sc_node_pool_unuse(&w.pool, &kept);
  CHECK(sc_node_pool_pick(picked, &w.pool, 5, &(sc_node_wish){0}) == 5);
done:
  world_free(&w);
}

static void the_number_of_nodes_in_use_is_limited(sc_test *t) {
  world w;
  world_init(&w, t);
  for (uint32_t i = 0; i < sc_node_pool_most_used; i++) {
    const sc_node node = crowd_node(i);
    OK(sc_node_pool_use(&w.pool, &node));
  }
  const sc_node more = crowd_node(sc_node_pool_most_used), again = crowd_node(0);
  FAILS(SC_ERR_TOO_LARGE, sc_node_pool_use(&w.pool, &more));
  OK(sc_node_pool_use(&w.pool, &again));
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
  OK(sc_node_pool_replace(&w.pool, &w.list));
  CHECK(sc_node_pool_pick(picked, &w.pool, 4, &(sc_node_wish){0}) == 4);
  CHECK(sc_node_pool_pick(picked, &w.pool, 4, &(sc_node_wish){.diverse = true}) == 1);
done:
  world_free(&w);
}

/* A pool in few subnets, with some nodes in use and some excluded. */
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
    uint32_t fate = sc_draws_below(draws, 16);
    if (fate == 0)
      excluded[(*excluded_count)++] = node;
    if (fate == 1 && status == SC_OK)
      status = sc_node_pool_use(&w->pool, &node);
  }
  if (status == SC_OK)
    sc_node_list_shuffle(&w->list);
  return status == SC_OK ? sc_node_pool_replace(&w->pool, &w->list) : status;
}

static bool is_fine(const world *w, const sc_node *node, const sc_node *other, bool diverse) {
  (void)w;
  return !sc_node_same(node, other) && !(diverse && sc_node_same_subnet(node, other));
}

/* True if the node may be added: with diversity, no picked, used or excluded node is in its subnet. */
static bool could_add(const world *w, const sc_node *const *picked, size_t count, const sc_node *excluded,
                      size_t excluded_count, const sc_node *node, bool diverse) {
  bool fine = !has_odd_number(NULL, node);
  for (size_t i = 0; fine && i < excluded_count; i++)
    fine = is_fine(w, node, &excluded[i], diverse);
  for (size_t i = 0; fine && i < w->pool.use_count; i++)
    fine = is_fine(w, node, &w->pool.uses[i].node, diverse);
  for (size_t i = 0; fine && i < count; i++)
    fine = is_fine(w, node, picked[i], diverse);
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
      CHECK(could_add(&w, picked, i, excluded, excluded_count, picked[i], diverse));
    for (size_t i = 0; count < wanted && i < w.pool.count; i++)
      CHECK(!could_add(&w, picked, count, excluded, excluded_count, &w.pool.nodes[i], diverse));
  }
done:
  world_free(&w);
}

SUITE(network_nodes_pool, "network/nodes/pool",
      {"replacing drops all earlier nodes", replacing_drops_all_earlier_nodes},
      {"one walk visits every node once", one_walk_visits_every_node_once},
      {"a walk starts at a random node", a_walk_starts_at_a_random_node},
      {"an empty pool yields no node", an_empty_pool_yields_no_node},
      {"nodes in use are not picked", nodes_in_use_are_not_picked},
      {"use counts survive a replacement", use_counts_survive_a_replacement},
      {"the number of nodes in use is limited", the_number_of_nodes_in_use_is_limited},
      {"refused and excluded nodes are left out", refused_and_excluded_nodes_are_left_out},
      {"without diversity many nodes of one subnet are picked",
       without_diversity_many_nodes_of_one_subnet_are_picked},
      {"picks from random pools follow the rules", picks_from_random_pools_follow_the_rules});
