/* A server that is reached by the last hop of a path. It echoes; now and then it answers with an error that
 * servers have. */
#ifndef SC_SIM_SERVER_H
#define SC_SIM_SERVER_H

#include "session-core/crypto/keys.h"
#include "session-core/network/onion.h"
#include "wire.h"

typedef struct world world;

typedef struct server {
  world *world;
  wire_host host;
  sc_keypair keys;
  char name[32];
  uint32_t errors; /* of 1000 answers */
} server;

void server_init(server *s, world *w, uint32_t index);

/* How clients know it; borrows the server. */
sc_onion_server server_address(const server *s);

/* The server of a host's name, or NULL. */
server *server_find(world *w, sc_bytes name);

#endif
