/* A node's list of the network, in binary or as the daemon's JSON. The first byte of the input chooses. Every
 * node that is read can be called, is listed once, and comes back from the binary list. */
#include "fuzz.h"
#include "network/nodes/node_list.h"

static void check(const sc_node_list *list, bool private_addresses) {
  const sc_node *nodes = sc_node_list_nodes(list);
  REQUIRE(sc_node_list_count(list) > 0 && sc_node_list_count(list) <= SC_STORAGE_MAX_NODES);
  for (size_t i = 0; i < sc_node_list_count(list); i++) {
    REQUIRE(sc_node_is_usable(&nodes[i], private_addresses));
    REQUIRE(sc_key_table_find(&list->table, nodes[i].key) == &nodes[i]);
  }
}

/* As base64: records may happen to be letters of it themselves, when somebody makes them so. */
static void write_again(const sc_node_list *list, sc_buffer *out) {
  sc_buffer records;
  uint8_t *bytes;
  sc_buffer_init(&records, fuzz_env());
  for (size_t i = 0; i < sc_node_list_count(list); i++) {
    const sc_node *node = &sc_node_list_nodes(list)[i];
    sc_storage_node record = {
        .https_port = node->https_port, .quic_port = node->quic_port, .swarm = node->swarm};
    memcpy(record.ed25519, node->key, SC_KEY_BYTES);
    memcpy(record.ip, node->ip, sizeof record.ip);
    memcpy(record.version, node->version, sizeof record.version);
    REQUIRE(sc_buffer_extend(&bytes, &records, SC_STORAGE_ACTIVE_NODE_BYTES) == SC_OK);
    sc_storage_active_node_write(bytes, &record);
  }
  REQUIRE(sc_buffer_extend(&bytes, out, SC_BASE64_CHARS(records.len) + 1) == SC_OK);
  sc_buffer_truncate(out, sc_base64_encode((char *)bytes, sc_buffer_bytes(&records), SC_BASE64_STANDARD));
  sc_buffer_free(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_node_list list, again;
  sc_buffer body;
  REQUIRE(sc_init() == SC_OK);
  sc_bytes input = sc_bytes_make(data, size);
  uint8_t choice = fuzz_take_byte(&input);
  bool private_addresses = (choice & 2) != 0;
  sc_node_list_init(&list, fuzz_env());
  sc_node_list_init(&again, fuzz_env());
  sc_buffer_init(&body, fuzz_env());
  sc_status status =
      sc_node_list_read(&list, (choice & 1) != 0 ? SC_STORAGE_SERVICE_NODES : SC_STORAGE_ACTIVE_NODES,
                        private_addresses, input);
  REQUIRE(status == SC_OK || (status == SC_ERR_NODE_LIST && sc_node_list_count(&list) == 0));
  if (status == SC_OK) {
    check(&list, private_addresses);
    write_again(&list, &body);
    REQUIRE(sc_node_list_read(&again, SC_STORAGE_ACTIVE_NODES, private_addresses, sc_buffer_bytes(&body)) ==
            SC_OK);
    REQUIRE(sc_node_list_count(&again) == sc_node_list_count(&list) && again.skipped == 0);
  }
  sc_node_list_free(&list);
  sc_node_list_free(&again);
  sc_buffer_free(&body);
  return 0;
}
