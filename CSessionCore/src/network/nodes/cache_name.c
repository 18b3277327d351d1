#include "cache_name.h"

#include <stdio.h>

#include "../../crypto/blake2b.h"
#include "session-core/base/encoding.h"

/* The hash of the lines of all seeds, one behind the other. */
static void hash_seeds(char out[static SC_HEX_CHARS(32) + 1], const sc_node_options *options) {
  char lines[SC_NODE_MAX_SEEDS * SC_NODE_TEXT_BYTES];
  uint8_t hash[32];
  size_t len = 0;
  for (size_t i = 0; i < options->seed_count && i < SC_NODE_MAX_SEEDS; i++)
    len += sc_node_format(lines + len, &options->seeds[i]);
  const sc_bytes text = sc_bytes_make(lines, len);
  sc_blake2b_pieces(hash, sizeof hash, (sc_bytes){0}, NULL, &text, 1);
  sc_hex_encode(out, SC_BYTES(hash));
}

void sc_cache_name(char out[static sc_cache_name_bytes], sc_cache_file file, const sc_node_options *options) {
  char network[sizeof "_devnet_" + SC_HEX_CHARS(32)] = "";
  if (file == SC_CACHE_GUARDS) {
    snprintf(out, sc_cache_name_bytes, "guards");
    return;
  }
  if (options->kind == SC_NETWORK_TEST)
    memcpy(network, "_testnet", sizeof "_testnet");
  if (options->kind == SC_NETWORK_PRIVATE) {
    memcpy(network, "_devnet_", sizeof "_devnet_");
    hash_seeds(network + strlen(network), options);
  }
  snprintf(out, sc_cache_name_bytes, "%s%s%s", file == SC_CACHE_OLD_GUARDS ? "edge_nodes" : "snode_pool",
           network, file == SC_CACHE_STRIKES ? "_strikes" : "");
}
