/* Memory of the simulator itself: an allocation succeeds or ends the program. Clients' allocations are
 * counted apart, through their own environments. */
#ifndef SC_SIM_MEMORY_H
#define SC_SIM_MEMORY_H

#include <stddef.h>

#include "session-core/base/env.h"
#include "support/draws.h"

/* Zeroed. */
void *memory_new(size_t count, size_t each);

/* Makes room for one more item behind `count`; the items of `list` may move. */
void *memory_grow(void *list, size_t count, size_t *capacity, size_t each);

/* An environment with the simulator's memory, whose randomness comes from `from`, which stays where it is. */
sc_env memory_env(draws *from);

#endif
