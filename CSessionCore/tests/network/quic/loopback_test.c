/* QUIC over real sockets: two endpoints, each driven by a runtime with its own thread, on this machine's
 * loopback addresses. Counts of a runtime's thread are read after it has ended, or awaited through a latch.
 * Endpoints do not allocate from the test's environment, which counts without locks. */
#define _POSIX_C_SOURCE 200809L /* kill */

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "network/quic/endpoint.h"
#include "runtime/toy.h"
#include "session-core/network/quic_pool.h"

enum { patience = 60 }; /* seconds, for handshakes and calls that must not time out */

typedef struct station {
  sc_runtime *runtime;
  sc_runtime_options runtime_options;
  sc_guest *guest;
  sc_quic_endpoint *endpoint;
  sc_quic_options options;
  sc_ed25519_pair key;
  sc_address address;
  toy_latch opened, closed;
  sc_status reason; /* of the last that closed */
  size_t handled;
  bool first_stream_alone; /* ignores other streams, as old nodes do */
  size_t on_other_streams;
} station;

static void note_opened(void *user, sc_quic_connection connection, const uint8_t *peer_key) {
  (void)connection;
  (void)peer_key;
  toy_latch_add(&((station *)user)->opened, 1);
}

static void note_closed(void *user, sc_quic_connection connection, sc_status reason) {
  (void)connection;
  station *self = user;
  self->reason = reason;
  toy_latch_add(&self->closed, 1);
}

static void station_init(station *self, uint8_t seed) {
  *self = (station){.opened = TOY_LATCH, .closed = TOY_LATCH};
  sc_ed25519_pair_from_seed(&self->key, (const uint8_t[SC_ED25519_SEED_BYTES]){seed});
  sc_quic_options *options = &self->options;
  sc_quic_options_default(options);
  options->handshake_timeout = options->call_timeout = patience * SC_QUIC_SECOND;
  options->idle_timeout = patience * SC_QUIC_SECOND;
  options->limits.handshakes_per_host = options->limits.handshakes_per_host_a_second = 100000;
  options->limits.handshakes_before_retry = options->limits.handshakes;
}

static void make_server(station *self) {
  station_init(self, 1);
  self->options.identity = &self->key;
  self->options.accepts = true;
  self->options.accepted = (sc_quic_events){.user = self, .opened = note_opened, .closed = note_closed};
}

static void echo(void *user, const sc_quic_incoming *incoming) {
  station *self = user;
  self->handled++;
  const sc_quic_pending_request *pending = sc_slots_find(&self->endpoint->requests, incoming->request);
  bool elsewhere = pending != NULL && pending->stream->id > 0;
  self->on_other_streams += elsewhere;
  if (elsewhere && self->first_stream_alone)
    sc_quic_drop_request(self->endpoint, incoming->request);
  else if (sc_quic_reply(self->endpoint, incoming->request, incoming->body) != SC_OK)
    abort();
}

static void close_endpoint(void *user, uint64_t now) {
  sc_quic_stop(((station *)user)->endpoint, now);
}

/* Everything but the thread. */
SC_NODISCARD static sc_status station_open(station *self, sc_address address) {
  sc_status status = sc_quic_endpoint_new(&self->endpoint, NULL, &self->options);
  if (status == SC_OK)
    status = sc_quic_handle(self->endpoint, sc_bytes_text("echo"), echo, self);
  if (status == SC_OK)
    status = sc_runtime_new(&self->runtime, NULL, &self->runtime_options);
  if (status != SC_OK)
    return status;
  const sc_guest_options guest = {
      .driven = sc_quic_driven(self->endpoint),
      .addresses = &address,
      .address_count = 1,
      .dual = true,
      .close = close_endpoint,
      .user = self,
  };
  status = sc_guest_new(&self->guest, self->runtime, &guest);
  self->address = status == SC_OK ? toy_address(self->guest) : address;
  return status;
}

SC_NODISCARD static sc_status station_start(station *self, sc_address address) {
  sc_status status = station_open(self, address);
  return status == SC_OK ? sc_runtime_start(self->runtime) : status;
}

static void station_free(station *self) {
  sc_runtime_free(self->runtime);
  sc_quic_endpoint_free(self->endpoint);
  self->runtime = NULL;
  self->endpoint = NULL;
}

/* A client's work: connections, each with as many calls as may be in flight until all are done. */
typedef struct work {
  station *client;
  sc_quic_target target;
  const char *name;
  sc_bytes body;
  size_t connections;
  size_t calls; /* on each connection */
  size_t begun; /* connections that could be begun */
  size_t sent;  /* calls that could be */
  size_t good;
  sc_status status; /* of the last call that failed */
  toy_latch done;   /* calls */
  bool refused;     /* a connection or call could not begin */
  bool wrong_body;
} work;

static void call_done(void *user, sc_quic_call call, const sc_quic_result *result) {
  (void)call;
  work *w = user;
  if (result->status != SC_OK)
    w->status = result->status;
  else if (!sc_bytes_same(result->body, w->body))
    w->wrong_body = true;
  else
    w->good++;
  toy_latch_add(&w->done, 1);
}

static void begin_calls(work *w, uint64_t now, sc_quic_connection connection) {
  const sc_quic_command command = {
      .name = sc_bytes_text(w->name), .body = w->body, .done = call_done, .user = w};
  for (size_t i = 0; i < w->calls; i++) {
    if (sc_quic_send(NULL, w->client->endpoint, now, connection, &command) == SC_OK)
      w->sent++;
    else
      w->refused = true;
  }
}

static void begin_work(void *user, uint64_t now) {
  work *w = user;
  for (size_t i = 0; i < w->connections; i++) {
    sc_quic_connection connection;
    if (sc_quic_connect(&connection, w->client->endpoint, now, &w->target) != SC_OK) {
      w->refused = true;
      continue;
    }
    w->begun++;
    begin_calls(w, now, connection);
  }
}

static work work_of(station *client, const station *server) {
  work w = {.client = client, .name = "echo", .connections = 1, .calls = 1, .done = TOY_LATCH};
  w.body = sc_bytes_text("hello");
  w.target.address = server->address;
  w.target.events = (sc_quic_events){.user = client, .opened = note_opened, .closed = note_closed};
  memcpy(w.target.key, server->key.public_key, SC_KEY_BYTES);
  return w;
}

SC_NODISCARD static sc_status do_work(work *w) {
  return sc_runtime_post(w->client->runtime, begin_work, w);
}

SC_NODISCARD static sc_status start_both(station *server, station *client) {
  sc_status status = station_start(server, loopback_v4(0));
  return status == SC_OK ? station_start(client, loopback_v4(0)) : status;
}

static void free_both(station *server, station *client) {
  station_free(client);
  station_free(server);
}

static void a_call_is_answered(sc_test *t) {
  station server, client;
  make_server(&server);
  station_init(&client, 2);
  OK(start_both(&server, &client));
  work w = work_of(&client, &server);
  OK(do_work(&w));
  CHECK(toy_latch_wait(&w.done, 1));
  OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
  CHECK(toy_latch_wait(&server.closed, 1));
  OK(sc_runtime_stop(server.runtime, SC_NS_PER_SECOND));
  CHECK(w.good == 1 && server.handled == 1 && client.reason == SC_ERR_QUIC_STOPPED);
  CHECK(server.reason == SC_ERR_QUIC_CLOSED && toy_counts(client.runtime).unreachable == 0);
done:
  free_both(&server, &client);
}

/* A server at [::] with clients of both families in turn; no side knows its own address in advance. */
static void a_wildcard_server_serves_both_address_families(sc_test *t) {
  station server, clients[2];
  make_server(&server);
  for (size_t i = 0; i < 2; i++)
    station_init(&clients[i], 2);
  if (!loopback_has_v6())
    SKIP("this machine has no ::1");
  OK(station_start(&server, any_v6()));
  const sc_address from[] = {any_v4(), any_v6()};
  const sc_address to[] = {loopback_v4(server.address.port), loopback_v6(server.address.port)};
  for (size_t i = 0; i < 2; i++) {
    OK(station_start(&clients[i], from[i]));
    work w = work_of(&clients[i], &server);
    w.target.address = to[i];
    OK(do_work(&w));
    CHECK(toy_latch_wait(&w.done, 1));
    OK(sc_runtime_stop(clients[i].runtime, SC_NS_PER_SECOND));
    CHECK(w.good == 1);
  }
done:
  for (size_t i = 0; i < 2; i++)
    station_free(&clients[i]);
  station_free(&server);
}

static void large_bodies_arrive_in_every_way(sc_test *t) {
  enum { body_bytes = 3000000 };
  const sc_runtime_options ways[] = {{0}, {.no_segmentation = true, .no_coalescing = true}};
  station server, client;
  sc_buffer body = {0};
  uint8_t *room;
  make_server(&server);
  station_init(&client, 2);
  OK(sc_buffer_extend(&room, &body, body_bytes));
  for (size_t i = 0; i < body_bytes; i++)
    room[i] = (uint8_t)(i * 2654435761u >> 13);
  for (size_t i = 0; i < 2; i++) {
    make_server(&server);
    station_init(&client, 2);
    server.runtime_options = client.runtime_options = ways[i];
    OK(start_both(&server, &client));
    work w = work_of(&client, &server);
    w.body = sc_buffer_bytes(&body);
    w.calls = 2;
    OK(do_work(&w));
    CHECK(toy_latch_wait(&w.done, 2));
    OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
    CHECK(w.good == 2 && !w.wrong_body);
    free_both(&server, &client);
  }
done:
  free_both(&server, &client);
  sc_buffer_free(&body);
}

/* The client's connection and its call end with `expected`. */
static void refused_with(sc_test *t, station *server, station *client, work *w, sc_status expected) {
  OK(do_work(w));
  CHECK(toy_latch_wait(&client->closed, 1) && toy_latch_wait(&w->done, 1));
  OK(sc_runtime_stop(client->runtime, SC_NS_PER_SECOND));
  OK(sc_runtime_stop(server->runtime, SC_NS_PER_SECOND));
  CHECK(client->reason == expected && w->status == expected);
  CHECK(w->good == 0 && w->done.value == 1 && client->closed.value == 1 && server->handled == 0);
done:;
}

static void a_server_with_another_key_is_refused(sc_test *t) {
  station server, client;
  make_server(&server);
  station_init(&client, 2);
  OK(start_both(&server, &client));
  work w = work_of(&client, &server);
  w.target.key[0] ^= 1;
  refused_with(t, &server, &client, &w, SC_ERR_QUIC_KEY);
done:
  free_both(&server, &client);
}

static bool admit_nobody(void *user, const uint8_t *peer_key, const sc_address *from) {
  (void)user;
  (void)peer_key;
  (void)from;
  return false;
}

static void an_unauthorised_client_is_refused(sc_test *t) {
  station server, client;
  make_server(&server);
  station_init(&client, 2);
  server.options.admits = admit_nobody;
  OK(start_both(&server, &client));
  work w = work_of(&client, &server);
  refused_with(t, &server, &client, &w, SC_ERR_QUIC_REFUSED);
done:
  free_both(&server, &client);
}

static void another_protocol_is_refused(sc_test *t) {
  station server, client;
  make_server(&server);
  station_init(&client, 2);
  client.options.protocol = sc_bytes_text("quic-files");
  OK(start_both(&server, &client));
  work w = work_of(&client, &server);
  refused_with(t, &server, &client, &w, SC_ERR_QUIC_PROTOCOL);
done:
  free_both(&server, &client);
}

static void tell_and_hang(void *user, const sc_quic_incoming *incoming) {
  (void)incoming;
  if (write(*(const int *)user, "!", 1) != 1)
    _exit(1);
}

/* A server in its own process, which reports its address, then each request it receives, and never replies.
 */
static pid_t fork_server(const station *server, int tell) {
  pid_t process = fork();
  if (process != 0)
    return process;
  station self = *server;
  if (station_open(&self, loopback_v4(0)) != SC_OK ||
      sc_quic_handle(self.endpoint, sc_bytes_text("hang"), tell_and_hang, &tell) != SC_OK ||
      write(tell, &self.address, sizeof self.address) != sizeof self.address)
    _exit(1);
  while (sc_runtime_step(self.runtime, true) == SC_OK)
    continue;
  _exit(1);
}

static void a_killed_peer_ends_the_call_once(sc_test *t) {
  station server, client;
  int told[2] = {-1, -1};
  char mark;
  pid_t process = -1;
  make_server(&server);
  station_init(&client, 2);
  client.options.idle_timeout = SC_QUIC_SECOND / 2;
  CHECK(pipe(told) == 0);
  process = fork_server(&server, told[1]);
  CHECK(process > 0 && loopback_readable(told[0]));
  CHECK(read(told[0], &server.address, sizeof server.address) == sizeof server.address);
  OK(station_start(&client, loopback_v4(0)));
  work w = work_of(&client, &server);
  w.name = "hang";
  w.calls = 3;
  OK(do_work(&w));
  for (size_t i = 0; i < 3; i++)
    CHECK(loopback_readable(told[0]) && read(told[0], &mark, 1) == 1);
  CHECK(kill(process, SIGKILL) == 0);
  CHECK(toy_latch_wait(&client.closed, 1));
  OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
  CHECK(client.reason == SC_ERR_QUIC_IDLE && w.status == SC_ERR_QUIC_IDLE);
  CHECK(w.done.value == 3 && w.good == 0 && client.closed.value == 1);
done:
  if (process > 0) {
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
  }
  close(told[0]);
  close(told[1]);
  station_free(&client);
}

typedef struct vanishing {
  sc_guest *guest;
  toy_latch gone;
} vanishing;

static void vanish(void *user, uint64_t now) {
  (void)now;
  vanishing *self = user;
  sc_guest_free(self->guest);
  toy_latch_add(&self->gone, 1);
}

/* A server restarted with the same key and no state reports so at the first unknown packet. */
static void a_restarted_peer_is_noticed(sc_test *t) {
  station first, second, client;
  make_server(&first);
  make_server(&second);
  station_init(&client, 2);
  OK(start_both(&first, &client));
  work w = work_of(&client, &first);
  w.target.keep_alive = SC_QUIC_SECOND / 20;
  OK(do_work(&w));
  CHECK(toy_latch_wait(&w.done, 1));
  vanishing vanishing = {.guest = first.guest, .gone = TOY_LATCH};
  OK(sc_runtime_post(first.runtime, vanish, &vanishing));
  CHECK(toy_latch_wait(&vanishing.gone, 1));
  OK(station_start(&second, first.address));
  CHECK(toy_latch_wait(&client.closed, 1));
  OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
  CHECK(client.reason == SC_ERR_QUIC_RESET && second.handled == 0);
done:
  free_both(&first, &client);
  station_free(&second);
}

static void many_connections_carry_calls_at_once(sc_test *t) {
  enum { connections = 200, calls = 50 };
  station server, client;
  make_server(&server);
  station_init(&client, 2);
  OK(start_both(&server, &client));
  work w = work_of(&client, &server);
  w.connections = connections;
  w.calls = calls;
  OK(do_work(&w));
  CHECK(toy_latch_wait(&w.done, connections * calls));
  OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
  CHECK(toy_latch_wait(&server.closed, connections));
  OK(sc_runtime_stop(server.runtime, SC_NS_PER_SECOND));
  CHECK(!w.refused && !w.wrong_body && w.good == connections * calls && w.done.value == w.good);
  CHECK(server.handled == w.good);
  CHECK(server.opened.value == connections && server.closed.value == connections);
  CHECK(client.opened.value == connections && client.closed.value == connections);
done:
  free_both(&server, &client);
}

/* Either side stops during calls: each call and each connection ends once. */
static void stop_under_load(sc_test *t, bool server_stops) {
  enum { connections = 20, calls = 400 };
  station server, client;
  make_server(&server);
  station_init(&client, 2);
  OK(start_both(&server, &client));
  work w = work_of(&client, &server);
  w.connections = connections;
  w.calls = calls;
  OK(do_work(&w));
  CHECK(toy_latch_wait(&w.done, calls));
  if (server_stops) {
    OK(sc_runtime_stop(server.runtime, SC_NS_PER_SECOND));
    CHECK(toy_latch_wait(&client.closed, connections));
  }
  OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
  CHECK(!w.wrong_body && w.begun == connections && w.done.value == w.sent);
  CHECK(client.closed.value == connections && w.good >= calls);
  if (w.good < w.sent)
    CHECK(w.status == (server_stops ? SC_ERR_QUIC_CLOSED : SC_ERR_QUIC_STOPPED));
done:
  free_both(&server, &client);
}

static void a_client_stops_under_load(sc_test *t) {
  stop_under_load(t, false);
}

static void a_server_stops_under_load(sc_test *t) {
  stop_under_load(t, true);
}

/* Calls through a pool, first one to connect and then several at once. */
typedef struct pool_work {
  work w;
  sc_quic_pool *pool;
  sc_quic_node node;
  size_t at_once;
} pool_work;

static void begin_pool_calls(void *user, uint64_t now) {
  pool_work *pw = user;
  const sc_quic_command command = {.name = sc_bytes_text("echo"),
                                   .body = pw->w.body,
                                   .stream = SC_QUIC_ANY_STREAM,
                                   .done = call_done,
                                   .user = &pw->w};
  for (size_t i = 0; i < pw->at_once; i++)
    if (sc_quic_pool_send(NULL, pw->pool, now, &pw->node, &command) != SC_OK)
      pw->w.refused = true;
}

static void check_streams_of(sc_test *t, bool all_streams) {
  enum { calls = 20 };
  station server, client;
  pool_work pw = {0};
  make_server(&server);
  server.first_stream_alone = !all_streams;
  station_init(&client, 2);
  OK(start_both(&server, &client));
  pw.w = work_of(&client, &server);
  pw.node = (sc_quic_node){.address = server.address, .all_streams = all_streams};
  memcpy(pw.node.key, server.key.public_key, SC_KEY_BYTES);
  sc_quic_pool_options options;
  sc_quic_pool_options_default(&options);
  OK(sc_quic_pool_new(&pw.pool, NULL, client.endpoint, &options));
  pw.at_once = 1;
  OK(sc_runtime_post(client.runtime, begin_pool_calls, &pw));
  CHECK(toy_latch_wait(&pw.w.done, 1));
  pw.at_once = calls;
  OK(sc_runtime_post(client.runtime, begin_pool_calls, &pw));
  CHECK(toy_latch_wait(&pw.w.done, 1 + calls));
  OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
  OK(sc_runtime_stop(server.runtime, SC_NS_PER_SECOND));
  CHECK(!pw.w.refused && pw.w.good == 1 + calls);
  CHECK(server.handled == 1 + calls && server.on_other_streams == (all_streams ? calls : 0));
done:
  sc_runtime_free(client.runtime);
  client.runtime = NULL;
  sc_quic_pool_free(pw.pool);
  free_both(&server, &client);
}

static void an_old_server_is_called_on_its_first_stream(sc_test *t) {
  check_streams_of(t, false);
}

static void a_new_server_is_called_on_every_stream(sc_test *t) {
  check_streams_of(t, true);
}

enum { poster_count = 4 };

static void *post_work(void *user) {
  return do_work(user) == SC_OK ? user : NULL;
}

static void any_thread_may_call(sc_test *t) {
  station server, client;
  pthread_t threads[poster_count];
  static work works[poster_count];
  make_server(&server);
  station_init(&client, 2);
  OK(start_both(&server, &client));
  bool posted = true;
  for (size_t i = 0; i < poster_count; i++) {
    works[i] = work_of(&client, &server);
    works[i].calls = 100;
    if (pthread_create(&threads[i], NULL, post_work, &works[i]) != 0)
      abort();
  }
  for (size_t i = 0; i < poster_count; i++) {
    void *result;
    pthread_join(threads[i], &result);
    posted = posted && result != NULL;
  }
  CHECK(posted);
  for (size_t i = 0; i < poster_count; i++)
    CHECK(toy_latch_wait(&works[i].done, 100));
  OK(sc_runtime_stop(client.runtime, SC_NS_PER_SECOND));
  for (size_t i = 0; i < poster_count; i++)
    CHECK(works[i].good == 100);
done:
  free_both(&server, &client);
}

SUITE(network_quic_loopback, "network/quic/loopback", {"a call is answered", a_call_is_answered},
      {"a wildcard server serves both address families", a_wildcard_server_serves_both_address_families},
      {"large bodies arrive in every way", large_bodies_arrive_in_every_way},
      {"a server with another key is refused", a_server_with_another_key_is_refused},
      {"an unauthorised client is refused", an_unauthorised_client_is_refused},
      {"another protocol is refused", another_protocol_is_refused},
      {"a killed peer ends the call once", a_killed_peer_ends_the_call_once},
      {"a restarted peer is noticed", a_restarted_peer_is_noticed},
      {"many connections carry calls at once", many_connections_carry_calls_at_once},
      {"a client stops under load", a_client_stops_under_load},
      {"a server stops under load", a_server_stops_under_load}, {"any thread may call", any_thread_may_call},
      {"an old server is called on its first stream", an_old_server_is_called_on_its_first_stream},
      {"a new server is called on every stream", a_new_server_is_called_on_every_stream});
