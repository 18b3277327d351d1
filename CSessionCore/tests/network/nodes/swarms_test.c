#include "network/nodes/swarms.h"

#include "crowd.h"

static const uint64_t wall = 1700000000000;

typedef struct world {
  sc_node_pool pool;
  sc_swarms swarms;
  sc_strikes strikes;
} world;

static void world_init(world *w, sc_test *t) {
  sc_node_options options;
  sc_node_options_default(&options, SC_NETWORK_MAIN);
  sc_node_pool_init(&w->pool, t->env);
  sc_swarms_init(&w->swarms, t->env);
  sc_strikes_init(&w->strikes, t->env, &options);
}

static void world_free(world *w) {
  sc_node_pool_free(&w->pool);
  sc_swarms_free(&w->swarms);
  sc_strikes_free(&w->strikes);
}

/* A pool of `count` nodes, node i in swarm `ids[i % id_count]`. */
static sc_status fill(world *w, const uint64_t *ids, size_t id_count, uint32_t count) {
  sc_node_list list;
  sc_swarms swarms;
  sc_node_list_init(&list, w->pool.env);
  sc_status status = crowd_list(&list, 0, count);
  sc_node *nodes = list.table.records;
  for (size_t i = 0; status == SC_OK && i < count; i++)
    nodes[i].swarm = ids[i % id_count];
  if (status == SC_OK) {
    sc_node_list_shuffle(&list);
    sc_node_pool_replace(&w->pool, &list);
  }
  if (status == SC_OK)
    status = sc_swarms_make(&swarms, w->pool.env, w->pool.nodes, w->pool.count);
  if (status == SC_OK) {
    sc_swarms_free(&w->swarms);
    w->swarms = swarms;
  }
  sc_node_list_free(&list);
  return status;
}

/* The accounts of the specification and their positions. */
static void accounts_map_to_the_known_positions(sc_test *t) {
  static const struct {
    const char *account;
    uint64_t position;
  } known[] = {
      {"3506f4a71324b7dd114eddbf4e311f39dde243e1f2cb97c40db1961f70ebaae8", 17589930838143112648u},
      {"cf27da303a50ac8c4b2d43d27259505c9bcd73fc21cf2a57902c3d050730b604", 10370619079776428163u},
      {"d3511706b8b34f6e8411bf07bd22ba6b2435ca56846fbccf6eb1e166a6cd15cc", 2144983569669512198u},
      {"4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01", 308072453193212310u},
      {"d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737", 13788670805947235541u},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t account[SC_KEY_BYTES];
    sc_test_hex_into(account, sizeof account, known[i].account);
    CHECK(sc_swarm_position(account) == known[i].position);
  }
done:;
}

static void positions_map_to_the_known_swarms(sc_test *t) {
  static const uint64_t ids[] = {498, 100, 694, 300, 200, 596, 399};
  static const struct {
    uint64_t position, swarm;
  } known[] = {{0, 100},
               {1, 100},
               {100, 100},
               {150, 100},
               {151, 200},
               {UINT64_MAX, 100},
               {250, 200},
               {349, 300},
               {350, 399},
               {0xa000000000000000, 100},
               {0x8000000000000000, 694},
               {0x800000000000018d, 694},
               {0x800000000000018e, 100}};
  world w;
  uint64_t swarm;
  world_init(&w, t);
  OK(fill(&w, ids, 7, 30));
  CHECK(w.swarms.count == 7);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    OK(sc_swarms_nearest(&swarm, &w.swarms, known[i].position));
    CHECK(swarm == known[i].swarm);
  }
done:
  world_free(&w);
}

static void a_single_swarm_owns_every_account_and_an_empty_list_none(sc_test *t) {
  static const uint64_t one[] = {77, SC_STORAGE_NO_SWARM}, none[] = {SC_STORAGE_NO_SWARM};
  const uint8_t account[SC_KEY_BYTES] = {1};
  world w;
  sc_swarm swarm;
  uint64_t id;
  world_init(&w, t);
  FAILS(SC_ERR_NO_SWARM, sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
  OK(fill(&w, one, 2, 10));
  OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
  CHECK(swarm.count == 5);
  for (size_t i = 0; i < swarm.count; i++)
    CHECK(swarm.nodes[i]->swarm == 77);
  OK(sc_swarms_nearest(&id, &w.swarms, UINT64_MAX));
  CHECK(id == 77);
  OK(fill(&w, none, 1, 10));
  FAILS(SC_ERR_NO_SWARM, sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
  FAILS(SC_ERR_NO_SWARM, sc_swarms_nearest(&id, &w.swarms, 0));
done:
  world_free(&w);
}

static void a_swarm_has_exactly_its_members(sc_test *t) {
  static const uint64_t ids[] = {0, UINT64_MAX / 3, UINT64_MAX / 3 * 2};
  world w;
  sc_swarm swarm;
  world_init(&w, t);
  OK(fill(&w, ids, 3, 31));
  for (size_t i = 0; i < 3; i++) {
    uint8_t account[SC_KEY_BYTES] = {0};
    for (size_t byte = 0; byte < 8; byte++)
      account[8 + byte] = (uint8_t)(ids[i] >> (56 - 8 * byte));
    OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
    CHECK(swarm.count == (i == 0 ? 11 : 10));
    for (size_t j = 0; j < swarm.count; j++)
      CHECK(swarm.nodes[j]->swarm == ids[i] && (j == 0 || swarm.nodes[j] > swarm.nodes[j - 1]));
  }
done:
  world_free(&w);
}

/* Random swarms, compared with a search of all of them. */
static void the_nearest_swarm_is_the_nearest_of_all(sc_test *t) {
  enum { rounds = 200, most = 12 };
  world w;
  uint64_t ids[most], swarm;
  world_init(&w, t);
  for (size_t round = 0; round < (t->torture ? 1 : rounds); round++) {
    uint64_t position;
    size_t count = round % most + 1;
    sc_random(t->env, (uint8_t *)ids, sizeof ids);
    sc_random(t->env, (uint8_t *)&position, sizeof position);
    for (size_t i = 0; i < count; i++)
      ids[i] >>= round % 3 * 30; /* near each other, too */
    OK(fill(&w, ids, count, (uint32_t)count));
    OK(sc_swarms_nearest(&swarm, &w.swarms, position));
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
      uint64_t right = ids[i] - position, left = position - ids[i];
      least = right < least ? right : least;
      least = left < least ? left : least;
    }
    CHECK(swarm - position == least || position - swarm == least);
  }
done:
  world_free(&w);
}

static void swarm_size_is_limited(sc_test *t) {
  static const uint64_t one[] = {1};
  const uint8_t account[SC_KEY_BYTES] = {1};
  world w;
  sc_swarm swarm;
  world_init(&w, t);
  OK(fill(&w, one, 1, SC_STORAGE_MAX_SWARM + 5));
  OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
  CHECK(swarm.count == SC_STORAGE_MAX_SWARM);
done:
  world_free(&w);
}

static void struck_out_nodes_are_excluded(sc_test *t) {
  static const uint64_t one[] = {1};
  const uint8_t account[SC_KEY_BYTES] = {1};
  const sc_node struck = crowd_node(2), hurt = crowd_node(3);
  world w;
  sc_swarm swarm;
  world_init(&w, t);
  OK(fill(&w, one, 1, 5));
  OK(sc_strikes_add(&w.strikes, wall, struck.key, true));
  OK(sc_strikes_add(&w.strikes, wall, hurt.key, false));
  OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
  sc_swarm_leave_out(&swarm, &w.strikes, wall, 3);
  CHECK(swarm.count == 4);
  for (size_t i = 0; i < 4; i++)
    CHECK(!sc_node_same(swarm.nodes[i], &struck));
done:
  world_free(&w);
}

static void the_three_members_with_the_fewest_strikes_always_remain(sc_test *t) {
  static const uint64_t one[] = {1};
  const uint8_t account[SC_KEY_BYTES] = {1};
  world w;
  sc_swarm swarm;
  bool kept[5] = {false};
  world_init(&w, t);
  OK(fill(&w, one, 1, 5));
  /* Node 0 is fine; 1 has 6 strikes, 2 has 5, 3 has 4 and 4 has 3. */
  for (uint32_t i = 1; i < 5; i++)
    for (uint32_t strike = 0; strike < 7 - i; strike++) {
      const sc_node node = crowd_node(i);
      OK(sc_strikes_add(&w.strikes, wall, node.key, false));
    }
  OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
  sc_swarm_leave_out(&swarm, &w.strikes, wall, 3);
  CHECK(swarm.count == 3);
  for (size_t i = 0; i < 3; i++)
    kept[swarm.nodes[i]->key[28]] = true;
  CHECK(kept[0] && kept[3] && kept[4]);
  /* With fewer members than that, all remain. */
  OK(fill(&w, one, 1, 2));
  OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account));
  const sc_node first = crowd_node(0);
  OK(sc_strikes_add(&w.strikes, wall, first.key, true));
  sc_swarm_leave_out(&swarm, &w.strikes, wall, 3);
  CHECK(swarm.count == 2);
done:
  world_free(&w);
}

/* Reads a hint for this account: nodes `first` up to `first + count`, every `step`-th. */
static bool hint(uint64_t *out, const world *w, const uint8_t *account, uint32_t first, uint32_t step,
                 size_t count) {
  sc_storage_node nodes[SC_STORAGE_MAX_SWARM];
  for (size_t i = 0; i < count; i++) {
    const sc_node node = crowd_node(first + step * (uint32_t)i);
    nodes[i] = (sc_storage_node){.ip = {66, 66, 66, 66}, .quic_port = 6666, .swarm = 66};
    memcpy(nodes[i].ed25519, node.key, SC_KEY_BYTES);
  }
  const sc_storage_node_list list = {nodes, count, 0};
  return sc_swarms_hint(out, &w->swarms, &w->pool, account, &list);
}

/* Position 2^56: behind swarm 1000, and before swarm 2^60. */
static const uint8_t account_between[SC_KEY_BYTES] = {1};
static const uint64_t four_swarms[] = {0, 1000, UINT64_C(1) << 60, UINT64_C(1) << 62};

static void a_hint_is_the_swarm_on_the_other_side(sc_test *t) {
  world w;
  sc_swarm swarm;
  uint64_t out = 0;
  world_init(&w, t);
  OK(fill(&w, four_swarms, 4, 20));
  OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account_between));
  CHECK(swarm.nodes[0]->swarm == 1000);
  CHECK(hint(&out, &w, account_between, 2, 4, 3) && out == four_swarms[2]);
  CHECK(sc_swarms_members(&swarm, &w.swarms, &w.pool, out) && swarm.count == 5);
  for (size_t i = 0; i < 5; i++)
    CHECK(swarm.nodes[i]->swarm == four_swarms[2]);
  CHECK(!sc_swarms_members(&swarm, &w.swarms, &w.pool, 77));
  OK(sc_swarms_find(&swarm, &w.swarms, &w.pool, account_between)); /* and the map is as it was */
  CHECK(swarm.nodes[0]->swarm == 1000);
done:
  world_free(&w);
}

static void other_lists_are_no_hint(sc_test *t) {
  world w;
  uint64_t out = 0;
  world_init(&w, t);
  OK(fill(&w, four_swarms, 4, 20));
  CHECK(!hint(&out, &w, account_between, 2, 4, 0));  /* empty */
  CHECK(!hint(&out, &w, account_between, 1, 4, 3));  /* the own swarm */
  CHECK(!hint(&out, &w, account_between, 0, 4, 3));  /* one far away */
  CHECK(!hint(&out, &w, account_between, 3, 4, 3));  /* another */
  CHECK(!hint(&out, &w, account_between, 2, 1, 2));  /* two swarms */
  CHECK(!hint(&out, &w, account_between, 2, 4, 6));  /* a stranger at the end */
  CHECK(!hint(&out, &w, account_between, 2, 0, 2));  /* one twice */
  CHECK(!hint(&out, &w, account_between, 30, 1, 3)); /* strangers */
  OK(fill(&w, four_swarms, 1, 20));
  CHECK(!hint(&out, &w, account_between, 2, 4, 3)); /* there is no other */
done:
  world_free(&w);
}

static void the_number_of_nodes_in_a_hint_is_limited(sc_test *t) {
  world w;
  uint64_t out = 0;
  world_init(&w, t);
  OK(fill(&w, four_swarms, 4, 600));
  CHECK(hint(&out, &w, account_between, 2, 4, sc_swarm_most_hinted));
  CHECK(!hint(&out, &w, account_between, 2, 4, sc_swarm_most_hinted + 1));
done:
  world_free(&w);
}

SUITE(network_nodes_swarms, "network/nodes/swarms",
      {"accounts map to the known positions", accounts_map_to_the_known_positions},
      {"positions map to the known swarms", positions_map_to_the_known_swarms},
      {"a single swarm owns every account and an empty list none",
       a_single_swarm_owns_every_account_and_an_empty_list_none},
      {"a swarm has exactly its members", a_swarm_has_exactly_its_members},
      {"the nearest swarm is the nearest of all", the_nearest_swarm_is_the_nearest_of_all},
      {"swarm size is limited", swarm_size_is_limited},
      {"struck-out nodes are excluded", struck_out_nodes_are_excluded},
      {"the three members with the fewest strikes always remain",
       the_three_members_with_the_fewest_strikes_always_remain},
      {"R3: a hint is the swarm on the other side", a_hint_is_the_swarm_on_the_other_side},
      {"R3: other lists are no hint", other_lists_are_no_hint},
      {"R3: the number of nodes in a hint is limited", the_number_of_nodes_in_a_hint_is_limited});
