/* A minimal client to test nodes: it makes one call at a time, on a path chosen by the test. */
#ifndef SC_TESTS_SIM_PROBE_H
#define SC_TESTS_SIM_PROBE_H

#include "session-core/session-core.h"
#include "support/test.h"
#include "world.h"

typedef struct probe {
  world *world;
  wire_host host;
  sc_keypair keys; /* of the account 05… it uses */
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  sc_storage_request request;
  sc_onion_key key;
  size_t done; /* how often the last call ended */
  wire_outcome outcome;
  blob *body; /* that came */
  bool is_open;
  int status; /* of the reply, once it was opened; otherwise of the error */
  sc_onion_reply reply;
  sc_onion_failure failure; /* the meaning of the error */
  sc_onion_node hops[3];
  sc_onion_destination destination;
} probe;

/* A world of 24 nodes in swarms of about six, and a client in it; and their end. */
#define WORLD(seed)                                                                                          \
  probe p;                                                                                                   \
  world *w = probe_world(seed, 24, 6);                                                                       \
  probe_init(&p, w, 1)

#define END()                                                                                                \
  probe_free(&p);                                                                                            \
  world_free(w)

/* A small world and a client in it. `number` makes another account. */
world *probe_world(uint64_t seed, size_t nodes, size_t swarm_size);
void probe_init(probe *p, world *w, uint8_t number);
void probe_free(probe *p);

/* Calls over a path of nodes outside the account's swarm, and waits. */
SC_NODISCARD sc_status probe_call(probe *p, sc_storage_method method, uint32_t destination);
/* Sends `request` as it is. */
SC_NODISCARD sc_status probe_send(probe *p, uint32_t destination);
SC_NODISCARD sc_status probe_call_server(probe *p, uint32_t server, sc_bytes body);
/* Sends `request`, signed by the account. */
SC_NODISCARD sc_status probe_sign_and_send(probe *p, uint32_t destination);
SC_NODISCARD sc_status probe_store(probe *p, const char *text);
SC_NODISCARD sc_status probe_retrieve(probe *p, uint32_t destination);

/* The nodes of the next call's path. */
void probe_path(uint32_t out[static 3], const probe *p);

/* The n-th member of the account's swarm, as it really is. */
uint32_t probe_member(const probe *p, size_t n);
size_t probe_swarm_size(const probe *p);

/* The number of members that keep a message with this text in namespace 2. */
size_t probe_keepers(const probe *p, const char *text);

/* Parses the reply to the last request. */
SC_NODISCARD sc_status probe_read(sc_storage_parsed_reply *out, const probe *p);

/* Checks the signatures of a store: those of the account's swarm, or of any node. */
SC_NODISCARD sc_status probe_verify(sc_storage_tally *out, const probe *p, bool by_the_swarm);

/* Lets time pass. */
void probe_pass(const probe *p, uint64_t time);

#endif
