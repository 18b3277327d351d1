/* The paths of a network: each is made for the first request of its key, used for ten minutes, judged and
 * retired.
 *
 * A path costs nothing on the wire: hops keep no state, and the connection to a guard is shared. So each
 * local account has its own paths for each target, and no path is tested before its first request.
 *
 * Belongs to one network. A path with requests in flight stays in place until sc_paths_end. */
#ifndef SC_SRC_NETWORK_PATHS_PATHS_H
#define SC_SRC_NETWORK_PATHS_PATHS_H

#include "../guards/guards.h"
#include "../moment.h"
#include "avoided.h"
#include "path.h"
#include "recent_hops.h"
#include "suspicions.h"
#include "used_hops.h"

typedef struct sc_paths_owner {
  void *user;
  /* A path was added or changed. */
  void (*changed)(void *user);
} sc_paths_owner;

enum {
  sc_paths_most = 64,          /* active paths of a local account; the least recently used is dropped, so
                                  that one account's paths leave no trace in what another does */
  sc_paths_most_of_all = 4096, /* of all accounts; likewise */
  sc_paths_most_of_key = 4,    /* paths of one key and category, for requests that may share */
  sc_paths_most_replies = 64,  /* remembered replies; the oldest is dropped */
};

/* A destination replied over a path. */
typedef struct sc_path_reply {
  uint8_t destination[SC_KEY_BYTES];
  uint64_t path; /* 0: none */
  uint64_t at;
} sc_path_reply;

typedef struct sc_paths {
  const sc_env *env;
  const sc_network_options *options;
  const sc_moment *moment;
  sc_nodes *nodes;
  sc_guards *guards;
  sc_paths_owner owner;
  sc_timers timers;
  sc_path *first; /* the newest */
  uint64_t last_id;
  bool some_gone;
  bool suspended;
  sc_suspicions suspicions;
  sc_avoided avoided;
  sc_recent_hops recent;
  sc_path_reply replies[sc_paths_most_replies];
  size_t next_reply;
  sc_hop_keys keys;
  uint64_t built;
  uint64_t retired;
} sc_paths;

void sc_paths_init(sc_paths *paths, const sc_env *env, const sc_network_options *options,
                   const sc_moment *moment, sc_nodes *nodes, sc_guards *guards, const sc_paths_owner *owner);

/* No request may be in flight. */
void sc_paths_free(sc_paths *paths);

/* Returns when to call sc_paths_advance; 0 for immediately. */
uint64_t sc_paths_deadline(const sc_paths *paths);
void sc_paths_advance(sc_paths *paths);

/* Drops all paths; those with requests in flight drain. */
void sc_paths_suspend(sc_paths *paths);
void sc_paths_resume(sc_paths *paths);

/* ---- choosing (choose.c) ---- */

typedef enum sc_path_choice {
  SC_PATH_FOUND,
  SC_PATH_WAIT,      /* no guard is connected */
  SC_PATH_CONFLICT,  /* the destination is the only connected guard */
  SC_PATH_NO_NODES,  /* too few nodes */
  SC_PATH_NO_MEMORY, /* out of memory */
} sc_path_choice;

/* The requirements of a request. */
typedef struct sc_path_wish {
  sc_path_key key;
  sc_network_category category;
  const uint8_t *destination; /* the key of a node that must not be a hop; NULL for a server */
  const sc_used_hops *used;   /* hops of other attempts; NULL for none */
  size_t attempts;            /* attempts made or in flight */
  bool alone;                 /* no other request may be in flight over the path */
} sc_path_wish;

/* Chooses the path for a request: an existing one of its key, or a new one. */
sc_path_choice sc_paths_choose(sc_path **out, sc_paths *paths, const sc_path_wish *wish);

/* True if the node is on, or near the ends of, a path of this key and category. */
bool sc_paths_are_near(const sc_paths *paths, const sc_path_key *key, sc_network_category category,
                       const sc_node *node);

/* Fills in up to `count` nodes that can be called over the path, and returns their number. It is the guard if
 * that is the only node. */
size_t sc_paths_targets(const sc_node **out, sc_paths *paths, size_t count, const sc_path *path);

/* Record the start and the end of a request over the path. */
void sc_paths_begin(sc_path *path);
void sc_paths_end(sc_path *path);

/* Counts the active paths of this category. */
size_t sc_paths_active(const sc_paths *paths, sc_network_category category);

/* True if a path begins with this node, and was used within five minutes. */
bool sc_paths_use_guard(const sc_paths *paths, const sc_node *node);

/* ---- making (make.c, draw.c) ---- */

/* Makes a path that meets the requirements. */
sc_path_choice sc_paths_make(sc_path **out, sc_paths *paths, const sc_path_wish *wish);

/* True if the pool has so few nodes that a path may be short, and its hops near each other. */
bool sc_paths_are_lenient(const sc_paths *paths);

/* True if the path consists only of its guard, which is the destination. */
bool sc_path_is_alone(const sc_path *path, const uint8_t *destination);

/* How far a node must be apart from other paths of this client. */
typedef enum sc_path_apartness {
  SC_APART_FROM_ALL,    /* it is not, and recently was not, the last hop of any */
  SC_APART_FROM_OTHERS, /* not of any path of another local account */
  SC_APART_FROM_NONE,
} sc_path_apartness;

/* A node to be drawn. */
typedef struct sc_hop_draw {
  const sc_path *path;          /* it is not a node of this path, nor near one */
  const sc_used_hops *used;     /* NULL, or hops to avoid if there are others */
  const uint8_t *destination;   /* NULL, or a node that it must not be, nor be near if possible */
  const sc_node *const *others; /* other excluded nodes */
  size_t other_count;
  sc_path_apartness least_apart; /* required even if nodes are scarce */
  sc_path_apartness most_apart;  /* preferred */
} sc_hop_draw;

/* Draws a hop after the guard, uniformly from the best candidates. NULL if there is none. */
const sc_node *sc_paths_draw(const sc_paths *paths, const sc_hop_draw *draw);

/* ---- what happens ---- */

/* Handles a closed connection to a guard. */
void sc_paths_lost(sc_paths *paths, const sc_node *node);

/* Reviews the paths after nodes changed their roles, so that no node has two roles on paths used from now on.
 */
void sc_paths_review(sc_paths *paths);

/* ---- failing (judge.c) ---- */

/* The route of a request: over these hops of a path to the owner of the key `destination`. */
typedef struct sc_route {
  const sc_onion_node *hops;
  size_t hop_count;
  const uint8_t *destination;
  bool is_to_node; /* otherwise to a server */
} sc_route;

/* Records that an authenticated reply came over `path`. */
void sc_paths_worked(sc_paths *paths, sc_path *path, const sc_route *way);

/* Records that a request over `path` failed, and that any of its nodes or the destination may be at fault. */
void sc_paths_failed(sc_paths *paths, sc_path *path, const sc_route *way);

/* Records that a node sent an invalid reply. */
void sc_paths_suspect(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES]);

/* Records that no guard is connected, or the network is down, so that failures since the last packet prove
 * nothing. */
void sc_paths_note_down(sc_paths *paths);

/* Does not use a node for some time, unless it is a guard. Paths over it take no more requests. */
void sc_paths_set_aside(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES]);

/* ---- between these files ---- */

/* Adds an inactive path without nodes. NULL without memory. */
sc_path *sc_paths_add(sc_paths *paths, const sc_path_wish *wish);

/* Activates a path that has all its nodes. */
void sc_path_activate(sc_path *path);

/* Takes no more requests. */
void sc_path_retire(sc_path *path);

/* Drops the path in any state. */
void sc_path_drop(sc_path *path);

#endif
