#include "network/nodes/quorum.h"

#include "crowd.h"

typedef struct election {
  sc_quorum quorum;
  sc_node_list list;
  sc_node_list result;
} election;

static void election_init(election *e, sc_test *t) {
  sc_quorum_init(&e->quorum, t->env);
  sc_node_list_init(&e->list, t->env);
  sc_node_list_init(&e->result, t->env);
}

static void election_free(election *e) {
  sc_quorum_free(&e->quorum);
  sc_node_list_free(&e->list);
  sc_node_list_free(&e->result);
}

static sc_status vote(election *e, uint32_t first, uint32_t count) {
  sc_node_list_free(&e->list);
  sc_status status = crowd_list(&e->list, first, count);
  return status == SC_OK ? sc_quorum_add(&e->quorum, &e->list) : status;
}

static sc_status vote_for(election *e, const sc_node *node) {
  sc_node_list_free(&e->list);
  sc_status status = sc_node_list_add(&e->list, node, false);
  return status == SC_OK ? sc_quorum_add(&e->quorum, &e->list) : status;
}

static void nodes_listed_in_two_of_three_lists_are_kept(sc_test *t) {
  election e;
  election_init(&e, t);
  OK(vote(&e, 0, 20));
  OK(vote(&e, 10, 20));
  OK(vote(&e, 100, 20));
  OK(sc_quorum_result(&e.result, &e.quorum, 2));
  CHECK(e.quorum.lists == 3 && sc_node_list_count(&e.result) == 10);
  for (uint32_t i = 10; i < 20; i++) {
    const sc_node node = crowd_node(i);
    CHECK(sc_key_table_find(&e.result.table, node.key) != NULL);
  }
done:
  election_free(&e);
}

static void one_list_is_enough_when_one_vote_is_required(sc_test *t) {
  election e;
  election_init(&e, t);
  OK(vote(&e, 0, 20));
  OK(sc_quorum_result(&e.result, &e.quorum, 1));
  CHECK(sc_node_list_count(&e.result) == 20);
done:
  election_free(&e);
}

/* Two lists with different addresses for a node do not agree on it. */
static void a_node_at_another_address_is_a_different_node(sc_test *t) {
  election e;
  const sc_node node = crowd_node(1);
  sc_node variants[5];
  election_init(&e, t);
  for (size_t i = 0; i < 5; i++)
    variants[i] = node;
  variants[0].ip[3]++;
  variants[1].https_port++;
  variants[2].quic_port++;
  variants[3].swarm++;
  for (size_t i = 0; i < 4; i++) {
    OK(vote_for(&e, &node));
    OK(vote_for(&e, &variants[i]));
    OK(sc_quorum_result(&e.result, &e.quorum, 2));
    CHECK(sc_node_list_count(&e.result) == 0);
    sc_quorum_free(&e.quorum);
  }
  variants[4].version[2]++; /* a field missing from some lists */
  OK(vote_for(&e, &node));
  OK(vote_for(&e, &variants[4]));
  OK(sc_quorum_result(&e.result, &e.quorum, 2));
  CHECK(sc_node_list_count(&e.result) == 1);
done:
  election_free(&e);
}

static void a_liar_does_not_outvote_two(sc_test *t) {
  election e;
  const sc_node node = crowd_node(1);
  sc_node lie = node;
  election_init(&e, t);
  lie.ip[0] = 66;
  OK(vote_for(&e, &lie));
  OK(vote_for(&e, &node));
  OK(vote_for(&e, &node));
  OK(sc_quorum_result(&e.result, &e.quorum, 2));
  CHECK(sc_node_list_count(&e.result) == 1 && sc_node_list_nodes(&e.result)[0].ip[0] == 9);
done:
  election_free(&e);
}

static void of_two_records_the_one_with_more_votes_is_kept(sc_test *t) {
  election e;
  const sc_node node = crowd_node(1);
  sc_node other = node;
  election_init(&e, t);
  other.ip[0] = 66;
  for (size_t i = 0; i < 5; i++)
    OK(vote_for(&e, i < 2 ? &other : &node));
  OK(sc_quorum_result(&e.result, &e.quorum, 2));
  CHECK(sc_node_list_count(&e.result) == 1 && sc_node_list_nodes(&e.result)[0].ip[0] == 9);
done:
  election_free(&e);
}

/* A node that came, one that went, and one that moved count as one difference each. */
static void lists_support_one_that_is_nearly_the_same(sc_test *t) {
  election e;
  sc_node moved = crowd_node(5);
  election_init(&e, t);
  moved.swarm++;
  OK(vote(&e, 0, 20));
  OK(vote(&e, 1, 20)); /* one came, one went */
  OK(vote(&e, 100, 20));
  sc_node_list_free(&e.list);
  OK(sc_node_list_add(&e.list, &moved, false));
  for (uint32_t i = 0; i < 20; i++) {
    const sc_node node = crowd_node(i);
    if (i != 5)
      OK(sc_node_list_add(&e.list, &node, false));
  }
  OK(sc_quorum_add(&e.quorum, &e.list));
  OK(crowd_list(&e.result, 0, 20));
  CHECK(sc_quorum_supporters(&e.quorum, &e.result, 0) == 1);
  CHECK(sc_quorum_supporters(&e.quorum, &e.result, 1) == 2);
  CHECK(sc_quorum_supporters(&e.quorum, &e.result, 2) == 3);
  CHECK(sc_quorum_supporters(&e.quorum, &e.result, 39) == 3);
  CHECK(sc_quorum_supporters(&e.quorum, &e.result, 40) == 4);
done:
  election_free(&e);
}

SUITE(network_nodes_quorum, "network/nodes/quorum",
      {"nodes listed in two of three lists are kept", nodes_listed_in_two_of_three_lists_are_kept},
      {"one list is enough when one vote is required", one_list_is_enough_when_one_vote_is_required},
      {"a node at another address is a different node", a_node_at_another_address_is_a_different_node},
      {"a liar does not outvote two", a_liar_does_not_outvote_two},
      {"of two records the one with more votes is kept", of_two_records_the_one_with_more_votes_is_kept},
      {"lists support one that is nearly the same", lists_support_one_that_is_nearly_the_same});
