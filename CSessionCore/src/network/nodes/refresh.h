/* Refreshing the pool: when to fetch the list of nodes, from which nodes, and which lists to believe.
 *
 * A refresh runs in rounds. A round calls one seed, which is trusted, or several nodes, which must agree; the
 * result replaces the pool or changes nothing. Nodes are called over paths only: called directly, they would
 * learn this client's address. So without a path a round waits for one, and only after some time, at most
 * once an hour, a seed is called directly. Without a pool there is no other way.
 *
 * A list of nodes that changes too much is accepted only if six of eight agree; otherwise a seed decides.
 *
 * After a failed round another follows with exponential backoff, of the other kind if possible. One round
 * runs at a time; callers that want another wait until it ends.
 *
 * These are the parts of sc_nodes that do it; see nodes.h for how it is driven. */
#ifndef SC_SRC_NETWORK_NODES_REFRESH_H
#define SC_SRC_NETWORK_NODES_REFRESH_H

#include "change.h"
#include "round.h"
#include "waiter.h"

typedef enum sc_refresh_want {
  SC_REFRESH_NEEDLESS, /* the pool is good, or the best available: continue; the waiter is not called */
  SC_REFRESH_WAIT,     /* a refresh is running; the waiter will be called */
  SC_REFRESH_REFUSED,  /* no refresh: suspended, or too soon after the last; the waiter is not called */
} sc_refresh_want;

typedef enum sc_refresh_phase {
  SC_REFRESH_IDLE,
  SC_REFRESH_POSTPONED,   /* until the pool is old enough */
  SC_REFRESH_AWAITS_PATH, /* or the time to call a seed */
  SC_REFRESH_CALLING,
  SC_REFRESH_BACKING_OFF, /* after a failed round */
} sc_refresh_phase;

/* How often a recurring reason counts. */
typedef struct sc_refresh_reason {
  bool counted; /* true if it has counted, at … */
  uint64_t at;
  uint64_t interval; /* until it counts again */
} sc_refresh_reason;

typedef struct sc_refresh {
  sc_refresh_phase phase;
  uint64_t due; /* when to continue, if POSTPONED, BACKING_OFF or AWAITS_PATH */
  bool suspended;
  bool evidence;     /* a node contradicted the pool */
  bool seeds_next;   /* the last round called nodes, without success */
  bool disputed;     /* nodes' lists change too much: a seed decides, without the usual interval … */
  bool was_disputed; /* … but not again before the refresh has ended */
  bool called_seed;  /* true if a seed was called while there was a pool, at … */
  uint64_t seed_at;
  unsigned failures; /* rounds since the last success */
  sc_round round;
  sc_refresh_waiter *waiters;
  bool refreshed;          /* true if refreshed since the program started */
  bool by_seed;            /* true if the pool is a seed's list */
  uint64_t refreshed_at;   /* `now` of it */
  uint64_t refreshed_wall; /* age of the pool, even if from an earlier run; 0 if unknown */
  sc_day_changes changes;  /* by nodes' lists, on the last day with changes */
  sc_refresh_reason evidence_reason;
  uint8_t evidence_of[SC_KEY_BYTES]; /* the account that caused the last such refresh; zeros for none */
  bool others_want;                  /* another account wanted one since then */
  sc_refresh_reason short_reason;    /* a pool that stays short after every refresh */
} sc_refresh;

#endif
