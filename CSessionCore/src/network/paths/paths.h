/* The paths of a network: made for the first request of their key, used for ten minutes, judged and ended.
 *
 * A path costs nothing on the wire: hops keep no state, and the connection to a guard is shared. So each
 * local account has paths of its own for each target, and no path is tried before the first request takes it.
 *
 * Belongs to one network. A path that a request is on its way through stays where it is until sc_paths_end.
 */
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
  /* There is a path that was not there, or is not as it was. */
  void (*changed)(void *user);
} sc_paths_owner;

enum {
  sc_paths_most = 64, /* active ones of a local account; the one that was not used for longest goes, so
                         that one account's paths leave no trace in what another does */
  sc_paths_most_of_all = 4096, /* likewise */
  sc_paths_most_of_key = 4,    /* of one key and category, for requests that may share one */
  sc_paths_most_answers = 64,  /* remembered; the oldest goes */
};

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
  sc_path *first; /* the newest */
  uint64_t last_id;
  bool some_gone;
  bool suspended;
  sc_suspicions suspicions;
  sc_avoided avoided;
  sc_recent_hops recent;
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
  SC_PATH_WAIT,      /* no guard is connected */
  SC_PATH_CONFLICT,  /* the destination is the only guard that is connected */
  SC_PATH_NO_NODES,  /* there are not enough nodes */
  SC_PATH_NO_MEMORY, /* nothing can be made now */
} sc_path_choice;

/* The requirements of a request. */
typedef struct sc_path_wish {
  sc_path_key key;
  sc_network_category category;
  const uint8_t *destination; /* the key of a node that must not be on the path; NULL for a server */
  const sc_used_hops *used;   /* by other attempts; NULL for none */
  size_t attempts;            /* that were made or are on their way */
  bool alone;                 /* no other request is on its way over the path */
} sc_path_wish;

/* The path a request should take: one of its key, or a new one. */
sc_path_choice sc_paths_choose(sc_path **out, sc_paths *paths, const sc_path_wish *wish);

/* True if the node is on, or near the ends of, a path of this key and category. */
bool sc_paths_are_near(const sc_paths *paths, const sc_path_key *key, sc_network_category category,
                       const sc_node *node);

/* Fills in up to `count` nodes that can be called over the path: the guard if it is the only node. Returns
 * their number. */
size_t sc_paths_targets(const sc_node **out, sc_paths *paths, size_t count, const sc_path *path);

/* A request takes the path, and has come to its end. */
void sc_paths_begin(sc_path *path);
void sc_paths_end(sc_path *path);

/* Active paths of this category. */
size_t sc_paths_active(const sc_paths *paths, sc_network_category category);

/* True if a path begins with this node, and was used within five minutes. */
bool sc_paths_use_guard(const sc_paths *paths, const sc_node *node);

/* ---- making (make.c, draw.c) ---- */

/* Makes a path for the wish. */
sc_path_choice sc_paths_make(sc_path **out, sc_paths *paths, const sc_path_wish *wish);

/* True if the pool has so few nodes that a path may be short, and its hops near each other. */
bool sc_paths_are_lenient(const sc_paths *paths);

/* True if this path leads no further than its guard, which is the destination. */
bool sc_path_is_alone(const sc_path *path, const uint8_t *destination);

/* How far a node must be apart from other paths of this client. */
typedef enum sc_path_apartness {
  SC_APART_FROM_ALL,    /* it is, and lately was, the last hop of none */
  SC_APART_FROM_OTHERS, /* of none of another local account */
  SC_APART_FROM_NONE,
} sc_path_apartness;

/* A node to be drawn. */
typedef struct sc_hop_draw {
  const sc_path *path;          /* whose nodes it is not, and not near */
  const sc_used_hops *used;     /* NULL, or hops that it is not if there are others */
  const uint8_t *destination;   /* NULL, or a node that it is not, and not near if possible */
  const sc_node *const *others; /* nodes that it is not */
  size_t other_count;
  sc_path_apartness least_apart; /* required even when nodes are short */
  sc_path_apartness most_apart;  /* preferred */
} sc_hop_draw;

/* Draws a node behind the guard, each that is as good as any other with the same chance. NULL if there is
 * none. */
const sc_node *sc_paths_draw(const sc_paths *paths, const sc_hop_draw *draw);

/* ---- what happens ---- */

/* The connection to a guard is closed. */
void sc_paths_lost(sc_paths *paths, const sc_node *node);

/* Nodes may have other roles than before: no node has two on the paths that are used from now on. */
void sc_paths_review(sc_paths *paths);

/* ---- failing (judge.c) ---- */

/* The route of a request: over these hops of a path to the owner of the key `asked`. */
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

/* No guard is connected, or the network is down: nothing that failed since the last packet says anything. */
void sc_paths_note_down(sc_paths *paths);

/* Leaves a node alone for some time, unless it is a guard. Paths over it take no more requests. */
void sc_paths_set_aside(sc_paths *paths, const uint8_t key[static SC_KEY_BYTES]);

/* ---- between these files ---- */

/* Adds a path without nodes, which is not active yet. NULL without memory. */
sc_path *sc_paths_add(sc_paths *paths, const sc_path_wish *wish);

/* It has its nodes: requests may take it. */
void sc_path_activate(sc_path *path);

/* Takes no more requests. */
void sc_path_retire(sc_path *path);

/* It is dropped, whatever state it is in. */
void sc_path_drop(sc_path *path);

#endif
