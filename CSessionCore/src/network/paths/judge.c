/* Judges if a path worked or failed. One failed request says nothing yet: the destination may be at fault.
 * The path failed if requests to two destinations failed over it, or one to a destination that replied over
 * another path a short while ago, with no success since. */
#include "paths.h"

static const uint64_t memory = 600 * SC_NODE_SECOND;

enum { hops_with_middle = 3 /* of a path whose second one is kept */ };

static bool is_recent(const sc_paths *paths, uint64_t at) {
  return paths->moment->now - at <= memory;
}

/* Any node behind it could have a guard punished. In a small network it has other roles as well. */
static bool is_only_guard(const sc_paths *paths, const uint8_t *key) {
  return sc_guards_has(paths->guards, key) && sc_guards_is_reserved(paths->guards, key);
}

void sc_paths_set_aside(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES]) {
  const sc_moment *moment = paths->moment;
  if (is_only_guard(paths, key))
    return;
  if (sc_nodes_strike(paths->nodes, moment->now, moment->wall, key, true) != SC_OK)
    sc_log(paths->env, SC_LOG_WARNING, "network: no memory to set a node aside");
  sc_journal_note(&paths->guards->journal, moment->wall, SC_NETWORK_NODE_SET_ASIDE, SC_NETWORK_REASON_PATHS,
                  key);
  for (sc_path *path = paths->first, *next; path != NULL; path = next) {
    next = path->next;
    size_t place = sc_path_place_of(path, key);
    if (path->state == SC_PATH_ACTIVE && place != SC_ONION_NO_NODE && place > 0)
      sc_path_retire(path);
  }
}

static void suspect(sc_paths *paths, const uint8_t *key, const sc_companions *companions) {
  if (!is_only_guard(paths, key))
    sc_suspicions_add(&paths->suspicions, key, companions);
}

/* ---- destinations that replied ---- */

static bool is_reply(const sc_path_reply *reply, const uint8_t *destination, uint64_t path) {
  return reply->path == path && memcmp(reply->destination, destination, SC_KEY_BYTES) == 0;
}

static void note_reply(sc_paths *paths, const uint8_t *destination, uint64_t path) {
  sc_path_reply *place = &paths->replies[paths->next_reply];
  bool is_new = true;
  for (size_t i = 0; i < sc_paths_most_replies; i++)
    if (is_reply(&paths->replies[i], destination, path)) {
      place = &paths->replies[i];
      is_new = false;
    }
  *place = (sc_path_reply){.path = path, .at = paths->moment->now};
  memcpy(place->destination, destination, SC_KEY_BYTES);
  if (is_new)
    paths->next_reply = (paths->next_reply + 1) % sc_paths_most_replies;
}

static bool has_replied_elsewhere(const sc_paths *paths, const uint8_t *destination, uint64_t path) {
  for (size_t i = 0; i < sc_paths_most_replies; i++) {
    const sc_path_reply *reply = &paths->replies[i];
    if (reply->path != 0 && reply->path != path && is_recent(paths, reply->at) &&
        memcmp(reply->destination, destination, SC_KEY_BYTES) == 0)
      return true;
  }
  return false;
}

/* ---- paths that failed ---- */

/* The hops that may be at fault too: in a small network the guard is a node like the others. */
static sc_companions hops_before(const sc_path *path, size_t end) {
  sc_companions out = {0};
  for (size_t i = 0; i < end; i++)
    if (!is_only_guard(path->paths, path->nodes[i].key))
      sc_companions_add(&out, path->nodes[i].key);
  return out;
}

static void suspect_last_hop(sc_path *path) {
  if (path->length < 2)
    return;
  sc_companions others = hops_before(path, path->length - 1);
  for (size_t i = 0; i < path->failure_count; i++)
    sc_companions_add(&others, path->failures[i].destination);
  suspect(path->paths, path->nodes[path->length - 1].key, &others);
}

static void suspect_destinations(sc_path *path) {
  const sc_companions hops = hops_before(path, path->length);
  for (size_t i = 0; i < path->failure_count; i++) {
    const sc_path_failure *failure = &path->failures[i];
    if (failure->is_node && !has_replied_elsewhere(path->paths, failure->destination, path->id))
      suspect(path->paths, failure->destination, &hops);
  }
}

/* Of a path over a middle; the third hop is the last one. */
static sc_outcome_path outcome_of(const uint8_t *guard, const uint8_t *middle, const uint8_t *last) {
  sc_outcome_path out;
  memcpy(out.guard, guard, SC_KEY_BYTES);
  memcpy(out.middle, middle, SC_KEY_BYTES);
  memcpy(out.last, last, SC_KEY_BYTES);
  return out;
}

static void note_outcome_of_failure(const sc_path *path) {
  if (path->length != hops_with_middle)
    return;
  const sc_outcome_path outcome = outcome_of(path->nodes[0].key, path->nodes[1].key, path->nodes[2].key);
  sc_guards_path_failed(path->paths->guards, &outcome);
}

static void fail(sc_path *path) {
  note_outcome_of_failure(path);
  suspect_last_hop(path);
  suspect_destinations(path);
  path->failure_count = 0;
  if (path->state == SC_PATH_ACTIVE)
    sc_path_retire(path);
}

/* False when it is known. */
static bool note_failure(sc_path *path, const sc_route *route) {
  for (size_t i = 0; i < path->failure_count; i++)
    if (memcmp(path->failures[i].destination, route->destination, SC_KEY_BYTES) == 0)
      return false;
  sc_path_failure *failure = &path->failures[path->failure_count++];
  *failure = (sc_path_failure){.is_node = route->is_to_node, .at = path->paths->moment->now};
  memcpy(failure->destination, route->destination, SC_KEY_BYTES);
  return true;
}

void sc_paths_failed(sc_paths *paths, sc_path *path, const sc_route *route) {
  path->is_doubted = true;
  if (sc_guards_is_down(paths->guards))
    return;
  if (path->state != SC_PATH_ACTIVE || route->hop_count == 0 || !note_failure(path, route))
    return;
  if (path->failure_count == sc_path_most_failures ||
      has_replied_elsewhere(paths, route->destination, path->id))
    fail(path);
}

/* ---- paths that worked ---- */

static bool has_failed_to(const sc_path *path, const uint8_t *destination) {
  for (size_t i = 0; i < path->failure_count; i++)
    if (memcmp(path->failures[i].destination, destination, SC_KEY_BYTES) == 0 &&
        is_recent(path->paths, path->failures[i].at))
      return true;
  return false;
}

/* The destination is well, so it was the path that failed. False if there is no such path. */
static bool explain_one(sc_paths *paths, const sc_path *good, const uint8_t *destination) {
  for (sc_path *path = paths->first; path != NULL; path = path->next) {
    if (path == good || path->state != SC_PATH_ACTIVE || !has_failed_to(path, destination))
      continue;
    fail(path);
    return true;
  }
  return false;
}

static void clear(sc_paths *paths, const uint8_t *key) {
  sc_suspicions_clear(&paths->suspicions, key);
  sc_avoided_remove(&paths->avoided, key);
}

void sc_paths_worked(sc_paths *paths, sc_path *path, const sc_route *route) {
  uint8_t key[SC_KEY_BYTES];
  if (path->failure_count > 0)
    suspect_destinations(path);
  path->failure_count = 0;
  path->is_doubted = false;
  path->has_replied = true;
  note_reply(paths, route->destination, path->id);
  while (explain_one(paths, path, route->destination))
    continue;
  for (size_t i = 1; i < route->hop_count; i++)
    clear(paths, route->hops[i].ed25519);
  clear(paths, route->destination);
  if (route->hop_count == hops_with_middle) {
    const sc_outcome_path outcome =
        outcome_of(route->hops[0].ed25519, route->hops[1].ed25519, route->hops[2].ed25519);
    sc_guards_path_worked(paths->guards, &outcome);
  }
  while (sc_suspicions_settle(key, &paths->suspicions, paths->options->nodes.struck_out))
    sc_paths_set_aside(paths, key);
}

void sc_paths_suspect(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES]) {
  suspect(paths, key, &(sc_companions){0});
}

/* Forgets the failures since the last packet. */
static void forgive(sc_path *path, uint64_t heard_at) {
  size_t kept = 0;
  for (size_t i = 0; i < path->failure_count; i++)
    if (path->failures[i].at < heard_at)
      path->failures[kept++] = path->failures[i];
  path->failure_count = kept;
}

void sc_paths_note_down(sc_paths *paths) {
  for (sc_path *path = paths->first; path != NULL; path = path->next)
    forgive(path, sc_guards_heard_at(paths->guards));
  sc_suspicions_undo(&paths->suspicions);
  sc_guards_note_down(paths->guards);
}
