/* One path: a guard, which is connected to this side, and nodes behind it, for one key and one category. */
#ifndef SC_SRC_NETWORK_PATHS_PATH_H
#define SC_SRC_NETWORK_PATHS_PATH_H

#include "../nodes/nodes.h"
#include "../timers.h"
#include "hop_keys.h"
#include "path_key.h"
#include "session-core/network/onion_failure.h"

struct sc_paths;

enum { sc_path_most_failures = 2 };

/* A request that failed over a path, which nothing explains yet. */
typedef struct sc_path_failure {
  uint8_t asked[SC_KEY_BYTES]; /* the destination */
  bool is_node;
  uint64_t at;
} sc_path_failure;

typedef enum sc_path_state {
  SC_PATH_ACTIVE,
  SC_PATH_DRAINING, /* takes no more requests, and closes after the last reply */
  SC_PATH_GONE,     /* freed once nothing is in flight */
} sc_path_state;

typedef struct sc_path {
  uint64_t id;
  struct sc_path *next;
  struct sc_paths *paths;
  sc_path_key key;
  sc_network_category category;
  sc_path_state state;
  sc_node nodes[SC_ONION_MAX_HOPS];
  sc_onion_node hops[SC_ONION_MAX_HOPS]; /* the same, with the keys to seal for */
  size_t length;
  bool is_direct;    /* made to ask its guard itself */
  size_t hops_less;  /* than others have, because earlier attempts failed */
  uint32_t requests; /* on their way */
  bool was_used;
  uint64_t used_at;                                /* when a request last took it, or when it was made */
  sc_path_failure failures[sc_path_most_failures]; /* one for each destination, since it last worked */
  size_t failure_count;
  sc_timer timer;    /* the end of its life, which begins when it is first used */
  bool is_doubted;   /* a request failed or waited for long on it, and no answer came by it since */
  bool has_answered; /* some answer came by it */
} sc_path;

static inline const sc_node *sc_path_guard(const sc_path *path) {
  return &path->nodes[0];
}

static inline const sc_node *sc_path_last(const sc_path *path) {
  return &path->nodes[path->length - 1];
}

/* Index of the node, or SC_ONION_NO_NODE. */
size_t sc_path_place_of(const sc_path *path, const uint8_t key[static SC_KEY_BYTES]);

/* Adds a node at the end. SC_ERR_KEY_INVALID when nothing can be sealed for its key. */
SC_NODISCARD sc_status sc_path_put(sc_path *path, const sc_node *node, sc_hop_keys *keys);

#endif
