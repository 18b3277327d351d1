#include "hop_keys.h"

sc_status sc_hop_keys_find(sc_onion_node *out, sc_hop_keys *keys,
                           const uint8_t ed25519[static SC_KEY_BYTES]) {
  size_t place = ed25519[0] % sc_hop_keys_count;
  sc_onion_node *known = &keys->list[place];
  if (!keys->taken[place] || memcmp(known->ed25519, ed25519, SC_KEY_BYTES) != 0) {
    sc_onion_node made;
    sc_status status = sc_x25519_from_ed25519(made.x25519, sc_bytes_make(ed25519, SC_KEY_BYTES));
    if (status != SC_OK)
      return status;
    memcpy(made.ed25519, ed25519, SC_KEY_BYTES);
    keys->taken[place] = true;
    *known = made;
  }
  *out = *known;
  return SC_OK;
}
