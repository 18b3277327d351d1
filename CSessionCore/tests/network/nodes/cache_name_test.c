#include "network/nodes/cache_name.h"

#include "crowd.h"

static void each_network_has_its_own_files(sc_test *t) {
  static const char *const known[2][3] = {
      {"snode_pool", "snode_pool_strikes", "edge_nodes"},
      {"snode_pool_testnet", "snode_pool_testnet_strikes", "edge_nodes_testnet"}};
  char name[sc_cache_name_bytes];
  sc_node_options options;
  for (int kind = SC_NETWORK_MAIN; kind <= SC_NETWORK_TEST; kind++)
    for (int file = SC_CACHE_POOL; file <= SC_CACHE_OLD_GUARDS; file++) {
      sc_node_options_default(&options, (sc_network_kind)kind);
      sc_cache_name(name, (sc_cache_file)file, &options);
      SAME(sc_bytes_text(known[kind][file]), sc_bytes_text(name));
    }
done:;
}

static void a_private_networks_files_are_named_after_its_seeds(sc_test *t) {
  static const char prefix[] = "snode_pool_devnet_";
  const sc_node seeds[] = {crowd_node(1), crowd_node(2)};
  char name[sc_cache_name_bytes], lines[2 * SC_NODE_TEXT_BYTES];
  char expected[sizeof prefix + SC_HEX_CHARS(32)] = "";
  uint8_t hash[32];
  sc_node_options options;
  sc_node_options_default(&options, SC_NETWORK_PRIVATE);
  options.seeds = seeds;
  options.seed_count = 2;
  size_t len = sc_node_format(lines, &seeds[0]);
  len += sc_node_format(lines + len, &seeds[1]);
  OK(sc_blake2b(hash, sizeof hash, (sc_bytes){0}, sc_bytes_make(lines, len)));
  memcpy(expected, prefix, sizeof prefix);
  sc_hex_encode(expected + strlen(prefix), SC_BYTES(hash));
  sc_cache_name(name, SC_CACHE_POOL, &options);
  SAME(sc_bytes_text(expected), sc_bytes_text(name));
  sc_cache_name(name, SC_CACHE_STRIKES, &options);
  SAME(sc_bytes_text(expected), sc_bytes_make(name, strlen(expected)));
  SAME(sc_bytes_text("_strikes"), sc_bytes_text(name + strlen(expected)));
done:;
}

SUITE(network_nodes_cache_name, "network/nodes/cache_name",
      {"each network has its own files", each_network_has_its_own_files},
      {"a private network's files are named after its seeds",
       a_private_networks_files_are_named_after_its_seeds});
