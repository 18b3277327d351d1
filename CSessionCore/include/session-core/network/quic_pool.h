/* One connection to each node: opened by the first call, shared by all, closed when idle.
 *
 * The pool belongs to one endpoint, which must outlive it, and to the same thread. Its connections are its
 * own: the program makes calls through it and knows of no connection. */
#ifndef SC_NETWORK_QUIC_POOL_H
#define SC_NETWORK_QUIC_POOL_H

#include "quic.h"

SC_API_BEGIN

typedef struct sc_quic_pool sc_quic_pool;

/* The node to call. The same key at another address is another node. */
typedef struct sc_quic_node {
  uint8_t key[SC_KEY_BYTES];
  sc_address address;
  bool all_streams; /* its version is known to read every stream; old nodes read the first alone */
} sc_quic_node;

typedef struct sc_quic_pool_options {
  uint32_t nodes; /* connected at once; for one more, the one that was unused the longest goes */
  uint64_t handshake_timeout;
  uint64_t keep_alive; /* 0: none */
  uint64_t idle_close; /* close after this long without a call; 0: never */
  void *user;
  /* A connection to this node failed, or could not be made: told once for each, after its calls ended with
   * the same reason. The next call connects anew. SC_ERR_QUIC_KEY, _PROTOCOL and _VERSION mean that this is
   * not the node it should be; SC_ERR_QUIC_UNREACHABLE, _IDLE and _RESET that it is away; SC_ERR_QUIC_BUSY
   * that it may be tried later. Not called for connections that the pool closes. May be NULL. */
  void (*failed)(void *user, const sc_quic_node *node, sc_status reason);
  /* The handshake with this node is done. May be NULL. */
  void (*opened)(void *user, const sc_quic_node *node);
  /* A connection to this node closed, by either side, or could not be made; called before `failed`, and by
   * sc_quic_pool_free. The callback must not use the pool. May be NULL. */
  void (*closed)(void *user, const sc_quic_node *node, sc_status reason);
} sc_quic_pool_options;

/* 64 nodes, 3 s to connect, a ping every 10 s, closed after 60 s without use: what clients of nodes do. */
SC_API void sc_quic_pool_options_default(sc_quic_pool_options *out);

/* SC_ERR_ARGUMENT for no nodes. */
SC_API SC_NODISCARD sc_status sc_quic_pool_new(sc_quic_pool **out, const sc_env *env,
                                               sc_quic_endpoint *endpoint,
                                               const sc_quic_pool_options *options);

/* Closes all connections as sc_quic_pool_close_all does; not from within a callback. NULL is allowed. */
SC_API void sc_quic_pool_free(sc_quic_pool *pool);

/* Connects to the node without a call, where it is not connected: `open` says whether the handshake is done
 * already. If not, `opened` or `closed` tells of it, after `handshake_timeout` at the latest (0: the pool's,
 * as for a handshake that has begun). SC_ERR_QUIC_BUSY when every connection of a full pool is in use. */
SC_API SC_NODISCARD sc_status sc_quic_pool_connect(bool *open, sc_quic_pool *pool, uint64_t now,
                                                   const sc_quic_node *node, uint64_t handshake_timeout);

/* Closes the connection to one node: its calls end with SC_ERR_QUIC_STOPPED. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_quic_pool_close(sc_quic_pool *pool, uint64_t now, const sc_quic_node *node);

/* Closes all connections in this way. From within the callbacks of this, nothing can be sent or connected:
 * SC_ERR_QUIC_STOPPED. */
SC_API void sc_quic_pool_close_all(sc_quic_pool *pool, uint64_t now);

/* Sends a command to the node, on its connection or on a new one, as sc_quic_send does. Without success
 * `done` is not called. SC_QUIC_ANY_STREAM is the first stream unless the node reads all: what an earlier
 * connection showed counts for more than `all_streams`. SC_ERR_QUIC_BUSY also when every connection of a full
 * pool is in use. */
SC_API SC_NODISCARD sc_status sc_quic_pool_send(sc_quic_call *out, sc_quic_pool *pool, uint64_t now,
                                                const sc_quic_node *node, const sc_quic_command *command);

/* Nodes that are connected, or about to be. */
SC_API uint32_t sc_quic_pool_count(const sc_quic_pool *pool);

SC_API_END

#endif
