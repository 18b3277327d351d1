/* The guards of a network: which are connected, which carry requests, and when one is tried again.
 *
 * Every kind of connection failure counts as silence, because anyone on the line can cause each of them. A
 * silent guard is tried again later and keeps its place. Guards after the first three are tried only after
 * minutes or hours without any of those.
 *
 * Belongs to one network. The transport is called only inside sc_guards_advance. */
#ifndef SC_SRC_NETWORK_GUARDS_GUARDS_H
#define SC_SRC_NETWORK_GUARDS_GUARDS_H

#include "../moment.h"
#include "../nodes/nodes.h"
#include "../nodes/old_guards.h"
#include "../transport.h"
#include "journal.h"
#include "outcomes.h"
#include "session-core/network/client.h"

typedef enum sc_guard_state {
  SC_GUARD_IDLE,
  SC_GUARD_CONNECTING,
  SC_GUARD_OPEN,
} sc_guard_state;

/* The connection to a guard of the sample, or to a former guard that is still in use. */
typedef struct sc_guard_line {
  sc_node node; /* its record when the connection was made */
  sc_guard_state state;
  uint64_t since;       /* start of this state */
  uint64_t next_at;     /* time of the next attempt; SC_NEVER: not before another list arrives */
  uint64_t replied_at;  /* when a destination last replied over it; 0: not yet */
  uint64_t used_at;     /* when a request last left over it; 0: never */
  uint64_t tried_at;    /* when it was first tried since a packet of any node last came; 0: never */
  uint64_t retry_delay; /* the last delay between two attempts; 0: none failed since it was connected */
  uint32_t failures;    /* in a row */
  bool is_parked; /* its connection was closed because nothing used it; it is made again when one is wanted */
} sc_guard_line;

enum {
  sc_guards_most_lines = 2 * sc_sample_most,
  sc_guards_most_replaced = 4, /* middles replaced per day because of failures */
};

typedef struct sc_guards_owner {
  void *user;
  /* The guards in use may have changed. */
  void (*changed)(void *user);
  /* The sample changed and must be saved. */
  void (*save)(void *user);
  /* No permitted guard could be reached, repeatedly. */
  void (*unreachable)(void *user);
  /* True if requests are in flight over the guard. */
  bool (*is_busy)(void *user, const sc_node *guard);
} sc_guards_owner;

typedef struct sc_guards {
  const sc_env *env;
  const sc_network_options *options;
  const sc_moment *moment;
  sc_nodes *nodes;
  sc_transport transport;
  sc_guards_owner owner;
  sc_sample sample;
  sc_sample base;          /* the sample when it last equalled the file */
  bool was_reset;          /* true if it was reset since then, so that the file is ignored */
  sc_old_guards inherited; /* guards from before there was a sample */
  sc_guard_line lines[sc_guards_most_lines];
  size_t line_count;
  bool suspended;
  bool has_link;         /* this machine has one, as far as the host knows */
  uint64_t hurried_at;   /* when the host last had the primary guards tried at once; SC_NEVER: not yet */
  uint64_t silent_since; /* no packet comes, though guards are tried; SC_NEVER: packets come */
  bool started;          /* a request waited for a guard since resuming */
  bool wanted;           /* a request waits for a guard now */
  bool is_proved;        /* the last list is from a seed */
  bool had_pool;         /* the pool is from an earlier run, so there should have been a sample */
  uint64_t due_at;       /* when sc_guards_advance has work */
  uint64_t day_ends_at;  /* when the calendar must be checked */
  uint64_t walk_since;   /* since when requests wait without a primary guard; SC_NEVER: they do not */
  uint64_t walked;       /* earlier time of this kind, in nanoseconds */
  uint64_t hold_until;   /* until then only primary guards are tried */
  uint64_t grown_at;     /* when the sample last grew; SC_NEVER: not in this run */
  sc_outcomes outcomes;  /* of paths over guards and middles */
  uint64_t
      replaced_at[sc_guards_most_replaced]; /* when middles were replaced because they failed, newest first */
  size_t replaced_count;
  sc_journal journal;
} sc_guards;

void sc_guards_init(sc_guards *guards, const sc_env *env, const sc_network_options *options,
                    const sc_moment *moment, sc_nodes *nodes, sc_transport transport,
                    const sc_guards_owner *owner);

/* Returns when to call sc_guards_advance; 0 for immediately. */
uint64_t sc_guards_deadline(const sc_guards *guards);

/* A guard may carry fewer paths than before. */
void sc_guards_look_again(sc_guards *guards);

/* Connects the guards that are due, and closes connections that are no longer needed. */
void sc_guards_advance(sc_guards *guards);

void sc_guards_suspend(sc_guards *guards);

/* Resumes; the primary guards are tried at once. */
void sc_guards_resume(sc_guards *guards);

/* Takes a report of the host on this machine's link: it is another one, or there is none. */
void sc_guards_note_link(sc_guards *guards, bool has_link);

/* Reports if a request waits for a guard. The first time, the sample is drawn. */
void sc_guards_want(sc_guards *guards, bool wanted);

/* ---- which ---- */

/* Fills in the guards that new paths may begin with, the best first, and returns their number: none while the
 * network is down. */
size_t sc_guards_in_use(sc_node out[static sc_sample_in_use], sc_guards *guards);

/* True if there is a guard that could be connected eventually. */
bool sc_guards_any(const sc_guards *guards);

enum { sc_guards_most_reserved = sc_sample_most + sc_sample_most_middles };

/* Fills in the guards and middles, which must not have another role, and returns their number: none in a
 * small network. */
size_t sc_guards_reserved(sc_node out[static sc_guards_most_reserved], const sc_guards *guards);

/* Fills in the middles from which second hops are taken, and returns their number: none in a small network.
 * Middles that failed recently are left out, unless all did. */
size_t sc_guards_middles(sc_node out[static sc_sample_most_middles], const sc_guards *guards);
bool sc_guards_has_middle(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);
bool sc_guards_has(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);
bool sc_guards_is_reserved(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);

/* ---- what happens ---- */

/* A request leaves over the guard. */
void sc_guards_note_request(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);

void sc_guards_opened(sc_guards *guards, const sc_node *node);
void sc_guards_lost(sc_guards *guards, const sc_node *node, sc_status reason);

/* Records a destination's reply over this guard. */
void sc_guards_confirm(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);

/* Returns when a destination last replied over this guard; 0 if none did. */
uint64_t sc_guards_replied_at(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);

/* Record that a path worked or failed, or that the network was down, so that recent failures prove nothing
 * (setback.c). */
void sc_guards_path_worked(sc_guards *guards, const sc_outcome_path *path);
void sc_guards_path_failed(sc_guards *guards, const sc_outcome_path *path);
void sc_guards_note_down(sc_guards *guards);

/* Takes note of a new list of nodes; `by_seed` if it came from a seed. */
void sc_guards_take_list(sc_guards *guards, bool by_seed);

/* Draws a new sample on request of a person; other processes adopt it. SC_ERR_NETWORK_NO_NODES without a list
 * of nodes. */
SC_NODISCARD sc_status sc_guards_reset(sc_guards *guards);

/* ---- the file ---- */

/* Adopts the sample of a file, or merges it with the current one. SC_ERR_NODE_FILE, SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_guards_load(sc_guards *guards, sc_bytes file);

/* Replaces `out` with the file, which counts as written. */
SC_NODISCARD sc_status sc_guards_save(sc_buffer *out, sc_guards *guards);

/* Replaces `out` with the file of older programs: the guards in use. */
SC_NODISCARD sc_status sc_guards_save_edges(sc_buffer *out, sc_guards *guards);

/* ---- the network as a whole (down.c) ---- */

/* The network is down when there is no link, or when no packet of any node came for twenty seconds though the
 * first two guards were tried. Then nothing that fails says anything about a node. */
bool sc_guards_is_down(const sc_guards *guards);

/* When the last packet came; what failed since then says nothing if the network is down. */
uint64_t sc_guards_heard_at(const sc_guards *guards);

/* ---- inspection ---- */

/* When the next guard that is no primary one may be tried; SC_NEVER while a primary one is connected or
 * nothing is wanted. */
uint64_t sc_guards_next_step(const sc_guards *guards);

/* Fills in up to `capacity` guards in order of use, unlisted ones last, and returns their number. */
size_t sc_guards_list(sc_network_guard *out, size_t capacity, sc_guards *guards);

/* ---- between these files ---- */

/* Fills in the guards that may be tried now, in order, and returns their number. */
size_t sc_guards_permitted(sc_guard_line *out[static sc_sample_most], sc_guards *guards);

/* Makes a line for each guard of the sample. */
void sc_guards_make_lines(sc_guards *guards);
sc_guard_line *sc_guards_line(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);

/* Returns how long requests have waited without a primary guard, in nanoseconds. */
uint64_t sc_guards_walked(const sc_guards *guards);

/* Records that the guard is tried. */
void sc_guards_note_tried(sc_guards *guards, sc_guard_line *line);

/* Checks whether the network is down, and returns when to check again. */
void sc_guards_watch(sc_guards *guards);
uint64_t sc_guards_watch_at(sc_guards *guards);

/* Tries the primary guards at once, but not more often than every ten seconds. */
void sc_guards_hurry(sc_guards *guards);

/* Updates the sample after a change of the list of nodes or the calendar. */
void sc_guards_review(sc_guards *guards);

/* Replaces a middle over which paths failed. */
void sc_guards_replace_middle(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]);

#endif
