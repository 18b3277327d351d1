#include "path.h"

size_t sc_path_place_of(const sc_path *path, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < path->length; i++)
    if (memcmp(path->nodes[i].key, key, SC_KEY_BYTES) == 0)
      return i;
  return SC_ONION_NO_NODE;
}

sc_status sc_path_put(sc_path *path, const sc_node *node, sc_hop_keys *keys) {
  sc_status status = sc_hop_keys_find(&path->hops[path->length], keys, node->key);
  if (status == SC_OK)
    path->nodes[path->length++] = *node;
  return status;
}
