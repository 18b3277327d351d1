/* Coming events in virtual time: a heap, the earliest first; events at the same time run in the order in
 * which they were added. Events are never removed; an event that is no longer wanted learns so by its number
 * when its time comes. */
#ifndef SC_SIM_AGENDA_H
#define SC_SIM_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_MILLISECOND UINT64_C(1000000)
#define SIM_SECOND UINT64_C(1000000000)

typedef void (*agenda_act)(void *user, uint64_t number);

typedef struct agenda_entry {
  uint64_t at;
  uint64_t order;
  agenda_act act;
  void *user;
  uint64_t number;
} agenda_entry;

typedef struct agenda {
  uint64_t now; /* nanoseconds */
  uint64_t order;
  uint64_t steps; /* done so far */
  agenda_entry *heap;
  size_t count;
  size_t capacity;
} agenda;

void agenda_init(agenda *a);
void agenda_free(agenda *a);

/* Writes something down for `at`, or for now when that is over. */
void agenda_add(agenda *a, uint64_t at, agenda_act act, void *user, uint64_t number);

/* Does the first thing that is due by `until`, and goes on to its time. False when there is none; then it is
 * `until`. */
bool agenda_step(agenda *a, uint64_t until);

#endif
