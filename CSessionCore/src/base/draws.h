/* Random numbers below a bound, drawn in batches to save calls of the environment. Not for secrets: nothing
 * is wiped. */
#ifndef SC_SRC_BASE_DRAWS_H
#define SC_SRC_BASE_DRAWS_H

#include <stddef.h>
#include <stdint.h>

#include "session-core/base/env.h"

enum { sc_draws_most = 256 };

typedef struct sc_draws {
  const sc_env *env;
  uint32_t words[sc_draws_most];
  size_t left;  /* unused words */
  size_t batch; /* words in the next batch */
} sc_draws;

/* Prepares for `expected` draws: random bytes are fetched in batches of up to this many. */
void sc_draws_init(sc_draws *draws, const sc_env *env, size_t expected);

/* Returns a uniformly distributed number below `bound`, which must not be 0. */
uint32_t sc_draws_below(sc_draws *draws, uint32_t bound);

#endif
