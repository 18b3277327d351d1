/* How a client knows its network: where to begin, what to believe, how long, and how often to ask.
 *
 * A plain value; what it points at is borrowed for as long as what was made with it lives. */
#ifndef SC_NETWORK_NODE_OPTIONS_H
#define SC_NETWORK_NODE_OPTIONS_H

#include "node.h"

SC_API_BEGIN

typedef enum sc_network_kind {
  SC_NETWORK_MAIN,
  SC_NETWORK_TEST,
  SC_NETWORK_PRIVATE, /* somebody's own */
} sc_network_kind;

/* The seeds that are built in: nodes that tell a client of the others, and are believed. Of the test network
 * and of private ones there are none. Lives as long as the program. */
SC_API const sc_node *sc_seeds(size_t *count, sc_network_kind kind);

#define SC_NODE_MAX_SEEDS 64
#define SC_NODE_MAX_LISTS 8   /* asked for in one refresh */
#define SC_NODE_MAX_STRIKES 8 /* remembered of one node */

/* Times are in nanoseconds. */
typedef struct sc_node_options {
  sc_network_kind kind;
  const sc_node *seeds; /* when there is any, the built-in ones are not consulted */
  size_t seed_count;
  sc_bytes fallback;      /* a list that came with the program, as the daemon writes it; or empty */
  uint64_t fallback_time; /* when it was made: milliseconds since 1970 */
  bool private_addresses; /* nodes may have addresses of this machine and of private networks */
  bool subnet_diversity;  /* of one /24, no two nodes are used together */
  size_t smallest_pool;   /* a shorter list is not believed; fewer usable nodes ask for another */
  size_t smallest_swarm;  /* so many of a swarm stay in use whatever their strikes */
  size_t lists;           /* to fetch from nodes in one refresh; 0: always ask seeds */
  size_t agreeing_lists;  /* that a record must be in */
  size_t struck_out;      /* strikes, 1 to SC_NODE_MAX_STRIKES, at which a node is not used */
  size_t free_redirects;  /* of an account between two refreshes; one more asks for a refresh */
  uint64_t strike_expiry; /* until a strike is forgotten */
  uint64_t pool_expiry;   /* until the pool is fetched again */
  uint64_t pool_rest;     /* no refresh before the last one is so old */
  uint64_t list_timeout;  /* of asking one node */
  uint64_t retry_base;    /* before trying again, doubling … */
  uint64_t retry_most;    /* … up to this */
  uint64_t evidence_base; /* between two refreshes because nodes say the pool is wrong, doubling */
  uint64_t strikes_save;  /* strikes are not saved more often */
  uint64_t edge_expiry;   /* until the first node of a path is to change */
} sc_node_options;

#define SC_NODE_SECOND ((uint64_t)1000000000)

/* What clients of the network use; of a private one, with private addresses, without diversity, with any
 * number of nodes, and with strikes that are forgotten after ten minutes. */
SC_API void sc_node_options_default(sc_node_options *out, sc_network_kind kind);

SC_API_END

#endif
