/* The router's overhead for one request: the floor seals and opens the same bytes without it. A transport
 * that knows the request's key seals the replies, so that nothing else is counted; both sides do that as
 * well.
 *
 * And what many accounts cost that use one network: the memory of their paths, and connections. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "network/router/network.h"
#include "session-core/base/encoding.h"
#include "session-core/node/onion.h"

enum { node_count = 24, requests_a_call = 64, hop_count = 3, accounts = 100 };

static const char reply_text[] =
    "{\"status\":200,\"body\":\"{\\\"messages\\\":[],\\\"more\\\":false,\\\"t\\\":1700000000000,"
    "\\\"hf\\\":[19,6]}\"}";

typedef struct waiting {
  sc_attempt *attempt;
  sc_quic_done done;
} waiting;

static struct {
  sc_keypair keys[node_count];
  sc_node nodes[node_count];
  sc_network *network;
  sc_transport_listener listener;
  waiting calls[requests_a_call];
  size_t count;
  bool is_connected[node_count];
  size_t done;
  uint64_t now;
  sc_onion_node hops[hop_count];
  sc_onion_destination destination;
  sc_storage_request request;
} world;

static const sc_keypair *keys_of(const uint8_t *key) {
  for (size_t i = 0; i < node_count; i++)
    if (memcmp(world.keys[i].ed.public_key, key, SC_KEY_BYTES) == 0)
      return &world.keys[i];
  bench_stop(__FILE__, __LINE__, "a node", SC_ERR_NOT_FOUND);
  return NULL;
}

/* Seals a reply as the destination would. */
static void seal_reply(sc_buffer *out, const sc_onion_key *key, const sc_keypair *node) {
  sc_buffer sealed = {0};
  BENCH_OK(sc_hop_seal(&sealed, NULL, key->cipher, SC_HOP_SERVER, &node->x, key->mine.public_key,
                       sc_bytes_text(reply_text)));
  uint8_t *at;
  sc_buffer_clear(out);
  BENCH_OK(sc_buffer_extend(&at, out, SC_BASE64_CHARS(sealed.len) + 1));
  sc_base64_encode((char *)at, sc_buffer_bytes(&sealed), SC_BASE64_STANDARD);
  sc_buffer_truncate(out, out->len - 1);
  sc_buffer_free(&sealed);
}

static void listen(void *self, const sc_transport_listener *listener) {
  (void)self;
  world.listener = listener != NULL ? *listener : (sc_transport_listener){0};
}

static sc_status call(void *self, sc_quic_call *out, uint64_t now, const sc_node *node,
                      const sc_transport_request *request) {
  (void)self;
  (void)now;
  (void)node;
  world.calls[world.count++] = (waiting){request->user, request->done};
  *out = world.count;
  return SC_OK;
}

static sc_status connect(void *self, bool *open, uint64_t now, const sc_node *node, uint64_t timeout) {
  (void)self;
  (void)now;
  (void)timeout;
  world.is_connected[keys_of(node->key) - world.keys] = true;
  *open = true;
  return SC_OK;
}

static void cancel(void *self, uint64_t now, sc_quic_call number) {
  (void)self;
  (void)now;
  (void)number;
}

static void close_one(void *self, uint64_t now, const sc_node *node) {
  (void)self;
  (void)now;
  (void)node;
}

static void close_all(void *self, uint64_t now) {
  (void)self;
  (void)now;
}

static uint64_t heard_at(const void *self) {
  (void)self;
  return world.now;
}

static void note_done(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  (void)user;
  (void)ticket;
  BENCH_OK(reply->status);
  world.done++;
}

static void drive(void) {
  sc_outbox box = {0};
  sc_driven driven = sc_network_driven(world.network);
  while (sc_driven_deadline(driven) <= world.now)
    sc_driven_send(driven, world.now, &box);
}

static void reply_to_all(void) {
  sc_buffer reply = {0};
  for (size_t i = 0; i < world.count; i++) {
    sc_attempt *attempt = world.calls[i].attempt;
    seal_reply(&reply, &attempt->key, keys_of(attempt->target.key));
    const sc_quic_result result = {.status = SC_OK, .body = sc_buffer_bytes(&reply)};
    world.calls[i].done(attempt, i + 1, &result);
  }
  sc_buffer_free(&reply);
  world.count = 0;
}

static void through_router(void *user) {
  (void)user;
  const sc_network_request request = {
      .to = SC_NETWORK_TO_SWARM, .storage = &world.request, .alone = true, .done = note_done};
  world.now += SC_NODE_SECOND / 1000;
  sc_network_set_wall(world.network, world.now, 1700000000000);
  world.done = 0;
  for (size_t i = 0; i < requests_a_call; i++)
    BENCH_OK(sc_network_send(NULL, world.network, world.now, &request));
  drive();
  reply_to_all();
  drive();
  if (world.done != requests_a_call)
    bench_stop(__FILE__, __LINE__, "requests that come back", SC_ERR_STATE);
}

static void without_router(void *user) {
  (void)user;
  sc_buffer text = {0}, wire = {0}, reply = {0};
  const sc_keypair *node = keys_of(world.destination.node.ed25519);
  for (size_t i = 0; i < requests_a_call; i++) {
    sc_onion_key key;
    sc_onion_reply opened;
    BENCH_OK(sc_storage_call_write(&text, &world.request));
    BENCH_OK(sc_onion_build(&wire, &key, bench_env(), SC_HOP_XCHACHA20, world.hops, hop_count,
                            &world.destination, sc_buffer_bytes(&text)));
    seal_reply(&reply, &key, node);
    BENCH_OK(sc_onion_reply_open(&opened, bench_env(), &key, sc_buffer_bytes(&reply)));
    sc_onion_reply_free(&opened);
    sc_onion_key_wipe(&key);
  }
  sc_buffer_free(&text);
  sc_buffer_free(&wire);
  sc_buffer_free(&reply);
}

static sc_onion_node public_half(const sc_keypair *keys) {
  sc_onion_node node;
  memcpy(node.ed25519, keys->ed.public_key, SC_KEY_BYTES);
  memcpy(node.x25519, keys->x.public_key, SC_KEY_BYTES);
  return node;
}

static void make_nodes(void) {
  for (size_t i = 0; i < node_count; i++) {
    const uint8_t seed[32] = {(uint8_t)(i + 1)};
    sc_keypair_from_seed(&world.keys[i], seed);
    world.nodes[i] =
        (sc_node){.ip = {127, 0, (uint8_t)(i + 1), 1}, .https_port = 1, .quic_port = 2, .swarm = 7};
    memcpy(world.nodes[i].key, world.keys[i].ed.public_key, SC_KEY_BYTES);
  }
  for (size_t i = 0; i < hop_count; i++)
    world.hops[i] = public_half(&world.keys[i]);
  world.destination =
      (sc_onion_destination){.kind = SC_ONION_TO_NODE, .node = public_half(&world.keys[hop_count])};
  world.request = (sc_storage_request){.method = SC_STORAGE_RETRIEVE, .account = {3}};
}

static void make_network(const sc_env *env) {
  static const sc_transport_methods methods = {.listen = listen,
                                               .call = call,
                                               .connect = connect,
                                               .cancel = cancel,
                                               .close = close_one,
                                               .close_all = close_all,
                                               .heard_at = heard_at};
  sc_network_options options;
  sc_network_options_default(&options, SC_NETWORK_PRIVATE);
  options.nodes.seeds = world.nodes;
  options.nodes.seed_count = 1;
  options.nodes.smallest_pool = 1;
  options.clock_nodes = 0;
  options.path_life = 0;
  BENCH_OK(sc_network_new_over(&world.network, env, &options, (sc_transport){NULL, &methods}));
  sc_buffer file = {0};
  for (size_t i = 0; i < node_count; i++) {
    char line[SC_NODE_TEXT_BYTES];
    BENCH_OK(sc_buffer_append(&file, sc_bytes_make(line, sc_node_format(line, &world.nodes[i]))));
    BENCH_OK(sc_buffer_append_byte(&file, '\n'));
  }
  world.now = SC_NODE_SECOND;
  sc_network_set_wall(world.network, world.now, 1700000000000);
  BENCH_OK(
      sc_network_load(world.network, world.now, SC_NETWORK_POOL_FILE, sc_buffer_bytes(&file), 1700000000000));
  sc_buffer_free(&file);
  sc_network_resume(world.network, world.now, true);
  drive();
}

/* ---- many accounts ---- */

static size_t live_bytes;

static void *count_allocated(void *user, size_t size) {
  void *piece = malloc(size);
  (void)user;
  live_bytes += malloc_usable_size(piece);
  return piece;
}

static void count_released(void *user, void *piece) {
  (void)user;
  live_bytes -= malloc_usable_size(piece);
  free(piece);
}

static void fill_random(void *user, uint8_t *out, size_t len) {
  (void)user;
  sc_random(NULL, out, len);
}

static void call_for(uint64_t account) {
  const sc_network_request request = {.to = SC_NETWORK_TO_SWARM,
                                      .storage = &world.request,
                                      .alone = true,
                                      .local_account = account,
                                      .done = note_done};
  world.now += SC_NODE_SECOND / 1000;
  sc_network_set_wall(world.network, world.now, 1700000000000);
  world.done = 0;
  BENCH_OK(sc_network_send(NULL, world.network, world.now, &request));
  drive();
  reply_to_all();
  drive();
  if (world.done != 1)
    bench_stop(__FILE__, __LINE__, "a request that comes back", SC_ERR_STATE);
}

static void print(const char *name, size_t figure, const char *unit, size_t floor, const char *floor_name,
                  size_t target) {
  printf("%s: %zu%s; floor %zu%s (%s); ratio %.3g; target <= %zu%s: %s\n", name, figure, unit, floor, unit,
         floor_name, (double)figure / (double)floor, target, unit, figure <= target ? "met" : "MISSED");
}

static void measure_accounts(void) {
  enum { most_bytes = 2048, primaries = 3, in_use = 2 };
  static const sc_env env = {.allocate = count_allocated, .release = count_released, .random = fill_random};
  size_t connections = 0, paths = 0, before;
  memset(world.is_connected, 0, sizeof world.is_connected);
  make_network(&env);
  call_for(accounts + 1); /* what is allocated once */
  before = live_bytes;
  for (uint64_t account = 1; account <= accounts; account++) {
    sc_network_account state;
    call_for(account);
    sc_network_inspect_account(&state, world.network, account);
    paths += state.paths;
  }
  size_t each = (live_bytes - before + paths - 1) / paths;
  for (size_t i = 0; i < node_count; i++)
    connections += world.is_connected[i];
  print("router/idle path", each, " B", hop_count * (sizeof(sc_node) + sizeof(sc_onion_node)),
        "its nodes, and their keys", most_bytes);
  print("router/connections of 100 accounts", connections, "", in_use, "the guards in use", primaries);
  sc_network_free(world.network);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  make_nodes();
  make_network(bench_env());
  through_router(NULL);
  bench_run(&(bench_case){
      .name = "router/request",
      .ours = through_router,
      .floor = without_router,
      .floor_name = "seal 3 hops, open the reply",
      .amount = requests_a_call,
      .measure = BENCH_US_PER_OP,
      .goal = BENCH_TIME_RATIO_AT_MOST,
      .target = 1.10,
      .count_allocations = true,
  });
  sc_network_free(world.network);
  measure_accounts();
  return 0;
}
