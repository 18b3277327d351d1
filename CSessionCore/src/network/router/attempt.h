/* One attempt at a delivery over one path, until the transport is done with it.
 *
 * A delivery owns the attempts that it waits for. An attempt that was overtaken by another belongs only to
 * the transport's callback; its reply is judged but not passed on. */
#ifndef SC_SRC_NETWORK_ROUTER_ATTEMPT_H
#define SC_SRC_NETWORK_ROUTER_ATTEMPT_H

#include "request.h"

struct sc_attempt {
  struct sc_network *network;
  sc_delivery *delivery; /* NULL once it is overtaken */
  sc_path *path;
  sc_quic_call call;
  sc_onion_key key;
  sc_onion_node hops[SC_ONION_MAX_HOPS];
  size_t hop_count;
  sc_node target;
  bool has_target;
  uint8_t server[SC_KEY_BYTES]; /* the key of the server, if there is no target */
  uint64_t timeout;
  uint64_t sent_at;
  uint64_t sent_wall;
  bool gave_up; /* the last request of its delivery gave up waiting */
};

/* Creates an attempt outside any delivery, at `target` or, for NULL, at the server of the delivery. NULL
 * without memory. */
sc_attempt *sc_attempt_new(const sc_delivery *delivery, sc_path *path, const sc_node *target);

/* Frees an attempt that is on no path. */
void sc_attempt_free(sc_attempt *attempt);

/* Records that the attempt was sent: its delivery waits for it and its path is in use. */
void sc_attempt_begin(sc_attempt *attempt, sc_delivery *delivery);

/* Removes a finished attempt from its path and its delivery, if any. */
void sc_attempt_end(sc_attempt *attempt);

/* Detaches the attempt from its delivery, which no longer waits for it. */
void sc_attempt_overtake(sc_attempt *attempt);

/* True if a reply is overdue. Nodes may take seconds to call each other, so a wait much shorter than an
 * attempt's timeout is no evidence against the path. */
bool sc_attempt_is_overdue(const sc_attempt *attempt);

#endif
