/* Inspects the paths of a world. */
#ifndef SC_TESTS_NETWORK_PATHS_WAYS_H
#define SC_TESTS_NETWORK_PATHS_WAYS_H

#include "network/router/world.h"

static inline sc_network_path ways_only(const world *w) {
  sc_network_path path = {0};
  (void)world_path(&path, w, SC_NETWORK_STANDARD);
  return path;
}

static inline size_t ways_first(const world *w) {
  sc_network_path path = ways_only(w);
  return world_index(w, path.nodes[0].key);
}

static inline bool ways_has(const sc_network_path *path, const sc_node *node) {
  for (size_t i = 0; i < path->length; i++)
    if (memcmp(path->nodes[i].key, node->key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

/* True if paths share no node but guards, nor a /24 where that is forbidden. */
static inline bool ways_disjoint(const world *w) {
  sc_network_path paths[64];
  size_t count = sc_network_paths(paths, 64, w->network);
  for (size_t a = 0; a < count; a++)
    for (size_t b = a + 1; b < count; b++)
      for (size_t i = 1; i < paths[a].length; i++) {
        if (ways_has(&paths[b], &paths[a].nodes[i]))
          return false;
        for (size_t j = 1; j < paths[b].length && w->options.nodes.subnet_diversity; j++)
          if (sc_node_same_subnet(&paths[a].nodes[i], &paths[b].nodes[j]))
            return false;
      }
  return true;
}

#endif
