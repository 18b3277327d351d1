#include "session-core/network/network_list.h"

#include <stdio.h>

#include "session-core/base/encoding.h"
#include "support/test.h"

enum { text_bytes = 64 * 1024 };

static void keys_of(sc_keypair *out, uint8_t number) {
  const uint8_t seed[SC_ED25519_SEED_BYTES] = {'l', number};
  sc_keypair_from_seed(out, seed);
}

static size_t write_node(char *out, uint8_t number) {
  char ed[SC_HEX_CHARS(SC_KEY_BYTES) + 1], x[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  sc_keypair keys;
  keys_of(&keys, number);
  sc_hex_encode(ed, SC_BYTES(keys.ed.public_key));
  sc_hex_encode(x, SC_BYTES(keys.x.public_key));
  return (size_t)snprintf(
      out, 1024,
      "{\"service_node_pubkey\": \"%s\", \"pubkey_ed25519\": \"%s\", \"pubkey_x25519\": \"%s\", "
      "\"public_ip\": \"127.0.0.%u\", \"storage_port\": 0, \"storage_lmq_port\": 1000, "
      "\"storage_server_version\": [2, 11, 0], \"swarm_id\": %u}",
      ed, ed, x, number, number);
}

/* A file with this many nodes, from 127.0.0.1 on. */
static sc_bytes write_file(char text[static text_bytes], size_t nodes) {
  char rest[text_bytes], base64[SC_BASE64_CHARS(SC_SIGNATURE_BYTES) + 1], hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  sc_keypair boss;
  uint8_t signature[SC_SIGNATURE_BYTES];
  keys_of(&boss, 0);
  sc_hex_encode(hex, SC_BYTES(boss.ed.public_key));
  size_t len =
      (size_t)snprintf(rest, sizeof rest,
                       "\"operator\": \"%s\", \"name\": \"a test\", \"height\": 7, \"block_hash\": \"ab\",\n"
                       "\"hardfork\": 19, \"snode_revision\": 6, \"service_node_states\": [",
                       hex);
  for (size_t i = 0; i < nodes; i++) {
    if (i > 0)
      rest[len++] = ',';
    len += write_node(rest + len, (uint8_t)(1 + i));
  }
  len += (size_t)snprintf(rest + len, sizeof rest - len, "]}\n");
  sc_ed25519_sign(signature, &boss.ed, sc_bytes_make(rest, len));
  sc_base64_encode(base64, SC_BYTES(signature), SC_BASE64_STANDARD);
  int all = snprintf(text, text_bytes, "{\"signature\": \"%s\",\n%s", base64, rest);
  return sc_bytes_make(text, (size_t)all);
}

static void a_list_signed_by_the_operator_is_read(sc_test *t) {
  char text[text_bytes];
  sc_network_list list = {0};
  sc_keypair boss, second;
  keys_of(&boss, 0);
  keys_of(&second, 2);
  const sc_bytes file = write_file(text, 3);
  OK(sc_network_list_open(&list, t->env, boss.ed.public_key, file));
  memset(text, 0, sizeof text);
  SAME(sc_bytes_text("a test"), list.name);
  SAME(sc_bytes_text("ab"), list.block_hash);
  SAME(SC_BYTES(boss.ed.public_key), SC_BYTES(list.operator_key));
  CHECK(list.height == 7 && list.fork[0] == 19 && list.fork[1] == 6);
  CHECK(list.nodes.count == 3 && list.seed_count == 3);
  SAME(SC_BYTES(second.ed.public_key), SC_BYTES(list.seeds[1].key));
  CHECK(list.seeds[1].ip[3] == 2 && list.seeds[1].quic_port == 1000 && list.nodes.list[1].swarm == 2);
done:
  sc_network_list_free(&list);
}

static void any_change_breaks_the_signature(sc_test *t) {
  char text[text_bytes];
  sc_network_list list = {0};
  const sc_bytes file = write_file(text, 2);
  size_t start = (size_t)(strchr(text, '\n') - text) + 1;
  for (size_t i = start; i < file.len; i += 11) {
    text[i] ^= 1;
    sc_status status = sc_network_list_open(&list, t->env, NULL, file);
    text[i] ^= 1;
    if (status == SC_ERR_NO_MEMORY)
      FAILS(SC_ERR_SIGNATURE, status);
    CHECK(status == SC_ERR_SIGNATURE || status == SC_ERR_NODE_LIST);
  }
  OK(sc_network_list_open(&list, t->env, NULL, file));
done:
  sc_network_list_free(&list);
}

static void a_list_signed_by_another_operator_is_refused(sc_test *t) {
  char text[text_bytes];
  sc_network_list list = {0};
  sc_keypair other;
  keys_of(&other, 9);
  FAILS(SC_ERR_SIGNATURE, sc_network_list_open(&list, t->env, other.ed.public_key, write_file(text, 1)));
  CHECK(list.memory == NULL);
done:
  sc_network_list_free(&list);
}

static void an_invalid_file_is_refused(sc_test *t) {
  static const char *const known[] = {"", "{}", "[]", "d1:ai1ee", "{\"signature\": 5}", "\n"};
  char text[text_bytes];
  sc_network_list list = {0};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    FAILS(SC_ERR_NODE_LIST, sc_network_list_open(&list, t->env, NULL, sc_bytes_text(known[i])));
  FAILS(SC_ERR_NODE_LIST, sc_network_list_open(&list, t->env, NULL, write_file(text, 0)));
done:
  sc_network_list_free(&list);
}

/* The destination is not a hop of its path. */
static void path_length_is_limited_by_the_number_of_nodes(sc_test *t) {
  static const uint32_t lengths[] = {1, 1, 2, 3, 3, 3, 3};
  char text[text_bytes];
  sc_network_list list = {0};
  sc_network_options options;
  for (size_t nodes = 1; nodes <= 7; nodes++) {
    sc_network_list_free(&list);
    OK(sc_network_list_open(&list, t->env, NULL, write_file(text, nodes)));
    sc_network_list_options(&options, &list);
    CHECK(options.path_length == lengths[nodes - 1]);
    CHECK(options.nodes.kind == SC_NETWORK_PRIVATE && options.nodes.seed_count == nodes);
    CHECK(options.nodes.seeds == list.seeds && options.nodes.private_addresses);
  }
done:
  sc_network_list_free(&list);
}

/* More seeds than a client accepts. */
static void the_number_of_seeds_is_limited(sc_test *t) {
  char text[text_bytes];
  sc_network_list list = {0};
  OK(sc_network_list_open(&list, t->env, NULL, write_file(text, SC_NODE_MAX_SEEDS + 6)));
  CHECK(list.nodes.count == SC_NODE_MAX_SEEDS + 6 && list.seed_count == SC_NODE_MAX_SEEDS);
done:
  sc_network_list_free(&list);
}

SUITE(network_nodes_network_list, "network/nodes/network_list",
      {"a list signed by the operator is read", a_list_signed_by_the_operator_is_read},
      {"any change breaks the signature", any_change_breaks_the_signature},
      {"a list signed by another operator is refused", a_list_signed_by_another_operator_is_refused},
      {"an invalid file is refused", an_invalid_file_is_refused},
      {"path length is limited by the number of nodes", path_length_is_limited_by_the_number_of_nodes},
      {"the number of seeds is limited", the_number_of_seeds_is_limited});
