/* Counters that one thread increments and any thread reads. */
#ifndef SC_RUNTIME_TALLY_H
#define SC_RUNTIME_TALLY_H

#include <stdatomic.h>

#include "session-core/runtime/counts.h"

typedef struct sc_tally {
#define SC_TALLY_FIELD(name) _Atomic uint64_t name;
  SC_RUNTIME_COUNT_MAP(SC_TALLY_FIELD)
#undef SC_TALLY_FIELD
} sc_tally;

/* Adds to a counter. Only the runtime's thread calls it, so no atomic read-modify-write is needed. */
static inline void sc_tally_add(_Atomic uint64_t *counter, uint64_t n) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

static inline void sc_tally_read(sc_runtime_counts *out, const sc_tally *tally) {
#define SC_TALLY_READ(name) out->name = atomic_load_explicit(&tally->name, memory_order_relaxed);
  SC_RUNTIME_COUNT_MAP(SC_TALLY_READ)
#undef SC_TALLY_READ
}

#endif
