#include "path.h"
#include "support/test.h"
#include "support/test_env.h"
#include "support/unsafe_keys.h"

static const sc_hop_cipher ciphers[] = {SC_HOP_XCHACHA20, SC_HOP_AES_GCM};
enum { cipher_count = sizeof ciphers / sizeof ciphers[0] };

static const char payload_text[] = "{\"method\":\"info\",\"params\":{}}";

/* The worked example of a request without hops. */
static void the_known_request_is_built(sc_test *t) {
  static const char blob[] = "000102030405060708090a0b0c0d0e0f1011121314151617991ce956aeafe03a6d24dfb91b5c7da"
                             "fd6639aac0911c92d14234c2ee6"
                             "d5d2de08e6e7e3ac224816f1a08b28bd649a9ce2bbac417f85d7b4f1b26530a6c4c5";
  static const char control[] = "{\"enc_type\":\"xchacha20\",\"ephemeral_key\":"
                                "\"bbdfc83022d0aff084a6f0c529a93d1c4d728bf7e41199afed0e01ae70d20540\"}";
  sc_test_env env;
  uint8_t draws[32 + 24];
  sc_onion_destination destination = {.kind = SC_ONION_TO_NODE};
  sc_onion_key key;
  sc_buffer request, expected;
  sc_buffer_init(&request, t->env);
  sc_buffer_init(&expected, t->env);
  sc_test_hex_into(draws, 32, "ccc335912da8939e2b44816728a5a4773063efa82bf7ae2d42a0abfa2caa452d");
  for (uint8_t i = 0; i < 24; i++)
    draws[32 + i] = i;
  sc_test_env_init(&env, 1);
  sc_test_env_script(&env, SC_BYTES(draws));
  sc_test_hex_into(destination.node.x25519, 32,
                   "caea52c5b0c316d85ffb53ea536826618b13dee40685f166f632653114526a78");
  OK(sc_test_hex(&expected, "57000000"));
  OK(sc_test_hex(&expected, blob));
  OK(sc_buffer_append(&expected, sc_bytes_text(control)));
  OK(sc_onion_build(&request, &key, &env.env, SC_HOP_XCHACHA20, NULL, 0, &destination,
                    sc_bytes_text(payload_text)));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&request));
  SAME(sc_bytes_make(draws, 32), SC_BYTES(key.mine.secret));
done:
  sc_buffer_free(&request);
  sc_buffer_free(&expected);
}

/* Peels one layer and moves on to the next block. */
static sc_status pass(sc_onion_layer *layer, sc_onion_block *block, const sc_env *env,
                      const sc_keypair *node) {
  sc_onion_layer next;
  sc_status status = sc_onion_peel(&next, env, block, node);
  sc_onion_layer_free(layer);
  if (status == SC_OK) {
    *layer = next;
    *block = next.next;
  }
  return status;
}

static void every_hop_learns_only_the_next_hop(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_key key;
  sc_onion_block block;
  sc_onion_layer layer = {0};
  sc_buffer request;
  sc_buffer_init(&request, t->env);
  sc_bytes payload = sc_bytes_text(payload_text);
  for (size_t c = 0; c < cipher_count; c++) {
    for (size_t hops = t->torture ? 3 : 0; hops <= (t->torture ? 3 : SC_ONION_MAX_HOPS); hops++) {
      OK(sc_onion_build(&request, &key, t->env, ciphers[c], p.hops, hops, &p.node, payload));
      OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
      for (size_t i = 0; i < hops; i++) {
        OK(pass(&layer, &block, t->env, &p.keys[i]));
        CHECK(layer.role == SC_ONION_RELAY && layer.next.hop_number == i + 1);
        CHECK(block.cipher == ciphers[c]);
        const sc_onion_node *next = i + 1 < hops ? &p.hops[i + 1] : &p.node.node;
        SAME(SC_BYTES(next->ed25519), SC_BYTES(layer.destination));
      }
      OK(pass(&layer, &block, t->env, path_destination(&p)));
      CHECK(layer.role == SC_ONION_FINAL && layer.wants_base64 && !layer.wants_json);
      SAME(payload, layer.payload);
    }
  }
done:
  sc_onion_layer_free(&layer);
  sc_buffer_free(&request);
}

static void the_last_hop_learns_the_servers_address(sc_test *t) {
  static const uint16_t ports[][2] = {{0, 443}, {443, 443}, {8443, 8443}};
  path p;
  path_make(&p);
  sc_onion_key key;
  sc_onion_block block;
  sc_onion_layer layer = {0};
  sc_buffer request, opened;
  sc_buffer_init(&request, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t c = 0; c < cipher_count; c++) {
    for (size_t i = 0; i < 3; i++) {
      p.server.server.url.port = ports[i][0];
      OK(sc_onion_build(&request, &key, t->env, ciphers[c], p.hops, 1, &p.server, sc_bytes_text("l2:{}e")));
      OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
      OK(pass(&layer, &block, t->env, &p.keys[0]));
      CHECK(layer.role == SC_ONION_PROXY && !layer.url.is_http && layer.url.port == ports[i][1]);
      SAME(sc_bytes_text("example.org"), layer.url.host);
      SAME(sc_bytes_text("/oxen/v4/lsrpc"), layer.url.target);
      OK(sc_onion_block_parse(&block, SC_ONION_AT_SERVER, SC_ONION_MAX_BYTES, layer.payload));
      OK(sc_hop_open(&opened, block.cipher, SC_HOP_SERVER, &path_destination(&p)->x, block.ephemeral_key,
                     block.sealed));
      SAME(sc_bytes_text("l2:{}e"), sc_buffer_bytes(&opened));
    }
  }
done:
  sc_onion_layer_free(&layer);
  sc_buffer_free(&request);
  sc_buffer_free(&opened);
}

/* The old builder would omit it, and nodes assume 443 for http too. */
static void the_port_of_an_http_server_is_always_written(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_key key;
  sc_onion_block block;
  sc_onion_layer layer = {0};
  sc_buffer request;
  sc_buffer_init(&request, t->env);
  p.server.server.url.is_http = true;
  OK(sc_onion_build(&request, &key, t->env, SC_HOP_AES_GCM, p.hops, 1, &p.server, sc_bytes_text("le")));
  OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
  OK(pass(&layer, &block, t->env, &p.keys[0]));
  CHECK(layer.url.is_http && layer.url.port == 80);
done:
  sc_onion_layer_free(&layer);
  sc_buffer_free(&request);
}

/* True if the key is unchanged: zeros. */
static bool is_untouched(const sc_onion_key *key) {
  static const sc_onion_key zero;
  return memcmp(key, &zero, sizeof zero) == 0;
}

static void more_than_eight_hops_are_refused(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_node hops[SC_ONION_MAX_HOPS + 1];
  sc_onion_key key = {0};
  sc_buffer request;
  sc_buffer_init(&request, t->env);
  for (size_t i = 0; i <= SC_ONION_MAX_HOPS; i++)
    hops[i] = p.hops[0];
  OK(sc_buffer_append_byte(&request, 'x'));
  FAILS(SC_ERR_ONION_HOPS, sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, hops,
                                          SC_ONION_MAX_HOPS + 1, &p.node, sc_bytes_text("")));
  CHECK(request.len == 0 && is_untouched(&key));
done:
  sc_buffer_free(&request);
}

static void an_invalid_request_is_refused(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_key key = {0};
  sc_onion_destination nowhere = {0};
  sc_buffer request;
  sc_buffer_init(&request, t->env);
  FAILS(SC_ERR_ARGUMENT,
        sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, p.hops, 3, &nowhere, sc_bytes_text("")));
  FAILS(SC_ERR_TOO_LARGE, sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, p.hops, 3, &p.node,
                                         sc_bytes_make("", SC_ONION_MAX_BYTES + 1)));
  p.server.server.url.host = sc_bytes_text("user@host");
  FAILS(SC_ERR_ONION_URL,
        sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, p.hops, 3, &p.server, sc_bytes_text("")));
  CHECK(request.len == 0 && is_untouched(&key));
done:
  sc_buffer_free(&request);
}

/* A payload at the limit leaves no space for the layers around it. */
static void a_request_over_the_limit_is_refused(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_key key = {0};
  sc_buffer request, payload;
  uint8_t *zeros;
  sc_buffer_init(&request, t->env);
  sc_buffer_init(&payload, t->env);
  OK(sc_buffer_extend(&zeros, &payload, SC_ONION_MAX_BYTES));
  memset(zeros, 0, SC_ONION_MAX_BYTES);
  FAILS(SC_ERR_TOO_LARGE, sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, p.hops, 1, &p.node,
                                         sc_buffer_bytes(&payload)));
  CHECK(request.len == 0 && is_untouched(&key));
  sc_buffer_truncate(&payload, SC_ONION_MAX_BYTES - 100);
  FAILS(SC_ERR_TOO_LARGE, sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, p.hops, 0, &p.node,
                                         sc_buffer_bytes(&payload)));
  CHECK(request.len == 0 && is_untouched(&key));
  sc_buffer_truncate(&payload, SC_ONION_MAX_BYTES - 1024);
  OK(sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, p.hops, 1, &p.node, sc_buffer_bytes(&payload)));
done:
  sc_buffer_free(&request);
  sc_buffer_free(&payload);
}

static void a_node_with_a_key_of_small_order_is_refused(sc_test *t) {
  path p;
  sc_onion_key key = {0};
  sc_buffer request;
  sc_buffer_init(&request, t->env);
  for (size_t i = 0; i < (t->torture ? 1 : unsafe_x25519_count); i++) {
    path_make(&p);
    sc_test_hex_into(p.hops[1].x25519, 32, unsafe_x25519[i]);
    FAILS(SC_ERR_KEY_INVALID,
          sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, p.hops, 3, &p.node, sc_bytes_text("")));
    sc_test_hex_into(p.node.node.x25519, 32, unsafe_x25519[i]);
    FAILS(SC_ERR_KEY_INVALID,
          sc_onion_build(&request, &key, t->env, SC_HOP_AES_GCM, p.hops, 0, &p.node, sc_bytes_text("")));
    CHECK(request.len == 0 && is_untouched(&key));
  }
done:
  sc_buffer_free(&request);
}

static void two_requests_share_no_key(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_key keys[2] = {0};
  sc_onion_block blocks[2];
  sc_buffer requests[2];
  for (int i = 0; i < 2; i++)
    sc_buffer_init(&requests[i], t->env);
  for (int i = 0; i < 2; i++) {
    OK(sc_onion_build(&requests[i], &keys[i], t->env, SC_HOP_XCHACHA20, p.hops, 3, &p.node,
                      sc_bytes_text("x")));
    OK(sc_onion_block_parse(&blocks[i], SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&requests[i])));
    CHECK(memcmp(keys[i].mine.public_key, blocks[i].ephemeral_key, SC_KEY_BYTES) != 0);
  }
  CHECK(memcmp(keys[0].mine.secret, keys[1].mine.secret, SC_KEY_BYTES) != 0);
  CHECK(memcmp(blocks[0].ephemeral_key, blocks[1].ephemeral_key, SC_KEY_BYTES) != 0);
done:
  for (int i = 0; i < 2; i++)
    sc_buffer_free(&requests[i]);
}

/* Both directions use one key, so the innermost layer would decrypt like a reply. */
static void no_layer_of_a_request_is_taken_for_a_reply(sc_test *t) {
  enum { hops = 3 };
  path p;
  path_make(&p);
  sc_onion_key key;
  sc_onion_block block;
  sc_onion_layer layer = {0};
  sc_buffer request, opened;
  sc_buffer_init(&request, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t c = 0; c < cipher_count; c++) {
    OK(sc_onion_build(&request, &key, t->env, ciphers[c], p.hops, hops, &p.node,
                      sc_bytes_text(payload_text)));
    CHECK(key.nonce_count == hops + 1);
    OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
    for (size_t i = 0; i < hops; i++) {
      FAILS(SC_ERR_ONION_UNAUTHENTICATED, sc_onion_unseal(&opened, &key, SC_ONION_TO_SERVER, block.sealed));
      OK(pass(&layer, &block, t->env, &p.keys[i]));
    }
    FAILS(SC_ERR_ONION_UNAUTHENTICATED, sc_onion_unseal(&opened, &key, SC_ONION_TO_SERVER, block.sealed));
    key.nonce_count = 0;
    OK(sc_onion_unseal(&opened, &key, SC_ONION_TO_SERVER, block.sealed));
  }
done:
  sc_onion_layer_free(&layer);
  sc_buffer_free(&request);
  sc_buffer_free(&opened);
}

SUITE(network_onion_build, "network/onion/build", {"the known request is built", the_known_request_is_built},
      {"every hop learns only the next hop", every_hop_learns_only_the_next_hop},
      {"the last hop learns the server's address", the_last_hop_learns_the_servers_address},
      {"the port of an http server is always written", the_port_of_an_http_server_is_always_written},
      {"more than eight hops are refused", more_than_eight_hops_are_refused},
      {"an invalid request is refused", an_invalid_request_is_refused},
      {"a request over the limit is refused", a_request_over_the_limit_is_refused},
      {"a node with a key of small order is refused", a_node_with_a_key_of_small_order_is_refused},
      {"two requests share no key", two_requests_share_no_key},
      {"no layer of a request is taken for a reply", no_layer_of_a_request_is_taken_for_a_reply});
