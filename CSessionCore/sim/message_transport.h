/* A client's connections to nodes, made of whole messages: replaces a pool of QUIC connections, without the
 * packets. Handshakes prove keys; a peer that stays silent or has died is lost. */
#ifndef SC_SIM_MESSAGE_TRANSPORT_H
#define SC_SIM_MESSAGE_TRANSPORT_H

#include "network/transport.h"
#include "wire.h"

typedef struct world world;
typedef struct message_peer message_peer;
typedef struct message_call message_call;

/* The host tells the network the time before each callback into it, and must drive it afterwards. */
typedef struct message_host {
  void (*woken)(void *user);
  void (*tell_time)(void *user);
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
  uint64_t heard_at; /* when a node last replied, or 0 */
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
