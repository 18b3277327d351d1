#include "used_hops.h"

static void add(sc_used_hops *used, sc_used_place place, const uint8_t *key) {
  if (used->counts[place] < sc_used_hops_max && !sc_used_hops_has(used, place, key))
    memcpy(used->keys[place][used->counts[place]++], key, SC_KEY_BYTES);
}

void sc_used_hops_add(sc_used_hops *used, const uint8_t *hops, size_t stride, size_t count) {
  if (count == 0)
    return;
  add(used, SC_USED_GUARD, hops);
  if (count > 2)
    add(used, SC_USED_MIDDLE, hops + stride);
  add(used, SC_USED_LAST, hops + (count - 1) * stride);
}

void sc_used_hops_add_destination(sc_used_hops *used, const uint8_t key[static SC_KEY_BYTES]) {
  add(used, SC_USED_LAST, key);
}

void sc_used_hops_add_always(sc_used_hops *used, const uint8_t key[static SC_KEY_BYTES]) {
  add(used, SC_USED_ALWAYS, key);
}

bool sc_used_hops_has(const sc_used_hops *used, sc_used_place place, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < used->counts[place]; i++)
    if (memcmp(used->keys[place][i], key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}
