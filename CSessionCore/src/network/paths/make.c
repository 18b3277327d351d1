/* Making a path: a guard that is connected, and nodes behind it, which are not contacted: that would reveal
 * this client's address to them. */
#include "../../base/draws.h"
#include "paths.h"

enum { alone_at_most = 2 /* nodes of a network in which one may be called over its own connection */ };

static size_t pool_size(const sc_paths *paths) {
  return sc_nodes_pool(paths->nodes)->count;
}

static bool is_private(const sc_paths *paths) {
  return paths->options->nodes.kind == SC_NETWORK_PRIVATE;
}

bool sc_paths_are_lenient(const sc_paths *paths) {
  return is_private(paths) || pool_size(paths) < sc_sample_few_nodes;
}

bool sc_path_is_alone(const sc_path *path, const uint8_t *destination) {
  return path->length == 1 && (path->is_direct || pool_size(path->paths) <= alone_at_most) &&
         memcmp(sc_path_guard(path)->key, destination, SC_KEY_BYTES) == 0;
}

/* ---- the guard ---- */

static bool is_key(const sc_node *node, const uint8_t *key) {
  return key != NULL && memcmp(node->key, key, SC_KEY_BYTES) == 0;
}

static size_t count_over(const sc_paths *paths, const sc_path_key *key, const sc_node *guard) {
  size_t count = 0;
  for (const sc_path *path = paths->first; path != NULL; path = path->next)
    count += path->state == SC_PATH_ACTIVE && sc_path_key_same(&path->key, key) &&
             sc_node_same(sc_path_guard(path), guard);
  return count;
}

/* True if `a` suits the wish better than `b`. */
static bool is_better(const sc_paths *paths, const sc_path_wish *wish, const sc_node *a, const sc_node *b) {
  static const sc_used_place worse[] = {SC_USED_ALWAYS, SC_USED_GUARD};
  for (size_t i = 0; wish->used != NULL && i < sizeof worse / sizeof worse[0]; i++) {
    bool was_a = sc_used_hops_has(wish->used, worse[i], a->key);
    if (was_a != sc_used_hops_has(wish->used, worse[i], b->key))
      return !was_a;
  }
  /* The third attempt takes the guard over which requests are answered. */
  if (wish->used != NULL && wish->attempts > 1)
    return sc_guards_replied_at(paths->guards, a->key) > sc_guards_replied_at(paths->guards, b->key);
  return wish->alone && count_over(paths, &wish->key, a) < count_over(paths, &wish->key, b);
}

/* True if each attempt had all other guards that are in use: one of them may be dead. */
static bool are_others_suspect(const sc_node *used, size_t count, const sc_path_wish *wish) {
  for (size_t i = 0; i < count; i++)
    if (!is_key(&used[i], wish->destination) && !sc_used_hops_has(wish->used, SC_USED_ALWAYS, used[i].key))
      return false;
  return true;
}

/* Another guard may be dead, so this one must be called directly. */
static bool must_be_asked_itself(const sc_paths *paths, const sc_path_wish *wish, const sc_node *guard,
                                 const sc_node *used, size_t count) {
  if (wish->attempts == 0 || wish->used == NULL || !is_key(guard, wish->destination))
    return false;
  if (pool_size(paths) <= alone_at_most)
    return true;
  return pool_size(paths) < sc_sample_few_nodes && are_others_suspect(used, count, wish);
}

/* Paths for messages prefer the first guard, and paths for files the second. The network's own parallel
 * requests are spread over both. */
static sc_path_choice choose_guard(sc_node *out, const sc_paths *paths, const sc_path_wish *wish) {
  sc_node used[sc_sample_in_use];
  size_t count = sc_guards_in_use(used, paths->guards);
  const sc_node *best = NULL;
  if (count == 0)
    return sc_guards_any(paths->guards) ? SC_PATH_WAIT : SC_PATH_NO_NODES;
  for (size_t i = 0; i < count; i++) {
    const sc_node *guard = &used[wish->category == SC_NETWORK_FILE ? count - 1 - i : i];
    if (must_be_asked_itself(paths, wish, guard, used, count)) {
      best = guard;
      break;
    }
    if (!is_key(guard, wish->destination) && (best == NULL || is_better(paths, wish, guard, best)))
      best = guard;
  }
  if (best == NULL && pool_size(paths) <= alone_at_most)
    best = &used[0];
  if (best == NULL)
    return SC_PATH_CONFLICT;
  *out = *best;
  return SC_PATH_FOUND;
}

/* ---- the nodes behind it ---- */

/* Nothing can be sealed for some keys. */
static bool take(sc_path *path, const sc_node *node) {
  sc_paths *paths = path->paths;
  const sc_node kept = *node;
  if (sc_path_put(path, &kept, &paths->keys) == SC_OK)
    return true;
  sc_paths_set_aside(paths, kept.key);
  return false;
}

static bool may_be_middle(const sc_paths *paths, const sc_path_wish *wish, const sc_node *node) {
  return !is_key(node, wish->destination) &&
         !sc_nodes_is_struck_out(paths->nodes, paths->moment->wall, node->key);
}

static bool is_middle_avoided(const sc_paths *paths, const sc_path_wish *wish, const sc_node *node) {
  return (wish->used != NULL && sc_used_hops_has(wish->used, SC_USED_MIDDLE, node->key)) ||
         sc_avoided_has(&paths->avoided, node->key, NULL, paths->moment->now);
}

/* At random among the middles, those that other attempts had only if there are no others. */
static bool pick_middle(sc_node *out, const sc_paths *paths, const sc_path_wish *wish) {
  sc_node middles[sc_sample_most_middles];
  sc_draws draws;
  size_t count = sc_guards_middles(middles, paths->guards);
  for (int avoiding = 1; avoiding >= 0; avoiding--) {
    size_t good = 0;
    for (size_t i = 0; i < count; i++)
      if (may_be_middle(paths, wish, &middles[i]) &&
          !(avoiding == 1 && is_middle_avoided(paths, wish, &middles[i]))) {
        const sc_node kept = middles[good];
        middles[good++] = middles[i];
        middles[i] = kept;
      }
    if (good == 0)
      continue;
    sc_draws_init(&draws, paths->env, 1);
    *out = middles[sc_draws_below(&draws, (uint32_t)good)];
    return true;
  }
  return false;
}

static bool draw_one(sc_path *path, const sc_path_wish *wish, bool is_last) {
  const sc_hop_draw draw = {.path = path,
                            .used = wish->used,
                            .destination = wish->destination,
                            .most_apart = is_last ? SC_APART_FROM_ALL : SC_APART_FROM_NONE,
                            .least_apart = SC_APART_FROM_NONE};
  const sc_node *node = sc_paths_draw(path->paths, &draw);
  return node != NULL && take(path, node);
}

static bool fill(sc_path *path, const sc_path_wish *wish, const sc_node *guard, size_t planned) {
  enum { least_hops = 3 };
  sc_node middle;
  path->length = 0;
  bool good = take(path, guard);
  if (good && planned >= least_hops && pick_middle(&middle, path->paths, wish))
    good = take(path, &middle);
  while (good && path->length < planned)
    good = draw_one(path, wish, path->length + 1 == planned);
  return good;
}

/* In a small network the destination needs a node of its own, beside those of the path. */
static size_t usual_length(const sc_paths *paths) {
  const sc_node_pool *pool = sc_nodes_pool(paths->nodes);
  size_t length = paths->options->path_length, usable = 0;
  if (pool->count >= sc_sample_few_nodes)
    return length;
  for (size_t i = 0; i < pool->count; i++)
    usable += !sc_nodes_is_struck_out(paths->nodes, paths->moment->wall, pool->nodes[i].key);
  size_t most = usable > 1 ? usable - 1 : 1;
  return length < most ? length : most;
}

/* Else one dead node of four would stop everything. */
static size_t hops_less(const sc_paths *paths, const sc_path_wish *wish) {
  size_t most = usual_length(paths) - 1;
  if (pool_size(paths) >= sc_sample_few_nodes)
    return 0;
  return wish->attempts < most ? wish->attempts : most;
}

sc_path_choice sc_paths_make(sc_path **out, sc_paths *paths, const sc_path_wish *wish) {
  sc_node guard;
  sc_path_choice choice = choose_guard(&guard, paths, wish);
  if (choice != SC_PATH_FOUND)
    return choice;
  sc_path *path = sc_paths_add(paths, wish);
  if (path == NULL)
    return SC_PATH_NO_MEMORY;
  bool is_alone = is_key(&guard, wish->destination);
  size_t length = usual_length(paths);
  path->is_direct = is_alone;
  path->hops_less = is_alone ? length - 1 : hops_less(paths, wish);
  size_t planned = length - path->hops_less;
  bool good = fill(path, wish, &guard, planned);
  /* A short path through the few that are left is better than none. */
  while (!good && sc_paths_are_lenient(paths) && --planned > 0)
    good = fill(path, wish, &guard, planned);
  if (!good) {
    sc_path_drop(path);
    return SC_PATH_NO_NODES;
  }
  sc_path_activate(path);
  *out = path;
  return SC_PATH_FOUND;
}
