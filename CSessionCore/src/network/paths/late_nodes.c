#include "late_nodes.h"

#include <string.h>

#include "../later.h"
#include "session-core/network/node_options.h"

static const uint64_t memory = 600 * SC_NODE_SECOND;

static bool is_at(const sc_late_node *node, const uint8_t *key) {
  return node->until != 0 && memcmp(node->key, key, SC_KEY_BYTES) == 0;
}

/* Its place, or where to put it: the one that is forgotten first. */
static size_t place_of(const sc_late_nodes *late, const uint8_t *key) {
  size_t oldest = 0;
  for (size_t i = 0; i < sc_late_nodes_max; i++) {
    if (is_at(&late->list[i], key))
      return i;
    if (late->list[i].until < late->list[oldest].until)
      oldest = i;
  }
  return oldest;
}

void sc_late_nodes_add(sc_late_nodes *late, const uint8_t key[static SC_KEY_BYTES], uint64_t now) {
  sc_late_node *node = &late->list[place_of(late, key)];
  memcpy(node->key, key, SC_KEY_BYTES);
  node->until = sc_later(now, memory);
}

void sc_late_nodes_remove(sc_late_nodes *late, const uint8_t key[static SC_KEY_BYTES]) {
  sc_late_node *node = &late->list[place_of(late, key)];
  if (is_at(node, key))
    node->until = 0;
}

bool sc_late_nodes_has(const sc_late_nodes *late, const uint8_t key[static SC_KEY_BYTES], uint64_t now) {
  const sc_late_node *node = &late->list[place_of(late, key)];
  return is_at(node, key) && node->until > now;
}

bool sc_late_nodes_any(const sc_late_nodes *late, uint64_t now) {
  for (size_t i = 0; i < sc_late_nodes_max; i++)
    if (late->list[i].until > now)
      return true;
  return false;
}
