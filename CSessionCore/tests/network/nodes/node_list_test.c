#include "network/nodes/node_list.h"

#include "crowd.h"
#include "states.h"

enum { record_bytes = SC_STORAGE_ACTIVE_NODE_BYTES };

static void put_record(uint8_t *out, const sc_node *node) {
  sc_storage_node record = {
      .https_port = node->https_port, .quic_port = node->quic_port, .swarm = node->swarm};
  memcpy(record.ed25519, node->key, SC_KEY_BYTES);
  memcpy(record.ip, node->ip, 4);
  memcpy(record.version, node->version, sizeof node->version);
  sc_storage_active_node_write(out, &record);
}

static void records_become_nodes(sc_test *t) {
  uint8_t body[3 * record_bytes];
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  for (uint32_t i = 0; i < 3; i++) {
    const sc_node node = crowd_node(i);
    put_record(body + i * record_bytes, &node);
  }
  OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, SC_BYTES(body)));
  CHECK(sc_node_list_count(&list) == 3 && list.skipped == 0);
  for (uint32_t i = 0; i < 3; i++) {
    const sc_node expected = crowd_node(i), *node = &sc_node_list_nodes(&list)[i];
    CHECK(sc_node_same(node, &expected) && memcmp(node->ip, expected.ip, 4) == 0);
    CHECK(node->swarm == expected.swarm && node->quic_port == 22020 && node->https_port == 22021);
    CHECK(node->version[1] == 11);
  }
done:
  sc_node_list_free(&list);
}

static void records_are_base64_in_onion_replies(sc_test *t) {
  uint8_t body[2 * record_bytes];
  char text[SC_BASE64_CHARS(sizeof body) + 1];
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  for (uint32_t i = 0; i < 2; i++) {
    const sc_node node = crowd_node(i);
    put_record(body + i * record_bytes, &node);
  }
  size_t len = sc_base64_encode(text, SC_BYTES(body), SC_BASE64_STANDARD);
  OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, sc_bytes_make(text, len)));
  CHECK(sc_node_list_count(&list) == 2);
done:
  sc_node_list_free(&list);
}

static void a_truncated_or_empty_list_is_refused(sc_test *t) {
  uint8_t body[2 * record_bytes] = {0};
  const sc_node node = crowd_node(1);
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  put_record(body, &node);
  OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, sc_bytes_make(body, record_bytes)));
  FAILS(SC_ERR_NODE_LIST, sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, sc_bytes_make(body, 50)));
  CHECK(sc_node_list_count(&list) == 0);
  FAILS(SC_ERR_NODE_LIST, sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, sc_bytes_make(body, 52)));
  FAILS(SC_ERR_NODE_LIST, sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, (sc_bytes){0}));
  /* Complete records, none of them of a usable node. */
  memset(body, 0, sizeof body);
  FAILS(SC_ERR_NODE_LIST, sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, SC_BYTES(body)));
  CHECK(sc_node_list_count(&list) == 0);
done:
  sc_node_list_free(&list);
}

static void records_without_a_usable_key_or_address_are_dropped(sc_test *t) {
  uint8_t body[7 * record_bytes];
  sc_node nodes[7];
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  for (uint32_t i = 0; i < 7; i++)
    nodes[i] = crowd_node(i);
  memset(nodes[0].key, 0, SC_KEY_BYTES);
  memset(nodes[1].ip, 0, 4);
  nodes[2].ip[0] = 230;
  memset(nodes[3].ip, 255, 4);
  nodes[4].quic_port = 0;
  nodes[5].ip[0] = 10;
  for (size_t i = 0; i < 7; i++)
    put_record(body + i * record_bytes, &nodes[i]);
  OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, SC_BYTES(body)));
  CHECK(sc_node_list_count(&list) == 1 && list.skipped == 6);
  CHECK(sc_node_same(&sc_node_list_nodes(&list)[0], &nodes[6]));
  OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, true, SC_BYTES(body)));
  CHECK(sc_node_list_count(&list) == 2 && list.skipped == 5);
done:
  sc_node_list_free(&list);
}

static void of_records_with_the_same_key_the_first_is_kept(sc_test *t) {
  uint8_t body[2 * record_bytes];
  sc_node first = crowd_node(1), second = first;
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  second.ip[3] = 99;
  put_record(body, &first);
  put_record(body + record_bytes, &second);
  OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, SC_BYTES(body)));
  CHECK(sc_node_list_count(&list) == 1 && list.skipped == 1 && sc_node_list_nodes(&list)[0].ip[3] == 1);
done:
  sc_node_list_free(&list);
}

static void nodes_without_a_swarm_are_kept(sc_test *t) {
  uint8_t body[record_bytes];
  sc_node node = crowd_node(1);
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  node.swarm = SC_STORAGE_NO_SWARM;
  put_record(body, &node);
  OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, SC_BYTES(body)));
  CHECK(sc_node_list_nodes(&list)[0].swarm == SC_STORAGE_NO_SWARM);
done:
  sc_node_list_free(&list);
}

static void the_daemons_json_states_become_nodes(sc_test *t) {
  sc_storage_node states[] = {state_of(1), state_of(2), state_of(3), state_of(4)};
  sc_node_list list;
  sc_buffer body;
  sc_node_list_init(&list, t->env);
  sc_buffer_init(&body, t->env);
  states[1].funded = false;
  memset(states[2].legacy, 1, SC_KEY_BYTES); /* as in the first list */
  OK(states_write(&body, states, 4));
  OK(sc_node_list_read(&list, SC_STORAGE_SERVICE_NODES, false, sc_buffer_bytes(&body)));
  CHECK(sc_node_list_count(&list) == 2 && list.skipped == 2);
  const sc_node *nodes = sc_node_list_nodes(&list);
  SAME(SC_BYTES(states[0].ed25519), SC_BYTES(nodes[0].key));
  SAME(SC_BYTES(states[3].ed25519), SC_BYTES(nodes[1].key));
  CHECK(nodes[0].swarm == UINT64_MAX - 1 && nodes[0].version[2] == 300 && nodes[0].quic_port == 22020);
done:
  sc_node_list_free(&list);
  sc_buffer_free(&body);
}

/* One state, with a part of its JSON replaced. */
static sc_status read_changed(sc_node_list *list, const char *part, const char *instead) {
  const sc_storage_node states[] = {state_of(1), state_of(2)};
  sc_buffer body, changed;
  sc_buffer_init(&body, list->table.env);
  sc_buffer_init(&changed, list->table.env);
  sc_status status = states_write(&body, states, 2);
  if (status == SC_OK)
    status = sc_buffer_append_byte(&body, 0);
  const char *at = status == SC_OK ? strstr((const char *)body.ptr, part) : NULL;
  if (at == NULL)
    status = status == SC_OK ? SC_ERR_NOT_FOUND : status;
  if (status == SC_OK)
    status = sc_buffer_append(&changed, sc_bytes_make(body.ptr, (size_t)(at - (const char *)body.ptr)));
  if (status == SC_OK)
    status = sc_buffer_append(&changed, sc_bytes_text(instead));
  if (status == SC_OK)
    status = sc_buffer_append(&changed, sc_bytes_text(at + strlen(part)));
  if (status == SC_OK)
    status = sc_node_list_read(list, SC_STORAGE_SERVICE_NODES, false, sc_buffer_bytes(&changed));
  sc_buffer_free(&body);
  sc_buffer_free(&changed);
  return status;
}

static void one_malformed_state_does_not_affect_the_others(sc_test *t) {
  static const char *const changes[][2] = {
      {"\"swarm_id\":18446744073709551614", "\"swarm_id\":-1"},
      {"\"swarm_id\":18446744073709551614", "\"swarm_id\":1.5"},
      {"\"public_ip\":\"9.9.1.1\"", "\"public_ip\":\"::1\""},
      {"\"public_ip\":\"9.9.1.1\"", "\"public_ip\":\"\""},
      {"\"public_ip\":\"9.9.1.1\"", "\"public_ip\":\"0.0.0.0\""},
      {"\"pubkey_x25519\":\"", "\"pubkey_x25519\":\"zz"},
      {"\"storage_lmq_port\":22020", "\"storage_lmq_port\":0"},
      {"\"pubkey_ed25519\"", "\"pubkey_ed25518\""},
  };
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    OK(read_changed(&list, changes[i][0], changes[i][1]));
    CHECK(sc_node_list_count(&list) == 1 && list.skipped == 1);
  }
  /* X25519 keys that belong to another node. */
  sc_storage_node states[] = {state_of(1), state_of(2)};
  memcpy(states[0].x25519, states[1].x25519, SC_KEY_BYTES);
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  sc_status status = states_write(&body, states, 2);
  if (status == SC_OK)
    status = sc_node_list_read(&list, SC_STORAGE_SERVICE_NODES, false, sc_buffer_bytes(&body));
  sc_buffer_free(&body);
  OK(status);
  CHECK(sc_node_list_count(&list) == 1 && list.skipped == 1);
done:
  sc_node_list_free(&list);
}

static void other_json_is_refused(sc_test *t) {
  static const char *const bad[] = {"",
                                    "{",
                                    "[]",
                                    "{\"result\":{}}",
                                    "{\"result\":{\"service_node_states\":[]}}",
                                    "{\"result\":{\"unchanged\":true}}"};
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_NODE_LIST, sc_node_list_read(&list, SC_STORAGE_SERVICE_NODES, false, sc_bytes_text(bad[i])));
  CHECK(sc_node_list_count(&list) == 0);
done:
  sc_node_list_free(&list);
}

static void list_length_is_limited(sc_test *t) {
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  OK(sc_key_table_reserve(&list.table, SC_STORAGE_MAX_NODES));
  OK(crowd_list(&list, 0, SC_STORAGE_MAX_NODES));
  CHECK(sc_node_list_count(&list) == SC_STORAGE_MAX_NODES);
  FAILS(SC_ERR_TOO_LARGE, crowd_list(&list, SC_STORAGE_MAX_NODES, 1));
done:
  sc_node_list_free(&list);
}

static void shuffling_loses_no_nodes(sc_test *t) {
  enum { count = 300 };
  sc_node_list list;
  size_t moved = 0;
  sc_node_list_init(&list, t->env);
  OK(crowd_list(&list, 0, count));
  sc_node_list_shuffle(&list);
  for (uint32_t i = 0; i < count; i++) {
    const sc_node node = crowd_node(i), *found = sc_key_table_find(&list.table, node.key);
    CHECK(found != NULL && sc_node_same(found, &node) && found->swarm == node.swarm);
    moved += found != &sc_node_list_nodes(&list)[i];
  }
  CHECK(sc_node_list_count(&list) == count && moved > count * 9 / 10);
done:
  sc_node_list_free(&list);
}

SUITE(network_nodes_node_list, "network/nodes/node_list", {"records become nodes", records_become_nodes},
      {"records are base64 in onion replies", records_are_base64_in_onion_replies},
      {"a truncated or empty list is refused", a_truncated_or_empty_list_is_refused},
      {"records without a usable key or address are dropped",
       records_without_a_usable_key_or_address_are_dropped},
      {"of records with the same key the first is kept", of_records_with_the_same_key_the_first_is_kept},
      {"nodes without a swarm are kept", nodes_without_a_swarm_are_kept},
      {"the daemon's JSON states become nodes", the_daemons_json_states_become_nodes},
      {"one malformed state does not affect the others", one_malformed_state_does_not_affect_the_others},
      {"other JSON is refused", other_json_is_refused}, {"list length is limited", list_length_is_limited},
      {"shuffling loses no nodes", shuffling_loses_no_nodes});
