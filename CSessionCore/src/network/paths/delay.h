/* How long to wait before trying again. */
#ifndef SC_SRC_NETWORK_PATHS_DELAY_H
#define SC_SRC_NETWORK_PATHS_DELAY_H

#include <stdint.h>

/* `base` after the first failure, twice as long after each further one, never more than `most`. */
static inline uint64_t sc_delay_after(uint32_t failures, uint64_t base, uint64_t most) {
  uint64_t delay = base;
  while (failures-- > 1 && delay < most)
    delay = delay > most / 2 ? most : delay * 2;
  return delay < most ? delay : most;
}

#endif
