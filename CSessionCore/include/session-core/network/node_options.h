/* Options of a client about the nodes of its network: seeds, lists, strikes and intervals.
 *
 * A plain value; its pointers must outlive the objects made with it. */
#ifndef SC_NETWORK_NODE_OPTIONS_H
#define SC_NETWORK_NODE_OPTIONS_H

#include "node.h"

SC_API_BEGIN

typedef enum sc_network_kind {
  SC_NETWORK_MAIN,
  SC_NETWORK_TEST,
  SC_NETWORK_PRIVATE, /* a network with its own operator */
} sc_network_kind;

/* Returns the built-in seeds: trusted nodes that list the other nodes. Only the main network has any. Valid
 * forever. */
SC_API const sc_node *sc_seeds(size_t *count, sc_network_kind kind);

#define SC_NODE_MAX_SEEDS 64
#define SC_NODE_MAX_LISTS 8   /* lists fetched in one refresh */
#define SC_NODE_MAX_STRIKES 8 /* strikes remembered for one node */

/* Times are in nanoseconds. */
typedef struct sc_node_options {
  sc_network_kind kind;
  const sc_node *seeds; /* replace the built-in seeds, if any */
  size_t seed_count;
  sc_bytes fallback;        /* a list bundled with the program, in the daemon's format; or empty */
  uint64_t fallback_time;   /* when it was made, in milliseconds since 1970 */
  bool private_addresses;   /* allow nodes with loopback and private addresses */
  bool subnet_diversity;    /* do not use two nodes of one /24 together */
  size_t smallest_pool;     /* a shorter list is refused; with fewer usable nodes the list is fetched again */
  size_t smallest_swarm;    /* this many nodes of a swarm stay in use despite strikes */
  size_t lists;             /* lists to fetch from nodes in one refresh; 0: always call seeds */
  size_t agreeing_lists;    /* lists that must contain a record */
  size_t struck_out;        /* strikes, 1 to SC_NODE_MAX_STRIKES, after which a node is not used */
  uint64_t strike_expiry;   /* time until a strike expires */
  uint64_t pool_expiry;     /* time until the list is fetched again */
  uint64_t pool_interval;   /* minimum time between two refreshes */
  uint64_t list_timeout;    /* timeout of a list request to one node */
  uint64_t path_timeout;    /* time for building a path before a seed is called; a third of it if the list is
                                older than a day */
  uint64_t seed_interval;   /* minimum time between two calls to seeds while other nodes are known */
  uint64_t retry_delay;     /* delay before a retry, doubling … */
  uint64_t max_retry_delay; /* … up to this */
  uint64_t evidence_base;   /* minimum time between refreshes because nodes contradict the list, doubling */
  uint64_t strikes_save;    /* minimum time between two writes of strikes */
  uint64_t old_guard_expiry; /* guards older than this in the file of older programs are ignored */
} sc_node_options;

#define SC_NODE_SECOND ((uint64_t)1000000000)

/* Sets the defaults of clients. In a private network: private addresses, no diversity, any number of nodes,
 * and strikes that expire after ten minutes. */
SC_API void sc_node_options_default(sc_node_options *out, sc_network_kind kind);

SC_API_END

#endif
