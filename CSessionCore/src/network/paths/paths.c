#include "paths.h"

#include <assert.h>

#include "../../base/draws.h"
#include "../moment.h"

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

sc_path *sc_paths_add(sc_paths *paths, const sc_path_wish *wish) {
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
                    .key = wish->key,
                    .category = wish->category,
                    .state = SC_PATH_GONE,
                    .used_at = paths->moment->now};
  paths->first = path;
  paths->some_gone = true;
  return path;
}

/* Retires the path that was not used for longest if there are `most`, of one local account or of all. */
static void make_room(sc_paths *paths, const uint64_t *local_account, size_t most) {
  sc_path *least = NULL;
  size_t count = 0;
  for (sc_path *path = paths->first; path != NULL; path = path->next) {
    if (path->state != SC_PATH_ACTIVE || (local_account != NULL && path->key.local_account != *local_account))
      continue;
    count++;
    if (least == NULL || path->used_at <= least->used_at)
      least = path;
  }
  if (count >= most)
    sc_path_retire(least);
}

/* The time at which a path begins does not tell which one it follows. */
static uint64_t draw_life(const sc_paths *paths) {
  enum { parts = 1000, least = 800, spread = 400 };
  sc_draws draws;
  sc_draws_init(&draws, paths->env, 1);
  return paths->options->path_life / parts * (least + sc_draws_below(&draws, spread + 1));
}

static void begin_life(sc_path *path) {
  sc_paths *paths = path->paths;
  if (paths->options->path_life != 0)
    sc_timer_set(&paths->timers, &path->timer, sc_later(paths->moment->now, draw_life(paths)));
}

void sc_path_activate(sc_path *path) {
  sc_paths *paths = path->paths;
  make_room(paths, &path->key.local_account, sc_paths_most);
  make_room(paths, NULL, sc_paths_most_of_all);
  path->state = SC_PATH_ACTIVE;
  begin_life(path);
  paths->built++;
  paths->owner.changed(paths->owner.user);
}

/* The last hop saw what the path was for. */
static void end_life(sc_path *path, sc_path_state state) {
  sc_paths *paths = path->paths;
  sc_timer_clear(&paths->timers, &path->timer);
  if (path->state == SC_PATH_ACTIVE && path->length > 1)
    sc_recent_hops_add(&paths->recent, sc_path_last(path)->key, path->key.local_account, paths->moment->now);
  path->state = state;
  paths->some_gone |= state == SC_PATH_GONE;
}

void sc_path_drop(sc_path *path) {
  end_life(path, SC_PATH_GONE);
}

void sc_path_retire(sc_path *path) {
  sc_paths *paths = path->paths;
  end_life(path, path->requests > 0 ? SC_PATH_DRAINING : SC_PATH_GONE);
  paths->retired++;
  paths->owner.changed(paths->owner.user);
}

void sc_paths_begin(sc_path *path) {
  if (!path->was_used && path->state == SC_PATH_ACTIVE)
    begin_life(path);
  path->requests++;
  path->was_used = true;
  path->used_at = path->paths->moment->now;
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

bool sc_paths_use_guard(const sc_paths *paths, const sc_node *node) {
  static const uint64_t idle = 300 * SC_NODE_SECOND;
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->state != SC_PATH_GONE && sc_node_same(sc_path_guard(path), node) &&
        (path->requests > 0 || paths->moment->now < sc_later(path->used_at, idle)))
      return true;
  return false;
}

void sc_paths_lost(sc_paths *paths, const sc_node *node) {
  for (sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->state == SC_PATH_ACTIVE && sc_node_same(sc_path_guard(path), node))
      sc_path_retire(path);
}

/* True if a hop is something else for other paths, or the guard is none any more. */
static bool has_two_roles(const sc_path *path) {
  const sc_guards *guards = path->paths->guards;
  if (!sc_guards_has(guards, sc_path_guard(path)->key))
    return true;
  for (size_t i = 1; i < path->length; i++) {
    const uint8_t *key = path->nodes[i].key;
    bool is_last = i > 1 && i + 1 == path->length;
    if (sc_guards_is_reserved(guards, key) || (is_last && sc_guards_has_middle(guards, key)))
      return true;
  }
  return false;
}

void sc_paths_review(sc_paths *paths) {
  for (sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->state == SC_PATH_ACTIVE && has_two_roles(path))
      sc_path_retire(path);
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
  return paths->some_gone ? 0 : sc_timers_next(&paths->timers);
}

static sc_path *of_timer(sc_timer *timer) {
  return (sc_path *)((uint8_t *)timer - offsetof(sc_path, timer));
}

void sc_paths_advance(sc_paths *paths) {
  sc_timer *timer;
  while ((timer = sc_timers_take(&paths->timers, paths->moment->now)) != NULL)
    sc_path_retire(of_timer(timer));
  if (paths->some_gone)
    sweep(paths);
}

void sc_paths_suspend(sc_paths *paths) {
  paths->suspended = true;
  for (sc_path *path = paths->first; path != NULL; path = path->next)
    if (path->state < SC_PATH_DRAINING)
      end_life(path, path->requests > 0 ? SC_PATH_DRAINING : SC_PATH_GONE);
  sweep(paths);
  paths->owner.changed(paths->owner.user);
}

void sc_paths_resume(sc_paths *paths) {
  paths->suspended = false;
}
