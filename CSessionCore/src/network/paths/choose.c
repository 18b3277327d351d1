/* Choosing a path for a request: the least busy one without the destination, avoiding paths with waiting
 * requests if possible. */
#include <assert.h>

#include "../../base/draws.h"
#include "paths.h"

sc_network_category sc_paths_category(const sc_paths *paths, sc_network_category category) {
  return paths->options->single_path ? SC_NETWORK_STANDARD : category;
}

size_t sc_paths_minimum(const sc_paths *paths, sc_network_category category) {
  if (paths->options->single_path)
    return category == SC_NETWORK_STANDARD ? 1 : 0;
  return paths->options->paths[category];
}

size_t sc_paths_active(const sc_paths *paths, sc_network_category category) {
  size_t count = 0;
  category = sc_paths_category(paths, category);
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    count += path->category == category && path->state == SC_PATH_ACTIVE;
  return count;
}

size_t sc_paths_building(const sc_paths *paths, sc_network_category category) {
  size_t count = 0;
  category = sc_paths_category(paths, category);
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    count += path->category == category && sc_path_is_building(path) && path->replaces == 0;
  return count;
}

/* True if an attempt that has not failed yet is worth waiting for. */
static bool is_about_to_come(const sc_paths *paths, sc_network_category category) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->category == category && sc_path_is_building(path) && path->replaces == 0 &&
        path->failed_builds == 0)
      return true;
  return false;
}

/* True if the guard is the only node, so that it must be asked directly. */
static bool is_alone(const sc_path *path) {
  const sc_node *other;
  return path->paths->options->share_nodes && path->length == 1 &&
         sc_paths_pick_any(&other, path->paths, 1, sc_path_edge(path), 1) == 0;
}

/* A hop that is the destination would know both the client and the request. With a single path only its two
 * ends are excluded: the guard knows the client, and the last hop cannot relay to itself. */
static bool is_in_the_way(const sc_path *path, const uint8_t *destination, bool single) {
  size_t place = destination == NULL ? SC_ONION_NO_NODE : sc_path_place_of(path, destination);
  if (place == SC_ONION_NO_NODE)
    return false;
  return (!single || place == 0 || place + 1 == path->length) && !is_alone(path);
}

/* True if the last of so many equal candidates is chosen, so that all are equally likely. */
static bool replaces_equal(const sc_env *env, uint32_t equals) {
  sc_draws draws;
  sc_draws_init(&draws, env, 1);
  return sc_draws_below(&draws, equals) == 0;
}

void sc_used_hops_add(sc_used_hops *used, const uint8_t guard[static SC_KEY_BYTES],
                      const uint8_t last[static SC_KEY_BYTES]) {
  if (used->count == sc_used_hops_max)
    return;
  memcpy(used->guards[used->count], guard, SC_KEY_BYTES);
  memcpy(used->last[used->count++], last, SC_KEY_BYTES);
}

static bool is_used(const uint8_t (*list)[SC_KEY_BYTES], size_t count, const sc_node *node) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(list[i], node->key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

static bool is_other_guard_in_use(const sc_paths *paths, const sc_used_hops *used) {
  sc_node guards[sc_sample_in_use];
  size_t count = sc_guards_in_use(guards, paths->guards);
  for (size_t i = 0; i < count; i++)
    if (!is_used(used->guards, used->count, &guards[i]))
      return true;
  return false;
}

static bool is_apart(const sc_path *path, const sc_used_hops *used, bool other_guard) {
  return !path->is_doubted && !is_used(used->last, used->count, &path->nodes[path->length - 1]) &&
         !(other_guard && is_used(used->guards, used->count, sc_path_edge(path)));
}

static bool is_one_doubted(const sc_paths *paths, sc_network_category category) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->category == category && path->state == SC_PATH_ACTIVE && path->is_doubted)
      return true;
  return false;
}

/* Negative if `a` is better. If there are failures, a path that never had a reply may contain a dead node
 * too. */
static int compare(const sc_path *a, const sc_path *b, bool in_trouble) {
  if (a->is_doubted != b->is_doubted)
    return a->is_doubted ? 1 : -1;
  if (in_trouble && a->has_answered != b->has_answered)
    return a->has_answered ? -1 : 1;
  return (a->requests > b->requests) - (a->requests < b->requests);
}

sc_path_choice sc_paths_choose(sc_path **out, sc_paths *paths, sc_network_category category,
                               const uint8_t *destination, const sc_used_hops *used) {
  bool other_guard = used != NULL && is_other_guard_in_use(paths, used);
  bool single = paths->options->single_path;
  category = sc_paths_category(paths, category);
  bool in_trouble = is_one_doubted(paths, category);
  sc_path *best = NULL;
  size_t active = 0;
  uint32_t equals = 0;
  for (sc_path *path = paths->first; path != NULL; path = path->next) {
    if (path->category != category || path->state != SC_PATH_ACTIVE)
      continue;
    active++;
    if (is_in_the_way(path, destination, single) || (used != NULL && !is_apart(path, used, other_guard)))
      continue;
    int order = best != NULL ? compare(path, best, in_trouble) : -1;
    if (order > 0)
      continue;
    equals = order == 0 ? equals + 1 : 1;
    if (equals == 1 || replaces_equal(paths->env, equals))
      best = path;
  }
  if (best == NULL)
    return active > 0 ? SC_PATH_CONFLICT : SC_PATH_WAIT;
  bool enough = active >= sc_paths_minimum(paths, category);
  if (used == NULL && best->requests > 0 && !enough && is_about_to_come(paths, category))
    return SC_PATH_WAIT;
  *out = best;
  return SC_PATH_FOUND;
}

static bool is_struck_out(void *user, const sc_node *node) {
  const sc_paths *paths = user;
  return sc_nodes_is_struck_out(paths->nodes, paths->moment->wall, node->key);
}

size_t sc_paths_pick_any(const sc_node **out, sc_paths *paths, size_t count, const sc_node *excluded,
                         size_t excluded_count) {
  sc_node others[sc_paths_most_excluded + sc_guards_most_reserved + sc_paths_most_picked];
  assert(excluded_count <= sc_paths_most_excluded);
  count = count < sc_paths_most_picked ? count : sc_paths_most_picked;
  memcpy(others, excluded, excluded_count * sizeof others[0]);
  excluded_count += sc_guards_reserved(others + excluded_count, paths->guards);
  size_t found = sc_nodes_pick(out, paths->nodes, paths->moment->wall, count, others, excluded_count);
  if (found == count)
    return found;
  for (size_t i = 0; i < found; i++)
    others[excluded_count++] = *out[i];
  const sc_node_wish anybody = {.excluded = others,
                                .excluded_count = excluded_count,
                                .in_use_too = true,
                                .refuse = is_struck_out,
                                .user = paths};
  return found + sc_node_pool_pick(out + found, sc_nodes_pool(paths->nodes), count - found, &anybody);
}

size_t sc_paths_targets(const sc_node **out, sc_paths *paths, size_t count, const sc_path *not_on) {
  if (not_on == NULL)
    return sc_paths_pick_any(out, paths, count, NULL, 0);
  size_t found = sc_paths_pick_any(out, paths, count, not_on->nodes, not_on->length);
  if (found == 0 && is_alone(not_on))
    out[found++] = sc_path_edge(not_on);
  return found;
}

const sc_path *sc_paths_only_one(const sc_paths *paths, sc_network_category category) {
  const sc_path *only = NULL;
  category = sc_paths_category(paths, category);
  if (sc_paths_active(paths, category) != 1)
    return NULL;
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->category == category && path->state == SC_PATH_ACTIVE)
      only = path;
  return only;
}
