/* The state the program can query, and its callbacks. */
#include "network.h"

static sc_network_state state_of(const sc_network *network) {
  if (network->suspended)
    return SC_NETWORK_OFFLINE;
  if (network->has_guard)
    return network->has_failed ? SC_NETWORK_CONNECTING : SC_NETWORK_CONNECTED;
  return network->guards.started || network->wants_guard ? SC_NETWORK_CONNECTING : SC_NETWORK_OFFLINE;
}

static sc_status why_not(const sc_network *network) {
  if (network->suspended)
    return SC_ERR_NETWORK_SUSPENDED;
  if (!network->guards.has_link)
    return SC_ERR_NETWORK_NO_LINK;
  return sc_guards_is_down(&network->guards) ? SC_ERR_NETWORK_DOWN : network->why;
}

void sc_network_inspect(sc_network_status *out, const sc_network *network) {
  sc_network_state state = state_of(network);
  bool is_connected = state == SC_NETWORK_CONNECTED;
  uint64_t step = is_connected || network->suspended ? SC_NEVER : sc_guards_next_step(&network->guards);
  *out = (sc_network_status){
      .state = state,
      .why = is_connected ? SC_OK : why_not(network),
      .next_guard_at = step == SC_NEVER ? 0 : step,
      .clock_is_known = network->clock.known,
      .clock_offset = network->clock.offset,
      .fork_is_known = network->fork_is_known,
      .fork = {network->fork[0], network->fork[1]},
  };
}

static bool same(const sc_network_status *a, const sc_network_status *b) {
  return a->state == b->state && a->why == b->why && a->clock_is_known == b->clock_is_known &&
         a->clock_offset == b->clock_offset && a->fork_is_known == b->fork_is_known &&
         a->fork[0] == b->fork[0] && a->fork[1] == b->fork[1];
}

void sc_network_tell(sc_network *network) {
  const sc_network_events *events = &network->options.events;
  bool paths = network->paths_due;
  sc_network_status status;
  network->paths_due = network->status_due = false;
  sc_network_inspect(&status, network);
  bool changed = !same(&status, &network->told);
  network->told = status;
  if (changed && events->status != NULL)
    events->status(events->user, &status);
  if (paths && events->paths != NULL)
    events->paths(events->user);
}

void sc_network_note_fork(sc_network *network, const sc_node *node, const uint16_t said[static 2]) {
  size_t voices = sc_nodes_pool(network->nodes)->count > 1 ? 2 : 1;
  uint16_t fork[2];
  sc_forks_note(&network->forks, node, said, network->options.nodes.subnet_diversity);
  if (!sc_forks_agreed(fork, &network->forks, voices))
    return;
  bool is_newer = !network->fork_is_known || fork[0] > network->fork[0] ||
                  (fork[0] == network->fork[0] && fork[1] > network->fork[1]);
  if (!is_newer)
    return;
  network->fork_is_known = network->status_due = true;
  memcpy(network->fork, fork, sizeof network->fork);
}

uint64_t sc_network_time(const sc_network *network, uint64_t now) {
  uint64_t past = now > network->wall_at ? now - network->wall_at : 0;
  int64_t time = (int64_t)(network->wall + sc_moment_in_ms(past)) + network->clock.offset;
  return time > 0 ? (uint64_t)time : 0;
}

size_t sc_network_paths(sc_network_path *out, size_t capacity, const sc_network *network) {
  size_t count = 0;
  for (const sc_path *path = network->paths.first; path != NULL; path = path->next) {
    if (path->state == SC_PATH_GONE)
      continue;
    if (count < capacity) {
      out[count] = (sc_network_path){.id = path->id,
                                     .local_account = path->key.local_account,
                                     .target = path->key.target,
                                     .category = path->category,
                                     .state = path->state == SC_PATH_ACTIVE ? SC_NETWORK_PATH_ACTIVE
                                                                            : SC_NETWORK_PATH_DRAINING,
                                     .length = (uint32_t)path->length,
                                     .requests = path->requests,
                                     .failures = (uint32_t)path->failure_count};
      memcpy(out[count].nodes, path->nodes, path->length * sizeof path->nodes[0]);
    }
    count++;
  }
  return count;
}

static void count_for(sc_network_account *out, const sc_deliveries *list, uint64_t local_account) {
  for (const sc_delivery *delivery = list->first; delivery != NULL; delivery = delivery->next) {
    if (delivery->path_key.local_account != local_account || delivery->first->own)
      continue;
    out->requests += delivery->count;
    out->in_flight += delivery->in_flight_count > 0 ? delivery->count : 0;
  }
}

void sc_network_inspect_account(sc_network_account *out, const sc_network *network, uint64_t local_account) {
  uint64_t begins = sc_starts_of(&network->starts, local_account, network->options.start_spread);
  *out = (sc_network_account){.begins_at = begins > network->moment.now ? begins : 0};
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    count_for(out, &network->queued[i], local_account);
  const sc_deliveries *const lists[] = {&network->gathering, &network->waiting, &network->sent,
                                        &network->overdue, &network->failed};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    count_for(out, lists[i], local_account);
  for (const sc_path *path = network->paths.first; path != NULL; path = path->next)
    out->paths += path->state == SC_PATH_ACTIVE && path->key.local_account == local_account;
}

size_t sc_network_guards(sc_network_guard *out, size_t capacity, sc_network *network) {
  return sc_guards_list(out, capacity, &network->guards);
}

size_t sc_network_changes(sc_network_change *out, size_t capacity, const sc_network *network) {
  return sc_journal_list(out, capacity, &network->guards.journal);
}

static size_t requests_in(const sc_deliveries *list) {
  size_t count = 0;
  for (const sc_delivery *delivery = list->first; delivery != NULL; delivery = delivery->next)
    count += delivery->count;
  return count;
}

void sc_network_count(sc_network_counts *out, const sc_network *network) {
  *out = network->counts;
  out->nodes = sc_nodes_pool(network->nodes)->count;
  out->usable_nodes = sc_nodes_usable(network->nodes, network->moment.wall, SIZE_MAX);
  out->requests = network->request_count;
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    out->queued[i] = requests_in(&network->queued[i]);
  out->gathering = requests_in(&network->gathering);
  out->in_flight = network->sent.count + network->overdue.count;
  out->bytes = network->bytes;
  out->refreshing = sc_nodes_is_refreshing(network->nodes);
  out->connections = network->quic != NULL ? sc_quic_transport_connections(network->quic) : 0;
  out->built_paths = network->paths.built;
  out->retired_paths = network->paths.retired;
}

uint32_t sc_network_node_strikes(const sc_network *network, const uint8_t key[static SC_KEY_BYTES]) {
  return (uint32_t)sc_nodes_strikes(network->nodes, network->moment.wall, key);
}
