/* The whole of a simulated network. Everything that happens in it follows from its options, the seed among
 * them. */
#ifndef SC_SIM_WORLD_H
#define SC_SIM_WORLD_H

#include "client.h"
#include "datagrams.h"
#include "ledger.h"
#include "node.h"
#include "oracle.h"
#include "plan.h"
#include "server.h"
#include "trace.h"
#include "weather.h"

enum { world_server_count = 2, world_seed_count = client_seeds };

/* The hard fork that all nodes are at. */
enum { world_fork = 19, world_revision = 6 };

struct world {
  plan plan;
  agenda agenda;
  trace trace;
  wire wire;
  datagrams datagrams;
  draws chance;
  draws node_chance; /* for the keys and nonces of nodes */
  sc_env node_env;
  registry registry;
  node *nodes;
  size_t node_count;
  size_t most_nodes;
  uint32_t *node_by_key; /* a table of indices + 1, open to probing */
  size_t node_table_size;
  server servers[world_server_count];
  ledger ledger;
  weather weather;
  uint32_t seeds[world_seed_count]; /* nodes that only tell clients of the others */
  wire_host nowhere;                /* the host at unused addresses */
  client *clients;
  size_t client_count;
  uint64_t ask_count;
  uint64_t trip_count;
  oracle oracle;
  struct report *report; /* borrowed; NULL without a report */
};

/* A network without clients, all of whose nodes are well; see weather_begin and churn_begin. */
world *world_new(const plan *p);
void world_free(world *w);

/* Clients that have not started yet; once. */
void world_add_clients(world *w, size_t count);

/* The seed of one of several streams of numbers, which do not depend on each other. */
uint64_t world_stream(const world *w, uint64_t number);

/* Returns the host that listens there. */
wire_host world_host_at(const world *w, const uint8_t ip[static 4], uint16_t port);

/* True if the node is a seed, which only serves the list. */
bool world_is_seed(const world *w, const node *n);

/* Milliseconds since 1970, as a right clock has them. */
uint64_t world_wall(const world *w);

/* Lets time pass. */
void world_run(world *w, uint64_t until);

/* A node that was not there before, in no swarm; NULL when there are as many as there can be. */
node *world_add_node(world *w);

/* Publishes the list as it is, and lets every node hear of it in a while. */
void world_publish(world *w);

#endif
