#include "timers.h"

#include <assert.h>

#include "session-core/network/driven.h"

enum { smallest_heap = 16 };

void sc_timers_init(sc_timers *timers, const sc_env *env) {
  *timers = (sc_timers){.env = env};
}

void sc_timers_free(sc_timers *timers) {
  sc_release(timers->env, timers->heap);
  sc_timers_init(timers, timers->env);
}

sc_status sc_timers_promise(sc_timers *timers) {
  if (timers->promised == timers->capacity) {
    size_t capacity = timers->capacity == 0 ? smallest_heap : timers->capacity * 2;
    sc_timer_due *heap = sc_allocate(timers->env, capacity * sizeof *heap);
    if (heap == NULL)
      return SC_ERR_NO_MEMORY;
    if (timers->count > 0)
      memcpy(heap, timers->heap, timers->count * sizeof *heap);
    sc_release(timers->env, timers->heap);
    timers->heap = heap;
    timers->capacity = capacity;
  }
  timers->promised++;
  return SC_OK;
}

void sc_timers_release(sc_timers *timers) {
  assert(timers->promised > timers->count || timers->count == 0);
  timers->promised--;
}

static void put(sc_timers *timers, size_t place, sc_timer_due due) {
  timers->heap[place] = due;
  due.timer->place = (uint32_t)place + 1;
}

/* Moves the timer at `place` to its position in the heap. */
static void settle(sc_timers *timers, size_t place, sc_timer_due due) {
  while (place > 0 && timers->heap[(place - 1) / 2].at > due.at) {
    put(timers, place, timers->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  for (;;) {
    size_t child = 2 * place + 1;
    if (child + 1 < timers->count && timers->heap[child + 1].at < timers->heap[child].at)
      child++;
    if (child >= timers->count || timers->heap[child].at >= due.at)
      break;
    put(timers, place, timers->heap[child]);
    place = child;
  }
  put(timers, place, due);
}

void sc_timer_set(sc_timers *timers, sc_timer *timer, uint64_t at) {
  if (at == SC_NEVER) {
    sc_timer_clear(timers, timer);
    return;
  }
  if (timer->place == 0) {
    assert(timers->count < timers->promised);
    timer->place = (uint32_t)++timers->count;
  } else if (timers->heap[timer->place - 1].at == at) {
    return;
  }
  settle(timers, timer->place - 1, (sc_timer_due){at, timer});
}

void sc_timer_clear(sc_timers *timers, sc_timer *timer) {
  if (timer->place == 0)
    return;
  size_t place = timer->place - 1;
  timer->place = 0;
  sc_timer_due last = timers->heap[--timers->count];
  if (place < timers->count)
    settle(timers, place, last);
}

uint64_t sc_timers_next(const sc_timers *timers) {
  return timers->count > 0 ? timers->heap[0].at : SC_NEVER;
}

sc_timer *sc_timers_take(sc_timers *timers, uint64_t now) {
  if (timers->count == 0 || timers->heap[0].at > now)
    return NULL;
  sc_timer *timer = timers->heap[0].timer;
  sc_timer_clear(timers, timer);
  return timer;
}
