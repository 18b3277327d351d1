#include "recent_hops.h"

#include <string.h>

#include "../moment.h"
#include "session-core/network/node_options.h"

static const uint64_t memory = 600 * SC_NODE_SECOND;

/* Its place, or that of the oldest. */
static sc_recent_hop *place_of(sc_recent_hops *hops, const uint8_t *key, uint64_t local_account) {
  for (size_t i = 0; i < hops->count; i++) {
    sc_recent_hop *hop = &hops->list[i];
    if (hop->until != 0 && hop->local_account == local_account && memcmp(hop->key, key, SC_KEY_BYTES) == 0)
      return hop;
  }
  size_t next = hops->next;
  hops->next = (next + 1) % sc_recent_hops_max;
  hops->count += hops->count < sc_recent_hops_max;
  return &hops->list[next];
}

void sc_recent_hops_add(sc_recent_hops *hops, const uint8_t key[static SC_KEY_BYTES], uint64_t local_account,
                        uint64_t now) {
  sc_recent_hop *hop = place_of(hops, key, local_account);
  *hop = (sc_recent_hop){.local_account = local_account, .until = sc_later(now, memory)};
  memcpy(hop->key, key, SC_KEY_BYTES);
}

static bool is_node(const sc_recent_hop *hop, const uint8_t *key, uint64_t now) {
  return hop->until > now && memcmp(hop->key, key, SC_KEY_BYTES) == 0;
}

bool sc_recent_hops_has(const sc_recent_hops *hops, const uint8_t key[static SC_KEY_BYTES], uint64_t now) {
  for (size_t i = 0; i < hops->count; i++)
    if (is_node(&hops->list[i], key, now))
      return true;
  return false;
}

bool sc_recent_hops_has_other(const sc_recent_hops *hops, const uint8_t key[static SC_KEY_BYTES],
                              uint64_t local_account, uint64_t now) {
  for (size_t i = 0; i < hops->count; i++) {
    const sc_recent_hop *hop = &hops->list[i];
    if (hop->local_account != 0 && hop->local_account != local_account && is_node(hop, key, now))
      return true;
  }
  return false;
}
