/* Which paths worked, for each guard and middle. If most middles fail over one guard and work over another,
 * the guard drops requests. If one middle fails over several guards, the middle does.
 *
 * A failure counts from the next authenticated reply on. Without one the network may be down, and no node is
 * at fault. Everything here is forgotten when the program ends. */
#ifndef SC_SRC_NETWORK_GUARDS_OUTCOMES_H
#define SC_SRC_NETWORK_GUARDS_OUTCOMES_H

#include "sample.h"

enum {
  sc_outcomes_window = 8,  /* outcomes that are compared, each of a path with another last hop … */
  sc_outcomes_many = 6,    /* … of which so many are most of them … */
  sc_outcomes_few = 2,     /* … and so many are hardly any */
  sc_outcomes_pairs = 64,  /* of a guard and a middle; the one that was not used for longest goes */
  sc_outcomes_waiting = 32 /* for a reply; the oldest goes */
};

/* A path of three hops. */
typedef struct sc_outcome_path {
  uint8_t guard[SC_KEY_BYTES];
  uint8_t middle[SC_KEY_BYTES];
  uint8_t last[SC_KEY_BYTES];
} sc_outcome_path;

typedef struct sc_outcome {
  uint64_t last; /* the beginning of the key of the last hop */
  uint64_t at;
  bool worked;
} sc_outcome;

typedef struct sc_outcome_pair {
  uint8_t guard[SC_KEY_BYTES];
  uint8_t middle[SC_KEY_BYTES];
  sc_outcome list[sc_outcomes_window]; /* the newest first */
  size_t count;
} sc_outcome_pair;

/* A middle that failed, and how long it is not used. */
typedef struct sc_outcome_middle {
  uint8_t key[SC_KEY_BYTES];
  uint8_t guard[SC_KEY_BYTES]; /* of the last failure */
  size_t failures;             /* in a row, each over another guard than the one before */
  uint64_t pause;
  uint64_t rests_until;
} sc_outcome_middle;

/* Zeroed, there are none. */
typedef struct sc_outcomes {
  sc_outcome_pair pairs[sc_outcomes_pairs];
  size_t count;
  sc_outcome_middle middles[sc_sample_most_middles];
  size_t middle_count;
  struct {
    sc_outcome_path path;
    uint64_t at;
  } waiting[sc_outcomes_waiting];
  size_t waiting_count;
} sc_outcomes;

/* A path worked: failures that wait count from now on. */
void sc_outcomes_worked(sc_outcomes *outcomes, const sc_outcome_path *path, uint64_t now);

/* A path failed. */
void sc_outcomes_failed(sc_outcomes *outcomes, const sc_outcome_path *path, uint64_t now);

/* Drops the failures that wait: the network was down. */
void sc_outcomes_undo(sc_outcomes *outcomes);

/* True if most middles fail over the guard and work over another one. `wanted` is how many middles there
 * should be, and all of a few must say so. */
bool sc_outcomes_blame_guard(const sc_outcomes *outcomes, const uint8_t guard[static SC_KEY_BYTES],
                             const sc_sample *sample, size_t wanted, uint64_t now);

/* True if the middle fails over two guards over which another middle works. */
bool sc_outcomes_blame_middle(const sc_outcomes *outcomes, const uint8_t middle[static SC_KEY_BYTES],
                              const sc_sample *sample, uint64_t now);

/* Until when a middle is not used, after two failures in a row over different guards; 0 if it may be. */
uint64_t sc_outcomes_rests_until(const sc_outcomes *outcomes, const uint8_t middle[static SC_KEY_BYTES]);

/* Forgets the outcomes of a node that is no guard or middle any more, or is one for another time. */
void sc_outcomes_forget(sc_outcomes *outcomes, const uint8_t key[static SC_KEY_BYTES]);

#endif
