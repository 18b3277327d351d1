/* When the pool is refreshed, which nodes are called, and what happens when they fail. */
#include "network/nodes/refresh.h"
#include "states.h"
#include "town.h"

static const uint64_t second = SC_NODE_SECOND, minute = 60 * SC_NODE_SECOND, hour = 3600 * SC_NODE_SECOND;

/* ---- triggers ---- */

static void an_empty_pool_trusts_a_single_seed(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_open(&w, t));
  w.has_path = true;
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT);
  CHECK(w.call_count == 1 && town_is_seed(&w, &w.calls[0].node) && !w.calls[0].routed);
  CHECK(w.calls[0].method == SC_STORAGE_ACTIVE_NODES && w.calls[0].node.swarm == SC_STORAGE_NO_SWARM);
  OK(town_answer(&w, 0, 0, 20));
  CHECK(town_count(&w) == 20 && waiter.times == 1 && waiter.refreshed);
  CHECK(w.replaced == 1 && w.saves[SC_NODES_FILE_POOL] == 1);
  CHECK(sc_nodes_deadline(w.nodes) == UINT64_MAX);
done:
  town_free(&w);
}

static void a_good_pool_needs_no_refresh(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_settle(&w, t, 20));
  town_wait(&w, 2 * hour - second);
  CHECK(town_want(&w, &waiter) == SC_REFRESH_NEEDLESS && w.call_count == 0 && waiter.waiter.link == NULL);
done:
  town_free(&w);
}

static void a_pool_is_refreshed_after_two_hours(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  town_wait(&w, 2 * hour);
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 3);
  for (size_t i = 0; i < 3; i++)
    CHECK(!town_is_seed(&w, &w.calls[i].node));
done:
  town_free(&w);
}

/* A refresh time in the future says nothing about the pool's age. */
static void a_clock_set_back_triggers_a_refresh(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  w.now += minute;
  w.wall -= 1000;
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
done:
  town_free(&w);
}

static void fewer_than_12_usable_nodes_trigger_a_refresh(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 14));
  town_wait(&w, minute);
  for (uint32_t i = 0; i < 2; i++) {
    const sc_node node = crowd_node(i);
    CHECK(town_want(&w, NULL) == SC_REFRESH_NEEDLESS);
    OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  }
  CHECK(town_want(&w, NULL) == SC_REFRESH_NEEDLESS);
  const sc_node struck = crowd_node(5);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, struck.key, true));
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 3);
done:
  town_free(&w);
}

/* In a network of 14 nodes, six of them set aside, another refresh finds no more. */
static void a_pool_that_stays_small_is_refreshed_less_and_less_often(sc_test *t) {
  static const uint64_t pauses[] = {1, 2, 4, 8};
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 14));
  for (uint32_t i = 0; i < 6; i++) {
    const sc_node node = crowd_node(i);
    OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  }
  town_wait(&w, minute);
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_answer_all(&w, 14));
  for (size_t i = 0; i < 4; i++) {
    town_wait(&w, pauses[i] * minute - 1);
    CHECK(town_want(&w, NULL) == SC_REFRESH_NEEDLESS && w.call_count == 0);
    town_wait(&w, 1);
    CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 3);
    OK(town_answer_all(&w, 14));
  }
done:
  town_free(&w);
}

/* ---- calling ---- */

/* defect of the reference: it used a path only when the pool was too small for one */
static void defect_nodes_are_called_over_paths_only(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  town_wait(&w, 2 * hour);
  w.has_path = false;
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 0 && w.paths_wanted == 1);
  OK(town_pass(&w, 29 * second));
  CHECK(w.call_count == 0);
  w.has_path = true;
  CHECK(sc_nodes_deadline(w.nodes) == 0);
  OK(town_pass(&w, 0));
  CHECK(w.call_count == 3);
  for (size_t i = 0; i < 3; i++)
    CHECK(w.calls[i].routed && !town_is_seed(&w, &w.calls[i].node));
done:
  town_free(&w);
}

static void without_a_path_a_seed_is_called_at_most_once_an_hour(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  w.has_path = false;
  town_wait(&w, 2 * hour);
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_pass(&w, 30 * second));
  CHECK(w.call_count == 1 && town_is_seed(&w, &w.calls[0].node) && !w.calls[0].routed);
  for (size_t i = 0; i < 3; i++) {
    OK(town_refuse(&w, i));
    OK(town_pass(&w, 10 * second));
  }
  CHECK(w.call_count == 3);
  OK(town_pass(&w, 59 * minute - 30 * second));
  CHECK(w.call_count == 3);
  OK(town_pass(&w, minute));
  CHECK(w.call_count == 4 && town_is_seed(&w, &w.calls[3].node));
done:
  town_free(&w);
}

static void with_an_old_list_a_seed_is_called_sooner(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  w.has_path = false;
  town_wait(&w, 30 * hour);
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_pass(&w, 9 * second));
  CHECK(w.call_count == 0);
  OK(town_pass(&w, second));
  CHECK(w.call_count == 1 && town_is_seed(&w, &w.calls[0].node));
done:
  town_free(&w);
}

static void seeds_are_called_directly(sc_test *t) {
  town w;
  town_init(&w);
  w.options.lists = 0;
  OK(town_settle(&w, t, 20));
  town_wait(&w, 2 * hour);
  w.has_path = true;
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 1);
  CHECK(town_is_seed(&w, &w.calls[0].node) && !w.calls[0].routed);
done:
  town_free(&w);
}

static void a_pool_that_is_too_small_is_refreshed_from_seeds(sc_test *t) {
  town w;
  town_init(&w);
  w.options.smallest_pool = 1;
  OK(town_settle(&w, t, 2));
  town_wait(&w, 2 * hour);
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 1 && town_is_seed(&w, &w.calls[0].node));
done:
  town_free(&w);
}

static void built_in_seeds_are_used_when_none_are_configured(sc_test *t) {
  town w;
  size_t count;
  const sc_node *seeds = sc_seeds(&count, SC_NETWORK_MAIN);
  town_init(&w);
  w.options.seed_count = 0;
  OK(town_open(&w, t));
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 1);
  bool built_in = false;
  for (size_t i = 0; i < count; i++)
    built_in = built_in || sc_node_same(&seeds[i], &w.calls[0].node);
  CHECK(built_in);
done:
  town_free(&w);
}

static void struck_out_nodes_are_not_called_first(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  for (uint32_t i = 0; i < 6; i++) {
    const sc_node node = crowd_node(i);
    OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  }
  town_wait(&w, 2 * hour);
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 3);
  for (size_t i = 0; i < 3; i++) {
    CHECK(w.calls[i].node.key[28] >= 6);
    for (size_t j = 0; j < i; j++)
      CHECK(!sc_node_same(&w.calls[i].node, &w.calls[j].node));
  }
done:
  town_free(&w);
}

static void a_node_without_the_binary_list_is_asked_for_json(sc_test *t) {
  enum { state_count = 4 };
  town w;
  sc_storage_node states[state_count];
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  town_init(&w);
  w.options.smallest_pool = state_count;
  OK(town_open(&w, t));
  for (uint8_t i = 0; i < state_count; i++)
    states[i] = state_of((uint8_t)(i + 1));
  OK(states_write(&body, states, state_count));
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(sc_nodes_failed(w.nodes, w.now, w.wall, w.calls[0].token, SC_ERR_STORAGE_METHOD));
  CHECK(w.call_count == 2 && sc_node_same(&w.calls[0].node, &w.calls[1].node));
  CHECK(w.calls[1].method == SC_STORAGE_SERVICE_NODES && w.calls[1].token != w.calls[0].token);
  FAILS(SC_ERR_NOT_FOUND, sc_nodes_replied(w.nodes, w.now, w.wall, w.calls[0].token, sc_buffer_bytes(&body)));
  OK(sc_nodes_replied(w.nodes, w.now, w.wall, w.calls[1].token, sc_buffer_bytes(&body)));
  CHECK(town_count(&w) == state_count);
done:
  town_free(&w);
  sc_buffer_free(&body);
}

/* ---- failing ---- */

static void another_node_is_tried_after_a_doubling_backoff(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_open(&w, t));
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_refuse(&w, 0));
  CHECK(w.call_count == 1 && sc_nodes_deadline(w.nodes) == w.now + second / 5);
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 2 && !sc_node_same(&w.calls[0].node, &w.calls[1].node));
  OK(town_refuse(&w, 1));
  CHECK(sc_nodes_deadline(w.nodes) == w.now + 2 * second / 5);
done:
  town_free(&w);
}

static void a_call_times_out_after_ten_seconds(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_open(&w, t));
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_pass(&w, 10 * second - 1));
  CHECK(w.call_count == 1);
  OK(town_pass(&w, 1));
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 2);
  FAILS(SC_ERR_NOT_FOUND, town_answer(&w, 0, 0, 20)); /* too late */
  CHECK(town_count(&w) == 0);
  OK(town_answer(&w, 1, 0, 20));
  CHECK(town_count(&w) == 20);
done:
  town_free(&w);
}

static void an_invalid_list_counts_as_a_failure(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_open(&w, t));
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  FAILS(SC_ERR_NODE_LIST,
        sc_nodes_replied(w.nodes, w.now, w.wall, w.calls[0].token, sc_bytes_text("not a list")));
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 2);
  FAILS(SC_ERR_NODE_LIST, town_answer(&w, 1, 0, 11)); /* fewer than 12 */
  CHECK(town_count(&w) == 0);
done:
  town_free(&w);
}

static void a_failed_round_notifies_waiters_and_is_retried(sc_test *t) {
  static const uint64_t pauses[] = {200, 400, 800, 1600, 3200, 5000, 5000};
  town w;
  town_waiter first, second_one;
  town_init(&w);
  OK(town_open(&w, t));
  for (size_t i = 0; i < 7; i++) {
    town_waiter_init(&first);
    CHECK(town_want(&w, &first) == SC_REFRESH_WAIT);
    OK(town_refuse_seeds(&w));
    CHECK(first.times == 1 && !first.refreshed && w.call_count == 3);
    CHECK(sc_nodes_deadline(w.nodes) == w.now + pauses[i] * 1000000);
    OK(town_pass(&w, pauses[i] * 1000000));
    CHECK(w.call_count == 4 && town_is_seed(&w, &w.calls[3].node));
    w.calls[0] = w.calls[3];
    w.call_count = 1;
  }
  town_waiter_init(&second_one);
  CHECK(town_want(&w, &second_one) == SC_REFRESH_WAIT && w.call_count == 1);
  OK(town_answer(&w, 0, 0, 20));
  CHECK(second_one.times == 1 && second_one.refreshed && first.times == 1);
done:
  town_free(&w);
}

static void a_caller_between_two_rounds_waits_for_the_next(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_open(&w, t));
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_refuse_seeds(&w));
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT && w.call_count == 3 && waiter.times == 0);
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 4 && waiter.times == 0);
  OK(town_answer(&w, 3, 0, 20));
  CHECK(waiter.times == 1 && waiter.refreshed);
done:
  town_free(&w);
}

static void a_host_that_cannot_call_makes_the_round_fail(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_open(&w, t));
  w.refuses = true;
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT && waiter.times == 0);
  OK(town_pass(&w, 2 * second / 5 + second / 5));
  CHECK(w.call_count == 3 && waiter.times == 1 && !waiter.refreshed);
done:
  town_free(&w);
}

SUITE(network_nodes_refresh, "network/nodes/refresh",
      {"L6: an empty pool trusts a single seed", an_empty_pool_trusts_a_single_seed},
      {"a good pool needs no refresh", a_good_pool_needs_no_refresh},
      {"a pool is refreshed after two hours", a_pool_is_refreshed_after_two_hours},
      {"a clock set back triggers a refresh", a_clock_set_back_triggers_a_refresh},
      {"fewer than 12 usable nodes trigger a refresh", fewer_than_12_usable_nodes_trigger_a_refresh},
      {"a pool that stays small is refreshed less and less often",
       a_pool_that_stays_small_is_refreshed_less_and_less_often},
      {"L1, L2, L3, defect: nodes are called over paths only", defect_nodes_are_called_over_paths_only},
      {"L4: without a path a seed is called at most once an hour",
       without_a_path_a_seed_is_called_at_most_once_an_hour},
      {"L4: with an old list a seed is called sooner", with_an_old_list_a_seed_is_called_sooner},
      {"L4: seeds are called directly", seeds_are_called_directly},
      {"a pool that is too small is refreshed from seeds", a_pool_that_is_too_small_is_refreshed_from_seeds},
      {"built-in seeds are used when none are configured", built_in_seeds_are_used_when_none_are_configured},
      {"struck-out nodes are not called first", struck_out_nodes_are_not_called_first},
      {"a node without the binary list is asked for JSON", a_node_without_the_binary_list_is_asked_for_json},
      {"another node is tried after a doubling backoff", another_node_is_tried_after_a_doubling_backoff},
      {"a call times out after ten seconds", a_call_times_out_after_ten_seconds},
      {"an invalid list counts as a failure", an_invalid_list_counts_as_a_failure},
      {"a failed round notifies waiters and is retried", a_failed_round_notifies_waiters_and_is_retried},
      {"a caller between two rounds waits for the next", a_caller_between_two_rounds_waits_for_the_next},
      {"a host that cannot call makes the round fail", a_host_that_cannot_call_makes_the_round_fail});
