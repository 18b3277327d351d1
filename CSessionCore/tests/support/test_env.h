/* An environment for tests: seeded random bytes, counted allocations, and one that fails on request. */
#ifndef SC_TESTS_TEST_ENV_H
#define SC_TESTS_TEST_ENV_H

#include <stdbool.h>

#include "session-core/base/bytes.h"
#include "session-core/base/env.h"

typedef struct sc_test_env {
  sc_env env;         /* give this to the core; it points back here, so do not move the struct */
  size_t allocations; /* requested so far */
  size_t live;        /* not freed yet */
  size_t fail_at;     /* the allocation to refuse, counted from 1; 0 refuses none */
  bool refused;       /* it was requested */
  uint64_t random_calls;
  uint8_t random_seed[32];
  sc_bytes script;        /* random bytes to return first, before the seeded ones */
  size_t script_shortage; /* bytes requested after the script ended */
  size_t log_lines;
  struct sc_test_sites *sites; /* records where each allocation is requested; NULL records nothing */
} sc_test_env;

void sc_test_env_init(sc_test_env *out, uint64_t seed);

/* The next random bytes are exactly these. `script` must outlive their use. */
void sc_test_env_script(sc_test_env *env, sc_bytes script);

#endif
