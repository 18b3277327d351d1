/* A heap of timers that are members of other objects. */
#ifndef SC_SRC_NETWORK_TIMERS_H
#define SC_SRC_NETWORK_TIMERS_H

#include "session-core/base/bytes.h"

typedef struct sc_timer {
  uint32_t place; /* in the heap, counted from 1; 0 when not set */
  uint32_t kind;  /* for the owner's use */
} sc_timer;

typedef struct sc_timer_due {
  uint64_t at;
  sc_timer *timer;
} sc_timer_due;

typedef struct sc_timers {
  const sc_env *env;
  sc_timer_due *heap;
  size_t count;
  size_t capacity;
  size_t promised;
} sc_timers;

void sc_timers_init(sc_timers *timers, const sc_env *env);
void sc_timers_free(sc_timers *timers);

/* Reserve memory for one more timer, so that setting it cannot fail, and return it. */
SC_NODISCARD sc_status sc_timers_promise(sc_timers *timers);
void sc_timers_release(sc_timers *timers);

/* Sets or moves a timer; SC_NEVER clears it. */
void sc_timer_set(sc_timers *timers, sc_timer *timer, uint64_t at);
void sc_timer_clear(sc_timers *timers, sc_timer *timer);

/* Returns when the first timer is due; SC_NEVER if none is set. */
uint64_t sc_timers_next(const sc_timers *timers);

/* Clears and returns the first timer that is due at `now`; NULL if none is. */
sc_timer *sc_timers_take(sc_timers *timers, uint64_t now);

#endif
