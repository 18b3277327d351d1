/* The command line of sc-sim. */
#ifndef SC_SIM_OPTIONS_H
#define SC_SIM_OPTIONS_H

#include "plan.h"
#include "policy.h"

typedef struct options {
  plan plan; /* but for its seed and faults, which follow from … */
  uint64_t first_seed;
  uint64_t last_seed;
  plan_level level; /* … these */
  uint32_t hostile; /* of 1000 nodes; 0: by the seed */
  bool asks_for_help;
  bool self_test;
  bool policy; /* the policy alone */
  policy_plan policy_plan;
} options;

/* False for what cannot be understood; `*wrong` is the word. */
bool options_parse(options *out, const char **wrong, int argc, char **argv);

extern const char options_help[];

#endif
