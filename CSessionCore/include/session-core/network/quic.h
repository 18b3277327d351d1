/* A QUIC endpoint for Session nodes: client and server at once, with Ed25519 raw public keys on both sides,
 * and requests and replies on streams.
 *
 * The endpoint is driven from outside (driven.h): it opens no socket and reads no clock. Times are
 * nanoseconds of the driver's clock. It owns its connections and requests and identifies them by numbers,
 * which stay safe to use afterwards: calls then return SC_ERR_NOT_FOUND. One thread at a time.
 *
 * Callbacks run only during a call on the endpoint (sc_driven_receive, sc_driven_send, or one of the
 * program). They may call everything here except sc_quic_endpoint_free and the driven calls. Bytes passed to
 * a callback are borrowed until it returns. */
#ifndef SC_NETWORK_QUIC_H
#define SC_NETWORK_QUIC_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"
#include "driven.h"

SC_API_BEGIN

#define SC_QUIC_SECOND UINT64_C(1000000000)

/* The protocol of storage nodes. */
#define SC_QUIC_PROTOCOL_STORAGE "oxenstorage"

#define SC_QUIC_MAX_PROTOCOL_BYTES 32
#define SC_QUIC_MAX_COMMANDS 64
#define SC_QUIC_MAX_COMMAND_BYTES 255
#define SC_QUIC_MAX_STREAMS 32

/* Selects any stream but the first, so that large requests do not delay small ones. */
#define SC_QUIC_ANY_STREAM UINT32_MAX

/* The largest frame, including its length prefix, that peers accept. */
#define SC_QUIC_MAX_FRAME_BYTES 10000000

/* The largest datagram to send: the limit of the oldest nodes. */
#define SC_QUIC_MAX_DATAGRAM_BYTES 1452

typedef struct sc_quic_endpoint sc_quic_endpoint;

/* Numbers of connections, of own calls, and of requests of peers. 0 is never used. */
typedef uint64_t sc_quic_connection;
typedef uint64_t sc_quic_call;
typedef uint64_t sc_quic_request;

/* The limits of an endpoint; sc_quic_options_default sets the defaults. A peer can make this side hold at
 * most `receive_memory` + `send_memory` + twice `window` for each connection, and all peers `connections`
 * times that. */
typedef struct sc_quic_limits {
  /* Admission */
  uint32_t connections;                  /* in both roles; as many again may be closing */
  uint32_t connections_per_host;         /* accepted from one IPv4 address or IPv6 /64 */
  uint32_t handshakes;                   /* accepted and unfinished; beyond it new peers are ignored */
  uint32_t handshakes_before_retry;      /* unfinished; beyond it peers must prove their address first */
  uint32_t handshakes_per_host;          /* handshakes that a host may start at once … */
  uint32_t handshakes_per_host_a_second; /* … and regains per second */
  uint32_t hosts;                        /* hosts whose handshakes are counted */
  uint32_t stateless_a_second;           /* resets, retries, refusals and version replies together */

  /* One connection */
  uint32_t streams; /* streams that a peer may have open; at most SC_QUIC_MAX_STREAMS */
  /* Unanswered requests of the peer. Beyond it, and while replies fill more than half of `send_memory`,
   * reading from the peer stops. While this side waits for a reply of the peer, and after `call_timeout`
   * without a change, reading continues and requests are refused with "503 Service Unavailable". */
  uint32_t open_requests;
  size_t frame;          /* size of one request or reply; at most SC_QUIC_MAX_FRAME_BYTES */
  size_t receive_memory; /* size of incomplete requests */
  /* Bytes waiting to be sent or acknowledged; at least two frames. Calls use at most half, so that replies
   * have room. */
  size_t send_memory;
  uint64_t stream_window; /* bytes that a peer may send ahead on one stream … */
  uint64_t window;        /* … and on all streams together */

  /* The endpoint */
  uint32_t calls; /* own calls without a reply */
} sc_quic_limits;

/* Events of a connection. Each function may be NULL. */
typedef struct sc_quic_events {
  void *user;
  /* The handshake is done. `peer_key` has 32 bytes, or is NULL for a client without a key. A server may
   * still refuse this side's key: only its first reply shows that it did not. */
  void (*opened)(void *user, sc_quic_connection connection, const uint8_t *peer_key);
  /* The connection closed or could not be opened; its calls have ended with the same reason. Called once for
   * each connection announced by `opened` or made by sc_quic_connect. */
  void (*closed)(void *user, sc_quic_connection connection, sc_status reason);
  /* Reports, for an own connection, if the peer reads all streams, as soon as that is known: true if it
   * replied on a stream other than the first, false if a call there timed out before that. The callback must
   * not use the endpoint. */
  void (*streams_known)(void *user, sc_quic_connection connection, bool all);
} sc_quic_events;

typedef struct sc_quic_options {
  /* This side's key in both roles, copied. Without it the endpoint is no server, and every own connection
   * uses a new key. */
  const sc_ed25519_pair *identity;
  /* The protocol in both roles, unless a target names another; 1 to SC_QUIC_MAX_PROTOCOL_BYTES bytes,
   * copied. */
  sc_bytes protocol;
  bool accepts; /* true for a server; needs an identity */

  /* Events of accepted connections. */
  sc_quic_events accepted;
  /* True if a client with this key (NULL for none) may connect; NULL admits all. */
  bool (*admits)(void *user, const uint8_t *peer_key, const sc_address *from);

  uint64_t handshake_timeout;
  uint64_t idle_timeout; /* the smaller of both sides' values applies */
  uint64_t call_timeout; /* for calls without their own timeout */
  sc_quic_limits limits;
} sc_quic_options;

/* Sets the defaults: storage protocol, no identity, times and limits of storage nodes. */
SC_API void sc_quic_options_default(sc_quic_options *out);

/* Creates an endpoint. SC_ERR_ARGUMENT for options that contradict each other or exceed the maxima above. */
SC_API SC_NODISCARD sc_status sc_quic_endpoint_new(sc_quic_endpoint **out, const sc_env *env,
                                                   const sc_quic_options *options);

/* Ends all calls and connections with SC_ERR_QUIC_STOPPED without sending anything. To notify peers, call
 * sc_quic_stop first and send its datagrams. NULL is allowed. */
SC_API void sc_quic_endpoint_free(sc_quic_endpoint *endpoint);

/* Returns the endpoint to drive, valid as long as the endpoint. */
SC_API sc_driven sc_quic_driven(sc_quic_endpoint *endpoint);

/* Closes all connections, notifying the peers, and opens no new ones. */
SC_API void sc_quic_stop(sc_quic_endpoint *endpoint, uint64_t now);

/* A peer to connect to. */
typedef struct sc_quic_target {
  sc_address address;
  uint8_t key[SC_KEY_BYTES]; /* the only accepted key */
  sc_bytes protocol;         /* protocol; empty: the endpoint's */
  sc_quic_events events;
  uint64_t handshake_timeout; /* 0: the endpoint's */
  uint64_t keep_alive;        /* interval of pings while silent; 0: none */
  uint64_t idle_close;        /* close after this long without calls; 0: never */
} sc_quic_target;

/* Starts a connection. Calls may be made at once: they leave after the handshake. SC_ERR_ARGUMENT for a
 * target without an address or with too long a protocol, SC_ERR_QUIC_BUSY if there are too many connections,
 * SC_ERR_QUIC_STOPPED after sc_quic_stop. */
SC_API SC_NODISCARD sc_status sc_quic_connect(sc_quic_connection *out, sc_quic_endpoint *endpoint,
                                              uint64_t now, const sc_quic_target *target);

/* Closes at once; calls and `closed` receive SC_ERR_QUIC_STOPPED before the call returns. SC_ERR_NOT_FOUND.
 */
SC_API SC_NODISCARD sc_status sc_quic_close(sc_quic_endpoint *endpoint, uint64_t now,
                                            sc_quic_connection connection);

/* The state of a connection. SC_ERR_NOT_FOUND. */
typedef struct sc_quic_connection_info {
  bool accepted; /* true if the peer connected to this side */
  bool open;     /* true after the handshake */
  bool has_peer_key;
  uint8_t peer_key[SC_KEY_BYTES];
  sc_address peer;
  uint32_t streams;       /* open streams */
  uint32_t calls;         /* own calls without a reply */
  uint32_t open_requests; /* requests of the peer without a reply */
  size_t send_memory;
  size_t receive_memory;
} sc_quic_connection_info;

SC_API SC_NODISCARD sc_status sc_quic_connection_inspect(sc_quic_connection_info *out,
                                                         const sc_quic_endpoint *endpoint,
                                                         sc_quic_connection connection);

/* The result of a call. */
typedef struct sc_quic_result {
  /* SC_OK; SC_ERR_REQUEST_FAILED for an error reply; SC_ERR_REQUEST_TIMEOUT, SC_ERR_REQUEST_CANCELLED,
   * SC_ERR_QUIC_STREAM, or the reason why the connection closed. */
  sc_status status;
  uint16_t code; /* the number at the start of an error reply, "404 Not Found"; 0 without one */
  sc_bytes body; /* of the reply or error reply; otherwise empty */
} sc_quic_result;

typedef void (*sc_quic_done)(void *user, sc_quic_call call, const sc_quic_result *result);

/* Lends a body without copying it. The bytes must not change until `give_back` is called, exactly once: when
 * the peer has all of them or the connection is gone. That may happen during any call on the endpoint, and
 * must not use the endpoint. With a NULL `give_back` the body is copied. */
typedef struct sc_quic_lender {
  void (*give_back)(void *owner);
  void *owner;
} sc_quic_lender;

typedef struct sc_quic_command {
  sc_bytes name; /* 1 to SC_QUIC_MAX_COMMAND_BYTES bytes */
  sc_bytes body;
  sc_quic_lender lender; /* lends the body if the call is sent; otherwise the body is copied */
  uint64_t timeout;      /* from now on; 0: the endpoint's timeout */
  /* The stream of the connection, counted from 0. Old nodes read only the first. SC_QUIC_ANY_STREAM selects a
   * stream without pending calls, a new one, or the one with the fewest calls. It selects the first stream
   * before the handshake is done, if there is no other, and after a call on another stream timed out. */
  uint32_t stream;
  sc_quic_done done; /* NULL: no reply is expected */
  void *user;
} sc_quic_command;

/* Sends a call to the peer, whichever side connected; a server may use only streams that its client has
 * opened. `out` may be NULL. `done` is called exactly once, after this returned SC_OK. SC_ERR_REQUEST_NAME,
 * SC_ERR_REQUEST_TOO_LARGE; SC_ERR_QUIC_BUSY if too much is waiting to be sent or answered;
 * SC_ERR_QUIC_STREAM if the stream is closed or cannot be opened; SC_ERR_NOT_FOUND if the connection is
 * gone. */
SC_API SC_NODISCARD sc_status sc_quic_send(sc_quic_call *out, sc_quic_endpoint *endpoint, uint64_t now,
                                           sc_quic_connection connection, const sc_quic_command *command);

/* Ends the call with SC_ERR_REQUEST_CANCELLED before returning; the peer is not notified. SC_ERR_NOT_FOUND.
 */
SC_API SC_NODISCARD sc_status sc_quic_cancel(sc_quic_endpoint *endpoint, sc_quic_call call);

/* A request from a peer. */
typedef struct sc_quic_incoming {
  sc_quic_request request; /* reply to it exactly once, now or later */
  sc_quic_connection connection;
  const uint8_t *peer_key; /* 32 bytes, or NULL */
  const sc_address *peer;
  sc_bytes name;
  sc_bytes body;
} sc_quic_incoming;

typedef void (*sc_quic_handler)(void *user, const sc_quic_incoming *incoming);

/* Sets the handler of a command for all connections, replacing any earlier one. Commands without a handler
 * get an error reply. SC_ERR_REQUEST_NAME, SC_ERR_TOO_LARGE beyond SC_QUIC_MAX_COMMANDS. */
SC_API SC_NODISCARD sc_status sc_quic_handle(sc_quic_endpoint *endpoint, sc_bytes name,
                                             sc_quic_handler handler, void *user);

/* Replies to a request, which ends it. SC_ERR_NOT_FOUND if it has a reply or its connection is gone;
 * SC_ERR_REQUEST_TOO_LARGE after sending an error instead. After SC_ERR_QUIC_BUSY, if too much is waiting to
 * be sent to this peer, and SC_ERR_NO_MEMORY, the call may be repeated later. */
SC_API SC_NODISCARD sc_status sc_quic_reply(sc_quic_endpoint *endpoint, sc_quic_request request,
                                            sc_bytes body);

/* Replies with a body that is lent if this returns SC_OK. */
SC_API SC_NODISCARD sc_status sc_quic_reply_lent(sc_quic_endpoint *endpoint, sc_quic_request request,
                                                 sc_bytes body, sc_quic_lender lender);

/* Replies with an error; the body begins with a code, such as "404 Not Found\n\n…", if there is one. */
SC_API SC_NODISCARD sc_status sc_quic_reply_error(sc_quic_endpoint *endpoint, sc_quic_request request,
                                                  sc_bytes body);

/* Drops a request without a reply; does nothing if there is no such request. */
SC_API void sc_quic_drop_request(sc_quic_endpoint *endpoint, sc_quic_request request);

/* Counters of the endpoint. */
typedef struct sc_quic_counts {
  uint32_t connections; /* current connections, including closing ones */
  uint32_t handshakes;  /* currently accepted and unfinished */
  uint64_t accepted;
  uint64_t made;
  uint64_t retries;
  uint64_t refusals; /* refused because a limit was reached, with a reply */
  uint64_t unheard;  /* refused without a reply */
  uint64_t resets;
  uint64_t version_replies;
  uint64_t heard_at; /* when a handshake, data or its receipt last came, proved to be a peer's; 0: never */
} sc_quic_counts;

SC_API void sc_quic_endpoint_count(sc_quic_counts *out, const sc_quic_endpoint *endpoint);

SC_API_END

#endif
