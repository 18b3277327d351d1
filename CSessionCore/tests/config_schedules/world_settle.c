/* The end of a schedule: nothing is lost any more, and all devices act until nothing is left to do. Then they
 * must have the same config, byte for byte; the swarm must store that config and nothing else; and no message
 * ever stored may still change anything. */
#include <inttypes.h>

#include "config/envelope.h"
#include "world.h"

enum { most_rounds = 12 };

/* Going on */

static bool let_all_arrive(world *w, draws *from) {
  for (unsigned i = 0; i < w->plan->devices; i++) {
    device *d = &w->devices[i];
    d->keys = w->keys;
    if (!device_take_keys(w, d, false))
      return false;
    for (; d->under_way_count > 0; d->under_way_count--) {
      request *r = &d->under_way[d->under_way_count - 1];
      if (draw_one_in(from, 2)) {
        swarm_store(w, r, r->parts);
        if (!swarm_delete(w, &r->obsolete) || !device_confirm(w, d, r))
          return false;
      }
      request_free(r);
    }
  }
  return true;
}

static bool poll_all(world *w, device *d, draws *from, bool *busy) {
  size_t listed[most_stored];
  sc_config_effect effect;
  size_t count = swarm_list(listed, &w->swarm, from);
  if (count == 0)
    return true;
  if (!device_merge(w, d, listed, count, &effect))
    return false;
  *busy = *busy || effect != SC_CONFIG_KEPT;
  return true;
}

static bool push_all(world *w, device *d, bool *busy) {
  bool restored;
  if (w->kind->age != NULL)
    WORKS(w->kind->age(d->object, device_wall_ms(w, d)));
  if (sc_config_needs_push(d->config)) {
    *busy = true;
    return device_push_safely(w, d);
  }
  if (!device_tidy(w, d) || !device_restore(w, d, &restored))
    return false;
  *busy = *busy || restored;
  return true;
}

/* Either one after the other, or all at once: then no device sees what others push in the same round. */
static bool go_round(world *w, draws *from, bool *busy) {
  size_t order[most_devices];
  bool at_once = draw_one_in(from, 2);
  size_t count = w->plan->devices - (w->planted && w->plan->devices > 1 ? 1 : 0);
  draw_order(order, count, from);
  for (size_t i = 0; i < count; i++) {
    device *d = &w->devices[order[i]];
    if (!poll_all(w, d, from, busy) || (!at_once && !push_all(w, d, busy)))
      return false;
  }
  for (size_t i = 0; i < count && at_once; i++)
    if (!push_all(w, &w->devices[order[i]], busy))
      return false;
  return true;
}

static bool go_on(world *w, draws *from) {
  bool busy = true;
  unsigned rounds = 0;
  for (; busy; rounds++) {
    HOLDS(rounds < most_rounds, "devices still push to each other after %d rounds", most_rounds);
    busy = false;
    if (!go_round(w, from, &busy))
      return false;
  }
  w->settled = rounds > w->settled ? rounds : w->settled;
  return true;
}

/* Comparing */

/* A device's state: all readable values, and the revision, if any, in its stored form. */
typedef struct likeness {
  int64_t seqno;
  sc_buffer read;
  sc_config_stored stored;
} likeness;

static void likeness_free(likeness *l) {
  sc_buffer_free(&l->read);
  sc_config_stored_free(&l->stored);
}

static bool take_likeness(world *w, device *d, likeness *out) {
  sc_config_outgoing outgoing;
  out->seqno = sc_config_seqno(d->config);
  sc_buffer_init(&out->read, &w->memory.env);
  sc_config_outgoing_init(&outgoing, &w->memory.env);
  sc_status status = w->kind->describe(&out->read, d->object);
  if (status == SC_OK && out->seqno > 0)
    status = sc_config_push(&outgoing, d->config, device_wall_ms(w, d));
  out->stored = outgoing.messages;
  size_t obsolete = outgoing.obsolete.count;
  sc_config_stored_init(&outgoing.messages, &w->memory.env);
  sc_config_outgoing_free(&outgoing);
  WORKS(status);
  HOLDS(sc_config_state_of(d->config) == SC_CONFIG_CLEAN, "device %u has something to push in the end",
        d->number);
  HOLDS(obsolete == 0, "device %u has something to delete in the end", d->number);
  HOLDS(sc_config_seqno(d->config) == out->seqno, "device %u begins a revision to store what it has",
        d->number);
  return true;
}

static bool same_as(world *w, device *d, const likeness *expected, const char *who) {
  likeness actual;
  bool holds = take_likeness(w, d, &actual);
  bool same_seqno = actual.seqno == expected->seqno;
  bool same_bytes =
      sc_bytes_same(sc_buffer_bytes(&actual.stored.bytes), sc_buffer_bytes(&expected->stored.bytes));
  bool reads_same = sc_bytes_same(sc_buffer_bytes(&actual.read), sc_buffer_bytes(&expected->read));
  int64_t seqno = actual.seqno;
  likeness_free(&actual);
  if (!holds)
    return false;
  HOLDS(same_seqno, "%s %u ends with revision %" PRId64 ", not %" PRId64, who, d->number, seqno,
        expected->seqno);
  HOLDS(reads_same, "%s %u reads something else in the end", who, d->number);
  HOLDS(same_bytes, "%s %u has other bytes in the end", who, d->number);
  return true;
}

/* A new device, which knows only the swarm's messages. */
static bool check_newcomer(world *w, const likeness *expected, bool admin, draws *from) {
  device newcomer;
  bool busy = false;
  bool holds = device_begin(w, &newcomer, most_devices, admin);
  newcomer.skew_ms = w->devices[0].skew_ms;
  holds = holds && poll_all(w, &newcomer, from, &busy) && same_as(w, &newcomer, expected, "newcomer");
  if (newcomer.object != NULL)
    w->kind->free(newcomer.object);
  device_free(&newcomer);
  return holds;
}

/* The swarm has the messages of `expected`, and otherwise only messages no device can read. */
static bool check_swarm(world *w, const likeness *expected) {
  size_t first = 0, needed = expected->seqno == 0 ? 0 : sc_config_stored_count(&expected->stored);
  if (needed > 0)
    WORKS(swarm_know(&first, &w->swarm, &expected->stored));
  for (size_t i = 0; i < w->swarm.count; i++) {
    const stored_message *message = &w->swarm.items[i];
    bool is_needed = i >= first && i < first + needed;
    HOLDS(!is_needed || message->there, "the swarm has lost what everybody has");
    HOLDS(is_needed || !message->there || message->litter || swarm_is_stray(&w->swarm, message),
          "message %zu is left in the swarm, although no device needs it", i);
  }
  return true;
}

/* The messages a device wants kept. */
static bool check_active(world *w, const device *d, const likeness *expected) {
  sc_config_hashes active;
  size_t current = 0;
  sc_config_hashes_init(&active, &w->memory.env);
  sc_status status = sc_config_active_hashes(&active, d->config, device_wall_ms(w, d));
  bool holds = true;
  for (size_t i = 0; i < active.count; i++) {
    const stored_message *message = swarm_find(&w->swarm, active.items[i]);
    bool stray = message != NULL && swarm_is_stray(&w->swarm, message);
    holds = holds && message != NULL && (message->there || stray);
    current += !stray;
  }
  sc_config_hashes_free(&active);
  WORKS(status);
  HOLDS(holds, "device %u wants to keep what is not there", d->number);
  HOLDS(current == (expected->seqno == 0 ? 0 : sc_config_stored_count(&expected->stored)),
        "device %u wants to keep %zu messages", d->number, current);
  return true;
}

static bool check_all(world *w, const likeness *expected) {
  for (unsigned i = 0; i < w->plan->devices; i++)
    if (!same_as(w, &w->devices[i], expected, "device") || !check_active(w, &w->devices[i], expected))
      return false;
  return true;
}

static size_t list_all(size_t *out, const swarm *swarm, draws *from) {
  size_t order[most_stored];
  size_t count = 0;
  draw_order(order, swarm->count, from);
  for (size_t i = 0; i < swarm->count; i++)
    if (swarm->items[order[i]].was_there)
      out[count++] = order[i];
  return count;
}

/* Every message ever stored, and the resulting state of a new device. */
static bool check_again(world *w, const likeness *expected, draws *from) {
  size_t order[most_stored];
  device *d = &w->devices[draw_below(from, w->plan->devices)];
  size_t count = list_all(order, &w->swarm, from);
  if (count > 0 && !(w->lost && w->crashed) && !device_merge_in_vain(w, d, order, count))
    return false;
  if (!device_save(w, d) || !device_reload(w, d) || !device_tidy(w, d))
    return false;
  return same_as(w, d, expected, "restarted device");
}

/* No device overwrote values of others before any device knew of them. */
static bool check_own(world *w) {
  for (unsigned i = 0; i < w->plan->devices && w->only_own; i++)
    for (unsigned owner = 0; owner < w->plan->devices; owner++) {
      uint32_t value = w->devices[owner].own;
      HOLDS(value == 0 || w->kind->has_own(w->devices[i].object, owner, value),
            "device %u has not what device %u set", i, owner);
    }
  return true;
}

static bool compare(world *w, draws *from) {
  likeness expected;
  bool holds = take_likeness(w, &w->devices[0], &expected) && check_all(w, &expected) &&
               check_swarm(w, &expected) && check_again(w, &expected, from) &&
               check_newcomer(w, &expected, draw_one_in(from, 2), from);
  likeness_free(&expected);
  return holds;
}

/* One more edit, once all agree, is one more revision for every device. */
static bool check_last_edit(world *w, draws *from) {
  device *d = &w->devices[draw_below(from, w->plan->admins)];
  int64_t before = sc_config_seqno(d->config);
  d->own = 2000 + draw_below(from, 1000);
  if (w->kind->has_own(d->object, d->number, d->own))
    d->own++;
  WORKS(w->kind->set_own(d->object, d->number, d->own, device_wall_ms(w, d)));
  if (!go_on(w, from))
    return false;
  for (unsigned i = 0; i < w->plan->devices; i++) {
    HOLDS(w->kind->has_own(w->devices[i].object, d->number, d->own),
          "device %u has not what device %u set last", i, d->number);
    HOLDS(sc_config_seqno(w->devices[i].config) == before + 1,
          "one edit took device %u from revision %" PRId64 " to %" PRId64, i, before,
          sc_config_seqno(w->devices[i].config));
  }
  return true;
}

bool world_settle(world *w, uint32_t choices) {
  draws from = draws_from(choices);
  bool holds = let_all_arrive(w, &from) && go_on(w, &from) && check_own(w) && compare(w, &from) &&
               check_last_edit(w, &from);
  w->only_own = false;
  return holds;
}
