/* The effect of each step of a schedule. */
#include <inttypes.h>

#include "config/envelope.h"
#include "config/hashes.h"
#include "config/message.h"
#include "world.h"

/* Editing */

/* The diff of the revision just begun. */
static sc_status read_diff(sc_buffer *out, const sc_env *env, sc_bytes dump) {
  sc_bt_reader reader;
  sc_bytes bytes;
  sc_config_message *message = NULL;
  sc_bt_reader_init(&reader, dump);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = sc_bt_find_key(&reader, sc_bytes_text("$"));
  if (status == SC_OK)
    status = sc_bt_read_string(&bytes, &reader);
  if (status == SC_OK)
    status = sc_config_message_parse(&message, env, bytes, NULL);
  if (status == SC_OK)
    status = sc_config_message_diff(out, message);
  sc_config_message_free(message);
  return status;
}

/* A setter must not begin a revision without a change. */
static bool check_changed(world *w, device *d) {
  sc_buffer dump, diff;
  sc_buffer_init(&dump, &w->memory.env);
  sc_buffer_init(&diff, &w->memory.env);
  sc_status status = sc_config_dump(&dump, d->config, device_wall_ms(w, d));
  if (status == SC_OK)
    status = read_diff(&diff, &w->memory.env, sc_buffer_bytes(&dump));
  bool changed = !sc_bytes_same(sc_buffer_bytes(&diff), sc_bytes_text("de"));
  sc_buffer_free(&d->saved);
  d->saved = dump;
  sc_buffer_free(&diff);
  WORKS(status);
  HOLDS(changed, "device %u began a revision that changes nothing", d->number);
  return true;
}

static bool set_once(world *w, device *d, draws *from) {
  int64_t before = sc_config_seqno(d->config);
  bool was_dirty = sc_config_state_of(d->config) == SC_CONFIG_DIRTY;
  sc_status status = w->kind->edit(d->object, from, device_wall_ms(w, d));
  bool refused = device_reads_only(w, d) && status == SC_ERR_CONFIG_READ_ONLY;
  HOLDS(status == SC_OK || refused, "device %u edits: %s", d->number, sc_status_text(status));
  bool is_dirty = sc_config_state_of(d->config) == SC_CONFIG_DIRTY;
  HOLDS(!is_dirty || !device_reads_only(w, d), "device %u only reads, and has edited", d->number);
  HOLDS(sc_config_seqno(d->config) == before + (is_dirty && !was_dirty),
        "device %u is at revision %" PRId64 " after an edit of %" PRId64, d->number,
        sc_config_seqno(d->config), before);
  return !is_dirty || was_dirty || !draw_one_in(from, 4) || check_changed(w, d);
}

static bool edit(world *w, device *d, draws *from) {
  w->only_own = false;
  for (uint32_t left = 1 + draw_below(from, 3); left > 0; left--)
    if (!set_once(w, d, from))
      return false;
  world_say(w, "    revision %" PRId64, sc_config_seqno(d->config));
  return true;
}

static bool set_own(world *w, device *d, draws *from) {
  if (device_reads_only(w, d))
    return true;
  d->own = 1 + draw_below(from, 1000);
  WORKS(w->kind->set_own(d->object, d->number, d->own, device_wall_ms(w, d)));
  return true;
}

static bool grow(world *w, device *d, draws *from) {
  w->only_own = false;
  if (w->kind->grow != NULL)
    WORKS(w->kind->grow(d->object, from, device_wall_ms(w, d)));
  return true;
}

/* Pushing */

static bool keep_under_way(device *d, const request *r) {
  if (d->under_way_count == most_under_way)
    return false;
  d->under_way[d->under_way_count++] = *r;
  return true;
}

/* Takes the request over. */
static bool send(world *w, device *d, request *r, fate fate, draws *from) {
  bool holds = true;
  if (fate == fate_under_way && keep_under_way(d, r))
    return true;
  if (fate < fate_partly_stored)
    swarm_store(w, r, r->parts);
  else if (fate == fate_partly_stored)
    swarm_store(w, r, draw_below(from, (uint32_t)r->parts));
  if (fate == fate_arrives || fate == fate_unconfirmed) {
    holds = swarm_delete(w, &r->obsolete);
    sc_config_hashes_clear(&d->to_delete);
  }
  if (holds && (fate == fate_arrives || fate == fate_undeleted))
    holds = device_confirm(w, d, r);
  request_free(r);
  return holds;
}

static bool push(world *w, device *d, const step *s, draws *from) {
  static const char *const told[] = {"arrives",         "is not confirmed", "is stored and nothing else",
                                     "deletes nothing", "is partly stored", "is lost",
                                     "is under way"};
  request r;
  if (!sc_config_needs_push(d->config))
    return true;
  HOLDS(!device_reads_only(w, d), "device %u only reads, and would push", d->number);
  if (!device_push(w, d, &r)) {
    request_free(&r);
    return false;
  }
  fate fate = fate_of(s);
  world_say(w, "    revision %" PRId64 " %s", r.seqno, told[fate]);
  return send(w, d, &r, fate, from);
}

static bool arrive(world *w, device *d, draws *from) {
  if (d->under_way_count == 0)
    return true;
  size_t which = draw_below(from, (uint32_t)d->under_way_count);
  request r = d->under_way[which];
  d->under_way[which] = d->under_way[--d->under_way_count];
  world_say(w, "    revision %" PRId64, r.seqno);
  return send(w, d, &r, fate_arrives, from);
}

/* Polling */

static bool poll(world *w, device *d, draws *from) {
  enum { most_listed = 64 };
  size_t order[most_stored], listed[most_listed];
  size_t count = 0;
  sc_config_effect effect;
  uint32_t share = 1 + draw_below(from, 4);
  bool late = draw_one_in(from, 6);
  w->only_own = false;
  draw_order(order, w->swarm.count, from);
  for (size_t i = 0; i < w->swarm.count && count + 2 < most_listed; i++) {
    const stored_message *message = &w->swarm.items[order[i]];
    if (!message->there && !(late && message->was_there && draw_one_in(from, 3)))
      continue;
    if (message->there && share > 1 && draw_one_in(from, share))
      continue;
    listed[count++] = order[i];
    if (draw_one_in(from, 10)) {
      listed[count] = listed[draw_below(from, (uint32_t)count)];
      count++;
    }
  }
  if (!device_merge(w, d, listed, count, &effect))
    return false;
  return !draw_one_in(from, 4) || device_merge_in_vain(w, d, listed, count);
}

/* Keys of a group */

static bool rotate(world *w, device *d) {
  if (!w->kind->of_group || !d->admin || w->keys == most_keys)
    return true;
  d->keys = ++w->keys;
  w->only_own = false;
  if (!device_take_keys(w, d, true))
    return false;
  HOLDS(sc_config_state_of(d->config) == SC_CONFIG_DIRTY, "device %u has another key and need not push",
        d->number);
  return device_save(w, d);
}

static bool learn(world *w, device *d) {
  d->keys = w->keys;
  return device_take_keys(w, d, false);
}

static bool promote(world *w, device *d) {
  if (!device_reads_only(w, d))
    return true;
  d->admin = true;
  WORKS(sc_config_set_signer(d->config, &w->who->group.ed));
  return true;
}

/* The rest */

static bool litter(world *w, draws *from) {
  sc_config_stored stored;
  uint8_t bytes[100];
  size_t index = 0;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)draw(from);
  sc_config_stored_init(&stored, &w->memory.env);
  sc_status status = sc_buffer_append(&stored.bytes, SC_BYTES(bytes));
  if (status == SC_OK)
    status = swarm_know(&index, &w->swarm, &stored);
  sc_config_stored_free(&stored);
  WORKS(status);
  swarm_put(&w->swarm, index);
  w->swarm.items[index].litter = true;
  return true;
}

static void lose(world *w, draws *from) {
  size_t listed[most_stored];
  if (swarm_list(listed, &w->swarm, from) > 0 && !w->swarm.items[listed[0]].litter)
    w->swarm.items[listed[0]].there = false;
  w->lost = true;
  w->only_own = false;
}

static bool crash(world *w, device *d) {
  w->only_own = false;
  w->crashed = true;
  return device_reload(w, d);
}

static bool restore(world *w, device *d) {
  bool restored;
  w->only_own = false; /* conversations age when they are pushed */
  return device_restore(w, d, &restored);
}

static bool gather(world *w) {
  for (unsigned i = 0; i < w->plan->devices; i++)
    if (sc_config_needs_push(w->devices[i].config) && !device_push_safely(w, &w->devices[i]))
      return false;
  return true;
}

static bool take_step(world *w, const step *s) {
  device *d = &w->devices[s->device];
  draws from = draws_from(s->choices);
  switch (s->verb) {
  case do_edit:
    return edit(w, d, &from);
  case do_own:
    return set_own(w, d, &from);
  case do_push:
    return push(w, d, s, &from);
  case do_arrive:
    return arrive(w, d, &from);
  case do_poll:
    return poll(w, d, &from);
  case do_dump:
    return device_save(w, d);
  case do_restart:
    return device_save(w, d) && device_reload(w, d);
  case do_crash:
    return crash(w, d);
  case do_tidy:
    return device_tidy(w, d);
  case do_restore:
    return restore(w, d);
  case do_lose:
    lose(w, &from);
    return true;
  case do_litter:
    return litter(w, &from);
  case do_wait:
    w->now_ms += (uint64_t)(1 + draw_below(&from, 500)) * 3600000;
    return true;
  case do_grow:
    return grow(w, d, &from);
  case do_rotate:
    return rotate(w, d);
  case do_learn:
    return learn(w, d);
  case do_promote:
    return promote(w, d);
  case do_gather:
    return gather(w);
  case do_settle:
    return world_settle(w, s->choices);
  default:
    return world_flaw(w, "a config takes no such step");
  }
}

bool world_run(world *w) {
  for (size_t i = 0; i < w->plan->count; i++) {
    const step *s = &w->plan->steps[i];
    world_say(w, "  %zu: %s, device %u", i, verb_name(s->verb), s->device);
    if (!take_step(w, s))
      return false;
    w->now_ms += 1 + s->choices % 5000;
  }
  world_say(w, "  at the end");
  return world_settle(w, w->plan->end);
}
