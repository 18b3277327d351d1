/* The second hops of paths. */
#include "network/nodes/crowd.h"
#include "network/paths/ways.h"

enum { today = 20000, apart = 256 /* nodes whose numbers differ by this are in different /16 */ };

static const sc_sample_rules strict = {.is_diverse = true};

typedef struct sampled {
  sc_node_pool pool;
  sc_node_list list;
  sc_sample sample;
} sampled;

static void sampled_init(sampled *s, sc_test *t) {
  s->sample = (sc_sample){0};
  sc_node_pool_init(&s->pool, t->env);
  sc_node_list_init(&s->list, t->env);
}

static void sampled_free(sampled *s) {
  sc_node_pool_free(&s->pool);
  sc_node_list_free(&s->list);
}

/* Nodes `first` up to `first + count`, each in a /16 of its own. */
static sc_status fill(sampled *s, uint32_t first, uint32_t count) {
  sc_status status = SC_OK;
  sc_node_list_free(&s->list);
  for (uint32_t i = first; status == SC_OK && i < first + count; i++) {
    sc_node node = crowd_node(i * apart);
    status = sc_node_list_add(&s->list, &node, false);
  }
  if (status == SC_OK)
    sc_node_pool_replace(&s->pool, &s->list);
  return status;
}

static bool review(sampled *s, sc_test *t, sc_day day) {
  return sc_sample_review_middles(&s->sample, &s->pool, &strict, day, t->env);
}

static void small_networks_have_few_middles_or_none(sc_test *t) {
  CHECK(sc_middles_size(0) == 0 && sc_middles_size(29) == 0);
  CHECK(sc_middles_size(30) == 4 && sc_middles_size(59) == 4);
  CHECK(sc_middles_size(60) == 8 && sc_middles_size(2000) == 8);
done:;
}

static void middles_are_drawn_apart_from_guards(sc_test *t) {
  sampled s;
  sampled_init(&s, t);
  OK(fill(&s, 0, 80));
  for (uint32_t i = 0; i < 6; i++) {
    const sc_node node = crowd_node(i * apart);
    memcpy(s.sample.guards[s.sample.count++].key, node.key, SC_KEY_BYTES);
  }
  CHECK(review(&s, t, today) && s.sample.middle_count == 8);
  for (size_t i = 0; i < 8; i++) {
    CHECK(!sc_sample_has(&s.sample, s.sample.middles[i].key));
    for (size_t k = 0; k < i; k++)
      CHECK(memcmp(s.sample.middles[i].key, s.sample.middles[k].key, SC_KEY_BYTES) != 0);
  }
  CHECK(!review(&s, t, today));
done:
  sampled_free(&s);
}

/* The longer of two lives of one to twelve days: 8.3 days on average. */
static void middles_live_for_days(sc_test *t) {
  sampled s;
  size_t sum = 0, rounds = 0;
  sampled_init(&s, t);
  OK(fill(&s, 0, 80));
  for (sc_day day = today; day < today + 400; day++) {
    (void)review(&s, t, day);
    for (size_t i = 0; i < s.sample.middle_count; i++) {
      sc_day left = s.sample.middles[i].ends - day;
      CHECK(left >= 1 && left <= 12);
    }
  }
  for (; rounds < 400; rounds++) {
    s.sample.middle_count = 0;
    (void)review(&s, t, today);
    sum += s.sample.middles[0].ends - today;
  }
  CHECK(sum > 7 * rounds && sum < 10 * rounds);
done:
  sampled_free(&s);
}

static void middles_that_are_not_listed_are_replaced(sc_test *t) {
  sampled s;
  sampled_init(&s, t);
  OK(fill(&s, 0, 80));
  CHECK(review(&s, t, today));
  OK(fill(&s, 100, 80));
  CHECK(review(&s, t, today) && s.sample.middle_count == 8);
  for (size_t i = 0; i < 8; i++)
    CHECK(sc_node_pool_find(&s.pool, s.sample.middles[i].key) != NULL);
done:
  sampled_free(&s);
}

static void a_middle_that_became_a_guard_is_replaced(sc_test *t) {
  sampled s;
  sampled_init(&s, t);
  OK(fill(&s, 0, 80));
  CHECK(review(&s, t, today));
  memcpy(s.sample.guards[s.sample.count++].key, s.sample.middles[3].key, SC_KEY_BYTES);
  CHECK(review(&s, t, today) && s.sample.middle_count == 8);
  CHECK(!sc_sample_has_middle(&s.sample, s.sample.guards[0].key));
done:
  sampled_free(&s);
}

static void new_nodes_are_no_middles_for_three_days(sc_test *t) {
  sampled s;
  sampled_init(&s, t);
  for (uint32_t i = 0; i < 80; i++) {
    sc_node node = crowd_node(i * apart);
    node.first_day = i < 70 ? today - 2 : today - 3;
    OK(sc_node_list_add(&s.list, &node, false));
  }
  sc_node_pool_replace(&s.pool, &s.list);
  CHECK(review(&s, t, today) && s.sample.middle_count == 8);
  for (size_t i = 0; i < 8; i++)
    CHECK(sc_node_pool_find(&s.pool, s.sample.middles[i].key)->ip[1] >= 70);
done:
  sampled_free(&s);
}

/* In hours of rotations the guard meets no other second hops, and middles do nothing else. */
static void second_hops_are_middles(sc_test *t) {
  WORLD(60, 10);
  const size_t rounds = t->torture ? 2 : 30;
  size_t kinds = 0;
  bool seen[world_most_nodes] = {0};
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  for (size_t i = 0; i < rounds; i++) {
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, i + 1));
    HOLDS(w.outcomes[i].status == SC_OK);
    HOLDS(!sc_guards_has_middle(&w.network->guards, w.outcomes[i].node));
    sc_network_path path = ways_only(&w);
    HOLDS(path.length == 3 && sc_guards_has_middle(&w.network->guards, path.nodes[1].key));
    HOLDS(!sc_guards_has_middle(&w.network->guards, path.nodes[2].key));
    seen[world_index(&w, path.nodes[1].key)] = true;
    world_pass(&w, 700 * WORLD_SECOND);
  }
  for (size_t i = 0; i < w.node_count; i++)
    kinds += seen[i];
  HOLDS(kinds <= 8 && (kinds > 2 || t->torture));
done:
  world_end(&w, t);
}

static void a_struck_out_middle_is_not_taken(sc_test *t) {
  WORLD(60, 10);
  w.options.nodes.struck_out = 1;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_node middles[sc_sample_most_middles];
  HOLDS(sc_guards_middles(middles, &w.network->guards) == 8);
  for (size_t i = 0; i < 7; i++)
    sc_paths_set_aside(&w.network->paths, middles[i].key);
  sc_network_close_connections(w.network, w.now);
  OK(world_call_server(&w, "/room"));
  HOLDS(world_wait(&w, 1));
  sc_network_path path = ways_only(&w);
  HOLDS(sc_node_same(&path.nodes[1], &middles[7]) ||
        !sc_guards_has_middle(&w.network->guards, path.nodes[1].key));
done:
  world_end(&w, t);
}

SUITE(network_guards_middles, "network/guards/middles",
      {"M5: small networks have few middles or none", small_networks_have_few_middles_or_none},
      {"M1: middles are drawn apart from guards", middles_are_drawn_apart_from_guards},
      {"M3: middles live for days", middles_live_for_days},
      {"M3: middles that are not listed are replaced", middles_that_are_not_listed_are_replaced},
      {"a middle that became a guard is replaced", a_middle_that_became_a_guard_is_replaced},
      {"L9: new nodes are no middles for three days", new_nodes_are_no_middles_for_three_days},
      {"M4: second hops are middles", second_hops_are_middles},
      {"a struck out middle is not taken", a_struck_out_middle_is_not_taken});
