/* QUIC on loopback: a server and a client, each a runtime with a thread on a processor of its own, beside
 * what UDP and the cipher alone cost on the same two processors.
 *
 * Goals are the figures of a prototype on two such processors. All of them depend on the processors being
 * free: with other work on the machine look at the ratios. Memory is that of a server in a process of its
 * own.
 */
#define _POSIX_C_SOURCE 200809L /* fork */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "udp_floor.h"

enum {
  small_bytes = 64,
  large_bytes = 4 * 1000 * 1000,
  in_flight = 64,
  handshakes_a_call = 20,
  sequential_a_call = 500,
  parallel_a_call = 20000,
  large_a_call = 4,
  /* Wire bytes of 64 small requests that share datagrams. */
  parallel_wire_bytes = in_flight * (small_bytes + 20),
  idle_connections = 500,
};

/* A number another thread waits for. */
typedef struct latch {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  size_t value;
} latch;

typedef struct side {
  sc_runtime *runtime;
  sc_guest *guest;
  sc_quic_endpoint *endpoint;
  sc_address address;
  int processor;
} side;

/* The figures of a prototype on two processors. */
static const double handshake_target = 650, sequential_target = 70, parallel_target = 515;

static const char handshake_floor_name[] = "round trip and curves";
static const char sequential_floor_name[] = "UDP ping-pong";
static const char parallel_floor_name[] = "UDP ping-pong of 64 together";
static const char sealed_floor_name[] = "UDP stream, AES-128-GCM";

typedef struct world {
  side server, client;
  sc_quic_target target;
  sc_quic_connection connection;
  sc_buffer large;
  udp_floor *floor;
  latch done;
} world;

static void latch_add(latch *l) {
  pthread_mutex_lock(&l->mutex);
  l->value++;
  pthread_cond_signal(&l->changed);
  pthread_mutex_unlock(&l->mutex);
}

static void latch_take(latch *l) {
  pthread_mutex_lock(&l->mutex);
  while (l->value == 0)
    pthread_cond_wait(&l->changed, &l->mutex);
  l->value--;
  pthread_mutex_unlock(&l->mutex);
}

/* The server's answers: the same bytes, none, or many. */
static void answer_same(void *user, const sc_quic_incoming *incoming) {
  world *w = user;
  BENCH_OK(sc_quic_reply(w->server.endpoint, incoming->request, incoming->body));
}

static void answer_nothing(void *user, const sc_quic_incoming *incoming) {
  world *w = user;
  BENCH_OK(sc_quic_reply(w->server.endpoint, incoming->request, sc_bytes_make(NULL, 0)));
}

/* Does nothing: the lent bytes outlive all their readers. */
static void take_back(void *owner) {
  (void)owner;
}

static const sc_quic_lender lender = {.give_back = take_back};

static void answer_large(void *user, const sc_quic_incoming *incoming) {
  world *w = user;
  BENCH_OK(sc_quic_reply_lent(w->server.endpoint, incoming->request, sc_buffer_bytes(&w->large), lender));
}

/* One host opens all connections here, which an open server would not allow it. */
static void open_limits(sc_quic_options *options) {
  sc_quic_limits *limits = &options->limits;
  limits->connections = limits->connections_per_host = 1 << 18;
  limits->handshakes = limits->handshakes_before_retry = 1 << 16;
  limits->handshakes_per_host = limits->handshakes_per_host_a_second = 1 << 24;
  options->idle_timeout = 600 * SC_QUIC_SECOND;
}

static void make_side(side *s, const sc_quic_options *options) {
  BENCH_OK(sc_quic_endpoint_new(&s->endpoint, NULL, options));
  BENCH_OK(sc_runtime_new(&s->runtime, NULL, NULL));
  sc_address address;
  sc_address_ipv4(&address, (const uint8_t[4]){127, 0, 0, 1}, 0);
  const sc_guest_options guest = {
      .driven = sc_quic_driven(s->endpoint), .addresses = &address, .address_count = 1};
  BENCH_OK(sc_guest_new(&s->guest, s->runtime, &guest));
  BENCH_OK(sc_guest_address(&s->address, s->guest, 0));
}

static void free_side(side *s) {
  sc_runtime_free(s->runtime);
  sc_quic_endpoint_free(s->endpoint);
}

static void make_server(world *w) {
  sc_ed25519_pair key;
  sc_quic_options options;
  sc_ed25519_pair_from_seed(&key, (const uint8_t[SC_ED25519_SEED_BYTES]){4});
  sc_quic_options_default(&options);
  open_limits(&options);
  options.identity = &key;
  options.accepts = true;
  make_side(&w->server, &options);
  memcpy(w->target.key, key.public_key, sizeof w->target.key);
  w->target.address = w->server.address;
  BENCH_OK(sc_quic_handle(w->server.endpoint, sc_bytes_text("same"), answer_same, w));
  BENCH_OK(sc_quic_handle(w->server.endpoint, sc_bytes_text("none"), answer_nothing, w));
  BENCH_OK(sc_quic_handle(w->server.endpoint, sc_bytes_text("large"), answer_large, w));
}

static void make_client(world *w) {
  sc_quic_options options;
  sc_quic_options_default(&options);
  open_limits(&options);
  make_side(&w->client, &options);
}

typedef struct settling {
  side *side;
  latch *done;
} settling;

static void settle(void *user, uint64_t now) {
  (void)now;
  settling *s = user;
  udp_floor_pin(s->side->processor);
  latch_add(s->done);
}

static void start_side(world *w, side *s, int processor) {
  s->processor = processor;
  settling settling = {s, &w->done};
  BENCH_OK(sc_runtime_start(s->runtime));
  BENCH_OK(sc_runtime_post(s->runtime, settle, &settling));
  latch_take(&w->done);
}

/* Handshakes, one behind the other. */
typedef struct handshakes {
  world *world;
  size_t left;
  sc_status failure;
} handshakes;

static void next_handshake(handshakes *h, uint64_t now);

static void handshake_done(void *user, sc_quic_connection connection, const uint8_t *peer_key) {
  (void)peer_key;
  handshakes *h = user;
  BENCH_OK(sc_quic_close(h->world->client.endpoint, sc_clock_now(), connection));
}

static void handshake_closed(void *user, sc_quic_connection connection, sc_status reason) {
  (void)connection;
  handshakes *h = user;
  if (reason != SC_ERR_QUIC_STOPPED)
    BENCH_OK(reason);
  if (--h->left > 0)
    next_handshake(h, sc_clock_now());
  else
    latch_add(&h->world->done);
}

static void next_handshake(handshakes *h, uint64_t now) {
  sc_quic_connection connection;
  sc_quic_target target = h->world->target;
  target.events = (sc_quic_events){.user = h, .opened = handshake_done, .closed = handshake_closed};
  BENCH_OK(sc_quic_connect(&connection, h->world->client.endpoint, now, &target));
}

static void begin_handshakes(void *user, uint64_t now) {
  next_handshake(user, now);
}

static void handshake_ours(void *user) {
  world *w = user;
  handshakes h = {.world = w, .left = handshakes_a_call};
  BENCH_OK(sc_runtime_post(w->client.runtime, begin_handshakes, &h));
  latch_take(&w->done);
}

/* Each side makes a key, agrees, signs once and verifies once. */
static void handshake_floor(void *user) {
  world *w = user;
  sc_keypair keys;
  uint8_t signature[SC_SIGNATURE_BYTES], agreed[SC_KEY_BYTES];
  const uint8_t message[130] = {1};
  for (size_t i = 0; i < handshakes_a_call; i++) {
    udp_floor_ping(w->floor, 1200, 1200, 1);
    for (int side = 0; side < 2; side++) {
      sc_keypair_generate(&keys, NULL);
      sc_ed25519_sign(signature, &keys.ed, SC_BYTES(message));
      BENCH_OK(sc_ed25519_verify(SC_BYTES(keys.ed.public_key), SC_BYTES(message), SC_BYTES(signature)));
      BENCH_OK(sc_x25519(agreed, keys.x.secret, w->target.key));
    }
  }
}

/* Calls of one kind, some of them in flight at a time. */
typedef struct calls {
  world *world;
  const char *name;
  sc_bytes body;
  size_t reply_bytes;
  size_t to_send;
  size_t to_come;
  size_t window;
} calls;

static void send_call(calls *c);

static void call_done(void *user, sc_quic_call call, const sc_quic_result *result) {
  (void)call;
  calls *c = user;
  BENCH_OK(result->status);
  if (result->body.len != c->reply_bytes)
    bench_stop(__FILE__, __LINE__, "a reply's length", SC_ERR_STATE);
  c->to_come--;
  if (c->to_send > 0)
    send_call(c);
  else if (c->to_come == 0)
    latch_add(&c->world->done);
}

static void send_call(calls *c) {
  const sc_quic_command command = {
      .name = sc_bytes_text(c->name), .body = c->body, .lender = lender, .done = call_done, .user = c};
  c->to_send--;
  world *w = c->world;
  BENCH_OK(sc_quic_send(NULL, w->client.endpoint, sc_clock_now(), w->connection, &command));
}

static void begin_calls(void *user, uint64_t now) {
  (void)now;
  calls *c = user;
  for (size_t i = 0; i < c->window; i++)
    send_call(c);
}

static void run_calls(world *w, const char *name, sc_bytes body, size_t reply_bytes, size_t count,
                      size_t window) {
  calls c = {.world = w,
             .name = name,
             .body = body,
             .reply_bytes = reply_bytes,
             .to_send = count,
             .to_come = count,
             .window = window};
  BENCH_OK(sc_runtime_post(w->client.runtime, begin_calls, &c));
  latch_take(&w->done);
}

static const uint8_t small_body[small_bytes] = {7};

static void sequential_ours(void *user) {
  run_calls(user, "same", SC_BYTES(small_body), small_bytes, sequential_a_call, 1);
}

static void sequential_floor(void *user) {
  world *w = user;
  udp_floor_ping(w->floor, small_bytes, small_bytes, sequential_a_call);
}

static void parallel_ours(void *user) {
  run_calls(user, "same", SC_BYTES(small_body), small_bytes, parallel_a_call, in_flight);
}

static void parallel_floor(void *user) {
  world *w = user;
  udp_floor_ping(w->floor, parallel_wire_bytes, floor_datagram_bytes, parallel_a_call / in_flight);
}

static void upload_ours(void *user) {
  world *w = user;
  run_calls(w, "none", sc_buffer_bytes(&w->large), 0, large_a_call, 2);
}

static void download_ours(void *user) {
  run_calls(user, "large", sc_bytes_make(NULL, 0), large_bytes, large_a_call, 2);
}

static void sealed_stream_floor(void *user) {
  world *w = user;
  udp_floor_stream(w->floor, (size_t)large_a_call * large_bytes, true);
}

static void plain_stream(void *user) {
  world *w = user;
  udp_floor_stream(w->floor, (size_t)large_a_call * large_bytes, false);
}

static void seal_alone(void *user) {
  world *w = user;
  udp_floor_seal(w->floor, (size_t)large_a_call * large_bytes);
}

static void open_alone(void *user) {
  world *w = user;
  udp_floor_open(w->floor, (size_t)large_a_call * large_bytes);
}

static void connected(void *user, sc_quic_connection connection, const uint8_t *peer_key) {
  (void)peer_key;
  world *w = user;
  w->connection = connection;
  latch_add(&w->done);
}

static void lost(void *user, sc_quic_connection connection, sc_status reason) {
  (void)user;
  (void)connection;
  if (reason != SC_ERR_QUIC_STOPPED)
    BENCH_OK(reason);
}

static void connect_once(void *user, uint64_t now) {
  world *w = user;
  sc_quic_target target = w->target;
  target.events = (sc_quic_events){.user = w, .opened = connected, .closed = lost};
  BENCH_OK(sc_quic_connect(&w->connection, w->client.endpoint, now, &target));
}

/* A connection that has carried one load is not the best for another: ngtcp2 0.12 then holds its window down,
 * as round trips on loopback are so short. So each figure gets its own. */
static void reconnect(world *w) {
  BENCH_OK(sc_runtime_post(w->client.runtime, connect_once, w));
  latch_take(&w->done);
}

static void make_world(world *w) {
  *w = (world){.done = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER}};
  uint8_t *room;
  BENCH_OK(sc_buffer_extend(&room, &w->large, large_bytes));
  memset(room, 'x', large_bytes);
  make_server(w);
  make_client(w);
  start_side(w, &w->server, far_processor);
  start_side(w, &w->client, near_processor);
  udp_floor_pin(near_processor);
  w->floor = udp_floor_new();
}

static void free_world(world *w) {
  free_side(&w->client);
  free_side(&w->server);
  udp_floor_free(w->floor);
  sc_buffer_free(&w->large);
}

static void run_figures(world *w) {
#define ROUND_TRIP(title, body, count, shape, wanted)                                                        \
  {                                                                                                          \
    .name = "quic/" title, .ours = body##_ours, .floor = body##_floor, .floor_name = body##_floor_name,      \
    .user = w, .amount = count, .measure = shape, .goal = wanted, .target = body##_target, .elapsed = true   \
  }
#define BULK(title, body)                                                                                    \
  {                                                                                                          \
    .name = "quic/" title, .ours = body, .floor = sealed_stream_floor, .floor_name = sealed_floor_name,      \
    .user = w, .amount = large, .measure = BENCH_MB_PER_S, .goal = BENCH_RATE_RATIO_AT_LEAST, .target = 0.5, \
    .elapsed = true                                                                                          \
  }
#define FLOOR(title, body)                                                                                   \
  {                                                                                                          \
    .name = "quic/floor: " title, .ours = body, .user = w, .amount = large, .measure = BENCH_MB_PER_S,       \
    .elapsed = true                                                                                          \
  }
#define PROCESSOR(title, body, beneath, count)                                                               \
  {                                                                                                          \
    .name = "quic/processor time of " title, .ours = body, .floor = beneath,                                 \
    .floor_name = "the floor above, both sides", .user = w, .amount = count, .measure = BENCH_US_PER_OP      \
  }
  const double large = (double)large_a_call * (double)large_bytes;
  const bench_case cases[] = {
      ROUND_TRIP("handshake", handshake, handshakes_a_call, BENCH_US_PER_OP, BENCH_FIGURE_AT_MOST),
      ROUND_TRIP("request 64 B, one at a time", sequential, sequential_a_call, BENCH_US_PER_OP,
                 BENCH_FIGURE_AT_MOST),
      ROUND_TRIP("request 64 B, 64 in flight", parallel, parallel_a_call, BENCH_KOPS_PER_S,
                 BENCH_FIGURE_AT_LEAST),
      BULK("upload 4 MB", upload_ours),
      BULK("download 4 MB", download_ours),
      FLOOR("UDP stream alone", plain_stream),
      FLOOR("AES-128-GCM sealing", seal_alone),
      FLOOR("AES-128-GCM opening", open_alone),
      PROCESSOR("a handshake", handshake_ours, handshake_floor, handshakes_a_call),
      PROCESSOR("a request, 64 in flight", parallel_ours, parallel_floor, parallel_a_call),
      PROCESSOR("4 MB up", upload_ours, sealed_stream_floor, large_a_call),
      PROCESSOR("4 MB down", download_ours, sealed_stream_floor, large_a_call),
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    reconnect(w);
    bench_run(&cases[i]);
  }
}

/* The address and key by which the parent reaches the server in the other process. */
typedef struct meeting {
  sc_address address;
  uint8_t key[SC_KEY_BYTES];
} meeting;

/* A server that lives until the other end of the pipe is closed. */
static void serve_in_child(int tell, int until) {
  world w = {0};
  make_server(&w);
  BENCH_OK(sc_runtime_start(w.server.runtime));
  meeting m = {.address = w.server.address};
  memcpy(m.key, w.target.key, sizeof m.key);
  uint8_t end;
  if (write(tell, &m, sizeof m) != sizeof m || read(until, &end, 1) != 0)
    _exit(1);
  free_side(&w.server);
  _exit(0);
}

static double resident_kib(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
  FILE *file = fopen(path, "r");
  long total = 0, resident = 0;
  if (file == NULL || fscanf(file, "%ld %ld", &total, &resident) != 2)
    bench_stop(__FILE__, __LINE__, path, SC_ERR_SYSTEM);
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void count_answer(void *user, sc_quic_call call, const sc_quic_result *result) {
  (void)call;
  BENCH_OK(result->status);
  ++*(size_t *)user;
}

/* Opens connections, each with a request that is answered, so that nothing is left to do on them. */
static void open_connections(world *w, size_t count) {
  size_t answers = 0;
  sc_quic_target target = w->target;
  target.events = (sc_quic_events){.closed = lost};
  const sc_quic_command command = {.name = sc_bytes_text("none"), .done = count_answer, .user = &answers};
  for (size_t i = 0; i < count; i++) {
    sc_quic_connection connection;
    BENCH_OK(sc_quic_connect(&connection, w->client.endpoint, sc_clock_now(), &target));
    BENCH_OK(sc_quic_send(NULL, w->client.endpoint, sc_clock_now(), connection, &command));
    while (answers <= i)
      BENCH_OK(sc_runtime_step(w->client.runtime, false));
  }
}

static void measure_memory(void) {
  static const double limit = 100;
  int told[2], until[2];
  if (pipe(told) != 0 || pipe(until) != 0)
    bench_stop(__FILE__, __LINE__, "pipe", SC_ERR_SYSTEM);
  pid_t child = fork();
  if (child == 0) {
    close(until[1]);
    serve_in_child(told[1], until[0]);
  }
  meeting m;
  if (child < 0 || read(told[0], &m, sizeof m) != sizeof m)
    bench_stop(__FILE__, __LINE__, "a server", SC_ERR_SYSTEM);
  world w = {.target.address = m.address};
  memcpy(w.target.key, m.key, sizeof m.key);
  make_client(&w);
  open_connections(&w, 20); /* their one-time allocations are not measured */
  double before = resident_kib(child);
  open_connections(&w, idle_connections);
  double each = (resident_kib(child) - before) / (double)idle_connections;
  printf("quic/idle connection: %.1f KiB resident in the server; target <= %g KiB: %s\n", each, limit,
         each <= limit ? "met" : "MISSED");
  free_side(&w.client);
  close(until[1]);
  waitpid(child, NULL, 0);
}

int main(int argc, char **argv) {
  static world w;
  bench_begin(argc, argv);
  if (argc == 1 || strstr("quic/idle connection", argv[1]) != NULL)
    measure_memory(); /* first, as a process with threads should not fork */
  make_world(&w);
  run_figures(&w);
  free_world(&w);
  return 0;
}
