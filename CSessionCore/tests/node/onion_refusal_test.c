#include "network/onion/path.h"
#include "support/test.h"

typedef struct known_refusal {
  sc_onion_arrival arrival;
  sc_status why;
  int code;
  const char *text;
} known_refusal;

static void an_undecryptable_request_is_refused_in_plain_text(sc_test *t) {
  static const known_refusal known[] = {
      {SC_ONION_FROM_CLIENT, SC_ERR_ONION_BLOCK, 400,
       "Error parsing onion request: a truncated onion block, or a control part that is not a JSON object"},
      {SC_ONION_FROM_CLIENT, SC_ERR_CIPHER, 400, "Error parsing onion request: an unknown or refused cipher"},
      {SC_ONION_FROM_NODE, SC_ERR_ONION_HOPS, 400, "onion request max path length exceeded"},
      {SC_ONION_FROM_NODE, SC_ERR_CIPHER, 400,
       "Invalid internal onion request: an unknown or refused cipher"},
      {SC_ONION_PEELING, SC_ERR_DECRYPT, 400, "Invalid ciphertext"},
      {SC_ONION_PEELING, SC_ERR_TRUNCATED, 400, "Invalid ciphertext"},
      {SC_ONION_PEELING, SC_ERR_KEY_INVALID, 400, "Invalid ciphertext"},
  };
  path p;
  path_make(&p);
  sc_onion_block block = {0};
  sc_buffer text;
  int code;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    OK(sc_onion_refuse(&text, &code, t->env, known[i].arrival, known[i].why, &block, &p.keys[0]));
    CHECK(code == known[i].code);
    SAME(sc_bytes_text(known[i].text), sc_buffer_bytes(&text));
  }
done:
  sc_buffer_free(&text);
}

static void a_loop_is_refused_as_an_unknown_node(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_block block = {0};
  char expected[128] = "Next node not found: ";
  sc_buffer text;
  int code;
  sc_buffer_init(&text, t->env);
  sc_hex_encode(expected + strlen(expected), SC_BYTES(p.keys[0].ed.public_key));
  OK(sc_onion_refuse(&text, &code, t->env, SC_ONION_PEELING, SC_ERR_ONION_LOOP, &block, &p.keys[0]));
  CHECK(code == 502);
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&text));
done:
  sc_buffer_free(&text);
}

static void a_decrypted_request_is_refused_in_a_sealed_reply(sc_test *t) {
  static const known_refusal known[] = {
      {SC_ONION_PEELING, SC_ERR_ONION_BLOCK, 200, "Invalid json"},
      {SC_ONION_PEELING, SC_ERR_ONION_CONTROL, 200, "Invalid json"},
      {SC_ONION_PEELING, SC_ERR_CIPHER, 200, "Invalid json"},
      {SC_ONION_PEELING, SC_ERR_ONION_URL, 200, "Invalid url"},
  };
  path p;
  path_make(&p);
  sc_onion_block block;
  sc_onion_key key;
  sc_onion_reply reply = {0};
  sc_buffer request, text;
  int code;
  sc_buffer_init(&request, t->env);
  sc_buffer_init(&text, t->env);
  OK(sc_onion_build(&request, &key, t->env, SC_HOP_AES_GCM, NULL, 0, &p.node, sc_bytes_text("{}")));
  OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_onion_reply_free(&reply);
    OK(sc_onion_refuse(&text, &code, t->env, known[i].arrival, known[i].why, &block, path_destination(&p)));
    CHECK(code == known[i].code);
    OK(sc_onion_reply_open(&reply, t->env, &key, sc_buffer_bytes(&text)));
    CHECK(reply.status == 400);
    SAME(sc_bytes_text(known[i].text), reply.body);
  }
done:
  sc_onion_reply_free(&reply);
  sc_buffer_free(&request);
  sc_buffer_free(&text);
}

/* The client should retry, so the refusal must not blame its request. */
static void the_nodes_own_failure_sends_no_refusal(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_block block = {0};
  sc_buffer text;
  int code = 0;
  sc_buffer_init(&text, t->env);
  for (int arrival = SC_ONION_FROM_CLIENT; arrival <= SC_ONION_PEELING; arrival++) {
    FAILS(SC_ERR_NO_MEMORY, sc_onion_refuse(&text, &code, t->env, (sc_onion_arrival)arrival, SC_ERR_NO_MEMORY,
                                            &block, &p.keys[0]));
    FAILS(SC_ERR_ARGUMENT,
          sc_onion_refuse(&text, &code, t->env, (sc_onion_arrival)arrival, SC_OK, &block, &p.keys[0]));
    CHECK(code == 0 && text.len == 0);
  }
done:
  sc_buffer_free(&text);
}

SUITE(node_onion_refusal, "node/onion_refusal",
      {"an undecryptable request is refused in plain text",
       an_undecryptable_request_is_refused_in_plain_text},
      {"a loop is refused as an unknown node", a_loop_is_refused_as_an_unknown_node},
      {"a decrypted request is refused in a sealed reply", a_decrypted_request_is_refused_in_a_sealed_reply},
      {"the node's own failure sends no refusal", the_nodes_own_failure_sends_no_refusal});
