#include "agenda.h"

#include "support/draws.h"
#include "support/test.h"

typedef struct witness {
  uint64_t numbers[2000];
  size_t count;
} witness;

static void write_down(void *user, uint64_t number) {
  witness *w = user;
  w->numbers[w->count++] = number;
}

static void the_earliest_event_comes_first(sc_test *t) {
  static witness w;
  draws from = draws_from(1);
  agenda a;
  agenda_init(&a);
  w.count = 0;
  for (size_t i = 0; i < 2000; i++) {
    uint64_t at = SIM_SECOND + draw_below(&from, 500);
    agenda_add(&a, at, write_down, &w, at);
  }
  while (agenda_step(&a, 2 * SIM_SECOND))
    CHECK(a.now == w.numbers[w.count - 1]);
  CHECK(w.count == 2000 && a.now == 2 * SIM_SECOND);
  for (size_t i = 1; i < w.count; i++)
    CHECK(w.numbers[i - 1] <= w.numbers[i]);
done:
  agenda_free(&a);
}

static void simultaneous_events_come_in_insertion_order(sc_test *t) {
  static witness w;
  agenda a;
  agenda_init(&a);
  w.count = 0;
  for (uint64_t i = 0; i < 100; i++)
    agenda_add(&a, 5 * SIM_SECOND, write_down, &w, i);
  while (agenda_step(&a, 5 * SIM_SECOND))
    continue;
  for (uint64_t i = 0; i < 100; i++)
    CHECK(w.numbers[i] == i);
done:
  agenda_free(&a);
}

static void a_past_event_is_due_now(sc_test *t) {
  static witness w;
  agenda a;
  agenda_init(&a);
  w.count = 0;
  agenda_add(&a, 0, write_down, &w, 7);
  CHECK(agenda_step(&a, SIM_SECOND));
  CHECK(a.now == SIM_SECOND && w.count == 1);
  CHECK(!agenda_step(&a, SIM_SECOND));
done:
  agenda_free(&a);
}

SUITE(sim_agenda, "sim/agenda", {"the earliest event comes first", the_earliest_event_comes_first},
      {"simultaneous events come in insertion order", simultaneous_events_come_in_insertion_order},
      {"a past event is due now", a_past_event_is_due_now});
