#include "message_transport.h"

#include <stdlib.h>

#include "line.h"
#include "memory.h"
#include "world.h"

static const uint64_t handshake_timeout = 3 * SIM_SECOND;
static const uint64_t ping_pause = 10 * SIM_SECOND;
static const uint64_t idle_timeout = 30 * SIM_SECOND;

struct message_peer {
  message_transport *transport;
  message_peer *next;
  uint64_t number; /* for what is on the agenda */
  sc_node node;
  wire_host host;
  uint32_t life; /* of the host, once it is open */
  bool open;
  wire_call hello; /* or ping */
};

struct message_call {
  message_transport *transport;
  message_call *next;
  sc_quic_call number;
  message_peer *peer;
  wire_call under_way; /* 0 while it waits for the connection */
  blob *body;
  char command[wire_command_chars];
  uint64_t ends;
  sc_quic_done done;
  void *user;
};

static agenda *agenda_of(const message_transport *t) {
  return &t->world->agenda;
}

static void wake(const message_transport *t) {
  if (t->owner.woken != NULL)
    t->owner.woken(t->owner.user);
}

/* Peers */

static bool is_same_peer(const sc_node *a, const sc_node *b) {
  return memcmp(a->key, b->key, SC_KEY_BYTES) == 0 && memcmp(a->ip, b->ip, sizeof a->ip) == 0 &&
         a->quic_port == b->quic_port;
}

static message_peer *find_peer(const message_transport *t, const sc_node *node) {
  message_peer *peer = t->peers;
  while (peer != NULL && !is_same_peer(&peer->node, node))
    peer = peer->next;
  return peer;
}

static message_peer *peer_numbered(const message_transport *t, uint64_t number) {
  message_peer *peer = t->peers;
  while (peer != NULL && peer->number != number)
    peer = peer->next;
  return peer;
}

static void unlink_peer(message_peer *peer) {
  message_peer **link = &peer->transport->peers;
  while (*link != peer)
    link = &(*link)->next;
  *link = peer->next;
  peer->transport->open_peers--;
}

/* Calls */

static message_call *find_call(const message_transport *t, sc_quic_call number) {
  message_call *call = t->calls;
  while (call != NULL && call->number != number)
    call = call->next;
  return call;
}

static void end_call(message_call *call, const sc_quic_result *result) {
  message_transport *t = call->transport;
  message_call **link = &t->calls;
  while (*link != call)
    link = &(*link)->next;
  *link = call->next;
  t->open_calls--;
  if (call->under_way != 0)
    wire_forget(&t->world->wire, call->under_way);
  sc_quic_done done = call->done;
  void *user = call->user;
  sc_quic_call number = call->number;
  blob_drop(call->body);
  free(call);
  t->owner.tell_time(t->owner.user);
  if (done != NULL)
    done(user, number, result);
}

static void fail_call(message_call *call, sc_status status) {
  const sc_quic_result result = {.status = status};
  end_call(call, &result);
}

/* Closes the connection: fails its calls first, then calls the listener. */
static void lose(message_peer *peer, sc_status reason) {
  message_transport *t = peer->transport;
  unlink_peer(peer);
  if (peer->hello != 0)
    wire_forget(&t->world->wire, peer->hello);
  for (message_call *call = t->calls, *next; call != NULL; call = next) {
    next = call->next;
    if (call->peer != peer)
      continue;
    fail_call(call, reason);
    next = t->calls; /* the callback may have ended others */
  }
  const sc_node node = peer->node;
  free(peer);
  t->owner.tell_time(t->owner.user);
  if (t->listener.lost != NULL)
    t->listener.lost(t->listener.user, &node, reason);
}

static uint16_t code_of(sc_bytes body) {
  unsigned code = 0;
  for (size_t i = 0; i < 3; i++) {
    if (i >= body.len || body.ptr[i] < '0' || body.ptr[i] > '9')
      return 0;
    code = 10 * code + (unsigned)(body.ptr[i] - '0');
  }
  return (uint16_t)code;
}

static void came_back(void *user, const wire_reply *reply) {
  message_call *call = user;
  message_transport *t = call->transport;
  call->under_way = 0;
  sc_quic_result result = {.body = blob_bytes(reply->body)};
  if (reply->outcome == WIRE_RESET) {
    lose(call->peer, SC_ERR_QUIC_RESET);
  } else {
    if (reply->outcome == WIRE_ANSWERED || reply->outcome == WIRE_FAILED)
      t->heard_at = agenda_of(t)->now;
    result.status = reply->outcome == WIRE_ANSWERED ? SC_OK
                    : reply->outcome == WIRE_FAILED ? SC_ERR_REQUEST_FAILED
                                                    : SC_ERR_REQUEST_TIMEOUT;
    result.code = reply->outcome == WIRE_FAILED ? code_of(result.body) : 0;
    end_call(call, &result);
  }
  wake(t);
}

static void send_call(message_call *call) {
  message_transport *t = call->transport;
  uint64_t now = agenda_of(t)->now, left = call->ends > now ? call->ends - now : 1;
  bool is_lost = line_blocks(t->world, &call->peer->node);
  const wire_call_options options = {.from = t->host,
                                     .to = is_lost ? t->world->nowhere : call->peer->host,
                                     .tag = t->tag | ++t->world->trip_count << 16,
                                     .life = call->peer->life,
                                     .command = call->command,
                                     .body = call->body,
                                     .connect_timeout = left,
                                     .timeout = left,
                                     .done = came_back,
                                     .user = call};
  call->under_way = wire_begin_call(&t->world->wire, &options);
}

static void call_times_out(void *user, uint64_t number) {
  message_transport *t = user;
  message_call *call = find_call(t, number);
  if (call == NULL)
    return;
  fail_call(call, SC_ERR_REQUEST_TIMEOUT);
  wake(t);
}

/* Connecting, and finding out whether the peer is still there */

static void ask_peer(message_peer *peer, uint64_t timeout);

static void open_peer(message_peer *peer) {
  message_transport *t = peer->transport;
  peer->open = true;
  peer->life = t->world->wire.ends[peer->host].life;
  for (message_call *call = t->calls; call != NULL; call = call->next)
    if (call->peer == peer)
      send_call(call);
  const sc_node node = peer->node;
  t->owner.tell_time(t->owner.user);
  if (t->listener.opened != NULL)
    t->listener.opened(t->listener.user, &node);
}

static void time_to_ping(void *user, uint64_t number) {
  message_transport *t = user;
  message_peer *peer = peer_numbered(t, number);
  if (peer != NULL && peer->hello == 0)
    ask_peer(peer, idle_timeout - ping_pause);
}

static sc_status judge_hello(const message_peer *peer, const wire_reply *reply) {
  const world *w = peer->transport->world;
  if (line_blocks(w, &peer->node))
    return peer->open ? line_loss(w) : line_handshake(w);
  if (reply->outcome == WIRE_RESET)
    return SC_ERR_QUIC_RESET;
  if (reply->outcome != WIRE_ANSWERED)
    return peer->open ? SC_ERR_QUIC_IDLE : SC_ERR_QUIC_UNREACHABLE;
  return sc_bytes_same(blob_bytes(reply->body), SC_BYTES(peer->node.key)) ? SC_OK : SC_ERR_QUIC_KEY;
}

static void peer_answers(void *user, const wire_reply *reply) {
  message_peer *peer = user;
  message_transport *t = peer->transport;
  sc_status status = judge_hello(peer, reply);
  uint64_t number = peer->number;
  peer->hello = 0;
  t->heard_at = status == SC_OK ? agenda_of(t)->now : t->heard_at;
  if (status != SC_OK)
    lose(peer, status);
  else if (!peer->open)
    open_peer(peer);
  agenda_add(agenda_of(t), agenda_of(t)->now + ping_pause, time_to_ping, t, number);
  wake(t);
}

static void ask_peer(message_peer *peer, uint64_t timeout) {
  message_transport *t = peer->transport;
  bool is_swallowed = t->world->plan.line == LINE_SILENT && line_blocks(t->world, &peer->node);
  const wire_call_options options = {.from = t->host,
                                     .to = is_swallowed ? t->world->nowhere : peer->host,
                                     .life = peer->life,
                                     .command = "hello",
                                     .connect_timeout = timeout,
                                     .timeout = timeout,
                                     .done = peer_answers,
                                     .user = peer};
  peer->hello = wire_begin_call(&t->world->wire, &options);
}

static message_peer *connect_to(message_transport *t, const sc_node *node, uint64_t timeout) {
  message_peer *peer = memory_new(1, sizeof *peer);
  *peer = (message_peer){.transport = t, .next = t->peers, .number = ++t->numbers, .node = *node};
  peer->host = world_host_at(t->world, node->ip, node->quic_port);
  t->peers = peer;
  t->open_peers++;
  t->most_peers = t->open_peers > t->most_peers ? t->open_peers : t->most_peers;
  oracle_contact(t->world, t->tag, node);
  ask_peer(peer, timeout != 0 ? timeout : handshake_timeout);
  return peer;
}

/* Called by the network */

static void listen(void *self, const sc_transport_listener *listener) {
  message_transport *t = self;
  t->listener = listener != NULL ? *listener : (sc_transport_listener){0};
}

static sc_status call_node(void *self, sc_quic_call *out, uint64_t now, const sc_node *node,
                           const sc_transport_request *request) {
  message_transport *t = self;
  message_peer *peer = find_peer(t, node);
  if (peer == NULL)
    peer = connect_to(t, node, 0);
  message_call *call = memory_new(1, sizeof *call);
  *call = (message_call){.transport = t,
                         .next = t->calls,
                         .number = ++t->numbers,
                         .peer = peer,
                         .body = blob_make(request->body),
                         .ends = now + request->timeout,
                         .done = request->done,
                         .user = request->user};
  size_t len = request->command.len < wire_command_chars ? request->command.len : wire_command_chars - 1;
  memcpy(call->command, request->command.ptr, len);
  t->calls = call;
  t->open_calls++;
  *out = call->number;
  agenda_add(agenda_of(t), call->ends, call_times_out, t, call->number);
  if (peer->open)
    send_call(call);
  return SC_OK;
}

static sc_status connect_node(void *self, bool *open, uint64_t now, const sc_node *node, uint64_t timeout) {
  message_transport *t = self;
  const message_peer *peer = find_peer(t, node);
  (void)now;
  if (peer == NULL)
    peer = connect_to(t, node, timeout);
  *open = peer->open;
  return SC_OK;
}

static void cancel(void *self, uint64_t now, sc_quic_call number) {
  message_call *call = find_call(self, number);
  (void)now;
  if (call != NULL)
    fail_call(call, SC_ERR_REQUEST_CANCELLED);
}

static void close_node(void *self, uint64_t now, const sc_node *node) {
  message_peer *peer = find_peer(self, node);
  (void)now;
  if (peer != NULL)
    lose(peer, SC_ERR_QUIC_STOPPED);
}

static void close_all(void *self, uint64_t now) {
  message_transport *t = self;
  (void)now;
  while (t->peers != NULL)
    lose(t->peers, SC_ERR_QUIC_STOPPED);
}

static uint64_t heard_at(const void *self) {
  const message_transport *t = self;
  return t->heard_at;
}

void message_transport_init(message_transport *t, world *w, wire_host host, uint64_t tag,
                            const message_host *owner) {
  *t = (message_transport){.world = w, .host = host, .tag = tag, .owner = *owner};
}

void message_transport_free(message_transport *t) {
  t->listener = (sc_transport_listener){0};
  for (message_call *call = t->calls; call != NULL; call = call->next)
    call->done = NULL;
  close_all(t, 0);
}

sc_transport message_transport_face(message_transport *t) {
  static const sc_transport_methods methods = {.listen = listen,
                                               .call = call_node,
                                               .connect = connect_node,
                                               .cancel = cancel,
                                               .close = close_node,
                                               .close_all = close_all,
                                               .heard_at = heard_at};
  return (sc_transport){t, &methods};
}
