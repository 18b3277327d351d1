/* Building a path: a guard that is connected, and nodes behind it, which are not contacted: that would reveal
 * this client's address to them. */
#include <assert.h>

#include "../../base/backoff.h"
#include "../later.h"
#include "paths.h"

static bool may_begin(const sc_paths *paths, sc_network_category category) {
  return !paths->suspended && paths->not_before[category] <= paths->moment->now;
}

void sc_paths_want(sc_paths *paths, sc_network_category category) {
  category = sc_paths_category(paths, category);
  size_t minimum = sc_paths_minimum(paths, category);
  if (sc_paths_active(paths, category) == 0) {
    paths->not_before[category] = 0;
    minimum = minimum > 0 ? minimum : 1;
  }
  size_t there = sc_paths_active(paths, category) + sc_paths_building(paths, category);
  for (; there < minimum && may_begin(paths, category); there++)
    if (sc_paths_add(paths, category, paths->moment->now) == NULL)
      break;
}

/* True if a path is being built that a request to `destination` can use. */
static bool is_building_without(const sc_paths *paths, sc_network_category category,
                                const uint8_t *destination) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->category == category && sc_path_is_building(path) && path->replaces == 0 &&
        path->has_unwanted && memcmp(path->unwanted, destination, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

bool sc_paths_want_without(sc_paths *paths, sc_network_category category, const uint8_t *destination) {
  category = sc_paths_category(paths, category);
  if (is_building_without(paths, category, destination))
    return true;
  size_t there = sc_paths_active(paths, category) + sc_paths_building(paths, category);
  if (paths->options->single_path || there >= paths->options->most_paths[category] ||
      !may_begin(paths, category))
    return false;
  sc_path *path = sc_paths_add(paths, category, paths->moment->now);
  if (path == NULL)
    return false;
  path->has_unwanted = true;
  memcpy(path->unwanted, destination, SC_KEY_BYTES);
  return true;
}

/* A doubted path that carries nothing makes room for another. */
static bool make_room(sc_paths *paths, sc_network_category category) {
  for (sc_path *path = paths->first; path != NULL; path = path->next) {
    if (path->category != category || path->state != SC_PATH_ACTIVE || !path->is_doubted ||
        path->requests > 0)
      continue;
    sc_path_drop(path);
    paths->owner.changed(paths->owner.user);
    return true;
  }
  return false;
}

bool sc_paths_want_beside(sc_paths *paths, sc_network_category category, const uint8_t *destination,
                          const sc_node *avoided, size_t avoided_count, size_t attempts) {
  category = sc_paths_category(paths, category);
  size_t building = sc_paths_building(paths, category);
  if (building > 0)
    return true;
  if (paths->options->single_path || !may_begin(paths, category) ||
      (sc_paths_active(paths, category) >= paths->options->most_paths[category] &&
       !make_room(paths, category)))
    return false;
  sc_path *next = sc_paths_add(paths, category, paths->moment->now);
  if (next == NULL)
    return false;
  assert(avoided_count <= sc_path_most_avoided);
  memcpy(next->avoided, avoided, avoided_count * sizeof avoided[0]);
  next->avoided_count = avoided_count;
  /* Else one dead node of four would stop everything. */
  if (sc_nodes_pool(paths->nodes)->count < sc_sample_few_nodes)
    next->hops_less = attempts < next->planned ? attempts : next->planned - 1;
  next->has_unwanted = destination != NULL;
  if (destination != NULL)
    memcpy(next->unwanted, destination, SC_KEY_BYTES);
  return true;
}

static void give_up(sc_path *path, sc_status why) {
  sc_paths *paths = path->paths;
  sc_network_category category = path->category;
  paths->not_before[category] = sc_later(paths->moment->now, paths->options->path_rotation_retry);
  paths->again_at[category] = paths->not_before[category];
  sc_path_drop(path);
  paths->owner.changed(paths->owner.user);
  paths->owner.given_up(paths->owner.user, category, why);
}

static void try_later(sc_path *path, sc_status why) {
  sc_paths *paths = path->paths;
  sc_path_release_nodes(path);
  path->failed_builds++;
  if (path->failed_builds > paths->options->path_build_retries) {
    give_up(path, why);
    return;
  }
  path->state = SC_PATH_STARTING;
  path->refreshed = false;
  uint64_t delay =
      sc_backoff(path->failed_builds, paths->options->retry_delay, paths->options->retry_delay_most);
  sc_timer_set(&paths->timers, &path->timer, sc_later(paths->moment->now, delay));
}

static void refreshed(void *user, bool good) {
  (void)good;
  sc_path *path = user;
  path->state = SC_PATH_STARTING;
  sc_timer_set(&path->paths->timers, &path->timer, path->paths->moment->now);
}

/* There are not enough nodes: once for each attempt, a fresh list may help. True when it will be tried. */
static bool await_nodes(sc_path *path) {
  sc_paths *paths = path->paths;
  if (path->refreshed)
    return false;
  path->refreshed = true;
  /* Without any path, a refresh would wait for this one. */
  if (sc_nodes_pool(paths->nodes)->count > 0 && sc_paths_active(paths, SC_NETWORK_STANDARD) == 0)
    return false;
  path->waiter = (sc_refresh_waiter){.done = refreshed, .user = path};
  path->state = SC_PATH_AWAITS_NODES;
  return sc_nodes_want(paths->nodes, paths->moment->now, paths->moment->wall, &path->waiter) ==
         SC_REFRESH_WAIT;
}

static size_t list_avoided(sc_node out[static sc_avoided_max], const sc_paths *paths) {
  size_t count = 0;
  for (size_t i = 0; i < sc_avoided_max; i++) {
    const sc_avoided_node *avoided = &paths->avoided.list[i];
    bool counts = avoided->until > paths->moment->now && !avoided->has_account;
    const sc_node *node = counts ? sc_nodes_find(paths->nodes, avoided->key) : NULL;
    if (node != NULL)
      out[count++] = *node;
  }
  return count;
}

static size_t list_excluded(sc_node out[static sc_paths_most_excluded], const sc_path *path, bool avoiding) {
  size_t count = sc_guards_reserved(out, path->paths->guards);
  if (avoiding) {
    for (size_t i = 0; i < path->avoided_count; i++)
      out[count++] = path->avoided[i];
    count += list_avoided(out + count, path->paths);
  }
  const sc_node *unwanted = path->has_unwanted ? sc_nodes_find(path->paths->nodes, path->unwanted) : NULL;
  if (unwanted != NULL)
    out[count++] = *unwanted;
  return count;
}

/* ---- the guard ---- */

static size_t count_over(const sc_path *path, const sc_node *guard) {
  size_t count = 0;
  for (const sc_path *other = path->paths->first; other != NULL; other = other->next)
    count += other != path && other->category == path->category && sc_path_holds_nodes(other) &&
             sc_node_same(sc_path_edge(other), guard);
  return count;
}

static bool is_avoided(const sc_path *path, const sc_node *node) {
  for (size_t i = 0; i < path->avoided_count; i++)
    if (sc_node_same(&path->avoided[i], node))
      return true;
  return false;
}

static bool is_unwanted(const sc_path *path, const sc_node *node) {
  return path->has_unwanted && memcmp(path->unwanted, node->key, SC_KEY_BYTES) == 0;
}

/* True if `a` suits the path better than `b`: it is not to be avoided, and fewer paths begin with it. */
static bool is_better(const sc_path *path, const sc_node *a, const sc_node *b) {
  if (is_avoided(path, a) != is_avoided(path, b))
    return is_avoided(path, b);
  return count_over(path, a) < count_over(path, b);
}

/* Paths for messages prefer the first guard, those for files the second. False if none can be used. */
static bool choose_guard(sc_node *out, const sc_path *path) {
  sc_node used[sc_sample_in_use];
  size_t count = sc_guards_in_use(used, path->paths->guards);
  const sc_node *best = NULL;
  for (size_t i = 0; i < count; i++) {
    const sc_node *guard = &used[path->category == SC_NETWORK_FILE ? count - 1 - i : i];
    if (!is_unwanted(path, guard) && (best == NULL || is_better(path, guard, best)))
      best = guard;
  }
  if (best != NULL)
    *out = *best;
  return best != NULL;
}

static bool take_nodes(sc_path *path, const sc_node *guard, bool avoiding, bool shared) {
  sc_node excluded[sc_paths_most_excluded];
  size_t count = list_excluded(excluded, path, avoiding);
  if (sc_path_take_node(path, guard) == SC_OK && sc_path_take_behind(path, excluded, count, avoiding, shared))
    return true;
  sc_path_release_nodes(path);
  return false;
}

/* Nodes that other paths have, too, are better than to wait for others, and than those to be avoided. */
static bool choose_nodes(sc_path *path, const sc_node *guard, bool fresh) {
  bool share = path->paths->options->share_nodes;
  bool avoids = path->avoided_count > 0 || sc_avoided_any(&path->paths->avoided, path->paths->moment->now);
  return (fresh && take_nodes(path, guard, true, false)) || (share && take_nodes(path, guard, true, true)) ||
         (avoids && fresh && take_nodes(path, guard, false, false)) ||
         (avoids && share && take_nodes(path, guard, false, true));
}

/* A short path through the few that are left is better than none. */
static bool choose_fewer(sc_path *path, const sc_node *guard) {
  if (!path->paths->options->share_nodes)
    return false;
  while (--path->planned > 0)
    if (choose_nodes(path, guard, false))
      return true;
  return false;
}

/* ---- from the start to the first request ---- */

static void await_guard(sc_path *path) {
  path->state = SC_PATH_AWAITS_GUARD;
  sc_timer_clear(&path->paths->timers, &path->timer);
}

/* There is no node at all, or too few. */
static void lack_nodes(sc_path *path) {
  if (!await_nodes(path))
    try_later(path, SC_ERR_NETWORK_NO_NODES);
}

void sc_path_start(sc_path *path) {
  sc_paths *paths = path->paths;
  sc_node guard;
  path->planned = paths->options->path_length - path->hops_less;
  if (!sc_guards_any(paths->guards)) {
    lack_nodes(path);
    return;
  }
  if (!choose_guard(&guard, path)) {
    await_guard(path);
    return;
  }
  if (!choose_nodes(path, &guard, true)) {
    if (await_nodes(path))
      return;
    if (!choose_fewer(path, &guard)) {
      try_later(path, SC_ERR_NETWORK_NO_NODES);
      return;
    }
  }
  /* One that is to take the place of another shows first that it works. */
  if (path->replaces == 0)
    sc_path_activate(path);
  else if (!sc_path_probe(path))
    sc_path_drop(path);
}

/* One that was made for a request that no other would carry goes sooner, and not for the sake of rotation. */
static void set_life(sc_path *path) {
  sc_paths *paths = path->paths;
  uint64_t life = paths->options->path_rotation;
  if (path->has_unwanted)
    life = paths->options->path_rotation_retry;
  if (life != 0)
    sc_timer_set(&paths->timers, &path->timer, sc_later(paths->moment->now, life));
}

void sc_path_activate(sc_path *path) {
  sc_paths *paths = path->paths;
  path->state = SC_PATH_ACTIVE;
  path->failed_builds = 0;
  paths->not_before[path->category] = 0;
  paths->built++;
  set_life(path);
  sc_path *old = path->replaces != 0 ? sc_paths_find(paths, path->replaces) : NULL;
  path->replaces = 0;
  if (old != NULL && old->state == SC_PATH_ACTIVE)
    sc_path_retire(old);
  paths->owner.changed(paths->owner.user);
}

bool sc_paths_are_awaited(const sc_paths *paths) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->state <= SC_PATH_AWAITS_GUARD)
      return true;
  return false;
}

void sc_paths_take_guards(sc_paths *paths) {
  for (sc_path *path = paths->first; path != NULL; path = path->next) {
    if (path->state != SC_PATH_AWAITS_GUARD)
      continue;
    path->state = SC_PATH_STARTING;
    sc_timer_set(&paths->timers, &path->timer, paths->moment->now);
  }
}

void sc_paths_lose_hope(sc_paths *paths) {
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    if (sc_paths_active(paths, (sc_network_category)i) == 0)
      paths->owner.given_up(paths->owner.user, (sc_network_category)i, SC_ERR_NETWORK_NO_PATH);
}

void sc_paths_lost(sc_paths *paths, const sc_node *node) {
  sc_path *next;
  for (sc_path *path = paths->first; path != NULL; path = next) {
    next = path->next;
    if (path->length == 0 || !sc_node_same(sc_path_edge(path), node))
      continue;
    if (path->state == SC_PATH_AWAITS_PROBE)
      sc_path_drop(path);
    else if (path->state == SC_PATH_ACTIVE)
      sc_path_retire(path);
  }
}
