/* Rotation: a path is replaced after some time, so that only the guard sees much of one client's traffic. The
 * new path is probed first. */
#include "../later.h"
#include "paths.h"

static bool is_being_replaced(const sc_path *old) {
  for (const sc_path *path = old->paths->first; path != NULL; path = path->next)
    if (path->replaces == old->id && sc_path_is_building(path))
      return true;
  return false;
}

static bool keeps_edge(const sc_path *path) {
  sc_node used[sc_sample_in_use];
  size_t count = sc_guards_in_use(used, path->paths->guards);
  for (size_t i = 0; i < count; i++)
    if (sc_node_same(&used[i], sc_path_edge(path)))
      return true;
  return false;
}

bool sc_path_probe(sc_path *path) {
  sc_paths *paths = path->paths;
  const sc_node *target;
  if (sc_paths_targets(&target, paths, 1, path) != 1)
    return false;
  path->state = SC_PATH_AWAITS_PROBE;
  return paths->owner.probe(paths->owner.user, path, target) == SC_OK;
}

static bool begin_with_edge_of(sc_path *path, const sc_path *old) {
  const sc_paths *paths = path->paths;
  sc_node excluded[sc_paths_most_excluded];
  size_t count = sc_guards_reserved(excluded, paths->guards);
  memcpy(excluded + count, old->nodes, old->length * sizeof excluded[0]);
  return sc_path_take_node(path, sc_path_edge(old)) == SC_OK &&
         sc_path_take_behind(path, excluded, count + old->length, true, paths->options->share_nodes) &&
         sc_path_probe(path);
}

static void replace(sc_path *old) {
  sc_paths *paths = old->paths;
  bool same_edge = keeps_edge(old);
  if (same_edge && old->length == 1)
    return;
  sc_path *path = sc_paths_add(paths, old->category, same_edge ? SC_NEVER : paths->moment->now);
  if (path == NULL)
    return;
  path->replaces = old->id;
  if (same_edge && !begin_with_edge_of(path, old))
    sc_path_drop(path);
}

void sc_path_rotate(sc_path *path) {
  sc_paths *paths = path->paths;
  sc_timer_set(&paths->timers, &path->timer,
               sc_later(paths->moment->now, paths->options->path_rotation_retry));
  if (is_being_replaced(path))
    return;
  if (sc_paths_active(paths, path->category) <= sc_paths_minimum(paths, path->category))
    replace(path);
  else if (path->requests == 0)
    sc_path_retire(path);
}

void sc_paths_probed(sc_paths *paths, uint64_t id, bool good) {
  sc_path *path = sc_paths_find(paths, id);
  if (path == NULL || path->state != SC_PATH_AWAITS_PROBE)
    return;
  if (good)
    sc_path_activate(path);
  else
    sc_path_drop(path);
}
