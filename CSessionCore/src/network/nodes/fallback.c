#include "fallback.h"

#include "../storage/reply.h"

enum { block_time = 120 * 1000 /* milliseconds */ };

/* The estimated current height of the chain. */
static uint64_t expected_height(const sc_node_options *options, uint64_t height, uint64_t wall) {
  uint64_t elapsed = wall > options->fallback_time ? wall - options->fallback_time : 0;
  uint64_t grown = elapsed / block_time;
  return height > UINT64_MAX - grown ? UINT64_MAX : height + grown;
}

static sc_status read_document(sc_node_list *out, sc_storage_memory *memory, const sc_node_options *options,
                               uint64_t wall) {
  sc_rpc_value document, result;
  sc_storage_service_nodes read = {0};
  sc_status status = sc_rpc_open(&document, memory, options->fallback);
  if (status != SC_OK)
    return status;
  bool is_reply = sc_rpc_member(&result, document, "result");
  status = sc_storage_service_nodes_read(&read, memory, is_reply ? result : document);
  if (status != SC_OK)
    return status;
  return sc_node_list_add_states(out, &read.nodes, options->private_addresses,
                                 expected_height(options, read.height, wall));
}

sc_status sc_fallback_read(sc_node_list *out, const sc_node_options *options, uint64_t wall) {
  sc_storage_memory *memory;
  sc_status status = sc_storage_memory_new(&memory, out->table.env);
  if (status != SC_OK)
    return status;
  status = read_document(out, memory, options, wall);
  sc_storage_memory_free(memory);
  if (status == SC_OK && sc_node_list_count(out) >= options->smallest_pool)
    return SC_OK;
  sc_node_list_free(out);
  return status == SC_ERR_NO_MEMORY ? status : SC_ERR_NODE_FILE;
}
