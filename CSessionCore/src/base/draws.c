#include "draws.h"

#include <assert.h>

void sc_draws_init(sc_draws *draws, const sc_env *env, size_t expected) {
  draws->env = env;
  draws->left = 0;
  draws->batch = expected == 0 ? 1 : expected < sc_draws_most ? expected : sc_draws_most;
}

static uint32_t next_word(sc_draws *draws) {
  if (draws->left == 0) {
    sc_random(draws->env, (uint8_t *)draws->words, draws->batch * sizeof draws->words[0]);
    draws->left = draws->batch;
  }
  return draws->words[--draws->left];
}

/* The upper half of word × bound is a number below the bound; it is uniform once the words that would make
 * some numbers more frequent, 2^32 modulo bound of them, are passed over. */
uint32_t sc_draws_below(sc_draws *draws, uint32_t bound) {
  assert(bound > 0);
  uint32_t uneven = (0 - bound) % bound;
  uint64_t product;
  do
    product = (uint64_t)next_word(draws) * bound;
  while ((uint32_t)product < uneven);
  return (uint32_t)(product >> 32);
}
