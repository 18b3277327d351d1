#include "pool_file.h"
#include "state.h"

/* A pool that is there already was found out later, or by this program. */
sc_status sc_nodes_load_pool(sc_nodes *nodes, uint64_t wall, sc_bytes file, uint64_t modified) {
  sc_node_list list;
  sc_day_changes changes = {0};
  if (nodes->pool.count > 0 || file.len == 0)
    return SC_OK;
  sc_node_list_init(&list, nodes->env);
  sc_status status =
      sc_pool_file_read(&list, &changes, sc_day_of(wall), nodes->options.private_addresses, file);
  if (status == SC_OK && sc_node_list_count(&list) == 0)
    status = SC_ERR_NODE_FILE;
  if (status == SC_OK)
    status = sc_nodes_adopt(nodes, &list);
  sc_node_list_free(&list);
  if (status != SC_OK)
    return status;
  nodes->refresh.changes = changes;
  nodes->refresh.refreshed_wall = modified <= wall ? modified : 0;
  sc_nodes_tell_replaced(nodes);
  return SC_OK;
}

sc_status sc_nodes_write_pool(sc_buffer *out, const sc_nodes *nodes) {
  return sc_pool_file_write(out, nodes->pool.nodes, nodes->pool.count, &nodes->refresh.changes);
}

sc_status sc_nodes_load_strikes(sc_nodes *nodes, uint64_t wall, sc_bytes file) {
  return sc_strikes_read(&nodes->strikes, wall, file);
}

sc_status sc_nodes_write_strikes(sc_buffer *out, sc_nodes *nodes, uint64_t wall) {
  sc_strikes_prune(&nodes->strikes, wall);
  return sc_strikes_write(out, &nodes->strikes);
}
