#include <stdio.h>

#include "network/onion/path.h"
#include "support/test.h"
#include "support/unsafe_keys.h"

#define KEY_HEX "4fb5bbc8ee01026287a746337300c89fda8b9030864bd45d4f64dd7b9ea89212"
#define NODE_HEX "ba6d0b3bd316ce1b7257d19c36a1530c8bc7e6e675eef81d179c4c8934254314"
#define HOST "\"host\":\"example.org\",\"target\":\"/oxen/v4/lsrpc\""

static sc_keypair node_keys(void) {
  const uint8_t seed[32] = {1};
  sc_keypair node;
  sc_keypair_from_seed(&node, seed);
  return node;
}

static sc_x25519_pair client_keys(void) {
  const uint8_t secret[32] = {2};
  sc_x25519_pair client;
  sc_x25519_pair_from_secret(&client, secret);
  return client;
}

/* Seals a plaintext for the node, in `sealed`, which the block borrows. */
static sc_status seal(sc_onion_block *out, sc_buffer *sealed, sc_bytes plaintext) {
  sc_keypair node = node_keys();
  sc_x25519_pair client = client_keys();
  sc_status status =
      sc_hop_seal(sealed, NULL, SC_HOP_XCHACHA20, SC_HOP_CLIENT, &client, node.x.public_key, plaintext);
  *out = (sc_onion_block){.cipher = SC_HOP_XCHACHA20, .sealed = sc_buffer_bytes(sealed)};
  memcpy(out->ephemeral_key, client.public_key, SC_KEY_BYTES);
  return status;
}

/* Peels a layer of three bytes of ciphertext with this control part. */
static sc_status peel_from(sc_onion_layer *out, sc_test *t, unsigned hop_number, const char *control) {
  sc_keypair node = node_keys();
  sc_onion_block block;
  sc_buffer plaintext, sealed;
  sc_buffer_init(&plaintext, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_status status = sc_buffer_append(&plaintext, sc_bytes_make("\3\0\0\0abc", 7));
  if (status == SC_OK)
    status = sc_buffer_append(&plaintext, sc_bytes_text(control));
  if (status == SC_OK)
    status = seal(&block, &sealed, sc_buffer_bytes(&plaintext));
  block.hop_number = hop_number;
  if (status == SC_OK)
    status = sc_onion_peel(out, t->env, &block, &node);
  sc_buffer_free(&plaintext);
  sc_buffer_free(&sealed);
  return status;
}

static sc_status peel(sc_onion_layer *out, sc_test *t, const char *control) {
  return peel_from(out, t, 0, control);
}

/* Peels each of the control parts, which must all give the same status. */
static sc_status peel_all(sc_test *t, const char *const *controls, size_t count, sc_status expected) {
  for (size_t i = 0; i < count; i++) {
    sc_onion_layer layer = {0};
    sc_status status = peel(&layer, t, controls[i]);
    bool untouched = layer.document == NULL && layer.plaintext.ptr == NULL;
    sc_onion_layer_free(&layer);
    if (status != expected || (status != SC_OK && !untouched))
      return status == SC_OK ? SC_ERR_STATE : status;
  }
  return expected;
}
#define PEEL_ALL(expected, controls)                                                                         \
  FAILS(expected, peel_all(t, controls, sizeof(controls) / sizeof(controls)[0], expected))

static void headers_of_any_value_make_a_layer_final(sc_test *t) {
  static const char *const controls[] = {"{\"headers\":\"\"}", "{\"headers\":null}",
                                         "{\"headers\":{\"a\":1}}", "{\"headers\":7}"};
  sc_onion_layer layer = {0};
  for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
    sc_onion_layer_free(&layer);
    OK(peel(&layer, t, controls[i]));
    CHECK(layer.role == SC_ONION_FINAL && layer.wants_base64 && !layer.wants_json);
    SAME(sc_bytes_text("abc"), layer.payload);
  }
done:
  sc_onion_layer_free(&layer);
}

static void headers_take_precedence_over_a_destination(sc_test *t) {
  sc_onion_layer layer = {0};
  OK(peel(&layer, t,
          "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"" KEY_HEX "\"," HOST ",\"headers\":\"\"}"));
  CHECK(layer.role == SC_ONION_FINAL);
done:
  sc_onion_layer_free(&layer);
}

static void a_final_layer_states_the_reply_form(sc_test *t) {
  static const char *const wrong[] = {"{\"headers\":\"\",\"json\":1}", "{\"headers\":\"\",\"json\":null}",
                                      "{\"headers\":\"\",\"base64\":\"false\"}",
                                      "{\"headers\":\"\",\"base64\":0}"};
  sc_onion_layer layer = {0};
  OK(peel(&layer, t, "{\"headers\":\"\",\"json\":true,\"base64\":false}"));
  CHECK(layer.wants_json && !layer.wants_base64);
  PEEL_ALL(SC_ERR_ONION_CONTROL, wrong);
done:
  sc_onion_layer_free(&layer);
}

static void a_relay_layer_names_the_next_node(sc_test *t) {
  uint8_t key[32];
  sc_onion_layer layer = {0};
  OK(peel(&layer, t,
          "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":\"xchacha20\"}"));
  CHECK(layer.role == SC_ONION_RELAY && layer.next.cipher == SC_HOP_XCHACHA20 && layer.next.hop_number == 1);
  sc_test_hex_into(key, 32, NODE_HEX);
  SAME(SC_BYTES(key), SC_BYTES(layer.destination));
  sc_test_hex_into(key, 32, KEY_HEX);
  SAME(SC_BYTES(key), SC_BYTES(layer.next.ephemeral_key));
  SAME(sc_bytes_text("abc"), layer.next.sealed);
  sc_onion_layer_free(&layer);
  OK(peel(&layer, t, "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"" KEY_HEX "\"}"));
  CHECK(layer.next.cipher == SC_HOP_AES_GCM);
done:
  sc_onion_layer_free(&layer);
}

static void hops_are_counted_up_to_the_limit(sc_test *t) {
  static const unsigned counted[][2] = {{0, 1}, {14, 15}, {15, 16}, {16, 16}};
  sc_onion_layer layer = {0};
  for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
    sc_onion_layer_free(&layer);
    OK(peel_from(&layer, t, counted[i][0],
                 "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"" KEY_HEX "\"}"));
    CHECK(layer.next.hop_number == counted[i][1]);
  }
done:
  sc_onion_layer_free(&layer);
}

static void a_relay_layer_without_its_keys_is_refused(sc_test *t) {
  static const char *const wrong[] = {
      "{}",
      "{\"host\":7}",
      "{\"destination\":\"" NODE_HEX "\"}",
      "{\"ephemeral_key\":\"" KEY_HEX "\"}",
      "{\"destination\":\"x\",\"ephemeral_key\":\"" KEY_HEX "\"}",
      "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"T7W7yO4BAmKHp0YzcwDIn9qLkDCGS9RdT2Tde56okhI=\"}",
      "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":1}",
  };
  static const char *const ciphers[] = {
      "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":\"cbc\"}",
      "{\"destination\":\"" NODE_HEX "\",\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":\"\"}",
  };
  PEEL_ALL(SC_ERR_ONION_CONTROL, wrong);
  PEEL_ALL(SC_ERR_CIPHER, ciphers);
done:;
}

static void a_decrypted_layer_that_is_not_a_block_is_refused(sc_test *t) {
  static const char *const wrong[] = {"", "{", "[]", "{}x", "\"headers\""};
  sc_keypair node = node_keys();
  sc_onion_block block;
  sc_onion_layer layer = {0};
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  PEEL_ALL(SC_ERR_ONION_BLOCK, wrong);
  OK(seal(&block, &sealed, sc_bytes_text("abc")));
  FAILS(SC_ERR_ONION_BLOCK, sc_onion_peel(&layer, t->env, &block, &node));
  OK(seal(&block, &sealed, sc_bytes_make("\xff\0\0\0{}", 6)));
  FAILS(SC_ERR_ONION_BLOCK, sc_onion_peel(&layer, t->env, &block, &node));
done:
  sc_buffer_free(&sealed);
}

static void a_layer_for_another_node_does_not_open(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_layer layer = {0};
  sc_onion_block block;
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  OK(seal(&block, &sealed, sc_bytes_make("\0\0\0\0{\"headers\":\"\"}", 18)));
  FAILS(SC_ERR_DECRYPT, sc_onion_peel(&layer, t->env, &block, &p.keys[3]));
  block.sealed.len = 39;
  FAILS(SC_ERR_TRUNCATED, sc_onion_peel(&layer, t->env, &block, &p.keys[0]));
  CHECK(layer.plaintext.ptr == NULL);
done:
  sc_buffer_free(&sealed);
}

static void an_ephemeral_key_of_small_order_is_refused(sc_test *t) {
  sc_keypair node = node_keys();
  sc_onion_layer layer = {0};
  sc_onion_block block;
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  OK(seal(&block, &sealed, sc_bytes_text("abc")));
  for (size_t i = 0; i < unsafe_x25519_count; i++) {
    sc_test_hex_into(block.ephemeral_key, 32, unsafe_x25519[i]);
    FAILS(SC_ERR_KEY_INVALID, sc_onion_peel(&layer, t->env, &block, &node));
  }
done:
  sc_buffer_free(&sealed);
}

/* The reference looks up its own key and sends to itself. */
static void a_layer_that_routes_back_to_the_node_is_refused(sc_test *t) {
  sc_keypair node = node_keys();
  sc_onion_layer layer = {0};
  char own[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  char control[256];
  sc_hex_encode(own, SC_BYTES(node.ed.public_key));
  snprintf(control, sizeof control, "{\"destination\":\"%s\",\"ephemeral_key\":\"" KEY_HEX "\"}", own);
  FAILS(SC_ERR_ONION_LOOP, peel(&layer, t, control));
done:;
}

static void a_proxy_layer_carries_the_whole_block(sc_test *t) {
  static const char control[] = "{" HOST ",\"protocol\":\"http\",\"port\":8080,\"method\":\"GET\"}";
  sc_onion_layer layer = {0};
  sc_buffer block;
  sc_buffer_init(&block, t->env);
  OK(sc_buffer_append(&block, sc_bytes_make("\3\0\0\0abc", 7)));
  OK(sc_buffer_append(&block, sc_bytes_text(control)));
  OK(peel(&layer, t, control));
  CHECK(layer.role == SC_ONION_PROXY && layer.url.is_http && layer.url.port == 8080);
  SAME(sc_bytes_text("example.org"), layer.url.host);
  SAME(sc_bytes_text("/oxen/v4/lsrpc"), layer.url.target);
  SAME(sc_buffer_bytes(&block), layer.payload);
done:
  sc_onion_layer_free(&layer);
  sc_buffer_free(&block);
}

static void the_default_port_is_443_even_for_http(sc_test *t) {
  static const char *const controls[] = {"{" HOST "}", "{" HOST ",\"protocol\":\"http\"}"};
  sc_onion_layer layer = {0};
  for (size_t i = 0; i < 2; i++) {
    sc_onion_layer_free(&layer);
    OK(peel(&layer, t, controls[i]));
    CHECK(layer.url.port == 443 && layer.url.is_http == (i == 1));
  }
done:
  sc_onion_layer_free(&layer);
}

static void forbidden_servers_are_refused(sc_test *t) {
  static const char *const wrong_url[] = {
      "{" HOST ",\"port\":0}",
      "{" HOST ",\"port\":65536}",
      "{" HOST ",\"port\":-1}",
      "{" HOST ",\"port\":18446744073709551615}",
      "{" HOST ",\"protocol\":\"ftp\"}",
      "{" HOST ",\"protocol\":\"HTTP\"}",
      "{\"host\":\"\",\"target\":\"/oxen/v4/lsrpc\"}",
      "{\"host\":\"a/b\",\"target\":\"/oxen/v4/lsrpc\"}",
      "{\"host\":\"a@b\",\"target\":\"/oxen/v4/lsrpc\"}",
      "{\"host\":\"a b\",\"target\":\"/oxen/v4/lsrpc\"}",
      "{\"host\":\"a\\u0000b\",\"target\":\"/oxen/v4/lsrpc\"}",
      "{\"host\":\"example.org\",\"target\":\"/admin\"}",
      "{\"host\":\"example.org\",\"target\":\"/oxen/v4/lsrpc?\"}",
  };
  static const char *const wrong_type[] = {
      "{\"host\":\"example.org\"}",  "{\"host\":\"example.org\",\"target\":7}",
      "{" HOST ",\"port\":\"443\"}", "{" HOST ",\"port\":443.5}",
      "{" HOST ",\"protocol\":443}",
  };
  PEEL_ALL(SC_ERR_ONION_URL, wrong_url);
  PEEL_ALL(SC_ERR_ONION_CONTROL, wrong_type);
done:;
}

SUITE(node_onion_peel, "node/onion_peel",
      {"headers of any value make a layer final", headers_of_any_value_make_a_layer_final},
      {"headers take precedence over a destination", headers_take_precedence_over_a_destination},
      {"a final layer states the reply form", a_final_layer_states_the_reply_form},
      {"a relay layer names the next node", a_relay_layer_names_the_next_node},
      {"hops are counted up to the limit", hops_are_counted_up_to_the_limit},
      {"a relay layer without its keys is refused", a_relay_layer_without_its_keys_is_refused},
      {"a decrypted layer that is not a block is refused", a_decrypted_layer_that_is_not_a_block_is_refused},
      {"a layer for another node does not open", a_layer_for_another_node_does_not_open},
      {"an ephemeral key of small order is refused", an_ephemeral_key_of_small_order_is_refused},
      {"a layer that routes back to the node is refused", a_layer_that_routes_back_to_the_node_is_refused},
      {"a proxy layer carries the whole block", a_proxy_layer_carries_the_whole_block},
      {"the default port is 443 even for http", the_default_port_is_443_even_for_http},
      {"forbidden servers are refused", forbidden_servers_are_refused});
