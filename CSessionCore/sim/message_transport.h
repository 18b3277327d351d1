/* A client's connections to nodes, made of whole messages: what a pool of QUIC connections does, without the
 * packets. Handshakes prove keys, a peer that is silent for long is lost, and so is one that has died. */
#ifndef SC_SIM_MESSAGE_TRANSPORT_H
#define SC_SIM_MESSAGE_TRANSPORT_H

#include "network/transport.h"
#include "wire.h"

typedef struct world world;
typedef struct message_peer message_peer;
typedef struct message_call message_call;

/* The host must drive the network after each callback into it. */
typedef struct message_host {
  void (*woken)(void *user);
  void *user;
} message_host;

typedef struct message_transport {
  world *world;
  wire_host host;
  uint64_t tag; /* of the client, for the ledger */
  message_host owner;
  sc_transport_listener listener;
  message_peer *peers; /* a list */
  message_call *calls; /* a list */
  uint64_t numbers;
  size_t open_calls;
  size_t open_peers;
  size_t most_peers;
} message_transport;

/* `t` stays where it is. */
void message_transport_init(message_transport *t, world *w, wire_host host, uint64_t tag,
                            const message_host *owner);

/* Forgets everything without a word. */
void message_transport_free(message_transport *t);

sc_transport message_transport_face(message_transport *t);

#endif
