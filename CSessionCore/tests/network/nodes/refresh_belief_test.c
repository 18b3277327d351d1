/* The lists that may become the pool: lists that agree, a seed's list, and the list shipped with the program.
 */
#include "network/nodes/refresh.h"
#include "states.h"
#include "town.h"

static const uint64_t second = SC_NODE_SECOND, hour = 3600 * SC_NODE_SECOND;

/* ---- agreement ---- */

/* The pool is old, so three nodes are called. */
static sc_status expect_three(town *w) {
  town_wait(w, 2 * hour);
  w->call_count = 0;
  return town_want(w, NULL) == SC_REFRESH_WAIT && w->call_count == 3 ? SC_OK : SC_ERR_STATE;
}

static void two_of_three_nodes_must_agree(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  OK(expect_three(&w));
  OK(town_answer(&w, 0, 0, 24));
  OK(town_answer(&w, 1, 4, 24));
  CHECK(town_count(&w) == 20);
  OK(town_answer(&w, 2, 100, 30));
  CHECK(town_count(&w) == 20); /* 4 to 23 */
  for (uint32_t i = 0; i < 45; i++) {
    const sc_node node = crowd_node(i);
    CHECK((sc_nodes_find(w.nodes, node.key) != NULL) == (i >= 4 && i < 24));
  }
done:
  town_free(&w);
}

static void lists_that_do_not_agree_change_nothing(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_settle(&w, t, 20));
  OK(expect_three(&w));
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT);
  OK(town_answer(&w, 0, 0, 30));
  OK(town_answer(&w, 1, 19, 30)); /* 11 in both */
  OK(town_answer(&w, 2, 100, 30));
  const sc_node kept = crowd_node(3);
  CHECK(town_count(&w) == 20 && sc_nodes_find(w.nodes, kept.key) != NULL);
  CHECK(waiter.times == 1 && !waiter.refreshed && w.replaced == 1 && w.saves[SC_NODES_FILE_POOL] == 1);
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 4 && town_is_seed(&w, &w.calls[3].node)); /* the seeds decide */
done:
  town_free(&w);
}

/* The reference trusts the remaining replies when the others fail; here the threshold is never lowered. */
static void one_reply_of_three_is_not_trusted(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  OK(expect_three(&w));
  OK(town_answer(&w, 0, 200, 30));
  for (size_t i = 0; i < 30 && !town_is_seed(&w, &w.calls[w.call_count - 1].node); i++)
    OK(town_pass(&w, 10 * second));
  const sc_node kept = crowd_node(3);
  CHECK(sc_nodes_find(w.nodes, kept.key) != NULL && town_count(&w) == 20);
  CHECK(w.call_count == 13 && town_is_seed(&w, &w.calls[12].node));
done:
  town_free(&w);
}

/* Twelve nodes without a reply prove that the pool is useless. */
static void a_pool_of_dead_nodes_falls_back_to_the_seeds(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 100));
  OK(expect_three(&w));
  for (size_t i = 0; i < 30 && !town_is_seed(&w, &w.calls[w.call_count - 1].node); i++)
    OK(town_pass(&w, 10 * second));
  CHECK(w.call_count == 13 && town_is_seed(&w, &w.calls[12].node));
  OK(town_answer(&w, 12, 200, 20));
  const sc_node dead = crowd_node(1), alive = crowd_node(201);
  CHECK(sc_nodes_find(w.nodes, dead.key) == NULL && sc_nodes_find(w.nodes, alive.key) != NULL);
done:
  town_free(&w);
}

/* The three nodes that were called disagree, and the next round begins. */
static sc_status disagree(town *w) {
  sc_status status = SC_OK;
  for (size_t i = 0; status == SC_OK && i < 3; i++)
    status = town_answer(w, i, 100 * (uint32_t)(i + 1), 20);
  w->call_count = 0;
  return status == SC_OK ? town_pass(w, 6 * second) : status;
}

static void failing_nodes_and_seeds_are_tried_in_turn(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  OK(expect_three(&w));
  for (size_t round = 0; round < 2; round++) {
    OK(disagree(&w));
    CHECK(w.call_count == 1 && town_is_seed(&w, &w.calls[0].node));
    OK(town_refuse_seeds(&w));
    w.call_count = 0;
    OK(town_pass(&w, 6 * second));
    CHECK(w.call_count == 3 && !town_is_seed(&w, &w.calls[0].node));
    /* Within an hour, seeds are not called again. */
    OK(disagree(&w));
    CHECK(w.call_count == 3 && !town_is_seed(&w, &w.calls[0].node));
    town_wait(&w, 3600 * second);
  }
done:
  town_free(&w);
}

static void only_seeds_can_remove_half_the_network(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 50));
  OK(expect_three(&w));
  for (size_t i = 0; i < 3; i++)
    OK(town_answer(&w, i, 0, 24));
  CHECK(town_count(&w) == 50);
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 4 && town_is_seed(&w, &w.calls[3].node));
  OK(town_answer(&w, 3, 0, 24)); /* but on a seed's word */
  CHECK(town_count(&w) == 24);
done:
  town_free(&w);
}

static void a_list_without_a_swarm_changes_nothing(sc_test *t) {
  enum { count = 20 };
  uint8_t body[count * SC_STORAGE_ACTIVE_NODE_BYTES];
  town w;
  town_init(&w);
  OK(town_settle(&w, t, count));
  OK(expect_three(&w));
  for (uint32_t i = 0; i < count; i++) {
    const sc_node node = crowd_node(i + 100);
    sc_storage_node record = {.quic_port = 1, .swarm = SC_STORAGE_NO_SWARM};
    memcpy(record.ed25519, node.key, SC_KEY_BYTES);
    memcpy(record.ip, node.ip, 4);
    sc_storage_active_node_write(body + i * SC_STORAGE_ACTIVE_NODE_BYTES, &record);
  }
  for (size_t i = 0; i < 3; i++)
    OK(sc_nodes_replied(w.nodes, w.now, w.wall, w.calls[i].token, SC_BYTES(body)));
  const sc_node kept = crowd_node(3);
  CHECK(sc_nodes_find(w.nodes, kept.key) != NULL);
done:
  town_free(&w);
}

/* ---- the shipped list ---- */

static void the_shipped_list_is_used_when_no_seed_replies(sc_test *t) {
  enum { state_count = 4 };
  town w;
  town_waiter waiter;
  sc_storage_node states[state_count];
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  town_init(&w);
  town_waiter_init(&waiter);
  for (uint8_t i = 0; i < state_count; i++)
    states[i] = state_of((uint8_t)(i + 1));
  OK(states_write(&file, states, state_count));
  w.options.smallest_pool = state_count;
  w.options.fallback = sc_buffer_bytes(&file);
  w.options.fallback_time = w.wall;
  OK(town_open(&w, t));
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT);
  OK(town_refuse_seeds(&w));
  CHECK(town_count(&w) == state_count && waiter.times == 1 && waiter.refreshed);
  CHECK(w.replaced == 1 && w.saves[SC_NODES_FILE_POOL] == 0);
  w.call_count = 0; /* it is old: its nodes are called at once */
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 3 && !town_is_seed(&w, &w.calls[0].node));
done:
  town_free(&w);
  sc_buffer_free(&file);
}

static void the_shipped_list_does_not_replace_a_pool(sc_test *t) {
  enum { state_count = 12 };
  town w;
  sc_storage_node states[state_count];
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  town_init(&w);
  for (uint8_t i = 0; i < state_count; i++)
    states[i] = state_of((uint8_t)(i + 1));
  OK(states_write(&file, states, state_count));
  w.options.fallback = sc_buffer_bytes(&file);
  w.options.fallback_time = w.wall;
  w.options.lists = 0;
  OK(town_settle(&w, t, 12));
  town_wait(&w, 2 * hour);
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_refuse_seeds(&w));
  const sc_node kept = crowd_node(3);
  CHECK(sc_nodes_find(w.nodes, kept.key) != NULL);
done:
  town_free(&w);
  sc_buffer_free(&file);
}

SUITE(network_nodes_refresh_belief, "network/nodes/refresh_belief",
      {"two of three nodes must agree", two_of_three_nodes_must_agree},
      {"lists that do not agree change nothing", lists_that_do_not_agree_change_nothing},
      {"one reply of three is not trusted", one_reply_of_three_is_not_trusted},
      {"a pool of dead nodes falls back to the seeds", a_pool_of_dead_nodes_falls_back_to_the_seeds},
      {"failing nodes and seeds are tried in turn", failing_nodes_and_seeds_are_tried_in_turn},
      {"L10: only seeds can remove half the network", only_seeds_can_remove_half_the_network},
      {"a list without a swarm changes nothing", a_list_without_a_swarm_changes_nothing},
      {"L5: the shipped list is used when no seed replies", the_shipped_list_is_used_when_no_seed_replies},
      {"L5: the shipped list does not replace a pool", the_shipped_list_does_not_replace_a_pool});
