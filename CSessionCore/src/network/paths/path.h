/* One path: a guard connected to this side and the nodes after it, for one key and one category. */
#ifndef SC_SRC_NETWORK_PATHS_PATH_H
#define SC_SRC_NETWORK_PATHS_PATH_H

#include "../nodes/nodes.h"
#include "../timers.h"
#include "hop_keys.h"
#include "path_key.h"
#include "session-core/network/onion_failure.h"

struct sc_paths;

enum { sc_path_most_failures = 2 };

/* An unexplained failure of a request over a path. */
typedef struct sc_path_failure {
  uint8_t destination[SC_KEY_BYTES]; /* the destination */
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
  sc_onion_node hops[SC_ONION_MAX_HOPS]; /* the same, with X25519 keys */
  size_t length;
  bool is_direct;    /* made to call its guard itself */
  size_t hops_less;  /* fewer hops than usual, because earlier attempts failed */
  uint32_t requests; /* in flight */
  bool was_used;
  uint64_t used_at;                                /* when it was last used, or made */
  sc_path_failure failures[sc_path_most_failures]; /* one per destination, since it last worked */
  size_t failure_count;
  sc_timer timer;   /* the end of its life, which begins with its first use */
  bool is_doubted;  /* a request failed or waited long on it, and no reply has come over it since */
  bool has_replied; /* a reply has come over it */
} sc_path;

static inline const sc_node *sc_path_guard(const sc_path *path) {
  return &path->nodes[0];
}

static inline const sc_node *sc_path_last(const sc_path *path) {
  return &path->nodes[path->length - 1];
}

/* Returns the index of the node, or SC_ONION_NO_NODE. */
size_t sc_path_place_of(const sc_path *path, const uint8_t key[static SC_KEY_BYTES]);

/* Adds a node at the end. SC_ERR_KEY_INVALID if its key has no X25519 form. */
SC_NODISCARD sc_status sc_path_put(sc_path *path, const sc_node *node, sc_hop_keys *keys);

#endif
