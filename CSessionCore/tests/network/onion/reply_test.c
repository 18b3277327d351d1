#include "support/test.h"
#include "support/test_env.h"

typedef struct ends {
  sc_onion_key key;     /* the client's */
  sc_onion_block block; /* the node's record of the request */
  sc_keypair node;
} ends;

/* The keys of the known examples. */
static ends meet(sc_hop_cipher cipher) {
  ends these = {.key.cipher = cipher, .block.cipher = cipher};
  uint8_t secret[32];
  sc_test_hex_into(secret, 32, "ccc335912da8939e2b44816728a5a4773063efa82bf7ae2d42a0abfa2caa452d");
  sc_x25519_pair_from_secret(&these.key.mine, secret);
  sc_test_hex_into(secret, 32, "8fcd8ad3a15c76f76f1c56dff0c529999f8c59b4acda79e05666e54d5727dca1");
  sc_x25519_pair_from_secret(&these.node.x, secret);
  memcpy(these.block.ephemeral_key, these.key.mine.public_key, SC_KEY_BYTES);
  memcpy(these.key.destination, these.node.x.public_key, SC_KEY_BYTES);
  return these;
}

static const char version[] = "{\"version\":[2,8,0]}";

static sc_onion_answer answer_of(int status, const char *body) {
  return (sc_onion_answer){.status = status, .body = sc_bytes_text(body), .wants_base64 = true};
}

static void the_known_reply_is_sealed_and_opens(sc_test *t) {
  static const char known[] =
      "GBkaGxwdHh8gISIjJCUmJygpKissLS4vFKzW+C9oRAkMX86Jcvb2inPm1HBK58gx++EfuaHLiyaMQ3wGJp1TeuejSd971DIO"
      "E3ss+En7p34QiRD7Ew==";
  ends these = meet(SC_HOP_XCHACHA20);
  sc_onion_answer answer = answer_of(200, version);
  sc_onion_reply reply = {0};
  sc_test_env env;
  uint8_t nonce[24];
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  for (uint8_t i = 0; i < sizeof nonce; i++)
    nonce[i] = (uint8_t)(0x18 + i);
  sc_test_env_init(&env, 1);
  sc_test_env_script(&env, SC_BYTES(nonce));
  answer.is_json = true;
  OK(sc_onion_reply_seal(&sealed, &env.env, &these.block, &these.node.x, &answer));
  SAME(sc_bytes_text(known), sc_buffer_bytes(&sealed));
  OK(sc_onion_reply_open(&reply, t->env, &these.key, sc_buffer_bytes(&sealed)));
  CHECK(reply.status == 200);
  SAME(sc_bytes_text(version), reply.body);
done:
  sc_onion_reply_free(&reply);
  sc_buffer_free(&sealed);
}

/* P3 */
static void a_padded_reply_has_one_of_few_sizes(sc_test *t) {
  enum { overhead = 40 }; /* nonce and tag */
  ends these = meet(SC_HOP_XCHACHA20);
  sc_onion_answer answer = answer_of(200, version);
  sc_onion_reply reply = {0};
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  answer.is_json = answer.padded = true;
  for (int form = 0; form < 4; form++) {
    answer.wants_json = form % 2 == 1;
    answer.wants_base64 = form < 2;
    OK(sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &answer));
    CHECK(sealed.len == (form < 2 ? SC_BASE64_CHARS(512 + overhead) : 512 + overhead));
    if (form >= 2)
      continue;
    OK(sc_onion_reply_open(&reply, t->env, &these.key, sc_buffer_bytes(&sealed)));
    CHECK(reply.status == 200);
    SAME(sc_bytes_text(version), reply.body);
    sc_onion_reply_free(&reply);
  }
done:
  sc_onion_reply_free(&reply);
  sc_buffer_free(&sealed);
}

static void a_reply_has_the_requested_form(sc_test *t) {
  ends these = meet(SC_HOP_AES_GCM);
  sc_onion_answer answer = answer_of(421, version);
  sc_onion_reply reply = {0};
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  answer.is_json = true;
  answer.wants_json = true;
  OK(sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &answer));
  OK(sc_onion_unseal(&opened, &these.key, SC_ONION_TO_NODE, sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("{\"status\":421,\"body\":{\"version\":[2,8,0]}}"), sc_buffer_bytes(&opened));
  OK(sc_onion_reply_open(&reply, t->env, &these.key, sc_buffer_bytes(&sealed)));
  CHECK(reply.status == 421);
  SAME(sc_bytes_text(version), reply.body);
  answer.is_json = false;
  answer.wants_base64 = false;
  OK(sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &answer));
  OK(sc_onion_unseal(&opened, &these.key, SC_ONION_TO_SERVER, sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("{\"status\":421,\"body\":\"{\\\"version\\\":[2,8,0]}\"}"), sc_buffer_bytes(&opened));
done:
  sc_onion_reply_free(&reply);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

/* Seals any text like a node's reply, and opens it. */
static sc_status open_text(sc_onion_reply *out, sc_test *t, const char *text) {
  ends these = meet(SC_HOP_XCHACHA20);
  char base64[SC_BASE64_CHARS(600) + 1];
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  sc_status status =
      sc_onion_reply_seal_raw(&sealed, t->env, &these.block, &these.node.x, sc_bytes_text(text));
  if (status == SC_OK) {
    size_t len = sc_base64_encode(base64, sc_buffer_bytes(&sealed), SC_BASE64_STANDARD);
    status = sc_onion_reply_open(out, t->env, &these.key, sc_bytes_make(base64, len));
  }
  sc_buffer_free(&sealed);
  return status;
}

static void replies_from_old_nodes_are_understood(sc_test *t) {
  sc_onion_reply reply = {0};
  OK(open_text(&reply, t, "{\"status_code\":406,\"body\":\"Timestamp error: check your clock\"}"));
  CHECK(reply.status == 406);
  SAME(sc_bytes_text("Timestamp error: check your clock"), reply.body);
  sc_onion_reply_free(&reply);
  OK(open_text(&reply, t, "{\"body\":{\"a\" : [1, true]},\"status\":200}"));
  SAME(sc_bytes_text("{\"a\":[1,true]}"), reply.body);
  sc_onion_reply_free(&reply);
  OK(open_text(&reply, t, "{\"status\":503}"));
  CHECK(reply.status == 503 && reply.body.len == 0);
done:
  sc_onion_reply_free(&reply);
}

/* It decrypts, so the destination itself made the mistake. */
static void an_invalid_reply_is_a_protocol_error(sc_test *t) {
  static const char *const texts[] = {"",
                                      "{",
                                      "[]",
                                      "text",
                                      "null",
                                      "{\"body\":\"\"}",
                                      "{\"status\":\"200\",\"body\":\"\"}",
                                      "{\"status\":200.5,\"body\":\"\"}",
                                      "{\"status\":null,\"status_code\":200,\"body\":\"\"}",
                                      "{\"status\":99,\"body\":\"\"}",
                                      "{\"status\":600,\"body\":\"\"}",
                                      "{\"status\":-200,\"body\":\"\"}",
                                      "{\"status\":18446744073709551615,\"body\":\"\"}",
                                      "{\"status\":200,\"body\":7}",
                                      "{\"status\":200,\"body\":null}",
                                      "{\"status\":200,\"body\":[]}",
                                      "{\"status\":200,\"status\":421,\"body\":\"\"}"};
  sc_onion_reply reply = {0};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    FAILS(SC_ERR_ONION_REPLY, open_text(&reply, t, texts[i]));
  CHECK(reply.document == NULL && reply.bytes.ptr == NULL);
done:;
}

static void the_status_range_is_inclusive(sc_test *t) {
  sc_onion_reply reply = {0};
  OK(open_text(&reply, t, "{\"status\":100,\"body\":\"\"}"));
  CHECK(reply.status == 100);
  sc_onion_reply_free(&reply);
  OK(open_text(&reply, t, "{\"status\":599,\"body\":\"\"}"));
  CHECK(reply.status == 599);
done:
  sc_onion_reply_free(&reply);
}

/* Texts of intermediate hops; invalid base64; too short for a nonce and a tag; sealed with another key. */
static void an_undecryptable_reply_is_not_from_the_destination(sc_test *t) {
  static const char *const texts[] = {"",
                                      "Next node not found: 00",
                                      "AAAA",
                                      "AAAA AAAA",
                                      "AAAA\n",
                                      "AA-_",
                                      "GBkaGxwdHh8gISIjJCUmJygpKissLS4vFKzW+C9oRA=="};
  ends these = meet(SC_HOP_XCHACHA20), others = these;
  sc_onion_answer answer = answer_of(200, version);
  sc_onion_reply reply = {0};
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    FAILS(SC_ERR_ONION_UNAUTHENTICATED,
          sc_onion_reply_open(&reply, t->env, &these.key, sc_bytes_text(texts[i])));
  others.node.x = these.key.mine;
  OK(sc_onion_reply_seal(&sealed, t->env, &others.block, &others.node.x, &answer));
  FAILS(SC_ERR_ONION_UNAUTHENTICATED,
        sc_onion_reply_open(&reply, t->env, &these.key, sc_buffer_bytes(&sealed)));
  OK(sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &answer));
  sealed.ptr[40] ^= 1;
  FAILS(SC_ERR_ONION_UNAUTHENTICATED,
        sc_onion_reply_open(&reply, t->env, &these.key, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&sealed);
}

static void reply_size_is_limited(sc_test *t) {
  ends these = meet(SC_HOP_XCHACHA20);
  sc_onion_answer answer = answer_of(200, "");
  sc_buffer body, sealed, opened;
  uint8_t *text;
  sc_buffer_init(&body, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  size_t around = strlen("{\"status\":200,\"body\":\"\"}") + 40;
  OK(sc_buffer_extend(&text, &body, SC_ONION_MAX_REPLY_BYTES - around + 1));
  memset(text, 'a', body.len);
  answer.body = sc_buffer_bytes(&body);
  FAILS(SC_ERR_TOO_LARGE, sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &answer));
  CHECK(sealed.len == 0);
  answer.body.len--;
  OK(sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &answer));
  CHECK(sealed.len == SC_ONION_MAX_BYTES);
  FAILS(SC_ERR_TOO_LARGE, sc_onion_unseal(&opened, &these.key, SC_ONION_TO_NODE,
                                          sc_bytes_make(sealed.ptr, SC_ONION_MAX_BYTES + 1)));
done:
  sc_buffer_free(&body);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void an_invalid_answer_is_refused(sc_test *t) {
  ends these = meet(SC_HOP_XCHACHA20);
  sc_onion_answer low = answer_of(99, ""), high = answer_of(600, ""), no_text = answer_of(200, "\xff");
  sc_buffer sealed;
  sc_buffer_init(&sealed, t->env);
  FAILS(SC_ERR_ARGUMENT, sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &low));
  FAILS(SC_ERR_ARGUMENT, sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &high));
  FAILS(SC_ERR_UTF8, sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &no_text));
  memset(these.block.ephemeral_key, 0, SC_KEY_BYTES);
  sc_onion_answer good = answer_of(200, "");
  FAILS(SC_ERR_KEY_INVALID, sc_onion_reply_seal(&sealed, t->env, &these.block, &these.node.x, &good));
  CHECK(sealed.len == 0);
done:
  sc_buffer_free(&sealed);
}

SUITE(network_onion_reply, "network/onion/reply",
      {"the known reply is sealed and opens", the_known_reply_is_sealed_and_opens},
      {"a padded reply has one of few sizes", a_padded_reply_has_one_of_few_sizes},
      {"a reply has the requested form", a_reply_has_the_requested_form},
      {"replies from old nodes are understood", replies_from_old_nodes_are_understood},
      {"an invalid reply is a protocol error", an_invalid_reply_is_a_protocol_error},
      {"the status range is inclusive", the_status_range_is_inclusive},
      {"an undecryptable reply is not from the destination",
       an_undecryptable_reply_is_not_from_the_destination},
      {"reply size is limited", reply_size_is_limited},
      {"an invalid answer is refused", an_invalid_answer_is_refused});
