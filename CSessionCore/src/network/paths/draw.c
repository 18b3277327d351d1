/* Drawing hops: each node by itself, all that are eligible with the same chance. When there is none, one
 * condition after the other is dropped, those first that matter least. */
#include "paths.h"

typedef enum nearness {
  SAME_16_AND_DESTINATION,
  SAME_16,
  SAME_24,
  SAME_NODE,
} nearness;

/* Nodes that are taken only if there are no others. */
typedef enum avoidance {
  AVOID_NONE,
  AVOID_GUARDS, /* in a small network they may have other roles, but are of more use as guards */
  AVOID_FAULTS, /* nodes of other attempts, and those that are named as unreachable */
  AVOID_BOTH,
} avoidance;

/* The requirements for a node. */
typedef struct level {
  sc_path_apartness apartness;
  avoidance avoidance;
  nearness nearness;
} level;

/* The input common to all nodes of a draw. */
typedef struct round {
  const sc_paths *paths;
  const sc_hop_draw *draw;
  level level;
} round;

static bool is_near(const sc_node *a, const sc_node *b, nearness nearness) {
  switch (nearness) {
  case SAME_16_AND_DESTINATION:
  case SAME_16:
    return sc_node_is_near(a, b);
  case SAME_24:
    return sc_node_same_subnet(a, b);
  case SAME_NODE:
    break;
  }
  return sc_node_same(a, b);
}

static bool is_near_path(const round *r, const sc_node *node) {
  const sc_path *path = r->draw->path;
  for (size_t i = 0; i < path->length; i++)
    if (is_near(&path->nodes[i], node, r->level.nearness))
      return true;
  return false;
}

static bool is_near_destination(const round *r, const sc_node *node) {
  const uint8_t *key = r->draw->destination;
  if (key == NULL)
    return false;
  if (memcmp(node->key, key, SC_KEY_BYTES) == 0)
    return true;
  const sc_node *destination = sc_nodes_find(r->paths->nodes, key);
  return r->level.nearness == SAME_16_AND_DESTINATION && destination != NULL &&
         sc_node_is_near(node, destination);
}

static bool is_other(const sc_hop_draw *draw, const sc_node *node) {
  for (size_t i = 0; i < draw->other_count; i++)
    if (sc_node_same(draw->others[i], node))
      return true;
  return false;
}

static bool was_used_for_another(const round *r, const sc_node *node) {
  uint64_t own = r->draw->path->key.local_account, now = r->paths->moment->now;
  for (const sc_path *path = r->paths->first; path != NULL; path = path->next)
    if (path->state != SC_PATH_GONE && path->key.local_account != 0 && path->key.local_account != own &&
        path->length > 1 && sc_node_same(sc_path_last(path), node))
      return true;
  return own != 0 && sc_recent_hops_has_other(&r->paths->recent, node->key, own, now);
}

static bool was_used(const round *r, const sc_node *node) {
  for (const sc_path *path = r->paths->first; path != NULL; path = path->next)
    if (path->state != SC_PATH_GONE && path->length > 1 && sc_node_same(sc_path_last(path), node))
      return true;
  return sc_recent_hops_has(&r->paths->recent, node->key, r->paths->moment->now);
}

static bool is_apart(const round *r, const sc_node *node) {
  switch (r->level.apartness) {
  case SC_APART_FROM_ALL:
    return !was_used(r, node);
  case SC_APART_FROM_OTHERS:
    return r->draw->path->key.local_account == 0 || !was_used_for_another(r, node);
  case SC_APART_FROM_NONE:
    break;
  }
  return true;
}

static bool is_avoided(const round *r, const sc_node *node) {
  const sc_used_hops *used = r->draw->used;
  return (used != NULL && (sc_used_hops_has(used, SC_USED_LAST, node->key) ||
                           sc_used_hops_has(used, SC_USED_MIDDLE, node->key) ||
                           sc_used_hops_has(used, SC_USED_ALWAYS, node->key))) ||
         sc_avoided_has(&r->paths->avoided, node->key, NULL, r->paths->moment->now);
}

static bool is_to_be_avoided(const round *r, const sc_node *node) {
  avoidance kind = r->level.avoidance;
  bool is_guard = (kind & AVOID_GUARDS) != 0 && sc_guards_has(r->paths->guards, node->key);
  return is_guard || ((kind & AVOID_FAULTS) != 0 && is_avoided(r, node));
}

static bool is_eligible(const void *user, const sc_node *node) {
  const round *r = user;
  const sc_paths *paths = r->paths;
  return !is_near_path(r, node) && !is_near_destination(r, node) && !is_other(r->draw, node) &&
         !sc_guards_is_reserved(paths->guards, node->key) &&
         !sc_guards_has_middle(paths->guards, node->key) &&
         !sc_nodes_is_struck_out(paths->nodes, paths->moment->wall, node->key) &&
         !is_to_be_avoided(r, node) && is_apart(r, node);
}

static const sc_node *draw_near(round *r, sc_draws *draws) {
  const sc_paths *paths = r->paths;
  unsigned first = paths->options->nodes.subnet_diversity ? SAME_16_AND_DESTINATION : SAME_NODE;
  unsigned last = first == SAME_NODE || sc_paths_are_lenient(paths) ? SAME_NODE : SAME_24;
  for (unsigned near = first; near <= last; near++) {
    r->level.nearness = (nearness)near;
    const sc_node *node = sc_node_pool_draw(sc_nodes_pool(paths->nodes), draws, is_eligible, r);
    if (node != NULL)
      return node;
  }
  return NULL;
}

/* In a small network it matters more that a request does not fail for the same reason again, unless its nodes
 * have addresses that should be apart. */
static const level *levels_of(size_t *count, const sc_paths *paths) {
  static const level usual[] = {
      {SC_APART_FROM_ALL, AVOID_FAULTS, SAME_NODE},  {SC_APART_FROM_OTHERS, AVOID_FAULTS, SAME_NODE},
      {SC_APART_FROM_OTHERS, AVOID_NONE, SAME_NODE}, {SC_APART_FROM_NONE, AVOID_FAULTS, SAME_NODE},
      {SC_APART_FROM_NONE, AVOID_NONE, SAME_NODE},
  };
  static const level small[] = {
      {SC_APART_FROM_ALL, AVOID_BOTH, SAME_NODE},    {SC_APART_FROM_OTHERS, AVOID_BOTH, SAME_NODE},
      {SC_APART_FROM_NONE, AVOID_BOTH, SAME_NODE},   {SC_APART_FROM_NONE, AVOID_FAULTS, SAME_NODE},
      {SC_APART_FROM_NONE, AVOID_GUARDS, SAME_NODE}, {SC_APART_FROM_NONE, AVOID_NONE, SAME_NODE},
  };
  *count = sizeof usual / sizeof usual[0];
  if (sc_nodes_pool(paths->nodes)->count >= sc_sample_few_nodes || paths->options->nodes.subnet_diversity)
    return usual;
  *count = sizeof small / sizeof small[0];
  return small;
}

const sc_node *sc_paths_draw(const sc_paths *paths, const sc_hop_draw *draw) {
  sc_draws draws;
  size_t count;
  const level *levels = levels_of(&count, paths);
  sc_draws_init(&draws, paths->env, 2);
  for (size_t i = 0; i < count; i++) {
    round r = {paths, draw, levels[i]};
    if (levels[i].apartness < draw->most_apart || levels[i].apartness > draw->least_apart)
      continue;
    const sc_node *node = draw_near(&r, &draws);
    if (node != NULL)
      return node;
  }
  return NULL;
}
