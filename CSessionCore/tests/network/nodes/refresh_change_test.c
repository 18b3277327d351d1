/* How much one list may change: rules L2 and L7 to L10. */
#include "network/nodes/state.h"
#include "town.h"

static const uint64_t second = SC_NODE_SECOND, hour = 3600 * SC_NODE_SECOND;
static const uint64_t day = 24 * 3600 * SC_NODE_SECOND;

/* So many nodes; 3 % of them are 9. */
enum { many = 300, usual = 9 };

/* Nodes are called, one of each network, some hours after the last refresh. */
static sc_status expect_nodes(town *w, uint64_t after) {
  town_wait(w, after);
  w->call_count = 0;
  return town_want(w, NULL) == SC_REFRESH_WAIT && w->call_count == 3 ? SC_OK : SC_ERR_STATE;
}

/* All nodes that are called, but those before `begin`, list the same. */
static sc_status answer_from(town *w, size_t begin, uint32_t first, uint32_t count) {
  sc_status status = SC_OK;
  size_t end = w->call_count; /* more may be called */
  for (size_t i = begin; status == SC_OK && i < end; i++)
    status = town_answer(w, i, first, count);
  return status;
}

/* A town at noon, whose nodes are `count`. */
static sc_status settle(town *w, sc_test *t, uint32_t count) {
  enum { day_ms = 24 * 3600 * 1000 };
  town_init(w);
  w->wall = w->wall / day_ms * day_ms + day_ms / 2;
  return town_settle(w, t, count);
}

static bool has(const town *w, uint32_t i) {
  const sc_node node = crowd_node(i);
  return sc_nodes_find(w->nodes, node.key) != NULL;
}

/* L7 */
static void a_small_change_needs_no_witnesses(sc_test *t) {
  town w;
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + usual));
  CHECK(w.call_count == 3 && town_count(&w) == many + usual);
done:
  town_free(&w);
}

/* L7: three days later 27 may have changed. */
static void more_may_change_in_more_days(sc_test *t) {
  town w;
  for (uint32_t more = 0; more < 2; more++) {
    OK(settle(&w, t, many));
    OK(expect_nodes(&w, 3 * day));
    OK(answer_from(&w, 0, 0, many + 3 * usual + more));
    CHECK((w.call_count == 3) == (more == 0) && has(&w, many) == (more == 0));
    town_free(&w);
  }
done:
  town_free(&w);
}

/* L8 */
static void a_large_change_needs_five_more_lists(sc_test *t) {
  town w;
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + usual + 1));
  CHECK(w.call_count == 8 && town_count(&w) == many);
  for (size_t i = 3; i < 8; i++) {
    CHECK(w.calls[i].routed && !town_is_seed(&w, &w.calls[i].node));
    for (size_t k = 0; k < i; k++)
      CHECK(!sc_node_same(&w.calls[i].node, &w.calls[k].node));
  }
  OK(answer_from(&w, 3, 0, many + usual + 1));
  CHECK(town_count(&w) == many + usual + 1);
done:
  town_free(&w);
}

/* L8: six of eight, whichever they are. */
static void six_of_eight_lists_must_agree(sc_test *t) {
  town w;
  for (size_t honest = 5; honest <= 6; honest++) {
    OK(settle(&w, t, many));
    OK(expect_nodes(&w, 2 * hour));
    OK(answer_from(&w, 0, 0, many + 20));
    for (size_t i = 3; i < 8; i++)
      OK(town_answer(&w, i, 0, i < honest ? many + 20 : many + 60));
    CHECK(has(&w, many) == (honest == 6) && !has(&w, many + 20));
    w.call_count = 0;
    OK(town_pass(&w, second));
    CHECK((w.call_count == 1) == (honest == 5));
    town_free(&w);
  }
done:
  town_free(&w);
}

/* L8: what six of eight agree on is also near to their lists. */
static void six_lists_that_share_too_little_change_nothing(sc_test *t) {
  town w;
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + 20));
  for (size_t i = 3; i < 8; i++)
    OK(town_answer(&w, i, 0, many + 20 + 11 * (uint32_t)i));
  CHECK(town_count(&w) == many);
done:
  town_free(&w);
}

/* L8: a seed decides, though one was called less than an hour ago, but not again and again. */
static void a_seed_settles_disputes_between_nodes(sc_test *t) {
  town w;
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 2 * hour));
  w.nodes->refresh.called_seed = true;
  w.nodes->refresh.seed_at = w.now;
  OK(answer_from(&w, 0, 100, many));
  OK(answer_from(&w, 3, 0, many));
  w.call_count = 0;
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 1 && town_is_seed(&w, &w.calls[0].node) && town_count(&w) == many && !has(&w, many));
  OK(town_refuse_seeds(&w));
  for (size_t i = 0; i < 3; i++) {
    w.call_count = 0;
    OK(town_pass(&w, 6 * second));
    CHECK(w.call_count == 3 && !town_is_seed(&w, &w.calls[0].node));
    OK(answer_from(&w, 0, 100, many));
    OK(answer_from(&w, 3, 0, many));
  }
  town_wait(&w, hour);
  w.call_count = 0;
  OK(town_pass(&w, 6 * second));
  CHECK(w.call_count == 1 && town_is_seed(&w, &w.calls[0].node));
  OK(town_answer(&w, 0, 100, many)); /* a seed's list is final */
  CHECK(has(&w, many) && !has(&w, 0));
done:
  town_free(&w);
}

/* L9 */
static void new_nodes_are_young_even_in_a_seeds_list(sc_test *t) {
  town w;
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + usual));
  const sc_day today = sc_day_of(w.wall);
  for (uint32_t i = 0; i < many + usual; i++) {
    const sc_node node = crowd_node(i);
    CHECK(sc_nodes_find(w.nodes, node.key)->first_day == (i < many ? 0 : today));
  }
  OK(expect_nodes(&w, day));
  for (size_t i = 0; i < 3; i++)
    OK(town_answer(&w, i, 10 * many * (uint32_t)i, 20));
  w.call_count = 0;
  OK(town_pass(&w, second));
  CHECK(w.call_count == 1 && town_is_seed(&w, &w.calls[0].node));
  OK(town_answer(&w, 0, 100, many));
  const sc_node known = crowd_node(many), fresh = crowd_node(many + 50), old = crowd_node(100);
  CHECK(sc_nodes_find(w.nodes, old.key)->first_day == 0);
  CHECK(sc_nodes_find(w.nodes, known.key)->first_day == today);
  CHECK(sc_nodes_find(w.nodes, fresh.key)->first_day == today + 1);
done:
  town_free(&w);
}

/* L9a */
static void the_changes_of_a_day_add_up(sc_test *t) {
  town w;
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + 5));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + 9));
  CHECK(w.call_count == 3 && has(&w, many + 8));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + 10));
  CHECK(w.call_count == 8);
  OK(answer_from(&w, 3, 0, many + 10));
  CHECK(has(&w, many + 9));
  OK(expect_nodes(&w, day));
  OK(answer_from(&w, 0, 0, many + 19));
  CHECK(w.call_count == 3 && has(&w, many + 18));
done:
  town_free(&w);
}

/* L9a: they add up over restarts, which are frequent where each command is a process. */
static void the_changes_of_a_day_are_kept(sc_test *t) {
  town w;
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + 5));
  OK(sc_nodes_write_pool(&file, w.nodes));
  town_free(&w);
  OK(town_open(&w, t));
  OK(sc_nodes_load_pool(w.nodes, w.wall, sc_buffer_bytes(&file), w.wall));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 0, many + 10));
  CHECK(w.call_count == 8 && !has(&w, many + 9));
done:
  town_free(&w);
  sc_buffer_free(&file);
}

/* L10: no number of nodes can halve the network. */
static void nodes_never_halve_the_network(sc_test *t) {
  town w;
  OK(settle(&w, t, many));
  OK(expect_nodes(&w, 30 * day));
  OK(answer_from(&w, 0, 0, many / 2 - 1));
  CHECK(w.call_count == 3 && town_count(&w) == many);
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 4 && town_is_seed(&w, &w.calls[3].node));
  OK(town_answer(&w, 3, 0, many / 2 - 1));
  CHECK(town_count(&w) == many / 2 - 1);
done:
  town_free(&w);
}

/* The operator of a private network may change all of it at once. */
static void private_networks_change_freely(sc_test *t) {
  town w;
  town_init(&w);
  w.options.kind = SC_NETWORK_PRIVATE;
  OK(town_settle(&w, t, 20));
  OK(expect_nodes(&w, 2 * hour));
  OK(answer_from(&w, 0, 10, 60));
  CHECK(w.call_count == 3 && town_count(&w) == 60);
  const sc_node fresh = crowd_node(50);
  CHECK(sc_nodes_find(w.nodes, fresh.key)->first_day == 0);
done:
  town_free(&w);
}

SUITE(network_nodes_refresh_change, "network/nodes/refresh_change",
      {"L7: a small change needs no witnesses", a_small_change_needs_no_witnesses},
      {"L7: more may change in more days", more_may_change_in_more_days},
      {"L8: a large change needs five more lists", a_large_change_needs_five_more_lists},
      {"L8: six of eight lists must agree", six_of_eight_lists_must_agree},
      {"L8: six lists that share too little change nothing", six_lists_that_share_too_little_change_nothing},
      {"L8: a seed settles disputes between nodes", a_seed_settles_disputes_between_nodes},
      {"L9: new nodes are young, even in a seed's list", new_nodes_are_young_even_in_a_seeds_list},
      {"L9a: the changes of a day add up", the_changes_of_a_day_add_up},
      {"L9a: the changes of a day are kept", the_changes_of_a_day_are_kept},
      {"L10: nodes never halve the network", nodes_never_halve_the_network},
      {"private networks change freely", private_networks_change_freely});
