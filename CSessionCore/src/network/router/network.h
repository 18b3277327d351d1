/* The network behind client.h: its parts, and what the files of this room share.
 *
 * The order of things: sc_network_send puts requests into deliveries (send.c); the driver runs the step
 * (step.c), which alone uses the transport: deliveries that were gathered are queued, those that are queued
 * take a path (dispatch.c) and leave (launch.c). What comes back is opened and judged (reply.c) and its
 * requests are done, wait to be sent again, or are sent elsewhere (settle.c, redirect.c). So nothing calls
 * the transport from within its callbacks. */
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

/* The network's own requests, in addition to those of the program. */
enum { sc_network_own_requests = 64 };

/* A list of nodes being asked for (asks.c). */
typedef struct sc_ask {
  struct sc_ask *next;
  struct sc_network *network;
  uint64_t token;
  sc_node node;
  sc_storage_method method;
  bool routed;
  bool begun;
  bool finished; /* it can be freed */
} sc_ask;

/* The measuring of the clock (clock.c). */
typedef struct sc_clock {
  bool running;
  bool awaits_guard;
  bool known;
  int64_t offset;   /* milliseconds to add to this machine's clock */
  uint64_t good_at; /* when it was measured last … */
  uint64_t due_at;  /* … and when it is again, SC_NEVER unless that failed */
  uint64_t pause;   /* until the next measurement after a failed one */
  bool was_doubted; /* by a node or server, at … */
  uint64_t doubted_at;
  sc_network_ticket asked[sc_witnesses_most];
  size_t asked_count;
  size_t absent; /* of those asked, for whom there was no node */
  size_t open;   /* of those asked last, not answered yet */
  sc_asked_nodes nodes;
  sc_witness samples[sc_witnesses_most];
  size_t sample_count;
  uint64_t overdue_at; /* when a silent attempt has been waited for long enough … */
  bool is_overdue;     /* … so that the others may suffice */
  sc_refresh_waiter waiter;
} sc_clock;

struct sc_network {
  const sc_env *env;
  sc_network_options options;
  sc_moment moment;
  uint64_t wall_at;        /* the driver's time at which … */
  uint64_t wall;           /* … it was so late by the machine's clock */
  sc_quic_transport *quic; /* NULL when the transport is the program's */
  sc_transport transport;
  sc_nodes *nodes;
  sc_guards guards;
  sc_paths paths;
  sc_slots requests;
  sc_timers request_timers;
  sc_timers delivery_timers;
  sc_deliveries gathering;
  sc_deliveries queued[SC_NETWORK_CATEGORIES];
  sc_deliveries waiting; /* for nodes, another attempt, or the clock */
  sc_deliveries sent;
  sc_deliveries overdue;
  sc_deliveries failed;
  sc_ask *asks;
  sc_clock clock;
  sc_hedge hedge;
  sc_moved moved;
  sc_starts starts;
  uint64_t starts_due_at; /* when the next account begins that waits; SC_NEVER for none */
  sc_buffer scratch;      /* the encrypted request, and … */
  sc_buffer wire;         /* … what leaves, of one delivery at a time */
  bool suspended;
  bool has_guard;   /* one is connected, so that there can be paths */
  bool has_worked;  /* a path, since then … */
  bool has_failed;  /* … or none has, though a request tried */
  bool wants_guard; /* though no request waits for one */
  bool wants_path;  /* before there is a request, as soon as there is a guard */
  bool queues_due;  /* a delivery may take a path now */
  bool status_due;  /* the program may need a status event */
  bool paths_due;
  uint64_t reply_sent; /* wall time at which the current reply's request was sent */
  sc_forks forks;      /* the hard fork that nodes report … */
  bool fork_is_known;
  uint16_t fork[2]; /* … and what is believed */
  sc_status why;    /* the last failure */
  sc_network_status told;
  size_t request_count; /* of the program */
  size_t bytes;
  sc_network_counts counts;
  uint8_t keepers[SC_STORAGE_MAX_SWARM][SC_KEY_BYTES]; /* lent to the program with a reply */
};

/* For tests and simulators: a network over a transport of theirs, which outlives it. */
SC_NODISCARD sc_status sc_network_new_over(sc_network **out, const sc_env *env,
                                           const sc_network_options *options, sc_transport transport);

/* Every call that comes in says first what time it is. */
void sc_network_note_time(sc_network *network, uint64_t now);

/* ---- requests (send.c) ---- */

/* Options of the network's own requests. */
typedef struct sc_own_request {
  sc_network_request request;
  sc_asked_nodes *apart; /* NULL, or the nodes that it and others do not ask twice */
} sc_own_request;

SC_NODISCARD sc_status sc_network_send_own(sc_network_ticket *out, sc_network *network,
                                           const sc_own_request *own);

/* Creates a delivery without requests, outside all lists. NULL without memory. */
sc_delivery *sc_delivery_new(sc_network *network);

/* It has no requests, and nothing of it is on its way. */
void sc_delivery_free(sc_delivery *delivery);

/* ---- life of deliveries (delivery.c) ---- */

/* Moves a delivery to the list of another state; `at` is when gathering, waiting for another attempt, or for
 * one attempt alone ends. */
void sc_delivery_move(sc_delivery *delivery, sc_delivery_state state, uint64_t at);

/* Queues a delivery for a path, before or behind the others. */
void sc_delivery_enqueue(sc_delivery *delivery, bool in_front);

/* Its requests wait until their own end, or without one, for as long as they may wait for their reply. */
void sc_delivery_set_patience(sc_delivery *delivery);

/* They wait until their own end; without one, until something is done with the delivery. */
void sc_delivery_rest_patience(sc_delivery *delivery);

/* Removes the request from its delivery, reports the reply, and frees it. */
void sc_request_complete(sc_request *request, const sc_network_reply *reply);

/* The same with a failure; a delivery that has no request any more goes with it. */
void sc_request_end(sc_request *request, sc_status status, int code);

/* Stops waiting for attempts on their way: their replies are judged and dropped. */
void sc_delivery_overtake(sc_delivery *delivery);

/* Fails all of its requests, now or in the next step; the delivery is freed. */
void sc_delivery_fail(sc_delivery *delivery, sc_status status, int code);
void sc_delivery_doom(sc_delivery *delivery, sc_status status, int code);

/* Frees a request that is in no delivery. */
void sc_request_forget(sc_network *network, sc_request *request);

/* ---- sending (dispatch.c, launch.c) ---- */

/* Has everything that is queued take a path that can. */
void sc_network_dispatch(sc_network *network);

/* Sends a delivery over a path, in parallel to its other attempts. SC_OK, or why it could not leave; it then
 * stays where it was. */
SC_NODISCARD sc_status sc_delivery_launch(sc_delivery *delivery, sc_path *path, const sc_node *target);

/* ---- second attempts (second.c) ---- */

/* Returns when to hedge the attempt that leaves now with a second one; SC_NEVER for never. */
uint64_t sc_delivery_second_at(const sc_delivery *delivery);

/* The attempt was waited for alone as long as it may be: its path and node are taken last from now on. */
void sc_delivery_note_overdue(sc_delivery *delivery);

/* One of two attempts failed: another is to take its place after the usual delay, if there may be more. */
void sc_delivery_replace_lost(sc_delivery *delivery);

/* Has the second attempts leave that can. */
void sc_network_begin_seconds(sc_network *network);

/* The transport's answer (reply.c). `user` is an attempt. */
void sc_attempt_came_back(void *user, sc_quic_call call, const sc_quic_result *result);

/* ---- what follows (settle.c, redirect.c) ---- */

/* An attempt ended without an answer that can be delivered: it is made again elsewhere, after `pause`, or
 * the requests fail with this status. */
void sc_delivery_retry(sc_delivery *delivery, sc_status status, int code, uint64_t pause);

/* The node that was asked last says no: its account avoids it for some time. */
void sc_delivery_avoid_member(const sc_delivery *delivery);

/* The usual pause, or up to half less, by chance. */
uint64_t sc_delivery_backoff(const sc_delivery *delivery);

/* A node says that the delivery's account is elsewhere; `body` is its reply. False if the delivery is not
 * sent again, and stays where it was. */
bool sc_delivery_redirect(sc_delivery *delivery, sc_bytes body);

/* The delivery ends: if members refused it to the last, its account may be elsewhere. */
void sc_delivery_note_end(const sc_delivery *delivery);

/* A member keeps the delivery's account, as its reply shows. */
void sc_delivery_note_kept(const sc_delivery *delivery);

/* The swarm that the delivery was sent to. SC_ERR_NO_SWARM if there is none, or the request is about no
 * account. */
SC_NODISCARD sc_status sc_delivery_swarm(sc_swarm *out, const sc_delivery *delivery);

/* Takes what the results of a batch made by the caller say of single accounts; the batch is not sent again.
 */
void sc_delivery_note_moved(sc_delivery *delivery, const sc_reply_facts *facts);

/* A destination says that the clock is wrong: the requests wait until it was measured, or are sent to another
 * node if it is not to be. */
void sc_delivery_await_clock(sc_delivery *delivery, int code);

/* The clock was measured: if it moved, the requests fail with the code. */
void sc_delivery_end_clock(sc_delivery *delivery, bool moved);

/* ---- lists, clock, status ---- */

sc_status sc_network_ask(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                         bool routed);
void sc_network_begin_asks(sc_network *network);
void sc_network_drop_asks(sc_network *network);
bool sc_network_has_asks(const sc_network *network);

/* Measures the clock, unless that is being done. */
void sc_clock_measure(sc_network *network);
void sc_clock_abandon(sc_network *network);

/* A destination says that the clock is wrong; `confirmed` if another one did too. True if it is being
 * measured. */
bool sc_clock_doubt(sc_network *network, bool confirmed);

/* No guard can be reached. */
void sc_clock_give_up(sc_network *network);
void sc_clock_advance(sc_network *network);

/* The list of nodes may be out of date: fetch it, unless that was done a short while ago. `account` is the
 * key whose swarm says so, or NULL. */
void sc_network_doubt_list(sc_network *network, const uint8_t *account);

/* Takes what a node said in passing. */
void sc_network_note_fork(sc_network *network, const sc_node *node, const uint16_t fork[static 2]);

/* Tells the program what changed. */
void sc_network_tell(sc_network *network);

#endif
