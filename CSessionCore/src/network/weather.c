#include "session-core/network/weather.h"

#include <string.h>

/* A datagram on its way. */
typedef struct held {
  uint64_t due;
  sc_datagrams datagram; /* its bytes are those below */
  uint8_t bytes[SC_WEATHER_MAX_BYTES];
} held;

struct sc_weather {
  const sc_env *env;
  sc_driven thing;
  sc_weather_conditions conditions;
  held *ring; /* of SC_WEATHER_MAX_HELD; NULL until there was a delay */
  size_t first;
  size_t count;
};

static held *held_at(const sc_weather *weather, size_t index) {
  return &weather->ring[(weather->first + index) % SC_WEATHER_MAX_HELD];
}

static bool is_lost(const sc_weather *weather) {
  enum { of = 1000 };
  uint8_t bytes[4];
  if (weather->conditions.loss == 0)
    return false;
  sc_random(weather->env, bytes, sizeof bytes);
  uint32_t number = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
  return (uint64_t)number * of >> 32 < weather->conditions.loss;
}

static uint64_t due_at(const sc_weather *weather, uint64_t now) {
  uint64_t due = now > SC_NEVER - weather->conditions.delay ? SC_NEVER : now + weather->conditions.delay;
  uint64_t before = weather->count == 0 ? 0 : held_at(weather, weather->count - 1)->due;
  return due > before ? due : before;
}

static void hold(sc_weather *weather, uint64_t now, const sc_datagrams *datagram) {
  if (weather->count == SC_WEATHER_MAX_HELD || datagram->bytes.len > SC_WEATHER_MAX_BYTES)
    return;
  held *slot = held_at(weather, weather->count);
  slot->due = due_at(weather, now);
  slot->datagram = *datagram;
  slot->datagram.bytes.ptr = slot->bytes;
  if (datagram->bytes.len > 0)
    memcpy(slot->bytes, datagram->bytes.ptr, datagram->bytes.len);
  weather->count++;
}

static void take(sc_weather *weather, uint64_t now, const sc_datagrams *datagram) {
  if (is_lost(weather))
    return;
  if (weather->conditions.delay > 0 || weather->count > 0)
    hold(weather, now, datagram);
  else
    sc_driven_receive(weather->thing, now, datagram, 1);
}

static bool is_fair(const sc_weather *weather) {
  return weather->conditions.delay == 0 && weather->conditions.loss == 0 && weather->count == 0;
}

static void receive(void *self, uint64_t now, const sc_datagrams *runs, size_t count) {
  sc_weather *weather = self;
  if (is_fair(weather)) {
    sc_driven_receive(weather->thing, now, runs, count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    sc_bytes rest = runs[i].bytes;
    size_t each = runs[i].segment == 0 ? rest.len : runs[i].segment;
    do {
      sc_datagrams one = runs[i];
      one.bytes.ptr = rest.ptr;
      one.bytes.len = rest.len < each ? rest.len : each;
      one.segment = 0;
      take(weather, now, &one);
      rest.ptr += one.bytes.len;
      rest.len -= one.bytes.len;
    } while (rest.len > 0);
  }
}

static void send(void *self, uint64_t now, sc_outbox *out) {
  sc_weather *weather = self;
  while (weather->count > 0 && held_at(weather, 0)->due <= now) {
    held *arrived = held_at(weather, 0);
    weather->first = (weather->first + 1) % SC_WEATHER_MAX_HELD;
    weather->count--;
    sc_driven_receive(weather->thing, now, &arrived->datagram, 1);
  }
  sc_driven_send(weather->thing, now, out);
}

static uint64_t deadline(const void *self) {
  const sc_weather *weather = self;
  uint64_t arrival = weather->count == 0 ? SC_NEVER : held_at(weather, 0)->due;
  uint64_t due = sc_driven_deadline(weather->thing);
  return arrival < due ? arrival : due;
}

sc_driven sc_weather_driven(sc_weather *weather) {
  static const sc_driven_methods methods = {receive, send, deadline};
  return (sc_driven){weather, &methods};
}

sc_status sc_weather_new(sc_weather **out, const sc_env *env, sc_driven thing) {
  sc_weather *weather = sc_allocate(env, sizeof *weather);
  *out = weather;
  if (weather == NULL)
    return SC_ERR_NO_MEMORY;
  *weather = (sc_weather){.env = env, .thing = thing};
  return SC_OK;
}

void sc_weather_free(sc_weather *weather) {
  if (weather == NULL)
    return;
  if (weather->ring != NULL)
    sc_release(weather->env, weather->ring);
  sc_release(weather->env, weather);
}

sc_status sc_weather_set(sc_weather *weather, const sc_weather_conditions *conditions) {
  enum { all = 1000 };
  if (conditions->loss > all)
    return SC_ERR_ARGUMENT;
  if (conditions->delay > 0 && weather->ring == NULL) {
    weather->ring = sc_allocate(weather->env, SC_WEATHER_MAX_HELD * sizeof *weather->ring);
    if (weather->ring == NULL)
      return SC_ERR_NO_MEMORY;
  }
  weather->conditions = *conditions;
  return SC_OK;
}
