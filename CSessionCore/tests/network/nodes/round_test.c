#include "network/nodes/round.h"

#include "crowd.h"

static const uint64_t millisecond = 1000000;

typedef struct scene {
  sc_round round;
  sc_round_caller asker;
  sc_node_options options;
  uint64_t tokens[32];
  sc_node asked[32];
  size_t count;
} scene;

static sc_status take_call(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                           bool of_seeds) {
  scene *s = user;
  (void)method;
  (void)of_seeds;
  s->tokens[s->count] = token;
  s->asked[s->count++] = *node;
  return SC_OK;
}

static void scene_init(scene *s, sc_test *t, size_t candidates) {
  *s = (scene){.asker = {.user = s, .call_list = take_call, .options = &s->options}};
  sc_node_options_default(&s->options, SC_NETWORK_PRIVATE);
  sc_round_init(&s->round, t->env);
  for (uint32_t i = 0; i < candidates; i++)
    s->round.candidates[s->round.candidate_count++] = crowd_node(i);
}

static sc_status answer(scene *s, size_t ask, const sc_node *node) {
  uint8_t body[SC_STORAGE_ACTIVE_NODE_BYTES];
  sc_storage_node record = {.quic_port = node->quic_port, .swarm = node->swarm};
  memcpy(record.ed25519, node->key, SC_KEY_BYTES);
  memcpy(record.ip, node->ip, 4);
  sc_storage_active_node_write(body, &record);
  return sc_round_replied(&s->round, &s->asker, 0, s->tokens[ask], SC_BYTES(body));
}

static void the_backoff_doubles_up_to_five_seconds(sc_test *t) {
  static const uint64_t known[] = {200, 200, 400, 800, 1600, 3200, 5000, 5000};
  sc_node_options options;
  sc_node_options_default(&options, SC_NETWORK_MAIN);
  for (unsigned i = 0; i < 8; i++)
    CHECK(sc_round_backoff(&options, i) == known[i] * millisecond);
  CHECK(sc_round_backoff(&options, UINT32_MAX) == 5000 * millisecond);
done:;
}

static void each_list_is_requested_from_a_different_node(sc_test *t) {
  scene s;
  scene_init(&s, t, 5);
  sc_round_begin(&s.round, &s.asker, 0, 3);
  CHECK(s.count == 3 && !sc_round_is_over(&s.round));
  OK(sc_round_failed(&s.round, &s.asker, 0, s.tokens[1], SC_ERR_REQUEST_TIMEOUT));
  CHECK(sc_round_deadline(&s.round) == 200 * millisecond);
  sc_round_advance(&s.round, &s.asker, 200 * millisecond - 1);
  CHECK(s.count == 3);
  sc_round_advance(&s.round, &s.asker, 200 * millisecond);
  CHECK(s.count == 4);
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < i; j++)
      CHECK(s.tokens[i] != s.tokens[j] && !sc_node_same(&s.asked[i], &s.asked[j]));
done:
  sc_round_stop(&s.round);
}

static void a_round_ends_when_no_node_is_left(sc_test *t) {
  scene s;
  const sc_node node = crowd_node(7);
  sc_node_list list;
  scene_init(&s, t, 2);
  sc_node_list_init(&list, t->env);
  sc_round_begin(&s.round, &s.asker, 0, 3); /* no node is left for the third */
  CHECK(s.count == 2 && !sc_round_is_over(&s.round));
  OK(answer(&s, 0, &node));
  OK(sc_round_failed(&s.round, &s.asker, 0, s.tokens[1], SC_ERR_REQUEST_TIMEOUT));
  CHECK(sc_round_is_over(&s.round) && sc_round_deadline(&s.round) == 0);
  FAILS(SC_ERR_NODE_LIST, sc_round_result(&list, &s.round, &s.options)); /* one of two */
  s.round.of_seeds = true;
  OK(sc_round_result(&list, &s.round, &s.options));
  CHECK(sc_node_list_count(&list) == 1 && sc_node_same(&sc_node_list_nodes(&list)[0], &node));
done:
  sc_node_list_free(&list);
  sc_round_stop(&s.round);
}

static void a_call_is_answered_once(sc_test *t) {
  scene s;
  const sc_node node = crowd_node(7);
  scene_init(&s, t, 5);
  sc_round_begin(&s.round, &s.asker, 0, 2);
  OK(answer(&s, 0, &node));
  FAILS(SC_ERR_NOT_FOUND, answer(&s, 0, &node));
  FAILS(SC_ERR_NOT_FOUND, sc_round_failed(&s.round, &s.asker, 0, s.tokens[0], SC_ERR_REQUEST_TIMEOUT));
  FAILS(SC_ERR_NOT_FOUND, sc_round_failed(&s.round, &s.asker, 0, 0, SC_ERR_REQUEST_TIMEOUT));
  CHECK(s.round.quorum.lists == 1);
done:
  sc_round_stop(&s.round);
}

static void replies_to_an_earlier_round_are_ignored(sc_test *t) {
  scene s;
  const sc_node node = crowd_node(7);
  scene_init(&s, t, 1);
  sc_round_begin(&s.round, &s.asker, 0, 1);
  sc_round_stop(&s.round);
  FAILS(SC_ERR_NOT_FOUND, answer(&s, 0, &node));
  s.round.candidates[s.round.candidate_count++] = crowd_node(1);
  sc_round_begin(&s.round, &s.asker, 0, 1);
  FAILS(SC_ERR_NOT_FOUND, answer(&s, 0, &node));
  OK(answer(&s, 1, &node));
done:
  sc_round_stop(&s.round);
}

static void the_daemons_list_is_requested_once(sc_test *t) {
  scene s;
  scene_init(&s, t, 5);
  sc_round_begin(&s.round, &s.asker, 0, 1);
  OK(sc_round_failed(&s.round, &s.asker, 0, s.tokens[0], SC_ERR_STORAGE_METHOD));
  CHECK(s.count == 2 && sc_node_same(&s.asked[0], &s.asked[1]));
  OK(sc_round_failed(&s.round, &s.asker, 0, s.tokens[1], SC_ERR_STORAGE_METHOD));
  CHECK(s.count == 2 && sc_round_deadline(&s.round) == 200 * millisecond);
done:
  sc_round_stop(&s.round);
}

/* Candidates 0 and 1 are in one network of 65536 addresses, 2 and 3 in others. */
static void lists_come_from_different_networks(sc_test *t) {
  scene s;
  scene_init(&s, t, 4);
  s.round.is_apart = true;
  s.round.candidates[2].ip[1] = 2;
  s.round.candidates[3].ip[1] = 3;
  sc_round_begin(&s.round, &s.asker, 0, 3);
  CHECK(s.count == 3 && s.asked[0].ip[1] == 0 && s.asked[1].ip[1] == 2 && s.asked[2].ip[1] == 3);
  OK(sc_round_failed(&s.round, &s.asker, 0, s.tokens[1], SC_ERR_REQUEST_TIMEOUT));
  sc_round_advance(&s.round, &s.asker, 200 * millisecond); /* no other network is left */
  CHECK(s.count == 4 && s.asked[3].ip[1] == 0);
done:
  sc_round_stop(&s.round);
}

static void a_wide_round_needs_six_lists(sc_test *t) {
  scene s;
  const sc_node node = crowd_node(7);
  sc_node_list list;
  scene_init(&s, t, 8);
  sc_node_list_init(&list, t->env);
  sc_round_begin(&s.round, &s.asker, 0, 3);
  for (size_t i = 0; i < 3; i++)
    OK(answer(&s, i, &node));
  CHECK(sc_round_is_over(&s.round));
  sc_round_widen(&s.round, &s.asker, 0, 5);
  CHECK(s.count == 8 && !sc_round_is_over(&s.round));
  for (size_t i = 3; i < 8; i++) {
    FAILS(i < 6 ? SC_ERR_NODE_LIST : SC_OK, sc_round_result(&list, &s.round, &s.options));
    sc_node_list_free(&list);
    OK(answer(&s, i, &node));
  }
  CHECK(sc_round_is_over(&s.round));
done:
  sc_node_list_free(&list);
  sc_round_stop(&s.round);
}

SUITE(network_nodes_round, "network/nodes/round",
      {"the backoff doubles up to five seconds", the_backoff_doubles_up_to_five_seconds},
      {"each list is requested from a different node", each_list_is_requested_from_a_different_node},
      {"a round ends when no node is left", a_round_ends_when_no_node_is_left},
      {"a call is answered once", a_call_is_answered_once},
      {"replies to an earlier round are ignored", replies_to_an_earlier_round_are_ignored},
      {"the daemon's list is requested once", the_daemons_list_is_requested_once},
      {"L2: lists come from different networks", lists_come_from_different_networks},
      {"L8: a wide round needs six lists", a_wide_round_needs_six_lists});
