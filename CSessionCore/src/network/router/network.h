/* The network behind client.h: its parts, and what the files of this room share.
 *
 * The flow: sc_network_send puts requests into deliveries (send.c). The driver runs the step (step.c), the
 * only place that uses the transport: gathered deliveries are queued, and queued ones get a path (dispatch.c)
 * and are sent (launch.c). Replies are decrypted and judged (reply.c); then their requests complete, wait for
 * a retry, or go elsewhere (settle.c, redirect.c). So the transport is never called from its own callbacks.
 */
#ifndef SC_SRC_NETWORK_ROUTER_NETWORK_H
#define SC_SRC_NETWORK_ROUTER_NETWORK_H

#include "../clock/forks.h"
#include "../clock/witnesses.h"
#include "../draft.h"
#include "attempt.h"
#include "facts.h"
#include "hedge.h"
#include "moved.h"
#include "quic_transport.h"
#include "request.h"
#include "starts.h"

/* The network's own requests, in addition to those requests of the program. */
enum { sc_network_own_requests = 64 };

/* A call to a node for its list of nodes (list_calls.c). */
typedef struct sc_list_call {
  struct sc_list_call *next;
  struct sc_network *network;
  uint64_t token;
  sc_node node;
  sc_storage_method method;
  bool routed;
  bool begun;
  bool finished; /* can be freed */
} sc_list_call;

/* The measuring of the clock (clock.c). */
typedef struct sc_clock {
  bool running;
  bool awaits_guard;
  bool known;
  int64_t offset;       /* milliseconds to add to this machine's clock */
  uint64_t good_at;     /* when it was measured last … */
  uint64_t due_at;      /* … and when to measure again; SC_NEVER unless that failed */
  uint64_t retry_delay; /* delay of the next measurement after a failed one */
  bool was_doubted;     /* true if a node or server doubted it, at … */
  uint64_t doubted_at;
  sc_network_ticket calls[sc_witnesses_most];
  size_t call_count;
  size_t absent; /* calls for which there was no node */
  size_t open;   /* pending calls of the last round */
  sc_called_nodes nodes;
  sc_witness samples[sc_witnesses_most];
  size_t sample_count;
  uint64_t overdue_at; /* when to stop waiting for a silent node … */
  bool is_overdue;     /* … so that the other replies may suffice */
  sc_refresh_waiter waiter;
} sc_clock;

struct sc_network {
  const sc_env *env;
  sc_network_options options;
  sc_moment moment;
  uint64_t wall_at;        /* the driver's time when … */
  uint64_t wall;           /* … the machine's clock had this time */
  sc_quic_transport *quic; /* NULL if the program provides the transport */
  sc_transport transport;
  sc_nodes *nodes;
  sc_guards guards;
  sc_paths paths;
  sc_slots requests;
  sc_timers request_timers;
  sc_timers delivery_timers;
  sc_deliveries gathering;
  sc_deliveries queued[SC_NETWORK_CATEGORIES];
  sc_deliveries waiting; /* waiting for nodes, a retry, or the clock */
  sc_deliveries sent;
  sc_deliveries overdue;
  sc_deliveries failed;
  sc_list_call *list_calls;
  sc_clock clock;
  sc_hedge hedge;
  sc_moved moved;
  sc_starts starts;
  uint64_t starts_due_at; /* when the next waiting account begins; SC_NEVER for none */
  sc_buffer scratch;      /* the encrypted request and … */
  sc_buffer wire;         /* … its wire form, of one delivery at a time */
  bool suspended;
  bool has_guard;   /* true if a guard is connected, so that there can be paths */
  bool has_worked;  /* a path, since then … */
  bool has_failed;  /* … or none has, though a request tried */
  bool wants_guard; /* even if no request waits for one */
  bool wants_path;  /* a path is made as soon as there is a guard, before any request */
  bool queues_due;  /* a queued delivery may get a path now */
  bool status_due;  /* the program may need a status event */
  bool paths_due;
  uint64_t reply_sent; /* wall time at which the current reply's request was sent */
  sc_forks forks;      /* the hard forks that nodes report … */
  bool fork_is_known;
  uint16_t fork[2]; /* … and the accepted one */
  sc_status why;    /* reason of the last failure */
  sc_network_status told;
  size_t request_count; /* requests of the program */
  size_t bytes;
  sc_network_counts counts;
  uint8_t keepers[SC_STORAGE_MAX_SWARM][SC_KEY_BYTES]; /* lent to the program with each reply */
};

/* Creates a network over another transport, which must outlive it: for tests and simulators. */
SC_NODISCARD sc_status sc_network_new_over(sc_network **out, const sc_env *env,
                                           const sc_network_options *options, sc_transport transport);

/* Records the time; every entry point calls it first. */
void sc_network_note_time(sc_network *network, uint64_t now);

/* ---- requests (send.c) ---- */

/* Options of the network's own requests. */
typedef struct sc_own_request {
  sc_network_request request;
  sc_called_nodes *apart; /* NULL, or nodes that it and related requests call only once */
} sc_own_request;

SC_NODISCARD sc_status sc_network_send_own(sc_network_ticket *out, sc_network *network,
                                           const sc_own_request *own);

/* Creates a delivery without requests, outside all lists. NULL without memory. */
sc_delivery *sc_delivery_new(sc_network *network);

/* Frees a delivery without requests and attempts. */
void sc_delivery_free(sc_delivery *delivery);

/* ---- life of deliveries (delivery.c) ---- */

/* Moves a delivery to the list of another state; `at` is when gathering, the wait for a retry, or the wait
 * for a single attempt ends. */
void sc_delivery_move(sc_delivery *delivery, sc_delivery_state state, uint64_t at);

/* Queues a delivery for a path, before or after the others. */
void sc_delivery_enqueue(sc_delivery *delivery, bool in_front);

/* Starts the timeouts of its requests: the overall limit, or without one the time that they may wait for a
 * reply. */
void sc_delivery_start_timeouts(sc_delivery *delivery);

/* Stops the timeouts, except for overall limits, while the delivery is being processed. */
void sc_delivery_stop_timeouts(sc_delivery *delivery);

/* Removes the request from its delivery, reports the reply, and frees it. */
void sc_request_complete(sc_request *request, const sc_network_reply *reply);

/* The same with a failure; frees the delivery if that was its last request. */
void sc_request_end(sc_request *request, sc_status status, int code);

/* Stops waiting for attempts in flight: their replies are judged and dropped. */
void sc_delivery_overtake(sc_delivery *delivery);

/* Fails all of its requests, now or in the next step; the delivery is freed. */
void sc_delivery_fail(sc_delivery *delivery, sc_status status, int code);
void sc_delivery_doom(sc_delivery *delivery, sc_status status, int code);

/* Frees a request that is in no delivery. */
void sc_request_forget(sc_network *network, sc_request *request);

/* ---- sending (dispatch.c, launch.c) ---- */

/* Assigns paths to queued deliveries, as far as possible. */
void sc_network_dispatch(sc_network *network);

/* Sends a delivery over a path, in parallel to its other attempts. SC_OK, or the reason why it could not be
 * sent; it then stays in its list. */
SC_NODISCARD sc_status sc_delivery_launch(sc_delivery *delivery, sc_path *path, const sc_node *target);

/* ---- second attempts (second.c) ---- */

/* Returns when to hedge the attempt that leaves now with a second one; SC_NEVER for never. */
uint64_t sc_delivery_second_at(const sc_delivery *delivery);

/* Records that the single attempt is overdue: its path and node are chosen last from now on. */
void sc_delivery_note_overdue(sc_delivery *delivery);

/* Schedules a replacement for a failed attempt of two, after the usual delay, if more attempts are allowed.
 */
void sc_delivery_replace_lost(sc_delivery *delivery);

/* Sends the second attempts that are due. */
void sc_network_begin_seconds(sc_network *network);

/* Handles the transport's result (reply.c). `user` is an attempt. */
void sc_attempt_came_back(void *user, sc_quic_call call, const sc_quic_result *result);

/* ---- what follows (settle.c, redirect.c) ---- */

/* Handles an attempt without a usable reply: retries elsewhere after `delay`, or fails the requests with this
 * status. */
void sc_delivery_retry(sc_delivery *delivery, sc_status status, int code, uint64_t delay);

/* Avoids the last called node for this account for some time, because it refused. */
void sc_delivery_avoid_member(const sc_delivery *delivery);

/* Returns the usual backoff, reduced by a random part of up to half. */
uint64_t sc_delivery_backoff(const sc_delivery *delivery);

/* Handles a node's reply, `body`, that the delivery's account is elsewhere. False if the delivery is not
 * retried; it then stays in its list. */
bool sc_delivery_redirect(sc_delivery *delivery, sc_bytes body);

/* Records the end of a delivery: if its last attempt was refused, the account may be elsewhere. */
void sc_delivery_note_end(const sc_delivery *delivery);

/* Records that a member keeps the delivery's account. */
void sc_delivery_note_kept(const sc_delivery *delivery);

/* Returns the swarm that the delivery was sent to. SC_ERR_NO_SWARM if there is none, or the request is not
 * about an account. */
SC_NODISCARD sc_status sc_delivery_swarm(sc_swarm *out, const sc_delivery *delivery);

/* Records what the results of the caller's batch say about single accounts; the batch is not retried. */
void sc_delivery_note_moved(sc_delivery *delivery, const sc_reply_facts *facts);

/* Handles a destination's reply that the clock is wrong: the requests wait for a measurement, or go to
 * another node if none follows. */
void sc_delivery_await_clock(sc_delivery *delivery, int code);

/* Ends the wait for the clock: if it moved, the requests fail with the code. */
void sc_delivery_end_clock(sc_delivery *delivery, bool moved);

/* ---- lists, clock, status ---- */

sc_status sc_network_call_list(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                               bool routed);
void sc_network_begin_list_calls(sc_network *network);
void sc_network_drop_list_calls(sc_network *network);
bool sc_network_has_list_calls(const sc_network *network);

/* Starts measuring the clock, unless that is in progress. */
void sc_clock_measure(sc_network *network);
void sc_clock_abandon(sc_network *network);

/* Records a destination's reply that the clock is wrong; `confirmed` if another one agreed. True if a
 * measurement is in progress. */
bool sc_clock_doubt(sc_network *network, bool confirmed);

/* Ends the measurement because no guard can be reached. */
void sc_clock_give_up(sc_network *network);
void sc_clock_advance(sc_network *network);

/* Refreshes the list of nodes because it may be out of date, unless that happened recently. `account` is the
 * key whose swarm contradicts it, or NULL. */
void sc_network_doubt_list(sc_network *network, const uint8_t *account);

/* Records the hard fork that a node reported. */
void sc_network_note_fork(sc_network *network, const sc_node *node, const uint16_t fork[static 2]);

/* Notifies the program of changes. */
void sc_network_tell(sc_network *network);

#endif
