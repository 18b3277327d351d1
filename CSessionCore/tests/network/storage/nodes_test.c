#include <stdio.h>

#include "cast.h"
#include "support/test.h"

/* A node of the swarm, with every field. */
static sc_storage_node node_of(uint8_t byte) {
  sc_keypair keys = cast_keys(byte);
  sc_storage_node node = {.ip = {198, 51, 100, byte},
                          .https_port = 22021,
                          .quic_port = 22020,
                          .version = {2, 8, 300},
                          .swarm = 0x4a00000000000000,
                          .funded = true,
                          .unlock_height = 7};
  memcpy(node.ed25519, keys.ed.public_key, SC_KEY_BYTES);
  memcpy(node.x25519, keys.x.public_key, SC_KEY_BYTES);
  memset(node.legacy, byte, sizeof node.legacy);
  return node;
}

static bool same_contact(const sc_storage_node *a, const sc_storage_node *b) {
  return memcmp(a->ed25519, b->ed25519, SC_KEY_BYTES) == 0 &&
         memcmp(a->x25519, b->x25519, SC_KEY_BYTES) == 0 && memcmp(a->ip, b->ip, 4) == 0 &&
         a->https_port == b->https_port && a->quic_port == b->quic_port && a->swarm == b->swarm;
}

static void a_swarm_survives_a_round_trip(sc_test *t) {
  const sc_storage_node nodes[] = {node_of(1), node_of(2)};
  const sc_storage_swarm swarm = {0x4a00000000000000, {nodes, 2, 0}};
  const sc_storage_clock clock = {true, cast_now, true, {19, 6}};
  sc_storage_parsed_swarm parsed = {0};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  for (int form = SC_STORAGE_JSON; form <= SC_STORAGE_BT; form++) {
    OK(sc_storage_swarm_write(&body, (sc_storage_form)form, &swarm, &clock));
    sc_storage_parsed_swarm_free(&parsed);
    OK(sc_storage_swarm_parse(&parsed, t->env, sc_buffer_bytes(&body)));
    CHECK(parsed.swarm.id == swarm.id && parsed.swarm.nodes.count == 2 && parsed.swarm.nodes.skipped == 0);
    CHECK(same_contact(&parsed.swarm.nodes.list[0], &nodes[0]) &&
          same_contact(&parsed.swarm.nodes.list[1], &nodes[1]));
    CHECK(parsed.clock.time == cast_now && parsed.clock.fork[0] == 19);
  }
done:
  sc_storage_parsed_swarm_free(&parsed);
  sc_buffer_free(&body);
}

static void the_known_swarm_is_written(sc_test *t) {
  static const char known[] =
      "{\"hf\":[19,6],\"snodes\":[{\"address\":\"yryonyebyryonyebyryonyebyryonyebyryonyebyryonyebyryo."
      "snode\","
      "\"ip\":\"198.51.100.1\",\"port\":\"22021\",\"port_https\":22021,\"port_omq\":22020,\"port_quic\":"
      "22020,"
      "\"pubkey_ed25519\":\"8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c\","
      "\"pubkey_legacy\":\"0101010101010101010101010101010101010101010101010101010101010101\","
      "\"pubkey_x25519\":\"%s\"}],\"swarm\":\"4a00000000000000\",\"t\":1700000000000}";
  const sc_storage_node node = node_of(1);
  const sc_storage_swarm swarm = {0x4a00000000000000, {&node, 1, 0}};
  const sc_storage_clock clock = {true, cast_now, true, {19, 6}};
  char expected[1024], x25519[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  sc_hex_encode(x25519, SC_BYTES(node.x25519));
  snprintf(expected, sizeof expected, known, x25519);
  OK(sc_storage_swarm_write(&body, SC_STORAGE_JSON, &swarm, &clock));
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&body));
done:
  sc_buffer_free(&body);
}

/* A record of node 1, with a part of it replaced. */
static sc_status record(char out[static 1024], const char *replaced, const char *by) {
  const sc_storage_node node = node_of(1);
  const sc_storage_swarm swarm = {5, {&node, 1, 0}};
  sc_buffer body = {0};
  sc_status status = sc_storage_swarm_write(&body, SC_STORAGE_JSON, &swarm, &(sc_storage_clock){0});
  if (status != SC_OK)
    return status;
  char text[1024];
  snprintf(text, sizeof text, "%.*s", (int)body.len, (const char *)body.ptr);
  sc_buffer_free(&body);
  const char *at = strstr(text, replaced);
  if (at == NULL)
    return SC_ERR_NOT_FOUND;
  snprintf(out, 1024, "%.*s%s%s", (int)(at - text), text, by, at + strlen(replaced));
  return SC_OK;
}

static void an_unusable_record_is_skipped(sc_test *t) {
  static const char *const changes[][2] = {
      {"198.51.100.1", "0.0.0.0"},
      {"198.51.100.1", "198.51.100"},
      {"198.51.100.1", "198.51.100.256"},
      {"198.51.100.1", "198.51.100.1.1"},
      {"198.51.100.1", "198.51.100.01"},
      {"198.51.100.1", "::1"},
      {"198.51.100.1", ""},
      {"198.51.100.1", "198..100.1"},
      {"\"port_quic\":22020", "\"port_quic\":0"},
      {"\"port_quic\":22020", "\"port_quic\":65536"},
      {"\"port_https\":22021", "\"port_https\":\"22021\""},
      {"\"pubkey_ed25519\":\"8a", "\"pubkey_ed25519\":\"8b"},
      {"\"pubkey_ed25519\"", "\"x\""},
      {"\"pubkey_x25519\"", "\"x\""},
      {"\"pubkey_x25519\":\"1b", "\"pubkey_x25519\":\"1c"},
      {"\"pubkey_legacy\":\"01", "\"pubkey_legacy\":\"0"},
  };
  sc_storage_request request = cast_any(SC_STORAGE_GET_SWARM);
  sc_storage_parsed_reply parsed = {0};
  sc_storage_parsed_swarm redirect;
  char body[1024];
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    OK(record(body, changes[i][0], changes[i][1]));
    sc_storage_parsed_reply_free(&parsed);
    OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_bytes_text(body)));
    CHECK(parsed.reply.of.swarm.nodes.count == 0 && parsed.reply.of.swarm.nodes.skipped == 1);
    FAILS(SC_ERR_STORAGE_SWARM, sc_storage_swarm_parse(&redirect, t->env, sc_bytes_text(body)));
  }
  OK(record(body, "\"port_quic\":22020,", ""));
  sc_storage_parsed_reply_free(&parsed);
  OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_bytes_text(body)));
  CHECK(parsed.reply.of.swarm.nodes.count == 1 && parsed.reply.of.swarm.nodes.list[0].quic_port == 22020);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void swarm_ids_have_up_to_16_digits(sc_test *t) {
  static const char *const bad[] = {"", "0x5", "00000000000000005", "g", "-5"};
  sc_storage_request request = cast_any(SC_STORAGE_GET_SWARM);
  sc_storage_parsed_reply parsed = {0};
  char body[1024], text[64];
  OK(record(body, "\"swarm\":\"0000000000000005\"", "\"swarm\":\"fa5\""));
  OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_bytes_text(body)));
  CHECK(parsed.reply.of.swarm.id == 0xfa5);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(text, sizeof text, "\"swarm\":\"%s\"", bad[i]);
    OK(record(body, "\"swarm\":\"0000000000000005\"", text));
    sc_storage_parsed_reply_free(&parsed);
    FAILS(SC_ERR_STORAGE_REPLY, sc_storage_reply_parse(&parsed, t->env, &request, sc_bytes_text(body)));
  }
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_redirect_without_nodes_is_ignored(sc_test *t) {
  static const char *const bad[] = {"",
                                    "x",
                                    "{}",
                                    "[]",
                                    "{\"snodes\":[],\"swarm\":\"5\"}",
                                    "{\"snodes\":{},\"swarm\":\"5\"}",
                                    "{\"snodes\":[{}],\"swarm\":\"5\"}",
                                    "{\"snodes\":[],\"swarm\":\"ffffffffffffffff\"}",
                                    "no such account"};
  sc_storage_parsed_swarm parsed = {0};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_STORAGE_SWARM, sc_storage_swarm_parse(&parsed, t->env, sc_bytes_text(bad[i])));
  CHECK(parsed.memory == NULL);
done:;
}

static void of_two_records_with_the_same_key_the_first_is_kept(sc_test *t) {
  sc_storage_node nodes[] = {node_of(1), node_of(2), node_of(1)};
  const sc_storage_swarm swarm = {5, {nodes, 3, 0}};
  sc_storage_parsed_swarm parsed = {0};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  nodes[2].https_port = 1;
  OK(sc_storage_swarm_write(&body, SC_STORAGE_BT, &swarm, &(sc_storage_clock){0}));
  OK(sc_storage_swarm_parse(&parsed, t->env, sc_buffer_bytes(&body)));
  CHECK(parsed.swarm.nodes.count == 2 && parsed.swarm.nodes.skipped == 1);
  CHECK(parsed.swarm.nodes.list[0].https_port == 22021 && parsed.swarm.nodes.list[1].ip[3] == 2);
done:
  sc_storage_parsed_swarm_free(&parsed);
  sc_buffer_free(&body);
}

static void a_repeated_legacy_key_is_one_node(sc_test *t) {
  sc_storage_node nodes[] = {node_of(1), node_of(2), node_of(3)};
  const sc_storage_swarm swarm = {5, {nodes, 3, 0}};
  sc_storage_parsed_swarm parsed = {0};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  memcpy(nodes[2].legacy, nodes[0].legacy, SC_KEY_BYTES);
  OK(sc_storage_swarm_write(&body, SC_STORAGE_BT, &swarm, &(sc_storage_clock){0}));
  OK(sc_storage_swarm_parse(&parsed, t->env, sc_buffer_bytes(&body)));
  CHECK(parsed.swarm.nodes.count == 2 && parsed.swarm.nodes.skipped == 1);
  CHECK(parsed.swarm.nodes.list[0].ip[3] == 1 && parsed.swarm.nodes.list[1].ip[3] == 2);
done:
  sc_storage_parsed_swarm_free(&parsed);
  sc_buffer_free(&body);
}

static void a_redirect_has_at_most_a_hundred_nodes(sc_test *t) {
  sc_storage_node nodes[SC_STORAGE_MAX_REDIRECT + 1];
  sc_storage_parsed_swarm parsed = {0};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  for (size_t i = 0; i <= SC_STORAGE_MAX_REDIRECT; i++)
    nodes[i] = node_of((uint8_t)(i + 1));
  for (size_t extra = 0; extra < 2; extra++) {
    const sc_storage_swarm swarm = {5, {nodes, SC_STORAGE_MAX_REDIRECT + extra, 0}};
    sc_storage_parsed_swarm_free(&parsed);
    OK(sc_storage_swarm_write(&body, SC_STORAGE_JSON, &swarm, &(sc_storage_clock){0}));
    OK(sc_storage_swarm_parse(&parsed, t->env, sc_buffer_bytes(&body)));
    CHECK(parsed.swarm.nodes.count == SC_STORAGE_MAX_REDIRECT && parsed.swarm.nodes.skipped == extra);
    CHECK(parsed.swarm.nodes.list[SC_STORAGE_MAX_REDIRECT - 1].ip[3] == SC_STORAGE_MAX_REDIRECT);
  }
done:
  sc_storage_parsed_swarm_free(&parsed);
  sc_buffer_free(&body);
}

static void the_daemons_list_survives_a_round_trip(sc_test *t) {
  sc_storage_node nodes[] = {node_of(1), node_of(2)};
  sc_storage_reply reply = {.clock = {.has_fork = true, .fork = {19, 6}}};
  sc_storage_request request = cast_any(SC_STORAGE_SERVICE_NODES);
  sc_storage_parsed_reply parsed = {0};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  nodes[0].swarm = SC_STORAGE_NO_SWARM;
  nodes[1].swarm = UINT64_MAX - 1;
  memset(nodes[1].ip, 0, 4);
  reply.of.service_nodes =
      (sc_storage_service_nodes){.height = 12, .block_hash = sc_bytes_text("ab"), .nodes = {nodes, 2, 0}};
  for (int form = SC_STORAGE_JSON; form <= SC_STORAGE_BT; form++) {
    OK(sc_storage_reply_write(&body, (sc_storage_form)form, &request, &reply));
    sc_storage_parsed_reply_free(&parsed);
    OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_buffer_bytes(&body)));
    const sc_storage_service_nodes *read = &parsed.reply.of.service_nodes;
    CHECK(read->height == 12 && !read->unchanged && read->nodes.count == 2);
    CHECK(same_contact(&read->nodes.list[0], &nodes[0]) && same_contact(&read->nodes.list[1], &nodes[1]));
    CHECK(read->nodes.list[0].version[2] == 300 && read->nodes.list[0].unlock_height == 7 &&
          read->nodes.list[0].funded);
    CHECK(parsed.reply.clock.has_fork && parsed.reply.clock.fork[1] == 6);
  }
done:
  sc_storage_parsed_reply_free(&parsed);
  sc_buffer_free(&body);
}

static void the_daemons_list_may_be_unchanged(sc_test *t) {
  static const char *const bad[] = {"{}", "{\"result\":{}}", "{\"result\":7}",
                                    "{\"result\":{\"service_node_states\":{}}}",
                                    "{\"result\":{\"height\":-1,\"service_node_states\":[]}}"};
  sc_storage_request request = cast_any(SC_STORAGE_SERVICE_NODES);
  sc_storage_parsed_reply parsed = {0};
  OK(sc_storage_reply_parse(
      &parsed, t->env, &request,
      sc_bytes_text("{\"result\":{\"unchanged\":1,\"height\":5,\"hardfork\":19,\"snode_revision\":6}}")));
  CHECK(parsed.reply.of.service_nodes.unchanged && parsed.reply.of.service_nodes.nodes.count == 0);
  CHECK(parsed.reply.clock.fork[0] == 19 && parsed.reply.clock.fork[1] == 6);
  sc_storage_parsed_reply_free(&parsed);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_STORAGE_REPLY, sc_storage_reply_parse(&parsed, t->env, &request, sc_bytes_text(bad[i])));
  OK(sc_storage_reply_parse(
      &parsed, t->env, &request,
      sc_bytes_text("{\"result\":{\"service_node_states\":[{\"swarm_id\":-1},{\"swarm_id\":1.5},7]}}")));
  CHECK(parsed.reply.of.service_nodes.nodes.count == 0 && parsed.reply.of.service_nodes.nodes.skipped == 3);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_binary_list_record_has_the_known_bytes(sc_test *t) {
  static const char tail[] = "4a00000000000000c633640156055604"
                             "0208ff";
  sc_storage_node node = node_of(1), read;
  uint8_t record_bytes[SC_STORAGE_ACTIVE_NODE_BYTES], expected[19];
  sc_test_hex_into(expected, sizeof expected, tail);
  sc_storage_active_node_write(record_bytes, &node);
  SAME(SC_BYTES(node.ed25519), sc_bytes_make(record_bytes, 32));
  SAME(SC_BYTES(expected), sc_bytes_make(record_bytes + 32, 19));
  sc_storage_active_node_read(&read, record_bytes);
  memcpy(read.x25519, node.x25519, SC_KEY_BYTES);
  CHECK(same_contact(&read, &node) && read.version[2] == 255);
done:;
}

static void the_binary_list_is_raw_or_base64(sc_test *t) {
  sc_storage_node nodes[] = {node_of(1), node_of(2), node_of(3)};
  sc_storage_request request = cast_any(SC_STORAGE_ACTIVE_NODES);
  sc_storage_reply reply = {.of.active_nodes = {nodes, 3, 0}};
  sc_storage_parsed_reply parsed = {0};
  sc_buffer body;
  char text[SC_BASE64_CHARS(3 * SC_STORAGE_ACTIVE_NODE_BYTES) + 1];
  sc_buffer_init(&body, t->env);
  OK(sc_storage_reply_write(&body, SC_STORAGE_JSON, &request, &reply));
  CHECK(body.len == 3 * SC_STORAGE_ACTIVE_NODE_BYTES);
  OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_buffer_bytes(&body)));
  CHECK(parsed.reply.of.active_nodes.count == 3);
  memset(nodes[2].x25519, 0, SC_KEY_BYTES); /* missing from the list */
  CHECK(same_contact(&parsed.reply.of.active_nodes.list[2], &nodes[2]));
  sc_storage_parsed_reply_free(&parsed);
  size_t len = sc_base64_encode(text, sc_buffer_bytes(&body), SC_BASE64_STANDARD);
  OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_bytes_make(text, len)));
  CHECK(parsed.reply.of.active_nodes.count == 3);
  sc_storage_parsed_reply_free(&parsed);
  FAILS(SC_ERR_STORAGE_REPLY,
        sc_storage_reply_parse(&parsed, t->env, &request, sc_bytes_make(body.ptr, body.len - 1)));
  memset(body.ptr, 0, 32);
  OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_buffer_bytes(&body)));
  CHECK(parsed.reply.of.active_nodes.count == 2 && parsed.reply.of.active_nodes.skipped == 1);
done:
  sc_storage_parsed_reply_free(&parsed);
  sc_buffer_free(&body);
}

SUITE(network_storage_nodes, "network/storage/nodes",
      {"a swarm survives a round trip", a_swarm_survives_a_round_trip},
      {"the known swarm is written", the_known_swarm_is_written},
      {"an unusable record is skipped", an_unusable_record_is_skipped},
      {"swarm ids have up to 16 digits", swarm_ids_have_up_to_16_digits},
      {"a redirect without nodes is ignored", a_redirect_without_nodes_is_ignored},
      {"of two records with the same key the first is kept",
       of_two_records_with_the_same_key_the_first_is_kept},
      {"a repeated legacy key is one node", a_repeated_legacy_key_is_one_node},
      {"a redirect has at most a hundred nodes", a_redirect_has_at_most_a_hundred_nodes},
      {"the daemon's list survives a round trip", the_daemons_list_survives_a_round_trip},
      {"the daemon's list may be unchanged", the_daemons_list_may_be_unchanged},
      {"a binary list record has the known bytes", a_binary_list_record_has_the_known_bytes},
      {"the binary list is raw or base64", the_binary_list_is_raw_or_base64});
