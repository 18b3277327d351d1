/* Nodes for tests: any number, each with its own key, address and swarm. */
#ifndef SC_TESTS_NETWORK_NODES_CROWD_H
#define SC_TESTS_NETWORK_NODES_CROWD_H

#include "network/nodes/node_list.h"
#include "support/test.h"

/* Node `i`, in a /24 of its own, in one of four swarms. Its key may not be a point of the curve; no test here
 * checks. */
static inline sc_node crowd_node(uint32_t i) {
  sc_node node = {.ip = {9, (uint8_t)(i >> 8), (uint8_t)i, 1},
                  .https_port = 22021,
                  .quic_port = 22020,
                  .version = {2, 11, 0},
                  .swarm = (uint64_t)(i % 4) * 1000};
  node.key[0] = 1;
  for (size_t byte = 0; byte < 4; byte++)
    node.key[28 + byte] = (uint8_t)(i >> (8 * byte));
  return node;
}

/* Nodes `first` up to `first + count`. */
static inline sc_status crowd_list(sc_node_list *out, uint32_t first, uint32_t count) {
  sc_status status = SC_OK;
  for (uint32_t i = first; status == SC_OK && i < first + count; i++) {
    sc_node node = crowd_node(i);
    status = sc_node_list_add(out, &node, false);
  }
  return status;
}

#endif
