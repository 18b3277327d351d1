/* The consequences of a failure: strikes against nodes and paths, replaced nodes, dropped paths. */
#include "paths.h"

void sc_paths_strike(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES], bool permanent,
                     const sc_accusers *accusers) {
  const sc_moment *moment = paths->moment;
  if (sc_guards_is_reserved(paths->guards, key))
    return;
  uint64_t memory = sc_moment_in_ms(paths->options->nodes.strike_expiry);
  bool believed = sc_accuse(&paths->accusations, key, accusers, moment->wall, memory);
  if (!believed && sc_nodes_strikes(paths->nodes, moment->wall, key) + 1 >= paths->options->nodes.struck_out)
    return;
  /* Without memory for it, a strike is forgotten. */
  sc_status status = sc_nodes_strike(paths->nodes, moment->now, moment->wall, key, permanent && believed);
  if (status != SC_OK)
    sc_log(paths->env, SC_LOG_WARNING, "network: a strike could not be noted");
}

uint32_t sc_path_strikes(sc_path *path) {
  uint64_t decay = path->paths->options->path_strike_decay;
  uint64_t now = path->paths->moment->now;
  while (decay != 0 && path->strikes > 0 && now >= path->struck_at && now - path->struck_at >= decay) {
    path->strikes--;
    path->struck_at += decay;
  }
  if (path->strikes == 0)
    path->strikers = (sc_accusers){0};
  return path->strikes;
}

/* Any hop, and the destination, can make a request fail. The guard is not counted: all paths begin with one
 * of two, so that no two paths would be independent. */
static void strike_path(sc_path *path, const sc_way *way) {
  if (sc_path_strikes(path) == 0)
    path->struck_at = path->paths->moment->now;
  path->strikes++;
  for (size_t i = 1; i < way->hop_count; i++)
    sc_accusers_add(&path->strikers, way->hops[i].ed25519);
  sc_accusers_add(&path->strikers, way->asked);
}

/* Puts another node where one is that was struck out, but never the one that the path is to lead to. */
static bool replace_node(sc_path *path, size_t place) {
  sc_paths *paths = path->paths;
  const sc_node *picked;
  sc_node old = path->nodes[place], excluded[SC_ONION_MAX_HOPS + 1];
  size_t count = path->length;
  memcpy(excluded, path->nodes, count * sizeof excluded[0]);
  const sc_node *unwanted = path->has_unwanted ? sc_nodes_find(paths->nodes, path->unwanted) : NULL;
  if (unwanted != NULL)
    excluded[count++] = *unwanted;
  size_t found = paths->options->share_nodes
                     ? sc_paths_pick_any(&picked, paths, 1, excluded, count)
                     : sc_nodes_pick(&picked, paths->nodes, paths->moment->wall, 1, excluded, count);
  if (found != 1 || sc_nodes_use(paths->nodes, picked) != SC_OK)
    return false;
  if (sc_path_put(path, place, picked, &paths->keys) != SC_OK) {
    sc_nodes_unuse(paths->nodes, picked);
    return false;
  }
  sc_nodes_unuse(paths->nodes, &old);
  paths->owner.changed(paths->owner.user);
  return true;
}

/* False when the path cannot be mended. */
static bool mend(sc_path *path) {
  sc_paths *paths = path->paths;
  for (size_t i = 0; i < path->length; i++) {
    if (!sc_nodes_is_struck_out(paths->nodes, paths->moment->wall, path->nodes[i].key))
      continue;
    bool is_middle = i == 1 && sc_guards_has_middle(paths->guards, path->nodes[i].key);
    if (i > 0 && (is_middle || !replace_node(path, i)))
      return false;
  }
  return true;
}

/* The other nodes involved in the strikes of the path, without the accused one. */
static sc_accusers strikers_but(const sc_path *path, const uint8_t *accused) {
  sc_accusers others = {.are_more = path->strikers.are_more};
  for (size_t i = 0; i < path->strikers.count; i++)
    if (memcmp(path->strikers.keys[i], accused, SC_KEY_BYTES) != 0)
      sc_accusers_add(&others, path->strikers.keys[i]);
  return others;
}

/* Strikes each node of the path behind the guard; the others are its accusers. */
static void strike_nodes(sc_path *path, const uint8_t *punished) {
  for (size_t i = 1; i < path->length; i++) {
    const uint8_t *accused = path->nodes[i].key;
    const sc_accusers others = strikers_but(path, accused);
    if (punished == NULL || memcmp(accused, punished, SC_KEY_BYTES) != 0)
      sc_paths_strike(path->paths, accused, false, &others);
  }
}

/* Repairs or drops one path; false if no more need it. If a path cannot be repaired, the faulty node is
 * known. */
static bool settle_one(sc_paths *paths, const uint8_t *punished) {
  for (sc_path *path = paths->first; path != NULL; path = path->next) {
    if (path->state != SC_PATH_ACTIVE)
      continue;
    bool is_struck_out = path->strikes >= paths->options->path_strikes;
    if (mend(path) && !is_struck_out)
      continue;
    if (is_struck_out)
      strike_nodes(path, punished);
    sc_path_retire(path);
    return true;
  }
  return false;
}

/* The nodes that may have forged the report: the hops it passed through. */
static sc_accusers list_accusers(const sc_blame *blame, const sc_way *way) {
  sc_accusers out = {0};
  if (blame->is_proved)
    return out;
  size_t end = blame->node > way->hop_count ? way->hop_count : blame->node;
  for (size_t i = 0; i < end; i++)
    sc_accusers_add(&out, way->hops[i].ed25519);
  return out;
}

/* Never the guard: any node behind it could have it punished. */
static const uint8_t *punished_by(const sc_blame *blame, const sc_way *way) {
  if (blame->weight == SC_BLAME_NOBODY || (blame->node == 0 && way->hop_count > 0))
    return NULL;
  if (blame->node < way->hop_count)
    return way->hops[blame->node].ed25519;
  return way->is_to_node ? way->asked : NULL;
}

void sc_paths_judge(sc_paths *paths, sc_path *path, const sc_way *way, const sc_fault *fault) {
  sc_blame blame = sc_blame_for(fault, way->hop_count);
  const uint8_t *punished = punished_by(&blame, way);
  if (punished != NULL) {
    const sc_accusers accusers = list_accusers(&blame, way);
    sc_paths_strike(paths, punished, blame.weight == SC_BLAME_PERMANENT, &accusers);
    if (fault->kind == SC_FAULT_HOP)
      sc_late_nodes_add(&paths->late, punished, paths->moment->now);
  }
  bool is_active = path->state == SC_PATH_ACTIVE;
  if (blame.path == SC_BLAME_PATH_GONE && is_active)
    sc_path_retire(path);
  else if (blame.path == SC_BLAME_PATH_ONCE && is_active)
    strike_path(path, way);
  if (punished == NULL && blame.path == SC_BLAME_PATH_NOT)
    return;
  while (settle_one(paths, punished))
    continue;
}
