/* One world from beginning to end: clients start, live through the weather, and are checked once more after
 * it has cleared. */
#ifndef SC_SIM_RUN_H
#define SC_SIM_RUN_H

#include "oracle.h"
#include "report.h"
#include "world.h"

typedef struct run_result {
  bool broken;
  char what[200];
  uint64_t digest; /* of all that happened */
} run_result;

/* Adds to `r`. When a rule was broken, the last events are printed to `trace_to`, unless that is NULL. */
void run_world(run_result *out, report *r, const plan *p, FILE *trace_to);

#endif
