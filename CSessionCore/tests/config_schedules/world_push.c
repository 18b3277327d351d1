/* From a device to the swarm. */
#include <inttypes.h>

#include "config/hashes.h"
#include "world.h"

void request_free(request *r) {
  sc_config_hashes_free(&r->obsolete);
}

static bool add_all(world *w, sc_config_hashes *to, const sc_config_hashes *from) {
  for (size_t i = 0; i < from->count; i++)
    WORKS(sc_config_hashes_add(to, from->items[i]));
  return true;
}

static bool take_obsolete(world *w, device *d, const sc_config_hashes *obsolete) {
  HOLDS(!device_reads_only(w, d) || obsolete->count == 0, "device %u only reads, and deletes", d->number);
  return add_all(w, &d->to_delete, obsolete);
}

static bool know(world *w, device *d, request *out, const sc_config_outgoing *outgoing) {
  out->seqno = outgoing->seqno;
  out->parts = sc_config_stored_count(&outgoing->messages);
  HOLDS(out->parts > 0, "device %u pushes nothing", d->number);
  w->in_parts += out->parts > 1;
  WORKS(swarm_know(&out->first, &w->swarm, &outgoing->messages));
  return take_obsolete(w, d, &outgoing->obsolete) && add_all(w, &out->obsolete, &d->to_delete);
}

bool device_push(world *w, device *d, request *out) {
  sc_config_outgoing outgoing;
  sc_config_state before = sc_config_state_of(d->config);
  sc_config_outgoing_init(&outgoing, &w->memory.env);
  *out = (request){0};
  sc_config_hashes_init(&out->obsolete, &w->memory.env);
  sc_status status = sc_config_push(&outgoing, d->config, device_wall_ms(w, d));
  bool holds = status == SC_OK ? know(w, d, out, &outgoing)
                               : world_flaw(w, "device %u pushes: %s", d->number, sc_status_text(status));
  sc_config_outgoing_free(&outgoing);
  if (!holds)
    return false;
  sc_config_state after = sc_config_state_of(d->config);
  HOLDS(after == SC_CONFIG_WAITING || (before == SC_CONFIG_CLEAN && after == SC_CONFIG_CLEAN),
        "device %u is in state %d after a push", d->number, after);
  HOLDS(out->seqno == sc_config_seqno(d->config), "device %u pushed another revision than it has", d->number);
  return true;
}

void swarm_store(world *w, const request *r, size_t parts) {
  for (size_t i = 0; i < parts; i++)
    swarm_put(&w->swarm, r->first + i);
}

bool swarm_delete(world *w, const sc_config_hashes *hashes) {
  for (size_t i = 0; i < hashes->count; i++) {
    stored_message *message = swarm_find(&w->swarm, hashes->items[i]);
    HOLDS(message != NULL, "something is to be deleted that was never stored");
    HOLDS(!message->litter, "something is to be deleted that is no config");
    message->there = false;
  }
  return true;
}

bool device_confirm(world *w, device *d, const request *r) {
  sc_config_state before = sc_config_state_of(d->config);
  int64_t seqno = sc_config_seqno(d->config);
  sc_bytes *hashes = sc_allocate(&w->memory.env, r->parts * sizeof *hashes);
  HOLDS(hashes != NULL, "no memory");
  for (size_t i = 0; i < r->parts; i++)
    hashes[i] = swarm_hash(&w->swarm, r->first + i);
  sc_status status = sc_config_confirm(d->config, r->seqno, hashes, r->parts);
  sc_release(&w->memory.env, hashes);
  WORKS(status);
  bool meant = before == SC_CONFIG_WAITING && r->seqno == seqno;
  HOLDS(sc_config_state_of(d->config) == (meant ? SC_CONFIG_CLEAN : before),
        "device %u is in state %d after a push of %" PRId64 " was confirmed", d->number,
        sc_config_state_of(d->config), r->seqno);
  return true;
}

/* Sets `*news` to true if any of it was missing. */
static bool push_safely(world *w, device *d, bool *news) {
  request r;
  bool holds = device_push(w, d, &r);
  *news = false;
  if (holds) {
    world_say(w, "    device %u pushes %" PRId64, d->number, r.seqno);
    for (size_t i = 0; i < r.parts; i++)
      *news = *news || !w->swarm.items[r.first + i].there;
    swarm_store(w, &r, r.parts);
    holds = swarm_delete(w, &r.obsolete) && device_confirm(w, d, &r);
    sc_config_hashes_clear(&d->to_delete);
  }
  request_free(&r);
  return holds;
}

bool device_push_safely(world *w, device *d) {
  bool news;
  return push_safely(w, d, &news);
}

bool device_tidy(world *w, device *d) {
  sc_config_hashes old;
  sc_config_hashes_init(&old, &w->memory.env);
  sc_config_take_old_hashes(&old, d->config);
  bool holds = take_obsolete(w, d, &old) && swarm_delete(w, &d->to_delete);
  sc_config_hashes_clear(&d->to_delete);
  sc_config_hashes_free(&old);
  return holds;
}

/* True if everything the config says it needs is stored. */
static bool has_all(bool *out, world *w, const device *d) {
  sc_config_hashes active;
  sc_config_hashes_init(&active, &w->memory.env);
  *out = true;
  sc_status status = sc_config_active_hashes(&active, d->config, device_wall_ms(w, d));
  for (size_t i = 0; i < active.count; i++) {
    const stored_message *message = swarm_find(&w->swarm, active.items[i]);
    *out = *out && message != NULL && message->there;
  }
  sc_config_hashes_free(&active);
  WORKS(status);
  return true;
}

bool device_restore(world *w, device *d, bool *restored) {
  bool there;
  *restored = false;
  if (sc_config_state_of(d->config) != SC_CONFIG_CLEAN || sc_config_seqno(d->config) == 0)
    return true;
  if (!has_all(&there, w, d))
    return false;
  /* A missing hash may also be a part of a set that was never complete. */
  return there || push_safely(w, d, restored);
}
