/* 421, "not in my swarm": followed as far as the pool knows the named nodes. */
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

static sc_status ask_one(world *w) {
  const sc_storage_request request = world_retrieve(w, 5, 0);
  return world_ask_swarm(w, &request);
}

static void a_redirect_is_followed(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  OK(world_start(&w));
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
  size_t node = world_index(&w, w.outcomes[0].node);
  HOLDS(node >= 8 && node < 12);
done:
  world_end(&w, t);
}

static void the_next_request_goes_to_the_new_swarm_at_once(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  OK(world_start(&w));
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 1));
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status == SC_OK && w.outcomes[1].attempts == 1);
done:
  world_end(&w, t);
}

static void only_one_redirect_is_followed(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  for (size_t i = 8; i < 12; i++) {
    w.nodes[i].mood = WORLD_HAS_MOVED;
    w.nodes[i].name_count = 1;
    w.nodes[i].names[0] = 0;
  }
  OK(world_start(&w));
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  HOLDS(w.outcomes[0].attempts == 2);
  size_t node = world_index(&w, w.outcomes[0].node);
  HOLDS(node >= 8 && node < 12 && strstr(w.outcomes[0].body, "\"snodes\"") != NULL);
done:
  world_end(&w, t);
}

static void the_redirecting_node_is_not_called_again(sc_test *t) {
  WORLD(12, 4);
  w.nodes[4].mood = WORLD_HAS_MOVED;
  w.nodes[4].name_count = 1;
  w.nodes[4].names[0] = 4;
  OK(world_start(&w));
  OK(world_connect(&w) ? SC_OK : SC_ERR_NO_MEMORY);
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_ask_node(&w, 4, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  HOLDS(w.nodes[4].answered == 1);
done:
  world_end(&w, t);
}

/* No named node is known: the refreshed list gives the account's swarm. */
static void an_unknown_swarm_triggers_a_refresh(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 0, 0);
  OK(world_start(&w));
  world_pass(&w, 10 * WORLD_SECOND);
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  HOLDS(world_count_seen(&w, SC_STORAGE_ACTIVE_NODES) + w.nodes[0].asked_directly >= 1);
done:
  world_end(&w, t);
}

/* Without a new list the request is not sent again. */
static void a_failed_refresh_fails_the_request(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 0, 0);
  w.options.nodes.lists = 0;
  OK(world_start(&w));
  world_pass(&w, 10 * WORLD_SECOND);
  w.nodes[0].mood = WORLD_DEAF;
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 1));
  size_t answered = 0;
  for (size_t i = 4; i < 8; i++)
    answered += w.nodes[i].answered;
  HOLDS(w.outcomes[0].code == 421 || w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT);
  HOLDS(answered == 1);
  if (w.outcomes[0].code == 421)
    HOLDS(w.nodes[world_index(&w, w.outcomes[0].node)].answered == 1);
done:
  world_end(&w, t);
}

static void a_redirect_of_a_whole_batch_is_followed(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  OK(world_start(&w));
  sc_storage_request two[2] = {world_retrieve(&w, 5, 1), world_retrieve(&w, 5, 2)};
  const sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  OK(world_ask_swarm(&w, &batch));
  HOLDS(world_wait(&w, 1));
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
  OK(world_ask_node(&w, 5, &batch));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  HOLDS(w.outcomes[0].attempts == 1 && world_index(&w, w.outcomes[0].node) == 5);
  HOLDS(strstr(w.outcomes[0].body, "\"results\"") != NULL);
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status == SC_OK && w.outcomes[1].attempts == 1);
done:
  world_end(&w, t);
}

/* Part of a batch moved: the caller gets the result, and the next request goes to the right swarm. */
static void a_partial_redirect_of_a_batch_is_remembered(sc_test *t) {
  WORLD(12, 4);
  let_swarm_move(&w, 8, 4);
  OK(world_start(&w));
  sc_storage_request two[2] = {world_retrieve(&w, 5, 1), {.method = SC_STORAGE_INFO}};
  const sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {two, 2}};
  OK(world_ask_node(&w, 5, &batch));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 1);
  OK(ask_one(&w));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status == SC_OK && w.outcomes[1].attempts == 1);
done:
  world_end(&w, t);
}

static void each_batched_request_follows_its_redirect(sc_test *t) {
  WORLD(12, 4);
  w.options.gather = 5 * WORLD_MS;
  let_swarm_move(&w, 8, 4);
  OK(world_start(&w));
  sc_storage_request request = world_retrieve(&w, 5, 1);
  request.of.retrieve.max_size = 1000;
  OK(world_ask_swarm(&w, &request));
  request.of.retrieve.number = 2;
  OK(world_ask_swarm(&w, &request));
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
  OK(world_ask_node(&w, 3, &info));
  HOLDS(world_wait(&w, 1));
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
  OK(world_ask_server(&w, "/moved"));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 421);
  HOLDS(w.outcomes[0].attempts == 1 && strcmp(w.outcomes[0].body, "served") == 0);
done:
  world_end(&w, t);
}

SUITE(network_router_redirect, "network/router/redirect", {"a redirect is followed", a_redirect_is_followed},
      {"the next request goes to the new swarm at once", the_next_request_goes_to_the_new_swarm_at_once},
      {"only one redirect is followed", only_one_redirect_is_followed},
      {"the redirecting node is not called again", the_redirecting_node_is_not_called_again},
      {"an unknown swarm triggers a refresh", an_unknown_swarm_triggers_a_refresh},
      {"a failed refresh fails the request", a_failed_refresh_fails_the_request},
      {"a redirect of a whole batch is followed", a_redirect_of_a_whole_batch_is_followed},
      {"a batch of two accounts is not sent again", a_batch_of_two_accounts_is_not_sent_again},
      {"a partial redirect of a batch is remembered", a_partial_redirect_of_a_batch_is_remembered},
      {"each batched request follows its redirect", each_batched_request_follows_its_redirect},
      {"a request without an account is not redirected", a_request_without_an_account_is_not_redirected},
      {"a server's redirect is an ordinary reply", a_servers_redirect_is_an_ordinary_reply});
