/* A QUIC endpoint that speaks to Session nodes as they speak to each other: client and server at once,
 * Ed25519 raw public keys on both sides, requests and replies on streams.
 *
 * The endpoint is driven from outside (driven.h): it opens no socket and reads no clock. Times are
 * nanoseconds of the driver's clock. It owns its connections and requests; the program holds numbers for
 * them, which stay safe to use after what they name is gone: calls then answer SC_ERR_NOT_FOUND. One thread
 * at a time.
 *
 * Callbacks run only inside a call on the endpoint (sc_driven_receive, sc_driven_send, or the one the program
 * made). From within one the program may call everything here but sc_quic_endpoint_free and the driven calls.
 * Bytes given to a callback are borrowed until it returns. */
#ifndef SC_NETWORK_QUIC_H
#define SC_NETWORK_QUIC_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"
#include "driven.h"

SC_API_BEGIN

#define SC_QUIC_SECOND UINT64_C(1000000000)

/* What storage nodes speak. */
#define SC_QUIC_PROTOCOL_STORAGE "oxenstorage"

#define SC_QUIC_MAX_PROTOCOL_BYTES 32
#define SC_QUIC_MAX_COMMANDS 64
#define SC_QUIC_MAX_COMMAND_BYTES 255
#define SC_QUIC_MAX_STREAMS 32

/* In place of a stream's number: any but the first, so that what goes there is not in the way of small
 * requests. */
#define SC_QUIC_ANY_STREAM UINT32_MAX

/* The largest frame, its length prefix included, that peers take. */
#define SC_QUIC_MAX_FRAME_BYTES 10000000

/* The largest datagram that is sent: what the oldest nodes take. */
#define SC_QUIC_MAX_DATAGRAM_BYTES 1452

typedef struct sc_quic_endpoint sc_quic_endpoint;

/* Numbers of a connection, of a request made here, and of a request made by a peer. 0 is never one. */
typedef uint64_t sc_quic_connection;
typedef uint64_t sc_quic_call;
typedef uint64_t sc_quic_request;

/* Every limit of an endpoint; sc_quic_options_default says what is usual. What a peer can make this side hold
 * is bounded per connection by `receive_memory` + `send_memory` + twice `window`, and in all by
 * `connections`.
 */
typedef struct sc_quic_limits {
  /* Admission of those who connect. */
  uint32_t connections;                  /* of both roles; as many again may be closing */
  uint32_t connections_per_host;         /* accepted ones, by IPv4 address or IPv6 /64 */
  uint32_t handshakes;                   /* accepted, unfinished; beyond it new peers are ignored */
  uint32_t handshakes_before_retry;      /* unfinished; beyond it addresses must be proved first */
  uint32_t handshakes_per_host;          /* a host may begin this many at once … */
  uint32_t handshakes_per_host_a_second; /* … and regains this many a second */
  uint32_t hosts;                        /* whose handshakes are counted */
  uint32_t stateless_a_second;           /* resets, retries, refusals and version answers together */

  /* Of one connection. */
  uint32_t streams; /* that a peer may have open; at most SC_QUIC_MAX_STREAMS */
  /* Requests of the peer without an answer. Beyond it, and while more than half of `send_memory` are answers,
   * nothing more of the peer is read. While this side waits for an answer of the peer, and after
   * `call_timeout` in which none of that changed, all is read and requests are refused with "503 Service
   * Unavailable". */
  uint32_t open_requests;
  size_t frame;          /* bytes of one request or reply; at most SC_QUIC_MAX_FRAME_BYTES */
  size_t receive_memory; /* bytes of requests that are not whole yet */
  /* Bytes that wait to be sent or acknowledged, two frames at least. Commands take half of them at most, so
   * that there is room for answers. */
  size_t send_memory;
  uint64_t stream_window; /* bytes that a peer may send ahead on one stream … */
  uint64_t window;        /* … and on all together */

  /* Of the endpoint. */
  uint32_t calls; /* made here and not answered */
} sc_quic_limits;

/* What a connection tells. Each function may be NULL. */
typedef struct sc_quic_events {
  void *user;
  /* The handshake is done. `peer_key` has 32 bytes, or is NULL for a client that showed no key. A server that
   * refuses this side's key may still do so: only a first reply proves that it does not. */
  void (*opened)(void *user, sc_quic_connection connection, const uint8_t *peer_key);
  /* The connection is gone, or never came to be; its calls have been completed with the same reason. Called
   * once for each connection that was told of, by its `opened` or by sc_quic_connect. */
  void (*closed)(void *user, sc_quic_connection connection, sc_status reason);
  /* Tells, of a connection made here, whether the peer reads all streams, as soon as that shows: it answered
   * on another than the first, or a call there timed out before it did. From within, the program leaves the
   * endpoint alone. */
  void (*streams_known)(void *user, sc_quic_connection connection, bool all);
} sc_quic_events;

typedef struct sc_quic_options {
  /* The key of this side in both roles, copied. Without one there is no server, and every connection made
   * shows a fresh key. */
  const sc_ed25519_pair *identity;
  /* The protocol of both roles, where a target names no other; 1 to SC_QUIC_MAX_PROTOCOL_BYTES bytes, copied.
   */
  sc_bytes protocol;
  bool accepts; /* whether it is a server too; needs an identity */

  /* Of accepted connections. */
  sc_quic_events accepted;
  /* Whether a client with this key (NULL: none was shown) may connect; NULL admits everybody. */
  bool (*admits)(void *user, const uint8_t *peer_key, const sc_address *from);

  uint64_t handshake_timeout;
  uint64_t idle_timeout; /* the smaller of the two sides' counts */
  uint64_t call_timeout; /* of calls that name none */
  sc_quic_limits limits;
} sc_quic_options;

/* Storage protocol, no identity, the times and limits that storage nodes use. */
SC_API void sc_quic_options_default(sc_quic_options *out);

/* SC_ERR_ARGUMENT for options that contradict each other or the maxima above. */
SC_API SC_NODISCARD sc_status sc_quic_endpoint_new(sc_quic_endpoint **out, const sc_env *env,
                                                   const sc_quic_options *options);

/* Completes all calls and closes all connections with SC_ERR_QUIC_STOPPED and forgets them without a packet;
 * to tell the peers, sc_quic_stop first and send what that gives. NULL is allowed. */
SC_API void sc_quic_endpoint_free(sc_quic_endpoint *endpoint);

/* How to drive it, as long as it lives. */
SC_API sc_driven sc_quic_driven(sc_quic_endpoint *endpoint);

/* Closes every connection, with a packet to the peer, and takes no new ones. */
SC_API void sc_quic_stop(sc_quic_endpoint *endpoint, uint64_t now);

/* A peer to connect to. */
typedef struct sc_quic_target {
  sc_address address;
  uint8_t key[SC_KEY_BYTES]; /* the only key it may show */
  sc_bytes protocol;         /* to speak with it; empty: the endpoint's */
  sc_quic_events events;
  uint64_t handshake_timeout; /* 0: the endpoint's */
  uint64_t keep_alive;        /* a ping after this much silence; 0: none */
  uint64_t idle_close;        /* close after this long without a call; 0: never */
} sc_quic_target;

/* Begins to connect. Calls may be made at once: they leave with the end of the handshake. SC_ERR_ARGUMENT for
 * a target without an address or with too long a protocol, SC_ERR_QUIC_BUSY when there are too many
 * connections, SC_ERR_QUIC_STOPPED after sc_quic_stop. */
SC_API SC_NODISCARD sc_status sc_quic_connect(sc_quic_connection *out, sc_quic_endpoint *endpoint,
                                              uint64_t now, const sc_quic_target *target);

/* Closes at once; calls and `closed` get SC_ERR_QUIC_STOPPED before this returns. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_quic_close(sc_quic_endpoint *endpoint, uint64_t now,
                                            sc_quic_connection connection);

/* What there is to know of a connection. SC_ERR_NOT_FOUND. */
typedef struct sc_quic_connection_info {
  bool accepted; /* by this side; otherwise made by it */
  bool open;     /* the handshake is done */
  bool has_peer_key;
  uint8_t peer_key[SC_KEY_BYTES];
  sc_address peer;
  uint32_t streams;       /* that are open */
  uint32_t calls;         /* made here and not answered */
  uint32_t open_requests; /* made by the peer and not answered */
  size_t send_memory;
  size_t receive_memory;
} sc_quic_connection_info;

SC_API SC_NODISCARD sc_status sc_quic_connection_inspect(sc_quic_connection_info *out,
                                                         const sc_quic_endpoint *endpoint,
                                                         sc_quic_connection connection);

/* How a call ended. */
typedef struct sc_quic_result {
  /* SC_OK; SC_ERR_REQUEST_FAILED for an error reply; SC_ERR_REQUEST_TIMEOUT, SC_ERR_REQUEST_CANCELLED,
   * SC_ERR_QUIC_STREAM, or why the connection closed. */
  sc_status status;
  uint16_t code; /* the number an error reply begins with, "404 Not Found"; 0 when it does not */
  sc_bytes body; /* of the reply or error reply; otherwise empty */
} sc_quic_result;

typedef void (*sc_quic_done)(void *user, sc_quic_call call, const sc_quic_result *result);

/* Who lends a body that is read where it is, instead of being copied. The bytes must not change until
 * `give_back` is called, once: when the peer has them all, or the connection is gone. That may happen inside
 * any call on the endpoint, which it must leave alone. A `give_back` of NULL lends nothing. */
typedef struct sc_quic_lender {
  void (*give_back)(void *owner);
  void *owner;
} sc_quic_lender;

typedef struct sc_quic_command {
  sc_bytes name; /* 1 to SC_QUIC_MAX_COMMAND_BYTES bytes */
  sc_bytes body;
  sc_quic_lender lender; /* of the body, if the command is sent; otherwise the body is copied */
  uint64_t timeout;      /* from now on; 0: the endpoint's */
  /* Which of the connection's streams, counted from 0. Old nodes read the first alone. SC_QUIC_ANY_STREAM is
   * one on which no answer is awaited, a new one, or the one with the fewest calls; and the first before the
   * handshake is done, when there is no other, and once a call elsewhere went unanswered as the first did. */
  uint32_t stream;
  sc_quic_done done; /* NULL: no answer is wanted, and none is waited for */
  void *user;
} sc_quic_command;

/* Sends a command to the peer, whichever side connected; a server may use only streams its client has opened.
 * `out` may be NULL. `done` is called exactly once, after this returned SC_OK. SC_ERR_REQUEST_NAME,
 * SC_ERR_REQUEST_TOO_LARGE; SC_ERR_QUIC_BUSY when too much waits to be sent or answered; SC_ERR_QUIC_STREAM
 * when the stream is closed or cannot be opened; SC_ERR_NOT_FOUND when the connection is. */
SC_API SC_NODISCARD sc_status sc_quic_send(sc_quic_call *out, sc_quic_endpoint *endpoint, uint64_t now,
                                           sc_quic_connection connection, const sc_quic_command *command);

/* Completes the call with SC_ERR_REQUEST_CANCELLED before this returns; the peer is not told.
 * SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_quic_cancel(sc_quic_endpoint *endpoint, sc_quic_call call);

/* A command that a peer sent. */
typedef struct sc_quic_incoming {
  sc_quic_request request; /* to answer, now or later, once */
  sc_quic_connection connection;
  const uint8_t *peer_key; /* 32 bytes, or NULL */
  const sc_address *peer;
  sc_bytes name;
  sc_bytes body;
} sc_quic_incoming;

typedef void (*sc_quic_handler)(void *user, const sc_quic_incoming *incoming);

/* Names what is to be done with a command, from any connection; a second time replaces the first. Commands
 * without a handler are answered with an error. SC_ERR_REQUEST_NAME, SC_ERR_TOO_LARGE beyond
 * SC_QUIC_MAX_COMMANDS. */
SC_API SC_NODISCARD sc_status sc_quic_handle(sc_quic_endpoint *endpoint, sc_bytes name,
                                             sc_quic_handler handler, void *user);

/* Answers a request, which is then no more. SC_ERR_NOT_FOUND when it was answered before or its connection is
 * gone; SC_ERR_REQUEST_TOO_LARGE after sending an error instead. SC_ERR_QUIC_BUSY when too much waits to be
 * sent to this peer, and SC_ERR_NO_MEMORY: then the request may be answered again, later. */
SC_API SC_NODISCARD sc_status sc_quic_answer(sc_quic_endpoint *endpoint, sc_quic_request request,
                                             sc_bytes body);

/* The same with a body that is lent, if this returns SC_OK. */
SC_API SC_NODISCARD sc_status sc_quic_answer_lent(sc_quic_endpoint *endpoint, sc_quic_request request,
                                                  sc_bytes body, sc_quic_lender lender);

/* The same with an error reply; bodies begin with a code, "404 Not Found\n\n…", where there is one. */
SC_API SC_NODISCARD sc_status sc_quic_answer_error(sc_quic_endpoint *endpoint, sc_quic_request request,
                                                   sc_bytes body);

/* Leaves a request without an answer; does nothing when there is no such request. */
SC_API void sc_quic_leave_unanswered(sc_quic_endpoint *endpoint, sc_quic_request request);

/* What the endpoint did and refused so far. */
typedef struct sc_quic_counts {
  uint32_t connections; /* that there are now, closing ones included */
  uint32_t handshakes;  /* accepted and not finished, now */
  uint64_t accepted;
  uint64_t made;
  uint64_t retries;
  uint64_t refusals; /* told so, for want of room */
  uint64_t unheard;  /* not even that */
  uint64_t resets;
  uint64_t version_answers;
} sc_quic_counts;

SC_API void sc_quic_endpoint_count(sc_quic_counts *out, const sc_quic_endpoint *endpoint);

SC_API_END

#endif
