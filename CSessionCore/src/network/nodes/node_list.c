#include "node_list.h"

#include "../../base/draws.h"
#include "../storage/memory.h"
#include "../storage/reply.h"

bool sc_node_agrees(const sc_node *a, const sc_node *b) {
  return sc_node_same(a, b) && memcmp(a->ip, b->ip, sizeof a->ip) == 0 && a->https_port == b->https_port &&
         a->quic_port == b->quic_port && a->swarm == b->swarm;
}

bool sc_node_is_near(const sc_node *a, const sc_node *b) {
  return memcmp(a->ip, b->ip, 2) == 0;
}

void sc_node_list_init(sc_node_list *list, const sc_env *env) {
  *list = (sc_node_list){0};
  sc_key_table_init(&list->table, env, SC_KEY_BYTES, sizeof(sc_node));
}

void sc_node_list_free(sc_node_list *list) {
  sc_key_table_free(&list->table);
  list->skipped = 0;
}

sc_status sc_node_list_add(sc_node_list *list, const sc_node *node, bool private_addresses) {
  void *record;
  bool added = false;
  if (sc_node_list_count(list) == SC_STORAGE_MAX_NODES)
    return SC_ERR_TOO_LARGE;
  if (sc_node_is_usable(node, private_addresses)) {
    sc_status status = sc_key_table_put(&record, &added, &list->table, node->key);
    if (status != SC_OK)
      return status;
    if (added)
      *(sc_node *)record = *node;
  }
  list->skipped += !added;
  return SC_OK;
}

void sc_node_list_shuffle(sc_node_list *list) {
  sc_node *nodes = list->table.records;
  sc_draws draws;
  sc_draws_init(&draws, list->table.env, list->table.count);
  for (size_t left = list->table.count; left > 1; left--) {
    size_t chosen = sc_draws_below(&draws, (uint32_t)left);
    sc_node last = nodes[left - 1];
    nodes[left - 1] = nodes[chosen];
    nodes[chosen] = last;
  }
  sc_key_table_index(&list->table);
}

void sc_node_list_move(sc_node_list *to, sc_node_list *from) {
  const sc_env *env = from->table.env;
  sc_node_list_free(to);
  *to = *from;
  sc_node_list_init(from, env);
}

sc_node sc_node_of_record(const sc_storage_node *record) {
  sc_node node = {.https_port = record->https_port, .quic_port = record->quic_port, .swarm = record->swarm};
  memcpy(node.key, record->ed25519, sizeof node.key);
  memcpy(node.ip, record->ip, sizeof node.ip);
  memcpy(node.version, record->version, sizeof node.version);
  return node;
}

/* Keys in such a list are not validated: a node with an invalid key is unreachable, and checking thousands
 * would take longer than everything else. */
static sc_status read_records(sc_node_list *list, bool private_addresses, sc_bytes body) {
  sc_storage_memory *memory;
  sc_bytes records;
  sc_status status = sc_storage_memory_new(&memory, list->table.env);
  if (status != SC_OK)
    return status;
  status = sc_storage_active_records(&records, memory, body);
  size_t count = status == SC_OK ? records.len / SC_STORAGE_ACTIVE_NODE_BYTES : 0;
  if (count > SC_STORAGE_MAX_NODES)
    status = SC_ERR_TOO_LARGE;
  if (status == SC_OK)
    status = sc_key_table_reserve(&list->table, count);
  for (size_t i = 0; status == SC_OK && i < count; i++) {
    sc_storage_node record;
    sc_storage_active_node_read(&record, records.ptr + i * SC_STORAGE_ACTIVE_NODE_BYTES);
    sc_node node = sc_node_of_record(&record);
    status = sc_node_list_add(list, &node, private_addresses);
  }
  sc_storage_memory_free(memory);
  return status;
}

static bool will_have_left(const sc_storage_node *state, uint64_t height) {
  return state->unlock_height > 0 && state->unlock_height <= height;
}

sc_status sc_node_list_add_states(sc_node_list *list, const sc_storage_node_list *states,
                                  bool private_addresses, uint64_t height) {
  sc_status status = SC_OK;
  list->skipped += states->skipped;
  for (size_t i = 0; status == SC_OK && i < states->count; i++) {
    const sc_node node = sc_node_of_record(&states->list[i]);
    if (!states->list[i].funded || will_have_left(&states->list[i], height))
      list->skipped++;
    else
      status = sc_node_list_add(list, &node, private_addresses);
  }
  return status;
}

static sc_status read_states(sc_node_list *list, bool private_addresses, sc_bytes body) {
  const sc_storage_request request = {.method = SC_STORAGE_SERVICE_NODES};
  sc_storage_parsed_reply parsed;
  sc_status status = sc_storage_reply_parse(&parsed, list->table.env, &request, body);
  if (status != SC_OK)
    return status;
  status = sc_node_list_add_states(list, &parsed.reply.of.service_nodes.nodes, private_addresses, 0);
  sc_storage_parsed_reply_free(&parsed);
  return status;
}

sc_status sc_node_list_read(sc_node_list *list, sc_storage_method method, bool private_addresses,
                            sc_bytes body) {
  sc_node_list_free(list);
  sc_status status = method == SC_STORAGE_ACTIVE_NODES ? read_records(list, private_addresses, body)
                                                       : read_states(list, private_addresses, body);
  if (status == SC_OK && sc_node_list_count(list) > 0)
    return SC_OK;
  sc_node_list_free(list);
  return status == SC_ERR_NO_MEMORY ? status : SC_ERR_NODE_LIST;
}
