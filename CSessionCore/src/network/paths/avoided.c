#include "avoided.h"

#include <string.h>

#include "../later.h"
#include "session-core/network/node_options.h"

static const uint64_t memory = 600 * SC_NODE_SECOND;

static bool is_for(const sc_avoided_node *node, const uint8_t *account) {
  return account == NULL ? !node->has_account
                         : node->has_account && memcmp(node->account, account, sizeof node->account) == 0;
}

static bool is_of(const sc_avoided_node *node, const uint8_t *key, const uint8_t *account) {
  return node->until != 0 && memcmp(node->key, key, SC_KEY_BYTES) == 0 && is_for(node, account);
}

/* Its place, or where to put it: the one that is forgotten first. */
static sc_avoided_node *place_of(sc_avoided *avoided, const uint8_t *key, const uint8_t *account,
                                 size_t most) {
  sc_avoided_node *oldest = &avoided->list[0];
  for (size_t i = 0; i < most; i++) {
    sc_avoided_node *node = &avoided->list[i];
    if (is_of(node, key, account))
      return node;
    if (node->until < oldest->until)
      oldest = node;
  }
  return oldest;
}

void sc_avoided_add(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const uint8_t *account,
                    uint64_t now, size_t pool) {
  enum { share = 100 };
  size_t most = pool / share;
  most = most < sc_avoided_least ? sc_avoided_least : most > sc_avoided_max ? sc_avoided_max : most;
  sc_avoided_node *node = place_of(avoided, key, account, most);
  *node = (sc_avoided_node){.has_account = account != NULL, .until = sc_later(now, memory)};
  memcpy(node->key, key, SC_KEY_BYTES);
  if (account != NULL)
    memcpy(node->account, account, sizeof node->account);
}

void sc_avoided_remove(sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < sc_avoided_max; i++)
    if (is_of(&avoided->list[i], key, NULL))
      avoided->list[i].until = 0;
}

bool sc_avoided_has(const sc_avoided *avoided, const uint8_t key[static SC_KEY_BYTES], const uint8_t *account,
                    uint64_t now) {
  for (size_t i = 0; i < sc_avoided_max; i++) {
    const sc_avoided_node *node = &avoided->list[i];
    if (node->until > now && (is_of(node, key, NULL) || (account != NULL && is_of(node, key, account))))
      return true;
  }
  return false;
}

bool sc_avoided_any(const sc_avoided *avoided, uint64_t now) {
  for (size_t i = 0; i < sc_avoided_max; i++)
    if (avoided->list[i].until > now && !avoided->list[i].has_account)
      return true;
  return false;
}
