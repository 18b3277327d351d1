/* From the swarm to a device. */
#include <inttypes.h>

#include "world.h"

size_t swarm_list(size_t *out, const swarm *swarm, draws *from) {
  size_t order[most_stored];
  size_t count = 0;
  draw_order(order, swarm->count, from);
  for (size_t i = 0; i < swarm->count; i++)
    if (swarm->items[order[i]].there)
      out[count++] = order[i];
  return count;
}

/* A message that is not litter, and whose key the device knows, must have been understood. */
static bool check_statuses(world *w, const device *d, const sc_status *statuses, const size_t *indices,
                           size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool litter = w->swarm.items[indices[i]].litter;
    HOLDS(litter == (statuses[i] != SC_OK) || (d->keys < w->keys && statuses[i] == SC_ERR_NO_KEY),
          "device %u reads message %zu: %s", d->number, indices[i], sc_status_text(statuses[i]));
  }
  return true;
}

typedef struct standing {
  sc_config_state state;
  int64_t seqno;
} standing;

static standing standing_of(const device *d) {
  return (standing){sc_config_state_of(d->config), sc_config_seqno(d->config)};
}

static bool check_effect(world *w, const device *d, standing before, sc_config_effect effect) {
  standing after = standing_of(d);
  if (effect == SC_CONFIG_KEPT)
    HOLDS(after.state == before.state && after.seqno == before.seqno,
          "device %u kept its config, which is another one", d->number);
  else
    HOLDS(after.seqno > before.seqno || (after.seqno == before.seqno && before.state == SC_CONFIG_DIRTY),
          "device %u went from %" PRId64 " to %" PRId64, d->number, before.seqno, after.seqno);
  HOLDS(!device_reads_only(w, d) || after.state == SC_CONFIG_CLEAN, "device %u only reads, and would push",
        d->number);
  return true;
}

bool device_merge(world *w, device *d, const size_t *indices, size_t count, sc_config_effect *effect) {
  enum { most_at_once = 256 };
  sc_config_incoming incoming[most_at_once];
  sc_status statuses[most_at_once];
  standing before = standing_of(d);
  count = count < most_at_once ? count : most_at_once;
  for (size_t i = 0; i < count; i++)
    incoming[i] = (sc_config_incoming){swarm_hash(&w->swarm, indices[i]),
                                       sc_buffer_bytes(&w->swarm.items[indices[i]].bytes)};
  sc_status status = sc_config_merge(effect, statuses, d->config, incoming, count, device_wall_ms(w, d));
  w->merged += count;
  HOLDS(status == SC_OK || status == SC_ERR_CONFIG_NONE, "device %u merges: %s", d->number,
        sc_status_text(status));
  world_say(w, "    device %u merges %zu: %s, %" PRId64, d->number, count,
            *effect == SC_CONFIG_KEPT      ? "keeps"
            : *effect == SC_CONFIG_ADOPTED ? "adopts"
                                           : "resolves",
            sc_config_seqno(d->config));
  return check_statuses(w, d, statuses, indices, count) && check_effect(w, d, before, *effect);
}

bool device_merge_in_vain(world *w, device *d, const size_t *indices, size_t count) {
  sc_config_effect effect;
  if (!device_merge(w, d, indices, count, &effect))
    return false;
  HOLDS(effect == SC_CONFIG_KEPT, "device %u merges what it has merged already, and changes", d->number);
  return true;
}
