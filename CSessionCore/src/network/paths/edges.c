/* Guards are kept for days: each new one learns this client's address. */
#include "paths.h"

static uint64_t age_of(const sc_edge *edge, uint64_t wall) {
  return wall > edge->since ? wall - edge->since : 0;
}

static bool is_old(const sc_paths *paths, const sc_edge *edge) {
  return age_of(edge, paths->moment->wall) > sc_moment_in_ms(paths->options->nodes.edge_expiry);
}

/* True if another path has the node, or one of its subnet. */
static bool is_taken(const sc_paths *paths, const sc_node *node) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next) {
    if (!sc_path_holds_nodes(path))
      continue;
    for (size_t i = 0; i < path->length; i++)
      if (sc_node_same(&path->nodes[i], node) ||
          (paths->options->nodes.subnet_diversity && sc_node_same_subnet(&path->nodes[i], node)))
        return true;
  }
  return false;
}

static bool has_failed(const sc_path *path, const sc_node *node) {
  for (size_t i = 0; i < path->failed_count; i++)
    if (sc_node_same(&path->failed[i], node))
      return true;
  return false;
}

bool sc_paths_known_edge(sc_node *out, uint64_t *since, const sc_path *path) {
  const sc_paths *paths = path->paths;
  for (size_t i = 0; i < paths->edges.count; i++) {
    const sc_edge *edge = &paths->edges.list[i];
    const sc_node *node = sc_nodes_find(paths->nodes, edge->node.key);
    if (node == NULL || is_old(paths, edge) || has_failed(path, node) || is_taken(paths, node) ||
        sc_nodes_is_struck_out(paths->nodes, paths->moment->wall, node->key))
      continue;
    *out = *node;
    *since = edge->since;
    return true;
  }
  return false;
}

static void forget(sc_edges *edges, size_t place) {
  edges->count--;
  memmove(&edges->list[place], &edges->list[place + 1], (edges->count - place) * sizeof edges->list[0]);
}

static void forget_old(sc_paths *paths) {
  for (size_t i = paths->edges.count; i-- > 0;)
    if (is_old(paths, &paths->edges.list[i]))
      forget(&paths->edges, i);
}

void sc_paths_remember_edge(sc_path *path) {
  sc_paths *paths = path->paths;
  const sc_node *node = sc_path_edge(path);
  forget_old(paths);
  for (size_t i = 0; i < paths->edges.count; i++) {
    if (!sc_node_same(&paths->edges.list[i].node, node))
      continue;
    path->edge_since = paths->edges.list[i].since;
    return;
  }
  if (paths->edges.count == sc_edges_most)
    forget(&paths->edges, 0);
  path->edge_since = paths->moment->wall;
  paths->edges.list[paths->edges.count++] = (sc_edge){.node = *node, .since = path->edge_since};
  paths->owner.edges_changed(paths->owner.user);
}
