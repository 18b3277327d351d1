#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#include "session-core/node/onion.h"
#include "world_nodes.h"

/* ---- events ---- */

static void add_event(world *w, world_event event, uint64_t delay) {
  if (w->event_count == world_most_events)
    world_stop("too many events");
  event.at = w->now + delay;
  event.order = w->order++;
  w->events[w->event_count++] = event;
}

static size_t next_event(const world *w) {
  size_t best = 0;
  for (size_t i = 1; i < w->event_count; i++)
    if (w->events[i].at < w->events[best].at ||
        (w->events[i].at == w->events[best].at && w->events[i].order < w->events[best].order))
      best = i;
  return best;
}

static world_event take_event(world *w, size_t index) {
  world_event event = w->events[index];
  w->events[index] = w->events[--w->event_count];
  return event;
}

size_t world_index(const world *w, const uint8_t *key) {
  for (size_t i = 0; i < w->node_count; i++)
    if (memcmp(w->nodes[i].node.key, key, SC_KEY_BYTES) == 0)
      return i;
  return world_most_nodes;
}

/* ---- the transport ---- */

static void listen(void *self, const sc_transport_listener *listener) {
  world *w = self;
  w->listener = listener != NULL ? *listener : (sc_transport_listener){0};
}

static world_event carry(world *w, size_t index, const sc_transport_request *request) {
  world_carried result = {0};
  world_event event = {.node = index, .done = request->done, .user = request->user, .status = SC_OK};
  if (w->nodes[index].mood == WORLD_DEAF || w->nodes[index].mood == WORLD_SILENT || w->cut_at != 0) {
    result.silent = true;
  } else if (sc_bytes_same(request->command, sc_bytes_text("onion_req"))) {
    sc_onion_block block;
    w->nodes[index].calls++;
    world_must(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, request->body));
    world_pass_on(w, index, &block, &result);
  } else {
    world_answer_directly(w, &w->nodes[index], request->command, request->body, &result);
  }
  if (result.silent) {
    event.status = SC_ERR_REQUEST_TIMEOUT;
  } else if (result.code != 200) {
    event.status = SC_ERR_REQUEST_FAILED;
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%d Some Reason\n\n", result.code);
    sc_buffer whole = {0};
    world_put(&whole, prefix);
    world_must(sc_buffer_append(&whole, sc_buffer_bytes(&result.body)));
    sc_buffer_free(&result.body);
    result.body = whole;
  }
  event.body = result.body.ptr;
  event.len = result.body.len;
  return event;
}

static sc_status call(void *self, sc_quic_call *out, uint64_t now, const sc_node *node,
                      const sc_transport_request *request) {
  world *w = self;
  size_t index = world_index(w, node->key);
  (void)now;
  if (w->refuses != SC_OK) {
    sc_status status = w->refuses;
    w->refuses = SC_OK;
    return status;
  }
  if (index == world_most_nodes)
    world_stop("a call to an unknown node");
  world_event event = carry(w, index, request);
  event.call = *out = ++w->last_call;
  w->small_calls += request->small;
  if (!w->nodes[index].connected)
    w->nodes[index].connected = w->nodes[index].open = true;
  uint64_t delay = world_latency_ms * WORLD_MS;
  if (w->late_calls > 0) {
    w->late_calls--;
    delay += w->late_by;
  }
  add_event(w, event, event.status == SC_ERR_REQUEST_TIMEOUT ? request->timeout : delay);
  return SC_OK;
}

static sc_status connect(void *self, bool *open, uint64_t now, const sc_node *node, uint64_t timeout) {
  world *w = self;
  size_t index = world_index(w, node->key);
  world_node *peer = &w->nodes[index];
  (void)now;
  *open = peer->open;
  if (peer->connected)
    return SC_OK;
  peer->connected = true;
  world_event event = {.node = index};
  bool deaf = peer->mood == WORLD_DEAF || w->cut_at != 0;
  event.status = deaf ? SC_ERR_QUIC_UNREACHABLE : peer->mood == WORLD_IMPOSTOR ? SC_ERR_QUIC_KEY : SC_OK;
  add_event(w, event, deaf ? timeout : world_latency_ms * WORLD_MS);
  return SC_OK;
}

static void end_call(world_event event, sc_status status) {
  const sc_quic_result result = {.status = status};
  free(event.body);
  event.done(event.user, event.call, &result);
}

static void cancel(void *self, uint64_t now, sc_quic_call number) {
  world *w = self;
  (void)now;
  for (size_t i = 0; i < w->event_count; i++)
    if (w->events[i].call == number) {
      end_call(take_event(w, i), SC_ERR_REQUEST_CANCELLED);
      return;
    }
}

static void lose(world *w, size_t index, sc_status reason) {
  world_node *peer = &w->nodes[index];
  if (!peer->connected)
    return;
  w->heard_at = peer->open && w->cut_at == 0 ? w->now : w->heard_at;
  peer->connected = peer->open = false;
  for (size_t i = w->event_count; i-- > 0;) {
    if (w->events[i].node != index)
      continue;
    world_event event = take_event(w, i);
    if (event.call != 0)
      end_call(event, reason);
    i = w->event_count;
  }
  if (w->listener.lost != NULL)
    w->listener.lost(w->listener.user, &peer->node, reason);
}

static void close_one(void *self, uint64_t now, const sc_node *node) {
  world *w = self;
  (void)now;
  lose(w, world_index(w, node->key), SC_ERR_QUIC_STOPPED);
}

static void close_all(void *self, uint64_t now) {
  world *w = self;
  (void)now;
  for (size_t i = 0; i < w->node_count; i++)
    lose(w, i, SC_ERR_QUIC_STOPPED);
}

void world_break(world *w, size_t index, sc_status reason) {
  lose(w, index, reason);
}

/* Open connections are alive, unless the line is cut. */
static uint64_t heard_at(const void *self) {
  const world *w = self;
  if (w->cut_at != 0)
    return w->cut_at;
  for (size_t i = 0; i < w->node_count; i++)
    if (w->nodes[i].open)
      return w->now;
  return w->heard_at;
}

static sc_transport face(world *w) {
  static const sc_transport_methods methods = {
      .listen = listen,
      .call = call,
      .connect = connect,
      .cancel = cancel,
      .close = close_one,
      .close_all = close_all,
      .heard_at = heard_at,
  };
  return (sc_transport){w, &methods};
}

static void happen(world *w, world_event event) {
  world_node *peer = &w->nodes[event.node];
  if (event.call != 0) {
    const sc_quic_result result = {.status = event.status, .body = sc_bytes_make(event.body, event.len)};
    event.done(event.user, event.call, &result);
    free(event.body);
  } else if (event.status != SC_OK) {
    lose(w, event.node, event.status);
  } else if (!peer->open) {
    peer->open = true;
    w->listener.opened(w->listener.user, &peer->node);
  }
}

/* ---- time ---- */

static void drive(world *w) {
  sc_outbox box = {0};
  sc_driven driven = sc_network_driven(w->network);
  for (int turns = 0; sc_driven_deadline(driven) <= w->now; turns++) {
    if (turns == 1000)
      world_stop("the network is never done");
    sc_driven_send(driven, w->now, &box);
  }
}

static bool go_on(world *w, uint64_t until) {
  drive(w);
  size_t index = next_event(w);
  uint64_t at = sc_driven_deadline(sc_network_driven(w->network));
  /* Of simultaneous events, the network's own come first, as with the production transport. */
  bool is_event = w->event_count > 0 && w->events[index].at < at;
  if (is_event)
    at = w->events[index].at;
  if (at > until) {
    w->now = until;
    return false;
  }
  w->now = at;
  sc_network_set_wall(w->network, w->now, WORLD_WALL + w->now / WORLD_MS);
  if (is_event)
    happen(w, take_event(w, index));
  drive(w);
  return true;
}

void world_pass(world *w, uint64_t time) {
  uint64_t until = w->now + time;
  while (go_on(w, until))
    continue;
  sc_network_set_wall(w->network, w->now, WORLD_WALL + w->now / WORLD_MS);
}

bool world_wait(world *w, size_t outcomes) {
  uint64_t until = w->now + 60 * WORLD_SECOND;
  size_t ended;
  drive(w);
  do {
    ended = 0;
    for (size_t i = 0; i < w->outcome_count; i++)
      ended += w->outcomes[i].times > 0;
  } while (ended < outcomes && go_on(w, until));
  return ended >= outcomes;
}

bool world_connect(world *w) {
  uint64_t until = w->now + 60 * WORLD_SECOND;
  sc_network_status status;
  do
    sc_network_inspect(&status, w->network);
  while (status.state != SC_NETWORK_CONNECTED && go_on(w, until));
  return status.state == SC_NETWORK_CONNECTED;
}

/* ---- setup ---- */

void world_init(world *w, const sc_env *env, size_t count, size_t swarm_size) {
  *w = (world){.env = env, .now = WORLD_SECOND, .node_count = count};
  uint8_t seed[32] = {0xee};
  sc_keypair_from_seed(&w->server, seed);
  for (size_t i = 0; i < count; i++) {
    world_node *node = &w->nodes[i];
    seed[0] = (uint8_t)(i + 1);
    sc_keypair_from_seed(&node->keys, seed);
    node->node = (sc_node){.ip = {127, 0, (uint8_t)(i + 1), 1},
                           .https_port = 1,
                           .quic_port = 2,
                           .version = {2, 11, 0},
                           .swarm = (uint64_t)(i / swarm_size) << 32};
    memcpy(node->node.key, node->keys.ed.public_key, SC_KEY_BYTES);
  }
  w->seeds[0] = w->nodes[0].node;
  sc_network_options_default(&w->options, SC_NETWORK_PRIVATE);
  w->options.nodes.seeds = w->seeds;
  w->options.nodes.seed_count = 1;
  w->options.nodes.smallest_pool = 1;
  w->options.clock_nodes = 0;
  w->options.gather = 0;
}

static void note_status(void *user, const sc_network_status *status) {
  world *w = user;
  w->status_events++;
  w->last_state = status->state;
}

static void note_paths(void *user) {
  ((world *)user)->path_events++;
}

static void note_save(void *user, sc_network_file file) {
  ((world *)user)->saves[file]++;
}

sc_status world_start_empty(world *w) {
  w->options.events =
      (sc_network_events){.user = w, .status = note_status, .paths = note_paths, .save = note_save};
  sc_status status = sc_network_new_over(&w->network, w->env, &w->options, face(w));
  if (status != SC_OK)
    return status;
  sc_network_set_wall(w->network, w->now, WORLD_WALL + w->now / WORLD_MS);
  sc_network_resume(w->network, w->now, false);
  return SC_OK;
}

static sc_status load_pool(world *w) {
  sc_buffer file;
  sc_buffer_init(&file, NULL);
  for (size_t i = 0; i < w->node_count; i++) {
    char line[SC_NODE_TEXT_BYTES];
    size_t len = sc_node_format(line, &w->nodes[i].node);
    world_must(sc_buffer_append(&file, sc_bytes_make(line, len)));
    world_must(sc_buffer_append_byte(&file, '\n'));
  }
  sc_status status = sc_network_load(w->network, w->now, SC_NETWORK_POOL_FILE, sc_buffer_bytes(&file),
                                     WORLD_WALL + w->now / WORLD_MS - w->pool_age);
  sc_buffer_free(&file);
  return status;
}

sc_status world_start(world *w) {
  w->options.events =
      (sc_network_events){.user = w, .status = note_status, .paths = note_paths, .save = note_save};
  sc_status status = sc_network_new_over(&w->network, w->env, &w->options, face(w));
  if (status != SC_OK)
    return status;
  sc_network_set_wall(w->network, w->now, WORLD_WALL + w->now / WORLD_MS);
  status = load_pool(w);
  if (status == SC_OK)
    sc_network_resume(w->network, w->now, true);
  return status;
}

void world_end(world *w, sc_test *t) {
  sc_network_free(w->network);
  (void)pair_is_excused(t);
  for (size_t i = 0; i < w->event_count; i++)
    free(w->events[i].body);
  size_t wrong = 0;
  for (size_t i = 0; i < w->outcome_count; i++)
    wrong += w->outcomes[i].times != 1;
  if (wrong > 0)
    sc_test_fail(t, __FILE__, __LINE__, "each request ends once");
  sc_keypair_wipe(&w->server);
}

/* ---- requests ---- */

static void note_outcome(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  world_outcome *outcome = user;
  outcome->times++;
  outcome->ticket = ticket;
  outcome->status = reply->status;
  outcome->code = reply->code;
  outcome->attempts = reply->attempts;
  size_t len = reply->body.len < sizeof outcome->body - 1 ? reply->body.len : sizeof outcome->body - 1;
  if (len > 0)
    memcpy(outcome->body, reply->body.ptr, len);
  if (reply->node != NULL)
    memcpy(outcome->node, reply->node->key, SC_KEY_BYTES);
  outcome->keepers = reply->keepers.count;
  for (size_t i = 0; i < reply->keepers.count; i++)
    outcome->is_keeper |= memcmp(reply->keepers.keys[i], outcome->node, SC_KEY_BYTES) == 0;
}

sc_status world_send(world *w, sc_network_request *request) {
  if (w->outcome_count == world_most_outcomes)
    world_stop("too many requests");
  world_outcome *outcome = &w->outcomes[w->outcome_count];
  request->done = note_outcome;
  request->user = outcome;
  sc_status status = sc_network_send(&outcome->ticket, w->network, w->now, request);
  w->outcome_count += status == SC_OK;
  return status;
}

sc_status world_call_swarm(world *w, const sc_storage_request *storage) {
  return world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM, .storage = storage});
}

sc_status world_call_node(world *w, size_t index, const sc_storage_request *storage) {
  sc_network_request request = {.to = SC_NETWORK_TO_NODE, .storage = storage};
  memcpy(request.node, w->nodes[index].node.key, SC_KEY_BYTES);
  return world_send(w, &request);
}

sc_status world_call_server(world *w, const char *endpoint) {
  sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(server.x25519, w->server.x.public_key, SC_KEY_BYTES);
  const sc_onion_request http = {.method = SC_ONION_GET, .endpoint = sc_bytes_text(endpoint)};
  return world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER, .server = &server, .http = &http});
}

/* A key whose position in the ring is the id of the node's swarm. */
void world_account(uint8_t out[static SC_STORAGE_ACCOUNT_BYTES], const world *w, size_t index) {
  uint64_t swarm = w->nodes[index].node.swarm;
  memset(out, 0, SC_STORAGE_ACCOUNT_BYTES);
  out[0] = 3;
  for (size_t i = 0; i < 8; i++)
    out[1 + i] = (uint8_t)(swarm >> (56 - 8 * i));
}

sc_storage_request world_retrieve(const world *w, size_t index, int16_t number) {
  sc_storage_request request = {.method = SC_STORAGE_RETRIEVE, .of.retrieve.number = number};
  world_account(request.account, w, index);
  return request;
}

/* ---- inspection ---- */

bool world_path(sc_network_path *out, const world *w, sc_network_category category) {
  sc_network_path paths[64];
  size_t count = sc_network_paths(paths, 64, w->network);
  for (size_t i = 0; i < count; i++)
    if (paths[i].state == SC_NETWORK_PATH_ACTIVE && paths[i].category == category) {
      *out = paths[i];
      return true;
    }
  return false;
}

size_t world_active(const world *w, sc_network_category category) {
  return sc_paths_active(&w->network->paths, category);
}

size_t world_count_seen(const world *w, sc_storage_method method) {
  size_t count = 0;
  for (size_t i = 0; i < w->seen_count; i++)
    count += w->seen[i].method == method && w->seen[i].node != world_most_nodes;
  return count;
}
