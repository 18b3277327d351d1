/* The nodes of a world: their replies and relaying, by mood. Shared by the world's files. */
#ifndef SC_TESTS_ROUTER_WORLD_NODES_H
#define SC_TESTS_ROUTER_WORLD_NODES_H

#include "world.h"

/* The reply to a request. */
typedef struct world_carried {
  bool silent;
  int code; /* of the replying hop: 200 for a sealed reply */
  sc_buffer body;
} world_carried;

/* The node peels a layer, and answers or relays its content. */
void world_pass_on(world *w, size_t index, const sc_onion_block *block, world_carried *out);

/* The node answers a direct command. */
void world_answer_directly(world *w, world_node *node, sc_bytes command, sc_bytes body, world_carried *out);

/* Ends the program: the world itself is wrong. */
void world_stop(const char *why);
void world_must(sc_status status);

void world_put(sc_buffer *out, const char *text);

#endif
