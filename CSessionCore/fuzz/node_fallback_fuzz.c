/* The list of nodes that comes with a program: enough nodes that can be called, or nothing. */
#include "fuzz.h"
#include "network/nodes/fallback.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_node_options options;
  sc_node_list list;
  REQUIRE(sc_init() == SC_OK);
  sc_node_options_default(&options, SC_NETWORK_MAIN);
  options.smallest_pool = 2;
  options.fallback = sc_bytes_make(data, size);
  sc_node_list_init(&list, fuzz_env());
  sc_status status = sc_fallback_read(&list, &options, 1200 * 1000);
  REQUIRE(status == SC_OK || status == SC_ERR_NODE_FILE);
  REQUIRE(status == SC_OK ? sc_node_list_count(&list) >= 2 : sc_node_list_count(&list) == 0);
  for (size_t i = 0; i < sc_node_list_count(&list); i++)
    REQUIRE(sc_node_is_usable(&sc_node_list_nodes(&list)[i], false));
  sc_node_list_free(&list);
  return 0;
}
