/* Runs schedules, and finds the shortest one that still fails. */
#ifndef SC_TESTS_SCHEDULES_SHRINK_H
#define SC_TESTS_SCHEDULES_SHRINK_H

#include "world.h"

/* True if the schedule holds; otherwise the flaw is in the world. */
bool schedule_run(world *w, const kind *kind, const parties *who, const schedule *plan);

/* Removes every step that a failing schedule does not need to fail. */
void schedule_shrink(schedule *plan, world *w, const kind *kind, const parties *who);

#endif
