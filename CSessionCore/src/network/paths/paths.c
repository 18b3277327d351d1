#include "paths.h"

#include <assert.h>

#include "../../base/draws.h"

static void forget_failures(sc_paths *paths) {
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++) {
    paths->not_before[i] = 0;
    paths->again_at[i] = SC_NEVER;
  }
}

void sc_paths_init(sc_paths *paths, const sc_env *env, const sc_network_options *options,
                   const sc_moment *moment, sc_nodes *nodes, sc_guards *guards, const sc_paths_owner *owner) {
  *paths = (sc_paths){
      .env = env,
      .options = options,
      .moment = moment,
      .nodes = nodes,
      .guards = guards,
      .owner = *owner,
      .suspended = true,
  };
  forget_failures(paths);
  sc_timers_init(&paths->timers, env);
}

static void release(sc_path *path) {
  sc_paths *paths = path->paths;
  sc_timer_clear(&paths->timers, &path->timer);
  sc_timers_release(&paths->timers);
  sc_release(paths->env, path);
}

void sc_paths_free(sc_paths *paths) {
  while (paths->first != NULL) {
    sc_path *path = paths->first;
    paths->first = path->next;
    sc_path_drop(path);
    release(path);
  }
  sc_timers_free(&paths->timers);
}

sc_path *sc_paths_add(sc_paths *paths, sc_network_category category, uint64_t at) {
  if (sc_timers_promise(&paths->timers) != SC_OK)
    return NULL;
  sc_path *path = sc_allocate(paths->env, sizeof *path);
  if (path == NULL) {
    sc_timers_release(&paths->timers);
    return NULL;
  }
  *path = (sc_path){.id = ++paths->last_id,
                    .next = paths->first,
                    .paths = paths,
                    .category = category,
                    .planned = paths->options->path_length};
  paths->first = path;
  sc_timer_set(&paths->timers, &path->timer, at);
  return path;
}

sc_path *sc_paths_find(const sc_paths *paths, uint64_t id) {
  sc_path *path = paths->first;
  while (path != NULL && path->id != id)
    path = path->next;
  return path;
}

void sc_path_release_nodes(sc_path *path) {
  for (size_t i = 0; i < path->length; i++)
    sc_nodes_unuse(path->paths->nodes, &path->nodes[i]);
  path->length = 0;
}

sc_status sc_path_take_node(sc_path *path, const sc_node *node) {
  sc_paths *paths = path->paths;
  sc_status status = sc_path_put(path, path->length, node, &paths->keys);
  if (status != SC_OK)
    sc_paths_set_aside(paths, node->key);
  else
    status = sc_nodes_use(paths->nodes, &path->nodes[path->length]);
  if (status == SC_OK)
    path->length++;
  return status;
}

/* Nodes that the path has are in use, but not by another. */
static size_t pick_shared(const sc_node **out, const sc_path *path, size_t count, const sc_node *excluded,
                          size_t excluded_count) {
  sc_node others[sc_paths_most_excluded];
  assert(excluded_count + path->length <= sc_paths_most_excluded);
  for (size_t i = 0; i < excluded_count; i++)
    others[i] = excluded[i];
  for (size_t i = 0; i < path->length; i++)
    others[excluded_count++] = path->nodes[i];
  return sc_paths_pick_any(out, path->paths, count, others, excluded_count);
}

bool sc_path_take_nodes(sc_path *path, size_t place, const sc_node *excluded, size_t excluded_count,
                        bool shared) {
  sc_paths *paths = path->paths;
  size_t wanted = path->planned - place;
  const sc_node *picked[SC_ONION_MAX_HOPS];
  assert(path->length == place);
  size_t count =
      shared ? pick_shared(picked, path, wanted, excluded, excluded_count)
             : sc_nodes_pick(picked, paths->nodes, paths->moment->wall, wanted, excluded, excluded_count);
  bool good = count == wanted;
  for (size_t i = 0; i < wanted && good; i++)
    good = sc_path_take_node(path, picked[i]) == SC_OK;
  if (!good)
    sc_path_release_nodes(path);
  return good;
}

static bool is_listed_in(const sc_node *list, size_t count, const uint8_t *key) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(list[i].key, key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

static bool is_held(const sc_paths *paths, const sc_node *node) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (sc_path_holds_nodes(path) && sc_path_place_of(path, node->key) != SC_ONION_NO_NODE)
      return true;
  return false;
}

/* At random among the middles of good standing, one that no path has if possible. */
static bool pick_middle(sc_node *out, const sc_path *path, bool avoiding, bool shared) {
  sc_paths *paths = path->paths;
  sc_node middles[sc_sample_most_middles];
  sc_draws draws;
  size_t count = sc_guards_middles(middles, paths->guards), good = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *key = middles[i].key;
    bool is_bad = sc_nodes_is_struck_out(paths->nodes, paths->moment->wall, key) ||
                  (avoiding && (is_listed_in(path->avoided, path->avoided_count, key) ||
                                sc_avoided_has(&paths->avoided, key, NULL, paths->moment->now))) ||
                  (path->has_unwanted && memcmp(path->unwanted, key, SC_KEY_BYTES) == 0);
    if (!is_bad && (shared || !is_held(paths, &middles[i])))
      middles[good++] = middles[i];
  }
  if (good == 0)
    return false;
  sc_draws_init(&draws, paths->env, 1);
  *out = middles[sc_draws_below(&draws, (uint32_t)good)];
  return true;
}

bool sc_path_take_behind(sc_path *path, const sc_node *excluded, size_t excluded_count, bool avoiding,
                         bool shared) {
  enum { least_hops = 3 };
  sc_node middle;
  size_t place = 1;
  if (path->planned >= least_hops && pick_middle(&middle, path, avoiding, shared) &&
      sc_path_take_node(path, &middle) == SC_OK)
    place++;
  return sc_path_take_nodes(path, place, excluded, excluded_count, shared);
}

/* Nodes of a path that drains are free for others, but stay known: replies may name them. */
static void leave_nodes(sc_path *path) {
  if (sc_path_holds_nodes(path))
    for (size_t i = 0; i < path->length; i++)
      sc_nodes_unuse(path->paths->nodes, &path->nodes[i]);
}

static void end_life(sc_path *path, sc_path_state state) {
  sc_paths *paths = path->paths;
  sc_refresh_waiter_remove(&path->waiter);
  sc_timer_clear(&paths->timers, &path->timer);
  leave_nodes(path);
  path->state = state;
  paths->some_gone |= state == SC_PATH_GONE;
}

void sc_path_drop(sc_path *path) {
  end_life(path, SC_PATH_GONE);
}

sc_path *sc_path_retire(sc_path *path) {
  sc_paths *paths = path->paths;
  end_life(path, path->requests > 0 ? SC_PATH_DRAINING : SC_PATH_GONE);
  paths->retired++;
  paths->owner.changed(paths->owner.user);
  const sc_path *before = paths->first;
  sc_paths_want(paths, path->category);
  if (paths->first == before)
    return NULL;
  memcpy(paths->first->avoided, path->nodes, path->length * sizeof path->nodes[0]);
  paths->first->avoided_count = path->length;
  return paths->first;
}

void sc_paths_begin(sc_path *path) {
  path->requests++;
}

void sc_paths_end(sc_path *path) {
  assert(path->requests > 0);
  path->requests--;
  if (path->requests > 0 || path->state < SC_PATH_DRAINING)
    return;
  if (path->state == SC_PATH_DRAINING)
    path->paths->owner.changed(path->paths->owner.user);
  path->state = SC_PATH_GONE;
  path->paths->some_gone = true;
}

bool sc_paths_has_edge(const sc_paths *paths, const sc_node *node) {
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->state != SC_PATH_GONE && path->length > 0 && sc_node_same(sc_path_edge(path), node))
      return true;
  return false;
}

/* Frees dropped paths. */
static void sweep(sc_paths *paths) {
  paths->some_gone = false;
  sc_path **at = &paths->first;
  while (*at != NULL) {
    sc_path *path = *at;
    if (path->state != SC_PATH_GONE || path->requests > 0) {
      at = &path->next;
      continue;
    }
    *at = path->next;
    release(path);
  }
}

uint64_t sc_paths_deadline(const sc_paths *paths) {
  uint64_t at = sc_timers_next(&paths->timers);
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++)
    at = paths->again_at[i] < at ? paths->again_at[i] : at;
  return paths->some_gone ? 0 : at;
}

static sc_path *of_timer(sc_timer *timer) {
  return (sc_path *)((uint8_t *)timer - offsetof(sc_path, timer));
}

/* Retries paths that could not be built. */
static void try_again(sc_paths *paths) {
  for (size_t i = 0; i < SC_NETWORK_CATEGORIES; i++) {
    if (paths->again_at[i] > paths->moment->now)
      continue;
    paths->again_at[i] = SC_NEVER;
    sc_paths_want(paths, (sc_network_category)i);
  }
}

void sc_paths_advance(sc_paths *paths) {
  if (paths->some_gone)
    sweep(paths);
  try_again(paths);
  sc_timer *timer;
  while ((timer = sc_timers_take(&paths->timers, paths->moment->now)) != NULL) {
    sc_path *path = of_timer(timer);
    if (path->state == SC_PATH_STARTING)
      sc_path_start(path);
    else if (path->state == SC_PATH_ACTIVE)
      sc_path_rotate(path);
  }
}

void sc_paths_suspend(sc_paths *paths) {
  paths->suspended = true;
  for (sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->state < SC_PATH_DRAINING)
      end_life(path, path->requests > 0 ? SC_PATH_DRAINING : SC_PATH_GONE);
  forget_failures(paths);
  sweep(paths);
  paths->owner.changed(paths->owner.user);
}

void sc_paths_resume(sc_paths *paths) {
  paths->suspended = false;
  forget_failures(paths);
}
