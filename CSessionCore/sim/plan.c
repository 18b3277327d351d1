#include "plan.h"

#include "support/draws.h"

typedef struct extent {
  uint32_t chance; /* of 4, that a kind of fault is there */
  uint32_t troubled;
  uint32_t hostile;
} extent;

void plan_draw_faults(plan *p, plan_level level) {
  static const extent extents[] = {{0, 0, 0}, {2, 25, 40}, {3, 100, 120}};
  const extent *most = &extents[level];
  draws from = draws_from(p->seed ^ UINT64_C(0x6661756c7473));
  p->faults = 0;
  p->troubled = p->hostile = 0;
  if (level == PLAN_NONE)
    return;
  for (unsigned i = 0; i < fault_count; i++)
    if (draw_below(&from, 4) < most->chance)
      p->faults |= 1U << i;
  p->troubled = 1 + draw_below(&from, most->troubled);
  if (plan_has(p, FAULT_LIARS))
    p->hostile = 1 + draw_below(&from, most->hostile);
}

const char *plan_fault_name(unsigned index) {
  static const char *const names[] = {"deaths",  "cuts",     "loss",      "syncing", "stale",
                                      "churn",   "islands",  "clocks",    "liars",   "servers",
                                      "outages", "suspends", "own clock", "old",     "stalls"};
  return names[index];
}
