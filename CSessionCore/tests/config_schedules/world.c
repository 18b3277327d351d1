#include "world.h"

#include "config/hashes.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool world_flaw(world *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(w->flaw, sizeof w->flaw, format, args);
  va_end(args);
  return false;
}

void world_say(const world *w, const char *format, ...) {
  if (!w->loud)
    return;
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  putchar('\n');
}

bool world_begin(world *w, const kind *kind, const parties *who, const schedule *plan) {
  w->kind = kind;
  w->who = who;
  w->plan = plan;
  w->now_ms = 1700000000000;
  w->keys = 1;
  w->only_own = true;
  w->lost = w->crashed = false;
  w->flaw[0] = '\0';
  sc_test_env_init(&w->memory, 1);
  swarm_begin(&w->swarm, &w->memory.env);
  memset(w->devices, 0, sizeof w->devices);
  draws from = draws_from(plan->end);
  for (unsigned i = 0; i < plan->devices; i++) {
    if (!device_begin(w, &w->devices[i], i, i < plan->admins))
      return false;
    w->devices[i].skew_ms = (int64_t)draw_below(&from, 240000) - 120000;
  }
  return true;
}

bool world_end(world *w) {
  for (unsigned i = 0; i < w->plan->devices; i++)
    device_free(&w->devices[i]);
  swarm_end(&w->swarm);
  HOLDS(w->flaw[0] != '\0' || w->memory.live == 0, "%zu allocations were not given back", w->memory.live);
  return w->flaw[0] == '\0';
}

uint64_t device_wall_ms(const world *w, const device *d) {
  return (uint64_t)((int64_t)w->now_ms + d->skew_ms);
}

/* Devices */

bool device_begin(world *w, device *d, unsigned number, bool admin) {
  *d = (device){.number = number, .admin = admin, .keys = w->keys};
  sc_buffer_init(&d->saved, &w->memory.env);
  sc_config_hashes_init(&d->to_delete, &w->memory.env);
  return device_reload(w, d);
}

void device_free(device *d) {
  sc_config_hashes_free(&d->to_delete);
  for (size_t i = 0; i < d->under_way_count; i++)
    request_free(&d->under_way[i]);
  d->under_way_count = 0;
  sc_buffer_free(&d->saved);
}

bool device_reload(world *w, device *d) {
  if (d->object != NULL)
    w->kind->free(d->object);
  d->object = NULL;
  sc_config_hashes_clear(&d->to_delete);
  WORKS(w->kind->make(&d->object, &w->memory.env, w->who, d->admin, sc_buffer_bytes(&d->saved)));
  d->config = w->kind->config(d->object);
  return device_take_keys(w, d, false);
}

bool device_save(world *w, device *d) {
  if (!sc_config_needs_dump(d->config))
    return true;
  WORKS(sc_config_dump(&d->saved, d->config, device_wall_ms(w, d)));
  HOLDS(!sc_config_needs_dump(d->config), "device %u needs a dump after one", d->number);
  return true;
}

bool device_take_keys(world *w, device *d, bool dirty) {
  uint8_t bytes[most_keys][SC_KEY_BYTES] = {{0}};
  sc_bytes keys[most_keys];
  if (!w->kind->of_group)
    return true;
  for (unsigned i = 0; i < d->keys; i++) {
    bytes[i][0] = (uint8_t)(d->keys - i);
    keys[i] = SC_BYTES(bytes[i]);
  }
  WORKS(sc_config_replace_keys(d->config, keys, d->keys, dirty));
  return true;
}
