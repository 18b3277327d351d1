/* Requests of one account that are sent together, each with its own reply. */
#include <stdio.h>

#include "world.h"

static bool each_has_its_own(const world *w, size_t first, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "\"number\":%zu,", i);
    const world_outcome *outcome = &w->outcomes[first + i];
    if (outcome->status != SC_OK || strstr(outcome->body, expected) == NULL)
      return false;
  }
  return true;
}

static sc_status call_for_number(world *w, size_t number) {
  sc_storage_request request = world_retrieve(w, 5, (int16_t)number);
  request.of.retrieve.max_size = 1000;
  return world_call_swarm(w, &request);
}

static void simultaneous_requests_are_batched(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  for (size_t i = 0; i < 5; i++)
    OK(call_for_number(&w, i));
  HOLDS(world_wait(&w, 5));
  HOLDS(w.seen_count == 1 && w.seen[0].method == SC_STORAGE_BATCH && w.seen[0].batch == 5);
  HOLDS(each_has_its_own(&w, 0, 5));
done:
  world_end(&w, t);
}

static void a_single_request_is_not_batched(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  OK(call_for_number(&w, 0));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.seen_count == 1 && w.seen[0].method == SC_STORAGE_RETRIEVE);
done:
  world_end(&w, t);
}

static void batch_size_is_limited(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  for (size_t i = 0; i < SC_STORAGE_MAX_BATCH + 3; i++)
    OK(call_for_number(&w, i));
  HOLDS(world_wait(&w, SC_STORAGE_MAX_BATCH + 3));
  HOLDS(w.seen_count == 2 && w.seen[0].batch + w.seen[1].batch == SC_STORAGE_MAX_BATCH + 3);
  HOLDS(each_has_its_own(&w, 0, SC_STORAGE_MAX_BATCH + 3));
done:
  world_end(&w, t);
}

static void batch_replies_fit_in_one_reply(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  sc_storage_request request = world_retrieve(&w, 5, 0);
  request.of.retrieve.max_size = -2;
  for (size_t i = 0; i < 3; i++)
    OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 3));
  HOLDS(w.seen_count == 2);
done:
  world_end(&w, t);
}

static void requests_marked_alone_are_not_batched(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  sc_storage_request request = world_retrieve(&w, 5, 0);
  for (size_t i = 0; i < 3; i++)
    OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .alone = true}));
  HOLDS(world_wait(&w, 3));
  HOLDS(world_count_seen(&w, SC_STORAGE_RETRIEVE) == 3);
done:
  world_end(&w, t);
}

/* Two accounts in one batch would show the node that they belong together. */
static void accounts_are_never_mixed(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  sc_storage_request one = world_retrieve(&w, 5, 0), two = one;
  two.account[32] = 1;
  OK(world_call_swarm(&w, &one));
  OK(world_call_swarm(&w, &two));
  HOLDS(world_wait(&w, 2));
  HOLDS(world_count_seen(&w, SC_STORAGE_RETRIEVE) == 2);
done:
  world_end(&w, t);
}

static sc_storage_request store_of(const world *w) {
  sc_storage_request request = {
      .method = SC_STORAGE_STORE,
      .of.store = {.timestamp = WORLD_WALL, .expiry = WORLD_WALL + 86400000, .data = sc_bytes_text("data")}};
  world_account(request.account, w, 5);
  return request;
}

static void ordered_requests_are_not_mixed(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  const sc_bytes hash = sc_bytes_text("9QAogeWwJY/CE19iFAh5hr2vRcMyC92b8njFtInsmxg");
  sc_storage_request store = store_of(&w), retrieve = world_retrieve(&w, 5, 0);
  sc_storage_request deletion = {.method = SC_STORAGE_DELETE, .of.deletion.hashes = {&hash, 1}};
  memcpy(deletion.account, store.account, sizeof deletion.account);
  deletion.auth.has_signature = true;
  OK(world_call_swarm(&w, &store));
  OK(world_call_swarm(&w, &store));
  OK(world_call_swarm(&w, &deletion));
  OK(world_call_swarm(&w, &retrieve));
  OK(world_call_swarm(&w, &store));
  HOLDS(world_wait(&w, 5));
  HOLDS(w.seen_count == 4);
  HOLDS(w.seen[0].method == SC_STORAGE_BATCH && w.seen[1].method == SC_STORAGE_DELETE &&
        w.seen[2].method == SC_STORAGE_RETRIEVE && w.seen[3].method == SC_STORAGE_STORE);
done:
  world_end(&w, t);
}

/* A node that refuses the whole batch because of one request. */
static void a_refused_batch_is_sent_one_by_one(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  w.refuses_batches = true;
  OK(world_start(&w));
  for (size_t i = 0; i < 3; i++)
    OK(call_for_number(&w, i));
  HOLDS(world_wait(&w, 3));
  HOLDS(each_has_its_own(&w, 0, 3));
  HOLDS(world_count_seen(&w, SC_STORAGE_RETRIEVE) == 3);
done:
  world_end(&w, t);
}

/* Bad input: a batch reply with fewer results than were sent. */
static void missing_results_fail_only_their_requests(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  w.short_batches = 1;
  OK(world_start(&w));
  for (size_t i = 0; i < 3; i++)
    OK(call_for_number(&w, i));
  HOLDS(world_wait(&w, 3));
  HOLDS(each_has_its_own(&w, 0, 2));
  HOLDS(w.outcomes[2].status == SC_ERR_STORAGE_REPLY);
done:
  world_end(&w, t);
}

static void one_request_of_a_batch_can_be_cancelled(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  for (size_t i = 0; i < 3; i++)
    OK(call_for_number(&w, i));
  OK(sc_network_cancel(w.network, w.now, w.outcomes[1].ticket));
  HOLDS(world_wait(&w, 3));
  HOLDS(w.outcomes[1].status == SC_ERR_REQUEST_CANCELLED);
  HOLDS(w.outcomes[0].status == SC_OK && strstr(w.outcomes[2].body, "\"number\":2,") != NULL);
done:
  world_end(&w, t);
}

/* The results of the others stay where they were sent. */
static void check_cancelled_on_the_way(sc_test *t, size_t count, size_t cancelled) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  for (size_t i = 0; i < count; i++)
    OK(call_for_number(&w, i));
  sc_network_counts counts = {0};
  for (size_t i = 0; i < 100 && counts.batches == 0; i++) {
    world_pass(&w, WORLD_MS);
    sc_network_count(&counts, w.network);
  }
  HOLDS(counts.batches == 1);
  OK(sc_network_cancel(w.network, w.now, w.outcomes[cancelled].ticket));
  HOLDS(world_wait(&w, count));
  HOLDS(w.outcomes[cancelled].status == SC_ERR_REQUEST_CANCELLED && w.seen_count == 1);
  HOLDS(each_has_its_own(&w, 0, cancelled));
  for (size_t i = cancelled + 1; i < count; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "\"number\":%zu,", i);
    HOLDS(w.outcomes[i].status == SC_OK && strstr(w.outcomes[i].body, expected) != NULL);
  }
done:
  world_end(&w, t);
}

static void cancelling_one_in_flight_leaves_the_others_their_replies(sc_test *t) {
  for (size_t cancelled = 0; cancelled < 3 && !t->failed && !t->out_of_memory; cancelled++)
    check_cancelled_on_the_way(t, 3, cancelled);
  for (size_t cancelled = 0; cancelled < 2 && !t->failed && !t->out_of_memory; cancelled++)
    check_cancelled_on_the_way(t, 2, cancelled);
}

/* Two requests sent together need not end together. */
static void each_request_of_a_batch_ends_on_its_own(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  for (size_t i = 4; i < 8; i++)
    w.nodes[i].mood = WORLD_SILENT;
  OK(world_start(&w));
  sc_storage_request request = world_retrieve(&w, 5, 0);
  request.of.retrieve.max_size = 1000;
  uint64_t begun = w.now;
  OK(world_send(&w, &(sc_network_request){
                        .to = SC_NETWORK_TO_SWARM, .storage = &request, .overall = 2 * WORLD_SECOND}));
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT && w.now - begun == 2 * WORLD_SECOND);
  HOLDS(w.outcomes[1].times == 0);
  for (size_t i = 4; i < 8; i++)
    w.nodes[i].mood = WORLD_FINE;
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status == SC_OK);
done:
  world_end(&w, t);
}

/* ---- failing results ---- */

static void let_swarm_answer(world *w, int code, const char *text) {
  for (size_t i = 4; i < 8; i++) {
    w->nodes[i].mood = WORLD_ANSWERS;
    w->nodes[i].code = code;
    w->nodes[i].text = text;
  }
}

/* In a batch an error is a text in JSON: its request gets the same text as if sent alone. */
static void an_error_text_is_decoded_from_json(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  let_swarm_answer(&w, 401, "not \\\"yours\\\"");
  OK(world_start(&w));
  for (size_t i = 0; i < 2; i++)
    OK(call_for_number(&w, i));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.seen_count == 1 && w.seen[0].batch == 2);
  for (size_t i = 0; i < 2; i++) {
    HOLDS(w.outcomes[i].status == SC_ERR_REQUEST_FAILED && w.outcomes[i].code == 401);
    HOLDS(strcmp(w.outcomes[i].body, "not \"yours\"") == 0);
  }
done:
  world_end(&w, t);
}

static sc_status call_once(world *w, size_t number) {
  sc_storage_request request = world_retrieve(w, 5, (int16_t)number);
  request.of.retrieve.max_size = 1000;
  return world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &request, .attempts = 1});
}

/* Identical failures count as one failed reply: the member is avoided, and its path is not at fault. */
static void identical_failures_are_those_of_the_member(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  let_swarm_answer(&w, 502, "oxend returned unparsable data");
  OK(world_start(&w));
  for (size_t i = 0; i < 2; i++)
    OK(call_once(&w, i));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.seen_count == 1 && w.seen[0].batch == 2 && w.outcomes[0].code == 502);
  sc_network_path path;
  HOLDS(world_path(&path, &w, SC_NETWORK_STANDARD) && path.failures == 0);
done:
  world_end(&w, t);
}

/* Bad input: a batch reply with more results than were sent. The surplus ones have no effect. */
static void surplus_results_are_ignored(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  w.spare_results = 2;
  OK(world_start(&w));
  for (size_t i = 0; i < 3; i++)
    OK(call_for_number(&w, i));
  HOLDS(world_wait(&w, 3));
  HOLDS(each_has_its_own(&w, 0, 3));
done:
  world_end(&w, t);
}

/* ---- reentrancy ---- */

typedef struct meddler {
  world *w;
  sc_network_ticket others[3];
  size_t told[4];
  sc_status last[4];
  sc_status cancelled[2]; /* itself, and the second */
  char third[160];        /* the third's result */
} meddler;

typedef struct ear {
  meddler *m;
  size_t number;
} ear;

/* The first callback cancels the second request and itself, and sends more. */
static void meddle(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  ear *e = user;
  meddler *m = e->m;
  m->told[e->number]++;
  m->last[e->number] = reply->status;
  if (e->number == 2 && reply->body.len > 0 && reply->body.len < sizeof m->third)
    memcpy(m->third, reply->body.ptr, reply->body.len);
  if (e->number != 0)
    return;
  m->cancelled[0] = sc_network_cancel(m->w->network, m->w->now, ticket);
  m->cancelled[1] = sc_network_cancel(m->w->network, m->w->now, m->others[1]);
  static ear again;
  again = (ear){m, 3};
  sc_storage_request request = world_retrieve(m->w, 5, 0);
  const sc_network_request next = {
      .to = SC_NETWORK_TO_SWARM, .storage = &request, .done = meddle, .user = &again};
  if (sc_network_send(NULL, m->w->network, m->w->now, &next) != SC_OK)
    m->told[3] = 1;
}

static void let_meddle(sc_test *t, world *w, meddler *m) {
  ear ears[3] = {{m, 0}, {m, 1}, {m, 2}};
  *m = (meddler){.w = w};
  w->options.gather = 5 * WORLD_MS;
  OK(world_start(w));
  for (size_t i = 0; i < 3; i++) {
    sc_storage_request request = world_retrieve(w, 5, (int16_t)i);
    request.of.retrieve.max_size = 1000;
    OK(sc_network_send(
        &m->others[i], w->network, w->now,
        &(sc_network_request){
            .to = SC_NETWORK_TO_SWARM, .storage = &request, .done = meddle, .user = &ears[i]}));
  }
  world_pass(w, 60 * WORLD_SECOND);
  for (size_t i = 0; i < 4; i++)
    HOLDS(m->told[i] == 1);
  HOLDS(m->cancelled[0] == SC_ERR_NOT_FOUND && m->cancelled[1] == SC_OK);
  HOLDS(m->last[1] == SC_ERR_REQUEST_CANCELLED && m->last[2] != SC_ERR_REQUEST_CANCELLED);
done:
  sc_network_free(w->network);
  w->network = NULL;
}

/* In each case: answered, refused together, or failed together. */
static void a_callback_may_cancel_the_other_requests(sc_test *t) {
  WORLD(12, 4);
  meddler m;
  let_meddle(t, &w, &m);
  if (m.told[2] == 1 && m.last[2] == SC_OK && strstr(m.third, "\"number\":2,") == NULL)
    sc_test_fail(t, __FILE__, __LINE__, "the third receives its own result");
  world_end(&w, t);
  world_init(&w, t->env, 12, 4);
  let_swarm_answer(&w, 401, "no");
  let_meddle(t, &w, &m);
  world_end(&w, t);
  world_init(&w, t->env, 12, 4);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_DEAF;
  let_meddle(t, &w, &m);
  world_end(&w, t);
}

/* A batch made by the caller, whose results all report a wrong clock. */
static void a_batch_that_fails_as_a_whole_is_retried_at_another_node(sc_test *t) {
  WORLD(12, 4);
  let_swarm_answer(&w, 503, "busy");
  OK(world_start(&w));
  sc_storage_request two[2] = {world_retrieve(&w, 5, 1), world_retrieve(&w, 5, 2)};
  const sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = &batch, .attempts = 2}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 503);
  HOLDS(w.outcomes[0].attempts == 2 && w.seen_count == 2 && w.seen[0].node != w.seen[1].node);
  HOLDS(world_index(&w, w.outcomes[0].node) == w.seen[1].node);
  HOLDS(strstr(w.outcomes[0].body, "\"results\"") != NULL);
done:
  world_end(&w, t);
}

SUITE(network_router_batch, "network/router/batch",
      {"simultaneous requests are batched", simultaneous_requests_are_batched},
      {"a single request is not batched", a_single_request_is_not_batched},
      {"batch size is limited", batch_size_is_limited},
      {"batch replies fit in one reply", batch_replies_fit_in_one_reply},
      {"requests marked alone are not batched", requests_marked_alone_are_not_batched},
      {"accounts are never mixed", accounts_are_never_mixed},
      {"ordered requests are not mixed", ordered_requests_are_not_mixed},
      {"a refused batch is sent one by one", a_refused_batch_is_sent_one_by_one},
      {"missing results fail only their requests", missing_results_fail_only_their_requests},
      {"each request of a batch ends on its own", each_request_of_a_batch_ends_on_its_own},
      {"cancelling one in flight leaves the others their replies",
       cancelling_one_in_flight_leaves_the_others_their_replies},
      {"one request of a batch can be cancelled", one_request_of_a_batch_can_be_cancelled},
      {"an error text is decoded from JSON", an_error_text_is_decoded_from_json},
      {"identical failures are those of the member", identical_failures_are_those_of_the_member},
      {"surplus results are ignored", surplus_results_are_ignored},
      {"a callback may cancel the other requests", a_callback_may_cancel_the_other_requests},
      {"a batch that fails as a whole is retried at another node",
       a_batch_that_fails_as_a_whole_is_retried_at_another_node});
