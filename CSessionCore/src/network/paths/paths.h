/* The paths of a network: built, chosen, watched, rotated, repaired and given up.
 *
 * Belongs to one network. A path that a request is on its way through stays where it is until sc_paths_end.
 */
#ifndef SC_SRC_NETWORK_PATHS_PATHS_H
#define SC_SRC_NETWORK_PATHS_PATHS_H

#include "../guards/guards.h"
#include "../moment.h"
#include "avoided.h"
#include "path.h"
#include "suspicions.h"

typedef struct sc_paths_owner {
  void *user;
  /* Asks `target` for its time through a path that is not active yet; the owner reports the result with
   * sc_paths_probed, later. Anything but SC_OK: the call cannot be made. */
  sc_status (*probe)(void *user, sc_path *path, const sc_node *target);
  /* There is a path that was not there, or is not as it was. */
  void (*changed)(void *user);
  /* A path could not be built, for this reason; it is tried again after some time, or when asked for. */
  void (*given_up)(void *user, sc_network_category category, sc_status why);
} sc_paths_owner;

enum { sc_paths_most_answers = 64 }; /* remembered; the oldest goes */

/* A destination replied over a path. */
typedef struct sc_path_answer {
  uint8_t asked[SC_KEY_BYTES];
  uint64_t path; /* 0: none */
  uint64_t at;
} sc_path_answer;

typedef struct sc_paths {
  const sc_env *env;
  const sc_network_options *options;
  const sc_moment *moment;
  sc_nodes *nodes;
  sc_guards *guards;
  sc_paths_owner owner;
  sc_timers timers;
  sc_path *first;
  uint64_t last_id;
  bool some_gone;
  bool suspended;
  uint64_t not_before[SC_NETWORK_CATEGORIES]; /* no more paths are started, after one could not be built … */
  uint64_t again_at[SC_NETWORK_CATEGORIES];   /* … and when they are; SC_NEVER unless one could not */
  sc_suspicions suspicions;
  sc_avoided avoided;
  sc_path_answer answers[sc_paths_most_answers];
  size_t next_answer;
  sc_hop_keys keys;
  uint64_t built;
  uint64_t retired;
} sc_paths;

void sc_paths_init(sc_paths *paths, const sc_env *env, const sc_network_options *options,
                   const sc_moment *moment, sc_nodes *nodes, sc_guards *guards, const sc_paths_owner *owner);

/* No request may be on its way. */
void sc_paths_free(sc_paths *paths);

/* When sc_paths_advance wants to be called; 0 for at once. */
uint64_t sc_paths_deadline(const sc_paths *paths);
void sc_paths_advance(sc_paths *paths);

/* Drops all paths; those with requests on their way drain. */
void sc_paths_suspend(sc_paths *paths);
void sc_paths_resume(sc_paths *paths);

/* ---- choosing (choose.c) ---- */

typedef enum sc_path_choice {
  SC_PATH_FOUND,
  SC_PATH_WAIT,     /* none is free; one may be later */
  SC_PATH_CONFLICT, /* there are paths, and the destination is a node of each */
} sc_path_choice;

enum { sc_used_hops_max = 8 };

/* The guards and last hops of other attempts at the same request. */
typedef struct sc_used_hops {
  uint8_t guards[sc_used_hops_max][SC_KEY_BYTES];
  uint8_t last[sc_used_hops_max][SC_KEY_BYTES];
  size_t count;
} sc_used_hops;

/* One more, unless there is no room. */
void sc_used_hops_add(sc_used_hops *used, const uint8_t guard[static SC_KEY_BYTES],
                      const uint8_t last[static SC_KEY_BYTES]);

/* The path a request should take; `destination` is the key of a node, or NULL. With `used`, none that is
 * doubted or has one of those last hops, nor one of those guards while another is in use; then none is waited
 * for. */
sc_path_choice sc_paths_choose(sc_path **out, sc_paths *paths, sc_network_category category,
                               const uint8_t *destination, const sc_used_hops *used);

/* Fills in up to `count` nodes that can be called over paths other than `not_on` (or NULL), preferably nodes
 * of no path; the guard of `not_on` if it is the only node. Returns their number. */
size_t sc_paths_targets(const sc_node **out, sc_paths *paths, size_t count, const sc_path *not_on);

/* The active path of the category, if there is exactly one; otherwise NULL. */
const sc_path *sc_paths_only_one(const sc_paths *paths, sc_network_category category);

/* A request takes the path, and has come to its end. */
void sc_paths_begin(sc_path *path);
void sc_paths_end(sc_path *path);

/* Active paths for requests of this category. */
size_t sc_paths_active(const sc_paths *paths, sc_network_category category);

/* Paths being built for requests of this category, to become more than there are. */
size_t sc_paths_building(const sc_paths *paths, sc_network_category category);

/* True if a path begins with this node. */
bool sc_paths_has_edge(const sc_paths *paths, const sc_node *node);

/* The category whose paths requests of a category use. */
sc_network_category sc_paths_category(const sc_paths *paths, sc_network_category category);

/* ---- building (build.c) ---- */

/* Starts building the missing paths of a category. */
void sc_paths_want(sc_paths *paths, sc_network_category category);

/* Begins to build one more that a request to `destination` can take. False when there are too many. */
bool sc_paths_want_without(sc_paths *paths, sc_network_category category, const uint8_t *destination);

/* Begins to build one more, without the nodes to be avoided if there are enough others, that a request to
 * `destination`, which may be NULL, can take. In a network of less than twelve nodes it has a hop less for
 * each of `attempts` that were made. True when one is being built, false when there are too many. */
bool sc_paths_want_beside(sc_paths *paths, sc_network_category category, const uint8_t *destination,
                          const sc_node *avoided, size_t avoided_count, size_t attempts);

/* True if some path waits for nodes or a guard. */
bool sc_paths_are_awaited(const sc_paths *paths);

/* Other guards may be in use than before. */
void sc_paths_take_guards(sc_paths *paths);

/* No guard can be reached: requests wait no longer for paths, though paths still wait for guards. */
void sc_paths_lose_hope(sc_paths *paths);

/* The connection to a guard is closed. */
void sc_paths_lost(sc_paths *paths, const sc_node *node);

/* ---- rotating (rotate.c) ---- */

/* The result of a probe. The path may be gone by then. */
void sc_paths_probed(sc_paths *paths, uint64_t id, bool good);

/* ---- failing (judge.c) ---- */

/* Where a request went: over these hops of a path, whose nodes may have been replaced since, to the owner of
 * the key `asked`. */
typedef struct sc_way {
  const sc_onion_node *hops;
  size_t hop_count;
  const uint8_t *asked;
  bool is_to_node; /* otherwise to a server */
} sc_way;

/* An authenticated reply came over `path`. */
void sc_paths_worked(sc_paths *paths, sc_path *path, const sc_way *way);

/* A request over `path` came to nothing, and any node of it or the destination may be at fault. */
void sc_paths_failed(sc_paths *paths, sc_path *path, const sc_way *way);

/* A node wrote a reply that is none. */
void sc_paths_suspect(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES]);

/* No guard is connected: nothing that failed lately says anything. */
void sc_paths_note_down(sc_paths *paths);

/* Leaves a node alone for some time, unless it is a guard. Paths over it take no more requests. */
void sc_paths_set_aside(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES]);

/* ---- between these files ---- */

/* Adds a path that starts at `at`. NULL without memory. */
sc_path *sc_paths_add(sc_paths *paths, sc_network_category category, uint64_t at);

sc_path *sc_paths_find(const sc_paths *paths, uint64_t id);

/* Returns the desired number of paths of a category. */
size_t sc_paths_minimum(const sc_paths *paths, sc_network_category category);

/* Releases its nodes. */
void sc_path_release_nodes(sc_path *path);

/* Chooses the nodes from `place` to the end, none of them `excluded`: nodes of no path or, if they may be
 * `shared` and there are too few, others. False if there are not enough; the path then has no nodes. */
bool sc_path_take_nodes(sc_path *path, size_t place, const sc_node *excluded, size_t excluded_count,
                        bool shared);

/* Takes the nodes behind the guard, none of them `excluded`: a middle if there is a good one, and nodes as
 * sc_path_take_nodes does. With `avoiding`, no middle that may let requests wait. */
bool sc_path_take_behind(sc_path *path, const sc_node *excluded, size_t excluded_count, bool avoiding,
                         bool shared);

/* Takes this node for the next place. */
SC_NODISCARD sc_status sc_path_take_node(sc_path *path, const sc_node *node);

/* Chooses nodes behind a guard that is connected (build.c). */
void sc_path_start(sc_path *path);

enum {
  sc_paths_most_picked = 16,
  sc_paths_most_excluded =
      sc_path_most_avoided + sc_avoided_max + sc_guards_most_reserved + 1 + SC_ONION_MAX_HOPS,
};

/* Fills in up to `count` nodes without too many strikes and not `excluded`: nodes of no path, and others if
 * there are too few (choose.c). Returns their number. */
size_t sc_paths_pick_any(const sc_node **out, sc_paths *paths, size_t count, const sc_node *excluded,
                         size_t excluded_count);

/* The path can be used. */
void sc_path_activate(sc_path *path);

/* Takes no more requests. Returns the path started in its place; NULL if there are enough. */
sc_path *sc_path_retire(sc_path *path);

/* It is dropped, whatever state it is in. */
void sc_path_drop(sc_path *path);

/* Asks a node outside the path for its time, through the path, which is usable once that node replies. False
 * if there is no such node (rotate.c). */
bool sc_path_probe(sc_path *path);

/* Replaces the path, whose time has come (rotate.c). */
void sc_path_rotate(sc_path *path);

#endif
