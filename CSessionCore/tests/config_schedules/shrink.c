#include "shrink.h"

#include "group_world.h"
#include "stand_in.h"

bool schedule_run(world *w, const kind *kind, const parties *who, const schedule *plan) {
  stand_in_use(plan->real_crypto);
  if (kind->administration)
    return group_run(w, who, plan);
  bool holds = world_begin(w, kind, who, plan) && world_run(w);
  for (unsigned i = 0; i < plan->devices; i++)
    if (w->devices[i].object != NULL)
      kind->free(w->devices[i].object);
  return world_end(w) && holds;
}

static schedule without(const schedule *plan, size_t at, size_t count) {
  schedule less = *plan;
  less.count -= count;
  for (size_t i = at; i < less.count; i++)
    less.steps[i] = plan->steps[i + count];
  return less;
}

static bool try_without(schedule *plan, world *w, const kind *kind, const parties *who, size_t at,
                        size_t count) {
  schedule less = without(plan, at, count);
  if (schedule_run(w, kind, who, &less))
    return false;
  *plan = less;
  return true;
}

/* Removes halves, then quarters, down to single steps; single steps until none can be removed. */
void schedule_shrink(schedule *plan, world *w, const kind *kind, const parties *who) {
  bool loud = w->loud;
  w->loud = false;
  for (size_t size = plan->count; size > 0;) {
    bool taken = false;
    for (size_t at = 0; at + size <= plan->count;)
      if (try_without(plan, w, kind, who, at, size))
        taken = true;
      else
        at++;
    if (!taken || size > 1)
      size /= 2;
  }
  w->loud = loud;
}
