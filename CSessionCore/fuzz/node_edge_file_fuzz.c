/* Saved first nodes of paths: each can be called, is there once, is young enough, and is written as it is
 * read. */
#include "fuzz.h"
#include "network/nodes/edge_file.h"

static const uint64_t wall = 1700000000000;

static void check(const sc_edges *edges, const sc_node_options *options) {
  REQUIRE(edges->count <= sc_edges_most);
  for (size_t i = 0; i < edges->count; i++) {
    const sc_edge *edge = &edges->list[i];
    REQUIRE(sc_node_is_usable(&edge->node, options->private_addresses));
    REQUIRE(edge->since <= wall && wall - edge->since < options->edge_expiry / 1000000);
    for (size_t j = 0; j < i; j++)
      REQUIRE(!sc_node_same(&edge->node, &edges->list[j].node));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_node_options options;
  sc_edges edges, again;
  sc_buffer file, second;
  REQUIRE(sc_init() == SC_OK);
  sc_node_options_default(&options, SC_NETWORK_PRIVATE);
  sc_buffer_init(&file, fuzz_env());
  sc_buffer_init(&second, fuzz_env());
  sc_status status = sc_edges_read(&edges, &options, wall, sc_bytes_make(data, size));
  REQUIRE(status == (size > SC_EDGE_FILE_MOST ? SC_ERR_TOO_LARGE : SC_OK));
  check(&edges, &options);
  REQUIRE(sc_edges_write(&file, &edges) == SC_OK);
  REQUIRE(sc_edges_read(&again, &options, wall, sc_buffer_bytes(&file)) == SC_OK);
  REQUIRE(again.count == edges.count);
  REQUIRE(sc_edges_write(&second, &again) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&file), sc_buffer_bytes(&second)));
  sc_buffer_free(&file);
  sc_buffer_free(&second);
  return 0;
}
