#include "support/test.h"

/* A driven object that records its input. */
typedef struct thing {
  size_t count;
  uint64_t times[4096];
  uint8_t firsts[4096];
  uint64_t deadline;
} thing;

static void thing_receive(void *self, uint64_t now, const sc_datagrams *runs, size_t count) {
  thing *to = self;
  for (size_t i = 0; i < count && to->count < sizeof to->firsts; i++) {
    to->times[to->count] = now;
    to->firsts[to->count++] = runs[i].bytes.len == 0 ? 0 : runs[i].bytes.ptr[0];
  }
}

static void thing_send(void *self, uint64_t now, sc_outbox *out) {
  (void)self;
  (void)now;
  sc_outbox_clear(out);
}

static uint64_t thing_deadline(const void *self) {
  return ((const thing *)self)->deadline;
}

static const sc_driven_methods methods = {thing_receive, thing_send, thing_deadline};

static void give(sc_driven driven, uint64_t now, const char *bytes, uint16_t segment) {
  const sc_datagrams run = {.bytes = sc_bytes_text(bytes), .segment = segment};
  sc_driven_receive(driven, now, &run, 1);
}

static void fair_weather_changes_nothing(sc_test *t) {
  thing to = {.deadline = 70};
  sc_weather *weather = NULL;
  OK(sc_weather_new(&weather, t->env, (sc_driven){&to, &methods}));
  give(sc_weather_driven(weather), 5, "aabb", 2);
  CHECK(to.count == 1 && to.times[0] == 5);
  CHECK(sc_driven_deadline(sc_weather_driven(weather)) == 70);
done:
  sc_weather_free(weather);
}

static void a_delayed_datagram_arrives_when_it_is_due(sc_test *t) {
  thing to = {.deadline = SC_NEVER};
  sc_outbox out = {0};
  sc_weather *weather = NULL;
  OK(sc_weather_new(&weather, t->env, (sc_driven){&to, &methods}));
  OK(sc_weather_set(weather, &(sc_weather_conditions){.delay = 100}));
  sc_driven driven = sc_weather_driven(weather);
  give(driven, 10, "aabbc", 2);
  CHECK(to.count == 0 && sc_driven_deadline(driven) == 110);
  sc_driven_send(driven, 109, &out);
  CHECK(to.count == 0);
  sc_driven_send(driven, 110, &out);
  CHECK(to.count == 3 && to.firsts[0] == 'a' && to.firsts[1] == 'b' && to.firsts[2] == 'c');
  CHECK(to.times[2] == 110 && sc_driven_deadline(driven) == SC_NEVER);
done:
  sc_weather_free(weather);
}

static void datagrams_are_never_reordered(sc_test *t) {
  thing to = {.deadline = SC_NEVER};
  sc_outbox out = {0};
  sc_weather *weather = NULL;
  OK(sc_weather_new(&weather, t->env, (sc_driven){&to, &methods}));
  OK(sc_weather_set(weather, &(sc_weather_conditions){.delay = 100}));
  sc_driven driven = sc_weather_driven(weather);
  give(driven, 10, "a", 0);
  OK(sc_weather_set(weather, &(sc_weather_conditions){0}));
  give(driven, 20, "b", 0);
  CHECK(to.count == 0);
  sc_driven_send(driven, 110, &out);
  CHECK(to.count == 2 && to.firsts[0] == 'a' && to.firsts[1] == 'b');
  give(driven, 120, "c", 0);
  CHECK(to.count == 3);
done:
  sc_weather_free(weather);
}

static void datagrams_are_lost_at_the_configured_rate(sc_test *t) {
  enum { given = 4000 };
  thing to = {.deadline = SC_NEVER};
  sc_weather *weather = NULL;
  OK(sc_weather_new(&weather, t->env, (sc_driven){&to, &methods}));
  FAILS(SC_ERR_ARGUMENT, sc_weather_set(weather, &(sc_weather_conditions){.loss = 1001}));
  OK(sc_weather_set(weather, &(sc_weather_conditions){.loss = 250}));
  for (int i = 0; i < given; i++)
    give(sc_weather_driven(weather), 1, "a", 0);
  CHECK(to.count > 2850 && to.count < 3150);
  to.count = 0;
  OK(sc_weather_set(weather, &(sc_weather_conditions){.loss = 1000}));
  for (int i = 0; i < given; i++)
    give(sc_weather_driven(weather), 1, "a", 0);
  CHECK(to.count == 0);
done:
  sc_weather_free(weather);
}

static void the_number_of_held_datagrams_is_limited(sc_test *t) {
  static char longer[SC_WEATHER_MAX_BYTES + 2];
  thing to = {.deadline = SC_NEVER};
  sc_outbox out = {0};
  sc_weather *weather = NULL;
  memset(longer, 'x', sizeof longer - 1);
  OK(sc_weather_new(&weather, t->env, (sc_driven){&to, &methods}));
  OK(sc_weather_set(weather, &(sc_weather_conditions){.delay = 1}));
  sc_driven driven = sc_weather_driven(weather);
  give(driven, 1, longer, 0);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < SC_WEATHER_MAX_HELD + 5; i++)
      give(driven, 1, "a", 0);
    sc_driven_send(driven, 2, &out);
  }
  CHECK(to.count == 2 * (size_t)SC_WEATHER_MAX_HELD);
done:
  sc_weather_free(weather);
}

SUITE(network_weather, "network/weather", {"fair weather changes nothing", fair_weather_changes_nothing},
      {"a delayed datagram arrives when it is due", a_delayed_datagram_arrives_when_it_is_due},
      {"datagrams are never reordered", datagrams_are_never_reordered},
      {"datagrams are lost at the configured rate", datagrams_are_lost_at_the_configured_rate},
      {"the number of held datagrams is limited", the_number_of_held_datagrams_is_limited});
