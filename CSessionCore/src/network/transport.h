/* Carries requests to nodes for the router: connections to nodes by key, commands on them.
 *
 * The default is a pool of QUIC connections (router/quic_transport.h); a simulator has its own. A transport
 * belongs to one network and its thread, and outlives it. The pair below is borrowed and copied freely.
 *
 * A transport must follow these rules:
 *   - `call` and `connect` never call back before they have returned; `cancel`, `close` and `close_all` do
 *     whatever calling back they cause before they return.
 *   - What `call` began ends with `done`, once. What `connect` began ends with `opened` or `lost`, once.
 *   - When an open or pending connection ends, `lost` is called once, after
 *     the calls on it ended with the same reason; SC_ERR_QUIC_STOPPED when this side closed it.
 *   - A node is its key and address; a connection is used only if the peer proves that key. */
#ifndef SC_SRC_NETWORK_TRANSPORT_H
#define SC_SRC_NETWORK_TRANSPORT_H

#include "session-core/network/node.h"
#include "session-core/network/quic.h"

/* A call to a node. Body and command are borrowed until `call` returns. */
typedef struct sc_transport_request {
  sc_bytes command; /* "onion_req", or the name of a storage method */
  sc_bytes body;
  uint64_t timeout;  /* nanoseconds from now, including connecting */
  bool small;        /* uses the stream for small requests */
  sc_quic_done done; /* called with the number from `call`, and the result as from QUIC endpoints */
  void *user;
} sc_transport_request;

/* Events of connections. */
typedef struct sc_transport_listener {
  void *user;
  void (*opened)(void *user, const sc_node *node);
  void (*lost)(void *user, const sc_node *node, sc_status reason);
} sc_transport_listener;

typedef struct sc_transport_methods {
  /* Sets the listener. The network that gets the transport calls this once, and again with NULL when it is
   * freed, which ends all callbacks. */
  void (*listen)(void *self, const sc_transport_listener *listener);
  /* Sends a request to a node, connecting first if necessary. After a failure nothing was started. `*out` is
   * never 0. */
  sc_status (*call)(void *self, sc_quic_call *out, uint64_t now, const sc_node *node,
                    const sc_transport_request *request);
  /* Only connects. `*open` is true if already connected; then no callback follows. */
  sc_status (*connect)(void *self, bool *open, uint64_t now, const sc_node *node, uint64_t timeout);
  /* Ends a call with SC_ERR_REQUEST_CANCELLED; does nothing if there is no such call. */
  void (*cancel)(void *self, uint64_t now, sc_quic_call call);
  /* Closes the connection to one node, or all; its calls end with SC_ERR_QUIC_STOPPED. */
  void (*close)(void *self, uint64_t now, const sc_node *node);
  void (*close_all)(void *self, uint64_t now);
  /* Returns when a handshake, data or the receipt of data last came from any node, proved to be its; 0: none
   * did. */
  uint64_t (*heard_at)(const void *self);
} sc_transport_methods;

typedef struct sc_transport {
  void *self;
  const sc_transport_methods *methods;
} sc_transport;

#endif
