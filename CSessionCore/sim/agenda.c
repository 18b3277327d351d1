#include "agenda.h"

#include <stdlib.h>

#include "memory.h"

enum { children = 4 }; /* of each place in the heap: flatter than two, and they share a cache line or two */

void agenda_init(agenda *a) {
  *a = (agenda){.now = SIM_SECOND};
}

void agenda_free(agenda *a) {
  free(a->heap);
  a->heap = NULL;
}

static bool is_before(const agenda_entry *a, const agenda_entry *b) {
  return a->at < b->at || (a->at == b->at && a->order < b->order);
}

void agenda_add(agenda *a, uint64_t at, agenda_act act, void *user, uint64_t number) {
  a->heap = memory_grow(a->heap, a->count, &a->capacity, sizeof *a->heap);
  const agenda_entry entry = {
      .at = at > a->now ? at : a->now, .order = a->order++, .act = act, .user = user, .number = number};
  size_t place = a->count++;
  for (size_t parent; place > 0; place = parent) {
    parent = (place - 1) / children;
    if (!is_before(&entry, &a->heap[parent]))
      break;
    a->heap[place] = a->heap[parent];
  }
  a->heap[place] = entry;
}

/* The earliest child of a place, or `count` when it has none. */
static size_t first_child(const agenda *a, size_t place) {
  size_t first = children * place + 1;
  if (first >= a->count)
    return a->count;
  size_t end = first + children < a->count ? first + children : a->count, best = first;
  for (size_t i = first + 1; i < end; i++)
    if (is_before(&a->heap[i], &a->heap[best]))
      best = i;
  return best;
}

static agenda_entry take_first(agenda *a) {
  const agenda_entry first = a->heap[0], last = a->heap[--a->count];
  size_t place = 0;
  for (size_t child; (child = first_child(a, place)) < a->count; place = child) {
    if (!is_before(&a->heap[child], &last))
      break;
    a->heap[place] = a->heap[child];
  }
  if (a->count > 0)
    a->heap[place] = last;
  return first;
}

bool agenda_step(agenda *a, uint64_t until) {
  if (a->count == 0 || a->heap[0].at > until) {
    a->now = until > a->now ? until : a->now;
    return false;
  }
  const agenda_entry entry = take_first(a);
  a->now = entry.at;
  a->steps++;
  entry.act(entry.user, entry.number);
  return true;
}
