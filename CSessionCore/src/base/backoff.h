/* Exponential backoff between attempts. */
#ifndef SC_SRC_BASE_BACKOFF_H
#define SC_SRC_BASE_BACKOFF_H

#include <stdint.h>

/* Returns the delay after this many failures: `first`, doubled with each further failure, at most `most`. */
static inline uint64_t sc_backoff(uint32_t failures, uint64_t first, uint64_t most) {
  uint64_t delay = first;
  while (failures-- > 1 && delay < most)
    delay = delay > most / 2 ? most : delay * 2;
  return delay < most ? delay : most;
}

#endif
