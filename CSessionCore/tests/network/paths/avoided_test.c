#include "network/paths/avoided.h"

#include "session-core/network/node_options.h"
#include "support/test.h"

static const uint64_t minute = 60 * SC_NODE_SECOND;
static const uint8_t node[SC_KEY_BYTES] = {1};
static const sc_swarm_key one = {.local_account = 1, .account = {5, 1}},
                          other = {.local_account = 1, .account = {5, 2}},
                          another = {.local_account = 2, .account = {5, 1}};

static void a_named_node_is_avoided_for_ten_minutes(sc_test *t) {
  static sc_avoided avoided;
  avoided = (sc_avoided){0};
  CHECK(!sc_avoided_has(&avoided, node, NULL, 1));
  sc_avoided_add(&avoided, node, NULL, 1, 100);
  CHECK(sc_avoided_has(&avoided, node, NULL, 10 * minute));
  CHECK(sc_avoided_has(&avoided, node, &one, 10 * minute));
  CHECK(!sc_avoided_has(&avoided, node, NULL, 10 * minute + 1));
done:;
}

static void b4_a_member_is_avoided_for_one_account(sc_test *t) {
  static sc_avoided avoided;
  avoided = (sc_avoided){0};
  sc_avoided_add(&avoided, node, &one, 1, 100);
  CHECK(sc_avoided_has(&avoided, node, &one, 2));
  CHECK(!sc_avoided_has(&avoided, node, &other, 2) && !sc_avoided_has(&avoided, node, NULL, 2));
  CHECK(!sc_avoided_has(&avoided, node, &another, 2));
done:;
}

static void an_answer_refutes_a_text_but_not_the_member(sc_test *t) {
  static sc_avoided avoided;
  avoided = (sc_avoided){0};
  sc_avoided_add(&avoided, node, NULL, 1, 100);
  sc_avoided_add(&avoided, node, &one, 1, 100);
  sc_avoided_remove(&avoided, node);
  CHECK(!sc_avoided_has(&avoided, node, &other, 2) && sc_avoided_has(&avoided, node, &one, 2));
done:;
}

static size_t count_after_many(size_t pool) {
  static sc_avoided avoided;
  size_t count = 0;
  avoided = (sc_avoided){0};
  for (uint8_t i = 0; i < 100; i++)
    sc_avoided_add(&avoided, (const uint8_t[SC_KEY_BYTES]){i, 7}, NULL, 1 + i, pool);
  for (uint8_t i = 0; i < 100; i++)
    count += sc_avoided_has(&avoided, (const uint8_t[SC_KEY_BYTES]){i, 7}, NULL, 101);
  return sc_avoided_has(&avoided, (const uint8_t[SC_KEY_BYTES]){99, 7}, NULL, 101) ? count : 0;
}

static void only_few_nodes_are_avoided_and_the_oldest_goes(sc_test *t) {
  CHECK(count_after_many(100) == sc_avoided_least);
  CHECK(count_after_many(2000) == 20);
  CHECK(count_after_many(1000000) == sc_avoided_max);
done:;
}

SUITE(network_paths_avoided, "network/paths/avoided",
      {"B9: a named node is avoided for ten minutes", a_named_node_is_avoided_for_ten_minutes},
      {"B4, I4: a member is avoided for one account, on behalf of one",
       b4_a_member_is_avoided_for_one_account},
      {"an answer refutes a text but not the member", an_answer_refutes_a_text_but_not_the_member},
      {"only few nodes are avoided, and the oldest goes", only_few_nodes_are_avoided_and_the_oldest_goes});
