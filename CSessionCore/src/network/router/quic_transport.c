#include "quic_transport.h"

#include "session-core/network/quic_pool.h"

/* Calls of a network, including those for lists; the router's own limits are lower. */
enum { most_calls = 16384 };

struct sc_quic_transport {
  const sc_env *env;
  sc_quic_endpoint *endpoint;
  sc_quic_pool *pool;
  sc_transport_listener listener;
};

/* Storage servers read streams other than the first since they are newer than 2.8. */
static bool reads_all_streams(const sc_node *node) {
  enum { major = 2, minor = 8 };
  return node->version[0] > major || (node->version[0] == major && node->version[1] > minor);
}

static sc_quic_node node_of(const sc_node *node) {
  sc_quic_node out = {.address = sc_node_address(node), .all_streams = reads_all_streams(node)};
  memcpy(out.key, node->key, SC_KEY_BYTES);
  return out;
}

/* As far as a connection knows it. */
static sc_node node_from(const sc_quic_node *peer) {
  sc_node out = {.quic_port = peer->address.port, .swarm = SC_STORAGE_NO_SWARM};
  memcpy(out.key, peer->key, SC_KEY_BYTES);
  memcpy(out.ip, peer->address.ip, sizeof out.ip);
  return out;
}

static void opened(void *user, const sc_quic_node *peer) {
  const sc_quic_transport *transport = user;
  sc_node node = node_from(peer);
  if (transport->listener.opened != NULL)
    transport->listener.opened(transport->listener.user, &node);
}

static void closed(void *user, const sc_quic_node *peer, sc_status reason) {
  const sc_quic_transport *transport = user;
  sc_node node = node_from(peer);
  if (transport->listener.lost != NULL)
    transport->listener.lost(transport->listener.user, &node, reason);
}

static sc_status make_pool(sc_quic_transport *transport, uint32_t connections) {
  sc_quic_options options;
  sc_quic_options_default(&options);
  options.limits.connections = connections;
  options.limits.calls = most_calls;
  sc_status status = sc_quic_endpoint_new(&transport->endpoint, transport->env, &options);
  if (status != SC_OK)
    return status;
  sc_quic_pool_options pool;
  sc_quic_pool_options_default(&pool);
  pool.nodes = connections;
  pool.idle_close = 0;
  pool.user = transport;
  pool.opened = opened;
  pool.closed = closed;
  return sc_quic_pool_new(&transport->pool, transport->env, transport->endpoint, &pool);
}

sc_status sc_quic_transport_new(sc_quic_transport **out, const sc_env *env, uint32_t connections) {
  *out = NULL;
  sc_quic_transport *transport = sc_allocate(env, sizeof *transport);
  if (transport == NULL)
    return SC_ERR_NO_MEMORY;
  *transport = (sc_quic_transport){.env = env};
  sc_status status = make_pool(transport, connections);
  if (status == SC_OK)
    *out = transport;
  else
    sc_quic_transport_free(transport);
  return status;
}

void sc_quic_transport_free(sc_quic_transport *transport) {
  if (transport == NULL)
    return;
  sc_quic_pool_free(transport->pool);
  sc_quic_endpoint_free(transport->endpoint);
  sc_release(transport->env, transport);
}

static void listen(void *self, const sc_transport_listener *listener) {
  sc_quic_transport *transport = self;
  transport->listener = listener != NULL ? *listener : (sc_transport_listener){0};
}

static sc_status call(void *self, sc_quic_call *out, uint64_t now, const sc_node *node,
                      const sc_transport_request *request) {
  sc_quic_transport *transport = self;
  const sc_quic_node peer = node_of(node);
  const sc_quic_command command = {
      .name = request->command,
      .body = request->body,
      .timeout = request->timeout,
      .stream = request->small ? 0 : SC_QUIC_ANY_STREAM,
      .done = request->done,
      .user = request->user,
  };
  return sc_quic_pool_send(out, transport->pool, now, &peer, &command);
}

static sc_status connect(void *self, bool *open, uint64_t now, const sc_node *node, uint64_t timeout) {
  sc_quic_transport *transport = self;
  const sc_quic_node peer = node_of(node);
  return sc_quic_pool_connect(open, transport->pool, now, &peer, timeout);
}

/* A call that has ended needs no cancelling. */
static void cancel(void *self, uint64_t now, sc_quic_call number) {
  const sc_quic_transport *transport = self;
  (void)now;
  sc_status status = sc_quic_cancel(transport->endpoint, number);
  (void)status;
}

static void close_one(void *self, uint64_t now, const sc_node *node) {
  sc_quic_transport *transport = self;
  const sc_quic_node peer = node_of(node);
  sc_status status = sc_quic_pool_close(transport->pool, now, &peer);
  (void)status;
}

static void close_all(void *self, uint64_t now) {
  sc_quic_transport *transport = self;
  sc_quic_pool_close_all(transport->pool, now);
}

static uint64_t heard_at(const void *self) {
  const sc_quic_transport *transport = self;
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, transport->endpoint);
  return counts.heard_at;
}

sc_transport sc_quic_transport_face(sc_quic_transport *transport) {
  static const sc_transport_methods methods = {
      .listen = listen,
      .call = call,
      .connect = connect,
      .cancel = cancel,
      .close = close_one,
      .close_all = close_all,
      .heard_at = heard_at,
  };
  return (sc_transport){transport, &methods};
}

sc_driven sc_quic_transport_driven(sc_quic_transport *transport) {
  return sc_quic_driven(transport->endpoint);
}

uint32_t sc_quic_transport_connections(const sc_quic_transport *transport) {
  return sc_quic_pool_count(transport->pool);
}
