/* Making a network, resuming and suspending it. */
#include "network.h"

#include "../nodes/cache_name.h"

static const uint64_t second = SC_NODE_SECOND;

void sc_network_options_default(sc_network_options *out, sc_network_kind kind) {
  bool is_private = kind == SC_NETWORK_PRIVATE;
  *out = (sc_network_options){
      .cipher = SC_HOP_XCHACHA20,
      .path_length = 3,
      .path_life = 600 * second,
      .guard_retries = 10,
      .guard_timeout = 3 * second,
      .request_timeout = 10 * second,
      .probe_timeout = 10 * second,
      .retry_delay = second / 5,
      .max_retry_delay = 5 * second,
      .swarm_attempts = 3,
      .repeatable_attempts = 3,
      .redirect_retries = 1,
      .hedge_min = second,
      .hedge_initial = is_private ? second : 5 * second / 2,
      .gather = second / 200,
      .clock_nodes = 3,
      .clock_min_interval = 600 * second,
      .max_requests = 4096,
      .max_bytes = (size_t)64 * 1024 * 1024,
      .max_connections = 64,
      .start_spread = is_private ? 0 : 5 * second,
  };
  sc_node_options_default(&out->nodes, kind);
}

/* Nothing is tried again at once, or more often than can be remembered, and nothing waits for company longer
 * than for an answer. */
static bool pauses_fit(const sc_network_options *options) {
  return options->retry_delay > 0 && options->path_life <= SC_NEVER / 2 &&
         options->redirect_retries <= SC_NETWORK_MAX_ATTEMPTS && options->gather <= options->request_timeout;
}

static bool options_fit(const sc_network_options *options) {
  return options->path_length >= 1 && options->path_length <= SC_ONION_MAX_HOPS &&
         options->guard_retries <= SC_NETWORK_MAX_ATTEMPTS && options->swarm_attempts > 0 &&
         options->swarm_attempts <= SC_NETWORK_MAX_ATTEMPTS && options->repeatable_attempts > 0 &&
         options->repeatable_attempts <= SC_NETWORK_MAX_ATTEMPTS && options->request_timeout > 0 &&
         options->clock_nodes <= sc_witnesses_first && options->max_requests > 0 &&
         options->max_connections > 0 && options->start_spread <= 3600 * second && pauses_fit(options);
}

/* ---- what the parts tell ---- */

static bool has_path(void *user) {
  const sc_network *network = user;
  return network->has_guard;
}

static void want_path(void *user) {
  sc_network *network = user;
  network->wants_guard = true;
}

static void want_saved(const sc_network *network, sc_network_file file) {
  if (network->options.events.save != NULL)
    network->options.events.save(network->options.events.user, file);
}

static void save_nodes(void *user, sc_nodes_file file) {
  want_saved(user, file == SC_NODES_FILE_POOL ? SC_NETWORK_POOL_FILE : SC_NETWORK_STRIKES_FILE);
}

static void nodes_replaced(void *user) {
  sc_network *network = user;
  network->queues_due = true;
  sc_moved_take_list(&network->moved);
  sc_guards_take_list(&network->guards, sc_nodes_are_of_seed(network->nodes));
  sc_paths_review(&network->paths);
}

static void paths_changed(void *user) {
  sc_network *network = user;
  network->paths_due = network->queues_due = true;
  sc_guards_look_again(&network->guards);
}

/* The first request finds a path, where its time matters most. */
static void prewarm(sc_network *network) {
  sc_path *path;
  const sc_path_wish wish = {.category = SC_NETWORK_STANDARD};
  if (network->wants_path && sc_paths_choose(&path, &network->paths, &wish) != SC_PATH_WAIT)
    network->wants_path = false;
}

static void guards_changed(void *user) {
  sc_network *network = user;
  sc_node used[sc_sample_in_use];
  if (network->suspended)
    return;
  bool has_guard = sc_guards_in_use(used, &network->guards) > 0;
  network->status_due |= has_guard != network->has_guard;
  if (has_guard && !network->has_guard && network->options.start_spread > 0)
    sc_starts_begin(&network->starts, network->env, network->moment.now);
  network->has_guard = has_guard;
  network->has_worked &= has_guard;
  network->has_failed &= has_guard;
  network->queues_due = true;
  sc_paths_review(&network->paths);
  if (!has_guard) {
    sc_paths_note_down(&network->paths);
    return;
  }
  network->wants_guard = false;
  want_saved(network, SC_NETWORK_OLD_GUARDS_FILE);
  prewarm(network);
}

static void save_guards(void *user) {
  want_saved(user, SC_NETWORK_GUARDS_FILE);
}

/* Requests wait for no guard that does not come; it is tried again nevertheless. */
static void guards_unreachable(void *user) {
  sc_network *network = user;
  network->why = SC_ERR_NETWORK_NO_PATH;
  network->status_due = true;
  sc_clock_give_up(network);
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    while (network->queued[i].first != NULL)
      sc_delivery_doom(network->queued[i].first, SC_ERR_NETWORK_NO_PATH, 0);
}

static bool is_guard_busy(void *user, const sc_node *guard) {
  const sc_network *network = user;
  return sc_paths_use_guard(&network->paths, guard);
}

static void node_opened(void *user, const sc_node *node) {
  sc_network *network = user;
  sc_guards_opened(&network->guards, node);
}

static void node_lost(void *user, const sc_node *node, sc_status reason) {
  sc_network *network = user;
  if (reason != SC_ERR_QUIC_STOPPED) {
    network->why = reason;
    network->status_due = true;
  }
  if (reason == SC_ERR_QUIC_KEY)
    sc_network_doubt_list(network, NULL);
  sc_paths_lost(&network->paths, node);
  sc_guards_lost(&network->guards, node, reason);
}

/* ---- making ---- */

static sc_status make_parts(sc_network *network) {
  const sc_nodes_host host = {.user = network,
                              .call_list = sc_network_call_list,
                              .has_path = has_path,
                              .want_path = want_path,
                              .save = save_nodes,
                              .replaced = nodes_replaced};
  const sc_paths_owner owner = {.user = network, .changed = paths_changed};
  const sc_guards_owner guards = {.user = network,
                                  .changed = guards_changed,
                                  .save = save_guards,
                                  .unreachable = guards_unreachable,
                                  .is_busy = is_guard_busy};
  const sc_transport_listener listener = {.user = network, .opened = node_opened, .lost = node_lost};
  sc_status status = sc_nodes_new(&network->nodes, network->env, &network->options.nodes, &host);
  if (status != SC_OK)
    return status;
  sc_nodes_suspend(network->nodes, 0);
  sc_guards_init(&network->guards, network->env, &network->options, &network->moment, network->nodes,
                 network->transport, &guards);
  sc_paths_init(&network->paths, network->env, &network->options, &network->moment, network->nodes,
                &network->guards, &owner);
  network->transport.methods->listen(network->transport.self, &listener);
  return SC_OK;
}

static void init(sc_network *network, const sc_env *env, const sc_network_options *options) {
  *network = (sc_network){.env = env, .options = *options, .suspended = true};
  network->clock.due_at = network->clock.overdue_at = network->starts_due_at = SC_NEVER;
  sc_slots_init(&network->requests, env, sizeof(sc_request), options->max_requests + sc_network_own_requests);
  sc_timers_init(&network->request_timers, env);
  sc_timers_init(&network->delivery_timers, env);
  sc_deliveries_init(&network->gathering);
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    sc_deliveries_init(&network->queued[i]);
  sc_deliveries_init(&network->waiting);
  sc_deliveries_init(&network->sent);
  sc_deliveries_init(&network->overdue);
  sc_deliveries_init(&network->failed);
  sc_buffer_init(&network->scratch, env);
  sc_buffer_init(&network->wire, env);
  sc_network_inspect(&network->told, network);
}

static sc_status make(sc_network **out, const sc_env *env, const sc_network_options *options,
                      const sc_transport *transport) {
  *out = NULL;
  if (!options_fit(options))
    return SC_ERR_ARGUMENT;
  sc_network *network = sc_allocate(env, sizeof *network);
  if (network == NULL)
    return SC_ERR_NO_MEMORY;
  init(network, env, options);
  sc_status status = SC_OK;
  if (transport != NULL)
    network->transport = *transport;
  else if ((status = sc_quic_transport_new(&network->quic, env, options->max_connections)) == SC_OK)
    network->transport = sc_quic_transport_face(network->quic);
  if (status == SC_OK)
    status = make_parts(network);
  if (status == SC_OK)
    *out = network;
  else
    sc_network_free(network);
  return status;
}

sc_status sc_network_new(sc_network **out, const sc_env *env, const sc_network_options *options) {
  return make(out, env, options, NULL);
}

sc_status sc_network_new_over(sc_network **out, const sc_env *env, const sc_network_options *options,
                              sc_transport transport) {
  return make(out, env, options, &transport);
}

/* ---- stopping ---- */

static void fail_list(sc_deliveries *list, sc_status why) {
  while (list->first != NULL)
    sc_delivery_fail(list->first, why, 0);
}

static void end_list(const sc_deliveries *list, sc_status why) {
  for (sc_delivery *delivery = list->first; delivery != NULL; delivery = delivery->next)
    delivery->ending = why;
}

/* Those that are on their way end when their connection is closed. */
static void close_connections(sc_network *network, sc_status why) {
  end_list(&network->sent, why);
  end_list(&network->overdue, why);
  network->transport.methods->close_all(network->transport.self, network->moment.now);
}

static void stop(sc_network *network, sc_status why) {
  const sc_moment *moment = &network->moment;
  network->suspended = true;
  network->has_guard = network->wants_guard = network->wants_path = false;
  sc_clock_abandon(network);
  sc_nodes_suspend(network->nodes, moment->now);
  sc_guards_suspend(&network->guards);
  close_connections(network, why);
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    fail_list(&network->queued[i], why);
  fail_list(&network->gathering, why);
  fail_list(&network->waiting, why);
  fail_list(&network->failed, why);
  sc_paths_suspend(&network->paths);
  sc_network_drop_list_calls(network);
}

void sc_network_free(sc_network *network) {
  if (network == NULL)
    return;
  if (network->nodes != NULL) {
    stop(network, SC_ERR_NETWORK_CLOSED);
    network->transport.methods->listen(network->transport.self, NULL);
    sc_paths_free(&network->paths);
  }
  sc_nodes_free(network->nodes);
  sc_quic_transport_free(network->quic);
  sc_slots_free(&network->requests);
  sc_timers_free(&network->request_timers);
  sc_timers_free(&network->delivery_timers);
  sc_buffer_free(&network->scratch);
  sc_buffer_free(&network->wire);
  sc_release(network->env, network);
}

void sc_network_suspend(sc_network *network, uint64_t now) {
  sc_network_note_time(network, now);
  if (network->suspended)
    return;
  stop(network, SC_ERR_NETWORK_SUSPENDED);
  network->status_due = network->paths_due = true;
}

void sc_network_close_connections(sc_network *network, uint64_t now) {
  sc_network_note_time(network, now);
  close_connections(network, SC_ERR_NETWORK_CLOSED);
  network->has_guard = false;
  sc_guards_suspend(&network->guards);
  sc_paths_suspend(&network->paths);
  if (!network->suspended) {
    sc_guards_resume(&network->guards);
    sc_paths_resume(&network->paths);
    network->wants_guard = true;
  }
  network->queues_due = network->status_due = network->paths_due = true;
}

void sc_network_resume(sc_network *network, uint64_t now, bool build) {
  sc_network_note_time(network, now);
  if (!network->suspended)
    return;
  network->suspended = false;
  network->why = SC_OK;
  sc_nodes_resume(network->nodes);
  sc_guards_resume(&network->guards);
  sc_paths_resume(&network->paths);
  network->wants_guard = network->wants_path = build;
  const sc_clock *clock = &network->clock;
  if (!clock->known || network->moment.now - clock->good_at >= network->options.clock_min_interval)
    sc_clock_measure(network);
  network->status_due = network->paths_due = true;
}

void sc_network_note_link(sc_network *network, uint64_t now, sc_network_link link) {
  sc_network_note_time(network, now);
  sc_guards_note_link(&network->guards, link == SC_NETWORK_LINK_UP);
  network->status_due = true;
}

/* ---- files ---- */

sc_status sc_network_load(sc_network *network, uint64_t now, sc_network_file file, sc_bytes bytes,
                          uint64_t written) {
  sc_network_note_time(network, now);
  const sc_moment *moment = &network->moment;
  switch (file) {
  case SC_NETWORK_POOL_FILE:
    network->guards.had_pool = bytes.len > 0;
    return sc_nodes_load_pool(network->nodes, moment->wall, bytes, written);
  case SC_NETWORK_STRIKES_FILE:
    return sc_nodes_load_strikes(network->nodes, moment->wall, bytes);
  case SC_NETWORK_OLD_GUARDS_FILE:
    return sc_old_guards_read(&network->guards.inherited, &network->options.nodes, moment->wall, bytes);
  case SC_NETWORK_GUARDS_FILE:
    return sc_guards_load(&network->guards, bytes);
  }
  return SC_ERR_ARGUMENT;
}

sc_status sc_network_save(sc_buffer *out, sc_network *network, sc_network_file file) {
  switch (file) {
  case SC_NETWORK_POOL_FILE:
    return sc_nodes_write_pool(out, network->nodes);
  case SC_NETWORK_STRIKES_FILE:
    return sc_nodes_write_strikes(out, network->nodes, network->moment.wall);
  case SC_NETWORK_OLD_GUARDS_FILE:
    return sc_guards_save_edges(out, &network->guards);
  case SC_NETWORK_GUARDS_FILE:
    return sc_guards_save(out, &network->guards);
  }
  sc_buffer_clear(out);
  return SC_ERR_ARGUMENT;
}

void sc_network_file_name(char out[static SC_NETWORK_FILE_NAME_BYTES], const sc_network *network,
                          sc_network_file file) {
  static const sc_cache_file names[] = {[SC_NETWORK_POOL_FILE] = SC_CACHE_POOL,
                                        [SC_NETWORK_STRIKES_FILE] = SC_CACHE_STRIKES,
                                        [SC_NETWORK_OLD_GUARDS_FILE] = SC_CACHE_OLD_GUARDS,
                                        [SC_NETWORK_GUARDS_FILE] = SC_CACHE_GUARDS};
  sc_cache_name(out, names[file], &network->options.nodes);
}

void sc_network_forget(sc_network *network, uint64_t now) {
  sc_network_note_time(network, now);
  sc_nodes_clear(network->nodes, network->moment.now);
}

sc_status sc_network_reset_guards(sc_network *network, uint64_t now) {
  sc_network_note_time(network, now);
  return sc_guards_reset(&network->guards);
}
