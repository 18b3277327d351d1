/* A dead guard is silent until the handshake times out. So after a while another one is tried in parallel,
 * and the first path that is ready is used. */
#include "paths.h"

static size_t count_stand_ins(const sc_paths *paths, sc_network_category category) {
  size_t count = 0;
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    count += path->category == category && sc_path_is_building(path) && path->stands_in_for != 0;
  return count;
}

/* Failed guards are not tried again; the first path decides about blame. */
static void inherit(sc_path *path, const sc_path *from) {
  path->stands_in_for = from->id;
  path->has_unwanted = from->has_unwanted;
  memcpy(path->unwanted, from->unwanted, SC_KEY_BYTES);
  memcpy(path->failed, from->failed, from->failed_count * sizeof from->failed[0]);
  path->failed_count = from->failed_count;
  for (size_t i = 0; i < path->failed_count; i++)
    path->blamed[i] = true;
  memcpy(path->avoided, from->nodes, from->length * sizeof from->nodes[0]);
  path->avoided_count = from->length;
}

void sc_path_want_stand_in(sc_path *path) {
  sc_paths *paths = path->paths;
  sc_network_category category = path->category;
  size_t there = sc_paths_active(paths, category) + sc_paths_building(paths, category);
  if (path->replaces != 0 || paths->options->single_path || there >= paths->options->most_paths[category] ||
      count_stand_ins(paths, category) >= paths->options->stand_ins)
    return;
  sc_path *next = sc_paths_add(paths, category, paths->moment->now);
  if (next != NULL)
    inherit(next, path);
}

static bool is_stood_in_for(const sc_path *path) {
  for (const sc_path *other = path->paths->first; other != NULL; other = other->next)
    if (other->state == SC_PATH_ACTIVE && other->stands_in_for == path->id)
      return true;
  return false;
}

bool sc_path_drop_needless(sc_path *path) {
  if (path->stands_in_for == 0 && !is_stood_in_for(path))
    return false;
  if (sc_paths_active(path->paths, path->category) > 0)
    sc_path_blame_failed(path);
  sc_path_drop(path);
  return true;
}

void sc_path_drop_stand_ins(sc_path *path) {
  for (sc_path *other = path->paths->first; other != NULL; other = other->next)
    if (sc_path_is_building(other) && other->stands_in_for == path->id)
      sc_path_drop(other);
}
