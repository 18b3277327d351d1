/* One path: a guard, which is connected to this side, and nodes behind it. */
#ifndef SC_SRC_NETWORK_PATHS_PATH_H
#define SC_SRC_NETWORK_PATHS_PATH_H

#include "../nodes/nodes.h"
#include "../timers.h"
#include "hop_keys.h"
#include "session-core/network/client.h"
#include "session-core/network/onion_failure.h"

struct sc_paths;

enum { sc_path_most_avoided = 24, sc_path_most_failures = 2 };

/* A request that failed over a path, which nothing explains yet. */
typedef struct sc_path_failure {
  uint8_t asked[SC_KEY_BYTES]; /* the destination */
  bool is_node;
  uint64_t at;
} sc_path_failure;

typedef enum sc_path_state {
  SC_PATH_STARTING,     /* it is to choose nodes when its timer is due */
  SC_PATH_AWAITS_NODES, /* the pool is being refreshed */
  SC_PATH_AWAITS_GUARD, /* no guard is connected */
  SC_PATH_AWAITS_PROBE, /* a request is on its way through it, to see whether it works */
  SC_PATH_ACTIVE,
  SC_PATH_DRAINING, /* takes no more requests, and closes after the last reply */
  SC_PATH_GONE,     /* freed once nothing is in flight */
} sc_path_state;

typedef struct sc_path {
  uint64_t id;
  struct sc_path *next;
  struct sc_paths *paths;
  sc_network_category category; /* that it was made for, whatever it carries */
  sc_path_state state;
  sc_node nodes[SC_ONION_MAX_HOPS];
  sc_onion_node hops[SC_ONION_MAX_HOPS];           /* the same, with the keys to seal for */
  size_t length;                                   /* 0 until nodes are chosen */
  size_t planned;                                  /* the length that it is to have */
  size_t hops_less;                                /* than usual */
  uint32_t requests;                               /* on their way */
  sc_path_failure failures[sc_path_most_failures]; /* one for each destination, since it last worked */
  size_t failure_count;
  sc_timer timer;    /* until it starts, or is rotated */
  bool is_doubted;   /* a request failed or waited for long on it, and no answer came by it since */
  bool has_answered; /* some answer came by it */

  /* Of one that is being built. */
  sc_refresh_waiter waiter;
  bool refreshed;                        /* for this attempt */
  uint32_t failed_builds;                /* so far */
  sc_node avoided[sc_path_most_avoided]; /* nodes to use only if there are no others */
  size_t avoided_count;
  bool has_unwanted;
  uint8_t unwanted[SC_KEY_BYTES]; /* never to be taken: a request wants to get there */
  uint64_t replaces;              /* the path that goes when this one is active; 0 for none */
} sc_path;

static inline bool sc_path_is_building(const sc_path *path) {
  return path->state < SC_PATH_ACTIVE;
}

/* True if it reserves its nodes: no other path may use them. */
static inline bool sc_path_holds_nodes(const sc_path *path) {
  return path->length > 0 && path->state <= SC_PATH_ACTIVE;
}

static inline const sc_node *sc_path_edge(const sc_path *path) {
  return &path->nodes[0];
}

/* Index of the node, or SC_ONION_NO_NODE. */
size_t sc_path_place_of(const sc_path *path, const uint8_t key[static SC_KEY_BYTES]);

/* Puts a node into its place. SC_ERR_KEY_INVALID when nothing can be sealed for its key. */
SC_NODISCARD sc_status sc_path_put(sc_path *path, size_t place, const sc_node *node, sc_hop_keys *keys);

#endif
