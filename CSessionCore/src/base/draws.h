/* Random numbers below a bound, many of them from few calls of the environment. Not for secrets: nothing is
 * wiped. */
#ifndef SC_SRC_BASE_DRAWS_H
#define SC_SRC_BASE_DRAWS_H

#include <stddef.h>
#include <stdint.h>

#include "session-core/base/env.h"

enum { sc_draws_most = 256 };

typedef struct sc_draws {
  const sc_env *env;
  uint32_t words[sc_draws_most];
  size_t left;  /* words not used yet */
  size_t batch; /* words of the next call */
} sc_draws;

/* Expects `expected` draws, and fetches random bytes for as many at once as fit. */
void sc_draws_init(sc_draws *draws, const sc_env *env, size_t expected);

/* Each number below `bound`, which is not 0, is as likely as any other. */
uint32_t sc_draws_below(sc_draws *draws, uint32_t bound);

#endif
