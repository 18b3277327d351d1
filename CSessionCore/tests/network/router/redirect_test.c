/* 421, "not in my swarm": a member's word never changes the map. */
#include "world.h"

/* All members of the fifth node's swarm redirect to other nodes. */
static void let_swarm_move(world *w, size_t first_name, size_t count) {
  for (size_t i = 4; i < 8; i++) {
    w->nodes[i].mood = WORLD_HAS_MOVED;
    w->nodes[i].name_count = count;
    for (size_t n = 0; n < count; n++)
      w->nodes[i].names[n] = first_name + n;
  }
}

static sc_status send_one(world *w) {
  const sc_storage_request request = world_retrieve(w, 5, 0);
  return world_call_swarm(w, &request);
}

static size_t count_answers(const world *w, size_t first, size_t end) {
  size_t count = 0;
  for (size_t i = first; i < end; i++)
    count += w->nodes[i].answered;
  return count;
}

/* Members of that swarm from this one on are well. */
static void let_members_serve(world *w, size_t first) {
  for (size_t i = first; i < 8; i++)
    w->nodes[i].mood = WORLD_FINE;
}

/* The same members redirect, and there will be no newer list. */
static void let_swarm_move_for_good(world *w, size_t first_name, size_t count) {
  let_swarm_move(w, first_name, count);
  w->options.nodes.lists = 0;
  w->nodes[0].mood = WORLD_DEAF;
}

/* Connects, and lets the first list become older than the least time between two. */
static sc_status start_settled(world *w) {
  sc_status status = world_start(w);
  if (status == SC_OK)
    world_pass(w, 10 * WORLD_SECOND);
  return status;
}

/* Asks one node; true when it has replied. */
static bool call_node(world *w, size_t index, const sc_storage_request *request) {
  return world_call_node(w, index, request) == SC_OK && world_wait(w, w->outcome_count);
}

/* True if the last reply was the redirect itself, of the only attempt. */
static bool ended_redirected(const world *w) {
  const world_outcome *outcome = &w->outcomes[w->outcome_count - 1];
  return outcome->status == SC_ERR_REQUEST_FAILED && outcome->code == 421 && outcome->attempts == 1;
}

static void another_member_of_the_swarm_gets_the_request(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  let_members_serve(&w, 5);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  HOLDS(call_node(&w, 4, &request));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
  size_t node = world_index(&w, w.outcomes[0].node);
  HOLDS(node >= 5 && node < 8 && w.nodes[4].answered == 1);
  const sc_swarm_key key = sc_swarm_key_make(0, request.account);
  HOLDS(sc_avoided_has(&w.network->paths.avoided, w.nodes[4].node.key, &key, w.now));
done:
  world_end(&w, t);
}

/* The members may name any swarm; only a new list of nodes changes the map. */
static void no_member_changes_the_map(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 1, 3);
  OK(world_start(&w));
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  HOLDS(w.outcomes[0].attempts == 4 && count_answers(&w, 4, 8) >= 4);
  let_members_serve(&w, 4);
  OK(send_one(&w));
  HOLDS(world_wait(&w, 2));
  size_t node = world_index(&w, w.outcomes[1].node);
  HOLDS(w.outcomes[1].status == SC_OK && w.outcomes[1].attempts == 1 && node >= 4 && node < 8);
done:
  world_end(&w, t);
}

static void without_a_new_list_the_hint_of_two_members_is_tried(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move_for_good(&w, 1, 3);
  OK(start_settled(&w));
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 3);
  HOLDS(world_index(&w, w.outcomes[0].node) < 4 && count_answers(&w, 4, 8) == 2);
  size_t before = count_answers(&w, 0, 4);
  let_members_serve(&w, 4);
  OK(send_one(&w));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status == SC_OK && count_answers(&w, 0, 4) == before);
done:
  world_end(&w, t);
}

/* Sends one read, and waits for it. True if it was answered at an attempt, by a member of the fifth node's
 * swarm or by one of the first node's. */
static bool is_answered_at(world *w, uint32_t attempt, bool by_swarm) {
  if (send_one(w) != SC_OK || !world_wait(w, w->outcome_count))
    return false;
  const world_outcome *outcome = &w->outcomes[w->outcome_count - 1];
  size_t node = world_index(w, outcome->node);
  bool is_of_swarm = node >= 4 && node < 8;
  return outcome->status == SC_OK && outcome->attempts == attempt && is_of_swarm == by_swarm;
}

/* R5: ten minutes at most, in which the swarm of the list has every other read. */
static void a_hint_is_kept_for_every_other_read(sc_test *t) {
  WORLD(12, 4);
  bool good;
  let_swarm_move_for_good(&w, 1, 3);
  OK(start_settled(&w));
  good = is_answered_at(&w, 3, false);
  for (size_t i = 0; i < 2; i++)
    good = good && is_answered_at(&w, 2, false) && is_answered_at(&w, 1, false);
  HOLDS(good);
  let_members_serve(&w, 4);
  good = is_answered_at(&w, 1, true) && is_answered_at(&w, 1, false);
  HOLDS(good);
  world_pass(&w, 600 * WORLD_SECOND);
  good = is_answered_at(&w, 1, true) && is_answered_at(&w, 1, true);
  HOLDS(good);
done:
  world_end(&w, t);
}

static void a_new_list_ends_a_hint(sc_test *t) {
  WORLD(12, 4);
  bool good;
  let_swarm_move_for_good(&w, 1, 3);
  OK(start_settled(&w));
  good = is_answered_at(&w, 3, false);
  let_members_serve(&w, 4);
  w.nodes[0].mood = WORLD_FINE;
  world_pass(&w, 300 * WORLD_SECOND);
  good = good && is_answered_at(&w, 1, true) && is_answered_at(&w, 1, true);
  HOLDS(good);
done:
  world_end(&w, t);
}

static void members_of_the_swarm_that_was_asked_count(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move_for_good(&w, 1, 3);
  OK(start_settled(&w));
  bool good = is_answered_at(&w, 3, false);
  HOLDS(good && w.outcomes[0].keepers == 4 && w.outcomes[0].is_keeper);
  w.nodes[8].mood = WORLD_FINE;
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  HOLDS(call_node(&w, 8, &request));
  HOLDS(w.outcomes[1].status == SC_OK && w.outcomes[1].keepers == 4 && !w.outcomes[1].is_keeper);
done:
  world_end(&w, t);
}

/* Sends one read. True if it ends with 421, after members of the swarm were asked or without. */
static bool is_refused(world *w, bool by_members) {
  size_t before = count_answers(w, 4, 8);
  if (send_one(w) != SC_OK || !world_wait(w, w->outcome_count))
    return false;
  const world_outcome *outcome = &w->outcomes[w->outcome_count - 1];
  return outcome->status == SC_ERR_REQUEST_FAILED && outcome->code == 421 &&
         (count_answers(w, 4, 8) > before) == by_members;
}

static void an_account_that_no_member_keeps_is_tried_less_and_less_often(sc_test *t) {
  static const uint64_t minutes[] = {1, 2, 4, 8, 15, 15};
  WORLD(12, 4);
  let_swarm_move(&w, 0, 0);
  OK(start_settled(&w));
  bool good = is_refused(&w, true) && is_refused(&w, true);
  HOLDS(good);
  for (size_t i = 0; i < sizeof minutes / sizeof minutes[0]; i++) {
    world_pass(&w, minutes[i] * 60 * WORLD_SECOND - 5 * WORLD_SECOND);
    good = is_refused(&w, false);
    world_pass(&w, 5 * WORLD_SECOND);
    good = good && is_refused(&w, true);
    HOLDS(good);
  }
  let_members_serve(&w, 4);
  world_pass(&w, 15 * 60 * WORLD_SECOND);
  good = is_answered_at(&w, 1, true) && is_answered_at(&w, 1, true);
  HOLDS(good);
done:
  world_end(&w, t);
}

static void one_honest_member_is_enough(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 0, 0);
  w.nodes[6].mood = WORLD_FINE;
  OK(start_settled(&w));
  for (size_t i = 0; i < 6; i++) {
    const sc_storage_request request = world_retrieve(&w, 5, 0);
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, i + 1));
    HOLDS(w.outcomes[i].status == SC_OK);
  }
done:
  world_end(&w, t);
}

static void a_hint_to_a_far_swarm_is_dropped(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move_for_good(&w, 8, 4);
  OK(start_settled(&w));
  size_t before = count_answers(&w, 8, 12);
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status != SC_OK && count_answers(&w, 8, 12) == before);
done:
  world_end(&w, t);
}

static void a_node_that_is_no_member_is_not_believed(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 1, 3);
  w.nodes[8].mood = WORLD_HAS_MOVED;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  HOLDS(call_node(&w, 8, &request));
  HOLDS(ended_redirected(&w));
done:
  world_end(&w, t);
}

/* No named node is known: the refreshed list gives the account's swarm. */
static void an_unknown_swarm_triggers_a_refresh(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 0, 0);
  OK(start_settled(&w));
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  HOLDS(world_count_seen(&w, SC_STORAGE_ACTIVE_NODES) + w.nodes[0].called_directly >= 1);
done:
  world_end(&w, t);
}

/* Each member gets the request once. */
static void a_failed_refresh_repeats_no_member(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 0, 0);
  w.options.nodes.lists = 0;
  OK(start_settled(&w));
  w.nodes[0].mood = WORLD_DEAF;
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].code == 421 || w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT);
  HOLDS(count_answers(&w, 4, 8) <= 4);
done:
  world_end(&w, t);
}

static void a_whole_batch_goes_to_another_member(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  let_members_serve(&w, 5);
  OK(world_start(&w));
  sc_storage_request two[2] = {world_retrieve(&w, 5, 1), world_retrieve(&w, 5, 2)};
  const sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  HOLDS(world_connect(&w));
  HOLDS(call_node(&w, 4, &batch));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
  HOLDS(strstr(w.outcomes[0].body, "\"number\":2") != NULL);
done:
  world_end(&w, t);
}

/* With two accounts in it, no single swarm fits the whole batch. */
static void a_batch_of_two_accounts_is_not_sent_again(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  OK(world_start(&w));
  sc_storage_request two[2] = {world_retrieve(&w, 5, 1), world_retrieve(&w, 5, 2)};
  two[1].account[32] = 1;
  const sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  HOLDS(call_node(&w, 5, &batch));
  HOLDS(ended_redirected(&w) && world_index(&w, w.outcomes[0].node) == 5);
  HOLDS(strstr(w.outcomes[0].body, "\"results\"") != NULL);
done:
  world_end(&w, t);
}

/* Part of a batch moved: the caller gets the result, and the member is avoided. */
static void a_partial_redirect_of_a_batch_is_evidence(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  OK(world_start(&w));
  sc_storage_request two[2] = {world_retrieve(&w, 5, 1), {.method = SC_STORAGE_INFO}};
  const sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  HOLDS(call_node(&w, 5, &batch));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 1);
  const sc_swarm_key key = sc_swarm_key_make(0, two[0].account);
  HOLDS(sc_avoided_has(&w.network->paths.avoided, w.nodes[5].node.key, &key, w.now));
done:
  world_end(&w, t);
}

static void each_batched_request_goes_to_another_member(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  let_swarm_move(&w, 8, 4);
  let_members_serve(&w, 6);
  OK(world_start(&w));
  sc_storage_request request = world_retrieve(&w, 5, 1);
  request.of.retrieve.max_size = 1000;
  OK(world_call_swarm(&w, &request));
  request.of.retrieve.number = 2;
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[0].status == SC_OK && strstr(w.outcomes[0].body, "\"number\":1") != NULL);
  HOLDS(w.outcomes[1].status == SC_OK && strstr(w.outcomes[1].body, "\"number\":2") != NULL);
done:
  world_end(&w, t);
}

static void a_request_without_an_account_is_not_redirected(sc_test *t) {
  WORLD(12, 4);
  w.nodes[3].mood = WORLD_ANSWERS;
  w.nodes[3].code = 421;
  w.nodes[3].text = "{\"snodes\":[]}";
  OK(world_start(&w));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  HOLDS(call_node(&w, 3, &info));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  sc_network_counts counts;
  sc_network_count(&counts, w.network);
  HOLDS(counts.redirects == 0);
done:
  world_end(&w, t);
}

static void a_servers_redirect_is_an_ordinary_reply(sc_test *t) {
  WORLD(12, 4);
  OK(world_start(&w));
  OK(world_call_server(&w, "/moved"));
  HOLDS(world_wait(&w, 1));
  HOLDS(ended_redirected(&w) && strcmp(w.outcomes[0].body, "served") == 0);
done:
  world_end(&w, t);
}

SUITE(network_router_redirect, "network/router/redirect",
      {"R2: another member of the swarm gets the request", another_member_of_the_swarm_gets_the_request},
      {"R2, R4: no member changes the map", no_member_changes_the_map},
      {"R5: without a new list the hint of two members is tried",
       without_a_new_list_the_hint_of_two_members_is_tried},
      {"R5: a hint is kept for every other read", a_hint_is_kept_for_every_other_read},
      {"R5: a new list ends a hint", a_new_list_ends_a_hint},
      {"R6: members of the swarm that was asked count", members_of_the_swarm_that_was_asked_count},
      {"R8: an account that no member keeps is tried less and less often",
       an_account_that_no_member_keeps_is_tried_less_and_less_often},
      {"R8: one honest member is enough", one_honest_member_is_enough},
      {"R3: a hint to a far swarm is dropped", a_hint_to_a_far_swarm_is_dropped},
      {"R1: a node that is no member is not believed", a_node_that_is_no_member_is_not_believed},
      {"an unknown swarm triggers a refresh", an_unknown_swarm_triggers_a_refresh},
      {"a failed refresh repeats no member", a_failed_refresh_repeats_no_member},
      {"R7: a whole batch goes to another member", a_whole_batch_goes_to_another_member},
      {"a batch of two accounts is not sent again", a_batch_of_two_accounts_is_not_sent_again},
      {"a partial redirect of a batch is evidence", a_partial_redirect_of_a_batch_is_evidence},
      {"each batched request goes to another member", each_batched_request_goes_to_another_member},
      {"a request without an account is not redirected", a_request_without_an_account_is_not_redirected},
      {"a server's redirect is an ordinary reply", a_servers_redirect_is_an_ordinary_reply});
