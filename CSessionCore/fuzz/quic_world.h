/* Two endpoints without cryptography, joined by nothing but what a fuzz target hands from one to the other.
 */
#ifndef SC_FUZZ_QUIC_WORLD_H
#define SC_FUZZ_QUIC_WORLD_H

#include "../tests/network/quic/null_security.h"
#include "fuzz.h"

enum {
  world_client = 0,
  world_server = 1,
  world_room = SC_RUN_MAX_BYTES,
  world_runs = 32,
  world_most_turns = 200,
};

typedef struct world_side {
  sc_quic_endpoint *endpoint;
  sc_address address;
  sc_quic_connection connection;
  size_t opened;
  size_t closed;
  uint8_t peer_id[sc_quic_id_bytes]; /* that its packets are sent to, seen in the last of them */
} world_side;

typedef struct world {
  uint64_t now;
  uint64_t drawn;
  sc_env env;
  world_side sides[2];
  size_t calls;
  size_t done;
  sc_quic_request kept;
  uint8_t room[world_room];
  /* True if the network delivers the datagrams of `from`. */
  bool (*passes)(struct world *w, size_t from);
} world;

/* Different with every draw, the same with every input. */
static inline void world_random(void *user, uint8_t *out, size_t len) {
  world *w = user;
  for (size_t i = 0; i < len; i++) {
    w->drawn = w->drawn * UINT64_C(6364136223846793005) + 1442695040888963407U;
    out[i] = (uint8_t)(w->drawn >> 33);
  }
}

static inline void world_opened(void *user, sc_quic_connection connection, const uint8_t *key) {
  world_side *side = user;
  (void)key;
  side->connection = connection;
  side->opened++;
}

static inline void world_closed(void *user, sc_quic_connection connection, sc_status reason) {
  world_side *side = user;
  (void)connection;
  REQUIRE(reason != SC_OK);
  side->closed++;
}

static inline void world_done(void *user, sc_quic_call call, const sc_quic_result *result) {
  world *w = user;
  (void)call;
  REQUIRE(result->status == SC_OK || result->status == SC_ERR_REQUEST_FAILED || result->body.len == 0);
  w->done++;
}

static inline void world_echo(void *user, const sc_quic_incoming *incoming) {
  world *w = user;
  sc_quic_endpoint *endpoint = w->sides[world_server].endpoint;
  sc_status status = sc_quic_reply(endpoint, incoming->request, incoming->body);
  REQUIRE(status == SC_OK || status == SC_ERR_QUIC_BUSY);
  if (status != SC_OK)
    sc_quic_drop_request(endpoint, incoming->request);
}

static inline void world_keep(void *user, const sc_quic_incoming *incoming) {
  world *w = user;
  sc_quic_drop_request(w->sides[world_server].endpoint, w->kept);
  w->kept = incoming->request;
}

static inline void world_receive(world *w, size_t to, const sc_address *from, sc_bytes bytes,
                                 uint16_t segment) {
  sc_datagrams run = {.peer = *from, .bytes = bytes, .segment = segment};
  sc_driven_receive(sc_quic_driven(w->sides[to].endpoint), w->now, &run, 1);
}

/* Lets one side send all it has; what passes arrives at once. */
static inline void world_drive(world *w, size_t from) {
  sc_datagrams runs[world_runs];
  sc_outbox out = {.runs = runs, .run_capacity = world_runs, .bytes = w->room, .capacity = sizeof w->room};
  for (size_t turn = 0; turn < world_most_turns; turn++) {
    sc_driven_send(sc_quic_driven(w->sides[from].endpoint), w->now, &out);
    for (size_t i = 0; i < out.run_count; i++) {
      const sc_datagrams *run = &runs[i];
      REQUIRE(run->bytes.len > 0 && run->segment > 0 && run->segment <= SC_QUIC_MAX_DATAGRAM_BYTES);
      if ((run->bytes.ptr[0] & 0x80) == 0 && run->bytes.len > sc_quic_id_bytes)
        memcpy(w->sides[from].peer_id, run->bytes.ptr + 1, sc_quic_id_bytes);
      if (w->passes == NULL || w->passes(w, from))
        world_receive(w, 1 - from, &w->sides[from].address, run->bytes, run->segment);
    }
    if (out.run_count == 0)
      return;
  }
}

/* Both sides in turn until neither has anything to say. */
static inline void world_settle(world *w) {
  for (size_t turn = 0; turn < world_most_turns; turn++) {
    bool quiet = true;
    for (size_t i = 0; i < 2; i++)
      if (sc_driven_deadline(sc_quic_driven(w->sides[i].endpoint)) <= w->now) {
        quiet = false;
        world_drive(w, i);
      }
    if (quiet)
      return;
    w->now += 1000000;
  }
}

static inline void world_init(world *w, const sc_quic_limits *limits) {
  static const uint8_t seed[32] = {9};
  sc_ed25519_pair key;
  *w = (world){.now = SC_QUIC_SECOND};
  w->env = *sc_env_default();
  w->env.user = w;
  w->env.random = world_random;
  sc_ed25519_pair_from_seed(&key, seed);
  for (uint8_t i = 0; i < 2; i++) {
    const uint8_t ip[4] = {10, 0, 0, (uint8_t)(i + 1)};
    sc_quic_options options;
    sc_address_ipv4(&w->sides[i].address, ip, 1000);
    sc_quic_options_default(&options);
    options.identity = i == world_server ? &key : NULL;
    options.accepts = i == world_server;
    options.limits.hosts = 8;
    if (limits != NULL)
      options.limits = *limits;
    options.accepted = (sc_quic_events){.user = &w->sides[i], .opened = world_opened, .closed = world_closed};
    REQUIRE(sc_quic_endpoint_new(&w->sides[i].endpoint, &w->env, &options) == SC_OK);
    null_secure(w->sides[i].endpoint);
  }
  REQUIRE(sc_quic_handle(w->sides[world_server].endpoint, sc_bytes_text("echo"), world_echo, w) == SC_OK);
  REQUIRE(sc_quic_handle(w->sides[world_server].endpoint, sc_bytes_text("keep"), world_keep, w) == SC_OK);
}

static inline void world_connect(world *w) {
  world_side *client = &w->sides[world_client];
  sc_quic_target target = {.address = w->sides[world_server].address,
                           .events = {.user = client, .opened = world_opened, .closed = world_closed}};
  REQUIRE(sc_quic_connect(&client->connection, client->endpoint, w->now, &target) == SC_OK);
}

static inline void world_call(world *w, const char *name, sc_bytes body, uint32_t stream) {
  sc_quic_command command = {
      .name = sc_bytes_text(name), .body = body, .stream = stream, .done = world_done, .user = w};
  w->calls += sc_quic_send(NULL, w->sides[world_client].endpoint, w->now, w->sides[world_client].connection,
                           &command) == SC_OK;
}

static inline void world_free(world *w) {
  for (size_t i = 0; i < 2; i++)
    sc_quic_endpoint_free(w->sides[i].endpoint);
  REQUIRE(w->done == w->calls);
  REQUIRE(w->sides[world_client].closed <= 1);
  REQUIRE(w->sides[world_server].closed == w->sides[world_server].opened);
}

#endif
