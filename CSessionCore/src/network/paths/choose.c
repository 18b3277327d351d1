/* Choosing a path for a request: one of its key and category without the destination, or a new one. */
#include "paths.h"

size_t sc_paths_active(const sc_paths *paths, sc_network_category category) {
  size_t count = 0;
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    count += path->category == category && path->state == SC_PATH_ACTIVE;
  return count;
}

static bool is_other_guard_in_use(const sc_paths *paths, const sc_used_hops *used) {
  sc_node guards[sc_sample_in_use];
  size_t count = sc_guards_in_use(guards, paths->guards);
  for (size_t i = 0; i < count; i++)
    if (!sc_used_hops_has(used, SC_USED_GUARD, guards[i].key))
      return true;
  return false;
}

static bool is_of(const sc_path *path, const sc_path_key *key, sc_network_category category) {
  return path->state == SC_PATH_ACTIVE && path->category == category && sc_path_key_same(&path->key, key);
}

/* A hop that is the destination would know both the client and the request. */
static bool is_in_the_way(const sc_path *path, const uint8_t *destination) {
  return destination != NULL && sc_path_place_of(path, destination) != SC_ONION_NO_NODE &&
         !sc_path_is_alone(path, destination);
}

/* True if the path and other attempts of the request cannot have failed for the same reason. */
static bool is_apart(const sc_path *path, const sc_used_hops *used, bool other_guard) {
  for (size_t i = 0; i < path->length; i++)
    if (sc_used_hops_has(used, SC_USED_ALWAYS, path->nodes[i].key))
      return false;
  return !sc_used_hops_has(used, SC_USED_LAST, sc_path_last(path)->key) &&
         !(other_guard && sc_used_hops_has(used, SC_USED_GUARD, sc_path_guard(path)->key));
}

/* One that is not doubted, and the least busy of those. Negative if `a` is better. */
static int compare(const sc_path *a, const sc_path *b) {
  if (a->is_doubted != b->is_doubted)
    return a->is_doubted ? 1 : -1;
  return (a->requests > b->requests) - (a->requests < b->requests);
}

typedef struct found {
  sc_path *best;
  size_t count; /* of the key */
} found;

static found find(const sc_paths *paths, const sc_path_wish *wish) {
  bool other_guard = wish->used != NULL && is_other_guard_in_use(paths, wish->used);
  found out = {0};
  for (sc_path *path = paths->first; path != NULL; path = path->next) {
    if (!is_of(path, &wish->key, wish->category))
      continue;
    out.count++;
    if (is_in_the_way(path, wish->destination) || (wish->alone && path->requests > 0) ||
        path->hops_less > wish->attempts || (wish->used != NULL && !is_apart(path, wish->used, other_guard)))
      continue;
    if (out.best == NULL || compare(path, out.best) < 0)
      out.best = path;
  }
  return out;
}

/* With several paths that are doubted already, it is the destination rather than one of them. */
sc_path_choice sc_paths_choose(sc_path **out, sc_paths *paths, const sc_path_wish *wish) {
  if (paths->suspended || sc_guards_is_down(paths->guards))
    return SC_PATH_WAIT;
  const found own = find(paths, wish);
  if (own.best != NULL && (!own.best->is_doubted || own.count >= sc_paths_most_of_key)) {
    *out = own.best;
    return SC_PATH_FOUND;
  }
  sc_path_choice choice = sc_paths_make(out, paths, wish);
  if (choice == SC_PATH_FOUND || own.best == NULL)
    return choice;
  *out = own.best;
  return SC_PATH_FOUND;
}

static bool is_near(const sc_path *path, const sc_node *node) {
  bool is_diverse = path->paths->options->nodes.subnet_diversity;
  return sc_path_place_of(path, node->key) != SC_ONION_NO_NODE ||
         (is_diverse &&
          (sc_node_is_near(sc_path_guard(path), node) || sc_node_is_near(sc_path_last(path), node)));
}

bool sc_paths_are_near(const sc_paths *paths, const sc_path_key *key, sc_network_category category,
                       const sc_node *node) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (is_of(path, key, category) && is_near(path, node))
      return true;
  return false;
}

size_t sc_paths_targets(const sc_node **out, sc_paths *paths, size_t count, const sc_path *path) {
  size_t found = 0;
  for (; found < count; found++) {
    const sc_hop_draw draw = {.path = path,
                              .others = out,
                              .other_count = found,
                              .most_apart = SC_APART_FROM_NONE,
                              .least_apart = SC_APART_FROM_NONE};
    const sc_node *node = sc_paths_draw(paths, &draw);
    if (node == NULL)
      break;
    out[found] = node;
  }
  if (found == 0 && count > 0 && sc_path_is_alone(path, sc_path_guard(path)->key))
    out[found++] = sc_path_guard(path);
  return found;
}
