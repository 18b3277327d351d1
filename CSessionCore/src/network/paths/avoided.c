#include "avoided.h"

#include "../moment.h"
#include "session-core/network/node_options.h"

static const uint64_t memory = 600 * SC_NODE_SECOND;

static bool is_for(const sc_avoided_node *node, const sc_swarm_key *by) {
  return by == NULL ? !node->is_member : node->is_member && sc_swarm_key_same(&node->by, by);
}

static bool is_of(const sc_avoided_node *node, const uint8_t *key, const sc_swarm_key *by) {
  return node->until != 0 && memcmp(node->key, key, SC_KEY_BYTES) == 0 && is_for(node, by);
}

/* Its place, or where to put it: the one that is forgotten first. */
static sc_avoided_node *place_of(sc_avoided *avoided, const uint8_t *key, const sc_swarm_key *by,
                                 size_t most) {
  sc_avoided_node *oldest = &avoided->list[0];
  for (size_t i = 0; i < most; i++) {
    sc_avoided_node *node = &avoided->list[i];
    if (is_of(node, key, by))
      return node;
    if (node->until < oldest->until)
      oldest = node;
  }
  return oldest;
}

void sc_avoided_add(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const sc_swarm_key *by,
                    uint64_t now, size_t pool) {
  enum { share = 100 };
  size_t most = pool / share;
  most = most < sc_avoided_least ? sc_avoided_least : most > sc_avoided_max ? sc_avoided_max : most;
  sc_avoided_node *node = place_of(avoided, key, by, most);
  *node = (sc_avoided_node){.is_member = by != NULL, .until = sc_later(now, memory)};
  memcpy(node->key, key, SC_KEY_BYTES);
  if (by != NULL)
    node->by = *by;
}

void sc_avoided_remove(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < sc_avoided_max; i++)
    if (is_of(&avoided->list[i], key, NULL))
      avoided->list[i].until = 0;
}

bool sc_avoided_has(const sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const sc_swarm_key *by,
                    uint64_t now) {
  for (size_t i = 0; i < sc_avoided_max; i++) {
    const sc_avoided_node *node = &avoided->list[i];
    if (node->until > now && (is_of(node, key, NULL) || (by != NULL && is_of(node, key, by))))
      return true;
  }
  return false;
}
