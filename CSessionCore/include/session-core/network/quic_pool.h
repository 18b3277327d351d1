/* A pool with one connection for each node: opened by the first call, shared by all calls, closed when idle.
 *
 * The pool belongs to one endpoint, which must outlive it, and to the same thread. It owns its connections;
 * the program only makes calls. */
#ifndef SC_NETWORK_QUIC_POOL_H
#define SC_NETWORK_QUIC_POOL_H

#include "quic.h"

SC_API_BEGIN

typedef struct sc_quic_pool sc_quic_pool;

/* The node to call. The same key at another address is another node. */
typedef struct sc_quic_node {
  uint8_t key[SC_KEY_BYTES];
  sc_address address;
  bool all_streams; /* true if its version is known to read all streams; old nodes read only the first */
} sc_quic_node;

typedef struct sc_quic_pool_options {
  uint32_t nodes; /* connections at the same time; one more replaces the least recently used */
  uint64_t handshake_timeout;
  uint64_t keep_alive; /* 0: none */
  uint64_t idle_close; /* close after this long without a call; 0: never */
  void *user;
  /* A connection to this node failed or could not be made. Called once for each, after its calls ended with
   * the same reason; the next call connects again. SC_ERR_QUIC_KEY, _PROTOCOL and _VERSION: another node has
   * this address. SC_ERR_QUIC_UNREACHABLE, _IDLE and _RESET: the node is down. SC_ERR_QUIC_BUSY: try later.
   * Not called for connections that the pool closes. May be NULL. */
  void (*failed)(void *user, const sc_quic_node *node, sc_status reason);
  /* The handshake with this node is done. May be NULL. */
  void (*opened)(void *user, const sc_quic_node *node);
  /* A connection to this node was closed by either side or could not be made; called before `failed`, and by
   * sc_quic_pool_free. The callback must not use the pool. May be NULL. */
  void (*closed)(void *user, const sc_quic_node *node, sc_status reason);
} sc_quic_pool_options;

/* Sets the defaults of clients: 64 nodes, 3 s to connect, a ping every 10 s, closed after 60 s without use.
 */
SC_API void sc_quic_pool_options_default(sc_quic_pool_options *out);

/* Creates a pool. SC_ERR_ARGUMENT for no nodes. */
SC_API SC_NODISCARD sc_status sc_quic_pool_new(sc_quic_pool **out, const sc_env *env,
                                               sc_quic_endpoint *endpoint,
                                               const sc_quic_pool_options *options);

/* Closes all connections like sc_quic_pool_close_all; not allowed in a callback. NULL is allowed. */
SC_API void sc_quic_pool_free(sc_quic_pool *pool);

/* Connects to the node without a call, unless connected: `open` is true if the handshake is done already.
 * Otherwise `opened` or `closed` follows, after `handshake_timeout` at the latest (0: the pool's, also for a
 * handshake in progress). SC_ERR_QUIC_BUSY if every connection of a full pool is in use. */
SC_API SC_NODISCARD sc_status sc_quic_pool_connect(bool *open, sc_quic_pool *pool, uint64_t now,
                                                   const sc_quic_node *node, uint64_t handshake_timeout);

/* Closes the connection to one node: its calls end with SC_ERR_QUIC_STOPPED. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_quic_pool_close(sc_quic_pool *pool, uint64_t now, const sc_quic_node *node);

/* Closes all connections likewise. Its callbacks cannot send or connect: SC_ERR_QUIC_STOPPED. */
SC_API void sc_quic_pool_close_all(sc_quic_pool *pool, uint64_t now);

/* Sends a call to the node like sc_quic_send, on its connection or a new one. After a failure `done` is not
 * called. SC_QUIC_ANY_STREAM selects the first stream unless the node reads all streams: what an earlier
 * connection showed overrides `all_streams`. SC_ERR_QUIC_BUSY also if every connection of a full pool is in
 * use. */
SC_API SC_NODISCARD sc_status sc_quic_pool_send(sc_quic_call *out, sc_quic_pool *pool, uint64_t now,
                                                const sc_quic_node *node, const sc_quic_command *command);

/* Returns the number of nodes that are connected or being connected. */
SC_API uint32_t sc_quic_pool_count(const sc_quic_pool *pool);

SC_API_END

#endif
