/* Resuming, suspending, closing, and the events and counters a program sees. */
#include "world.h"

static sc_network_state state_of(const world *w) {
  sc_network_status status;
  sc_network_inspect(&status, w->network);
  return status.state;
}

static sc_status send_one(world *w) {
  const sc_storage_request request = world_retrieve(w, 5, 0);
  return world_call_swarm(w, &request);
}

static void each_change_of_state_is_reported_once(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(state_of(&w) == SC_NETWORK_CONNECTING);
  HOLDS(world_connect(&w));
  world_pass(&w, WORLD_SECOND);
  HOLDS(w.last_state == SC_NETWORK_CONNECTED && w.status_events == 2);
  world_pass(&w, 10 * WORLD_SECOND);
  HOLDS(w.status_events == 2);
done:
  world_end(&w, t);
}

static void suspending_ends_all_requests(sc_test *t) {
  WORLD(12, 12);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  OK(send_one(&w));
  HOLDS(world_connect(&w));
  world_pass(&w, 6 * WORLD_MS);
  OK(send_one(&w));
  sc_network_suspend(w.network, w.now);
  for (size_t i = 0; i < 2; i++)
    HOLDS(w.outcomes[i].times == 1 && w.outcomes[i].status == SC_ERR_NETWORK_SUSPENDED);
  FAILS(SC_ERR_NETWORK_SUSPENDED, send_one(&w));
  HOLDS(state_of(&w) == SC_NETWORK_OFFLINE && sc_network_paths(NULL, 0, w.network) == 0);
  for (size_t i = 0; i < w.node_count; i++)
    HOLDS(!w.nodes[i].connected);
  world_pass(&w, WORLD_SECOND);
  HOLDS(w.last_state == SC_NETWORK_OFFLINE);
done:
  world_end(&w, t);
}

static void requests_work_after_resuming(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_suspend(w.network, w.now);
  world_pass(&w, 3600 * WORLD_SECOND);
  sc_network_resume(w.network, w.now, false);
  HOLDS(state_of(&w) == SC_NETWORK_OFFLINE);
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
done:
  world_end(&w, t);
}

static void the_clock_is_measured_on_resuming_after_a_long_time(sc_test *t) {
  WORLD(12, 12);
  w.options.clock_nodes = 3;
  OK(world_start(&w));
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 3);
  sc_network_suspend(w.network, w.now);
  world_pass(&w, 60 * WORLD_SECOND);
  sc_network_resume(w.network, w.now, true);
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 3);
  sc_network_suspend(w.network, w.now);
  world_pass(&w, 600 * WORLD_SECOND);
  sc_network_resume(w.network, w.now, true);
  world_pass(&w, 5 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == 6);
done:
  world_end(&w, t);
}

static void closing_connections_is_not_suspending(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(send_one(&w));
  world_pass(&w, WORLD_MS);
  OK(send_one(&w));
  sc_network_close_connections(w.network, w.now);
  HOLDS(w.outcomes[0].times == 1 && w.outcomes[0].status == SC_ERR_NETWORK_CLOSED);
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status == SC_OK);
done:
  world_end(&w, t);
}

static void freeing_ends_all_requests(sc_test *t) {
  WORLD(12, 12);
  w.options.gather = 5 * WORLD_MS;
  OK(world_start(&w));
  OK(send_one(&w));
  HOLDS(world_connect(&w));
  world_pass(&w, 6 * WORLD_MS);
  OK(send_one(&w));
  sc_network_free(w.network);
  w.network = NULL;
  for (size_t i = 0; i < 2; i++)
    HOLDS(w.outcomes[i].times == 1 && w.outcomes[i].status == SC_ERR_NETWORK_CLOSED);
done:
  world_end(&w, t);
}

static void saved_files_are_restored(sc_test *t) {
  WORLD(12, 12);
  sc_buffer pool = {0}, strikes = {0}, guards = {0};
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path before, after;
  HOLDS(world_path(&before, &w, SC_NETWORK_STANDARD));
  size_t other = 0;
  while (sc_guards_has(&w.network->guards, w.nodes[other].node.key))
    other++;
  sc_paths_set_aside(&w.network->paths, w.nodes[other].node.key);
  OK(sc_network_save(&pool, w.network, SC_NETWORK_POOL_FILE));
  OK(sc_network_save(&strikes, w.network, SC_NETWORK_STRIKES_FILE));
  OK(sc_network_save(&guards, w.network, SC_NETWORK_GUARDS_FILE));
  world_end(&w, t);
  world_init(&w, t->env, 12, 12);
  OK(world_start_empty(&w));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_POOL_FILE, sc_buffer_bytes(&pool), WORLD_WALL));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_STRIKES_FILE, sc_buffer_bytes(&strikes), WORLD_WALL));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&guards), WORLD_WALL));
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(world_path(&after, &w, SC_NETWORK_STANDARD));
  HOLDS(memcmp(after.nodes[0].key, before.nodes[0].key, SC_KEY_BYTES) == 0);
  HOLDS(sc_network_node_strikes(w.network, w.nodes[other].node.key) == w.options.nodes.struck_out);
done:
  sc_buffer_free(&pool);
  sc_buffer_free(&strikes);
  sc_buffer_free(&guards);
  world_end(&w, t);
}

static void forgetting_keeps_the_seeds(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_forget(w.network, w.now);
  sc_network_counts counts;
  sc_network_count(&counts, w.network);
  HOLDS(counts.nodes == 0);
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
done:
  world_end(&w, t);
}

static void contradictory_options_are_refused(sc_test *t) {
  WORLD(12, 12);
  sc_network *network = NULL;
  sc_network_options options = w.options;
  options.path_length = 0;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  options.path_length = SC_ONION_MAX_HOPS + 1;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  options = w.options;
  options.guard_retries = SC_NETWORK_MAX_ATTEMPTS + 1;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  options = w.options;
  options.max_requests = 0;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  options = w.options;
  options.redirect_retries = SC_NETWORK_MAX_ATTEMPTS + 1;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  options = w.options;
  options.gather = options.request_timeout + 1;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  options = w.options;
  options.retry_delay = 0;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  options = w.options;
  options.path_life = SC_NEVER;
  FAILS(SC_ERR_ARGUMENT, sc_network_new(&network, t->env, &options));
  CHECK(network == NULL);
done:;
}

typedef struct chain {
  world *w;
  size_t left;
  size_t done;
} chain;

static void call_next(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  chain *c = user;
  (void)ticket;
  (void)reply;
  c->done++;
  if (c->left == 0)
    return;
  c->left--;
  const sc_storage_request request = world_retrieve(c->w, 5, 0);
  sc_network_ticket next;
  const sc_network_request again = {
      .to = SC_NETWORK_TO_SWARM, .storage = &request, .done = call_next, .user = c};
  if (sc_network_send(&next, c->w->network, c->w->now, &again) != SC_OK)
    c->left = 0;
}

static void a_reply_callback_may_send_another_request(sc_test *t) {
  WORLD(12, 12);
  chain c = {.w = &w, .left = 5};
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  sc_network_ticket ticket;
  const sc_network_request first = {
      .to = SC_NETWORK_TO_SWARM, .storage = &request, .done = call_next, .user = &c};
  OK(sc_network_send(&ticket, w.network, w.now, &first));
  world_pass(&w, 10 * WORLD_SECOND);
  HOLDS(c.done == 6);
done:
  world_end(&w, t);
}

static sc_network_counts counts_of(const world *w) {
  sc_network_counts counts;
  sc_network_count(&counts, w->network);
  return counts;
}

static void a_refresh_is_visible(sc_test *t) {
  WORLD(12, 12);
  OK(world_start_empty(&w));
  HOLDS(!counts_of(&w).refreshing);
  OK(send_one(&w));
  world_pass(&w, WORLD_MS);
  HOLDS(counts_of(&w).refreshing);
  HOLDS(world_wait(&w, 1));
  HOLDS(!counts_of(&w).refreshing);
done:
  world_end(&w, t);
}

/* Forged replies, and lists that arrive too late. */
static void forged_replies_are_counted(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path path;
  HOLDS(world_path(&path, &w, SC_NETWORK_STANDARD));
  w.nodes[world_index(&w, path.nodes[1].key)].mood = WORLD_FORGES;
  OK(send_one(&w));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
  HOLDS(counts_of(&w).ignored == 1);
done:
  world_end(&w, t);
}

static void a_list_that_comes_too_late_is_counted(sc_test *t) {
  WORLD(12, 12);
  w.options.nodes.list_timeout = WORLD_MS;
  OK(world_start_empty(&w));
  OK(send_one(&w));
  world_pass(&w, world_latency_ms * WORLD_MS);
  HOLDS(counts_of(&w).nodes == 0 && counts_of(&w).ignored == 1);
  world_pass(&w, 30 * WORLD_SECOND);
done:
  world_end(&w, t);
}

/* However old the list is, guards are connected first, and a new one is fetched over paths. */
static void after_a_month_no_node_but_guards_learns_the_address(sc_test *t) {
  WORLD(24, 4);
  w.pool_age = UINT64_C(30) * 24 * 3600 * 1000;
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1) && w.outcomes[0].status == SC_OK);
  world_pass(&w, 10 * WORLD_SECOND);
  HOLDS(world_count_seen(&w, SC_STORAGE_ACTIVE_NODES) == 3);
  for (size_t i = 0; i < w.node_count; i++)
    HOLDS(w.nodes[i].called_directly == 0 &&
          (!w.nodes[i].open || sc_guards_has(&w.network->guards, w.nodes[i].node.key)));
done:
  world_end(&w, t);
}

SUITE(network_router_life, "network/router/life",
      {"each change of state is reported once", each_change_of_state_is_reported_once},
      {"suspending ends all requests", suspending_ends_all_requests},
      {"requests work after resuming", requests_work_after_resuming},
      {"the clock is measured on resuming after a long time",
       the_clock_is_measured_on_resuming_after_a_long_time},
      {"closing connections is not suspending", closing_connections_is_not_suspending},
      {"freeing ends all requests", freeing_ends_all_requests},
      {"saved files are restored", saved_files_are_restored},
      {"forgetting keeps the seeds", forgetting_keeps_the_seeds},
      {"contradictory options are refused", contradictory_options_are_refused},
      {"a reply callback may send another request", a_reply_callback_may_send_another_request},
      {"a refresh is visible", a_refresh_is_visible},
      {"forged replies are counted", forged_replies_are_counted},
      {"a list that comes too late is counted", a_list_that_comes_too_late_is_counted},
      {"L1, L3: after a month no node but guards learns the address",
       after_a_month_no_node_but_guards_learns_the_address});
