/* Records which paths worked, for each guard and middle. If most middles fail over one guard and work over
 * another, the guard drops requests. If one middle fails over several guards, the middle does.
 *
 * A failure counts from the next authenticated reply on. Without one the network may be down, and no node is
 * at fault. Everything here is forgotten when the program ends. */
#ifndef SC_SRC_NETWORK_GUARDS_OUTCOMES_H
#define SC_SRC_NETWORK_GUARDS_OUTCOMES_H

#include "sample.h"

enum {
  sc_outcomes_window = 8,  /* outcomes that are compared, each with a different last hop … */
  sc_outcomes_many = 6,    /* … of which this many count as most … */
  sc_outcomes_few = 2,     /* … and this many as hardly any */
  sc_outcomes_pairs = 64,  /* pairs of a guard and a middle; the least recently used is dropped */
  sc_outcomes_waiting = 32 /* failures that wait for a reply; the oldest is dropped */
};

/* A path of three hops. */
typedef struct sc_outcome_path {
  uint8_t guard[SC_KEY_BYTES];
  uint8_t middle[SC_KEY_BYTES];
  uint8_t last[SC_KEY_BYTES];
} sc_outcome_path;

typedef struct sc_outcome {
  uint64_t last; /* first bytes of the last hop's key */
  uint64_t at;
  bool worked;
} sc_outcome;

typedef struct sc_outcome_pair {
  uint8_t guard[SC_KEY_BYTES];
  uint8_t middle[SC_KEY_BYTES];
  sc_outcome list[sc_outcomes_window]; /* the newest first */
  size_t count;
} sc_outcome_pair;

/* A middle that failed, and how long it is skipped. */
typedef struct sc_outcome_middle {
  uint8_t key[SC_KEY_BYTES];
  uint8_t guard[SC_KEY_BYTES]; /* guard of the last failure */
  size_t failures;             /* consecutive, each over another guard than the previous one */
  uint64_t skipped_for;
  uint64_t skipped_until;
} sc_outcome_middle;

/* Empty if zeroed. */
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

/* Records that a path worked: waiting failures count from now on. */
void sc_outcomes_worked(sc_outcomes *outcomes, const sc_outcome_path *path, uint64_t now);

/* Records that a path failed. */
void sc_outcomes_failed(sc_outcomes *outcomes, const sc_outcome_path *path, uint64_t now);

/* Drops the waiting failures, because the network was down. */
void sc_outcomes_undo(sc_outcomes *outcomes);

/* True if most middles fail over the guard and work over another one. `wanted` is the intended number of
 * middles; if there are few, all of them must agree. */
bool sc_outcomes_blame_guard(const sc_outcomes *outcomes, const uint8_t guard[static SC_KEY_BYTES],
                             const sc_sample *sample, size_t wanted, uint64_t now);

/* True if the middle fails over two guards over which another middle works. */
bool sc_outcomes_blame_middle(const sc_outcomes *outcomes, const uint8_t middle[static SC_KEY_BYTES],
                              const sc_sample *sample, uint64_t now);

/* Returns until when a middle is skipped, after two consecutive failures over different guards; 0 if it may
 * be used. */
uint64_t sc_outcomes_skipped_until(const sc_outcomes *outcomes, const uint8_t middle[static SC_KEY_BYTES]);

/* Forgets the outcomes of a node that is no longer a guard or middle, or became one again. */
void sc_outcomes_forget(sc_outcomes *outcomes, const uint8_t key[static SC_KEY_BYTES]);

#endif
