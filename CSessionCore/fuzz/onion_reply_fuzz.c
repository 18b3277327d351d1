/* Replies to a client. The first byte of the input chooses: any bytes, any text under a genuine seal, a
 * genuine reply changed on its way, or a node's error text. */
#include "sealed.h"

static sc_onion_key key;
static sc_onion_block block;
static sc_x25519_pair node;

static void prepare(void) {
  uint8_t secret[32] = {1};
  REQUIRE(sc_init() == SC_OK);
  sc_x25519_pair_from_secret(&node, secret);
  secret[0] = 2;
  sc_x25519_pair_from_secret(&key.mine, secret);
  memcpy(key.destination, node.public_key, SC_KEY_BYTES);
  memcpy(block.ephemeral_key, key.mine.public_key, SC_KEY_BYTES);
  key.cipher = SC_HOP_XCHACHA20;
  block.cipher = SC_HOP_XCHACHA20;
}

static sc_status open(sc_onion_reply *out, sc_bytes reply) {
  sc_status status = sc_onion_reply_open(out, fuzz_env(), &key, reply);
  if (status == SC_OK)
    REQUIRE(out->status >= SC_ONION_LOWEST_STATUS && out->status <= SC_ONION_HIGHEST_STATUS);
  else
    REQUIRE(status == SC_ERR_ONION_UNAUTHENTICATED || status == SC_ERR_ONION_REPLY);
  return status;
}

static void raw(sc_bytes input) {
  sc_onion_reply reply;
  REQUIRE(open(&reply, input) == SC_ERR_ONION_UNAUTHENTICATED);
}

static void sealed_text(sc_bytes input) {
  sc_onion_reply reply;
  sc_buffer sealed, text;
  uint8_t *base64;
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&text, fuzz_env());
  REQUIRE(sc_onion_reply_seal_raw(&sealed, fuzz_env(), &block, &node, input) == SC_OK);
  REQUIRE(sc_buffer_extend(&base64, &text, SC_BASE64_CHARS(sealed.len) + 1) == SC_OK);
  sc_base64_encode((char *)base64, sc_buffer_bytes(&sealed), SC_BASE64_STANDARD);
  sc_buffer_truncate(&text, text.len - 1);
  sc_status status = open(&reply, sc_buffer_bytes(&text));
  REQUIRE(status != SC_ERR_ONION_UNAUTHENTICATED);
  if (status == SC_OK)
    sc_onion_reply_free(&reply);
  sc_buffer_free(&sealed);
  sc_buffer_free(&text);
}

static void changed_on_its_way(sc_bytes input) {
  sc_onion_reply reply;
  sc_buffer sealed;
  sc_buffer_init(&sealed, fuzz_env());
  sc_onion_answer answer = {.status = 200, .body = fuzz_take_message(&input), .wants_base64 = true};
  sc_status status = sc_onion_reply_seal(&sealed, fuzz_env(), &block, &node, &answer);
  REQUIRE(status == SC_OK || status == SC_ERR_UTF8);
  if (status != SC_OK)
    return;
  bool changed = fuzz_change(&sealed, input);
  status = open(&reply, sc_buffer_bytes(&sealed));
  /* Without its padding it is the same base64. */
  REQUIRE(changed || status == SC_OK);
  if (status == SC_OK) {
    REQUIRE(reply.status == 200 && sc_bytes_same(reply.body, answer.body));
    sc_onion_reply_free(&reply);
  }
  sc_buffer_free(&sealed);
}

static void failure(sc_bytes input) {
  static const int codes[] = {0, 400, 429, 500, 502, 503, 504, 200};
  sc_onion_node hops[3] = {0};
  sc_onion_destination destination = {.kind = SC_ONION_TO_NODE};
  sc_onion_failure found;
  int code = codes[fuzz_take_byte(&input) % 8];
  memset(hops[1].ed25519, 0x11, SC_KEY_BYTES);
  memset(hops[2].ed25519, 0x22, SC_KEY_BYTES);
  memset(destination.node.ed25519, 0x33, SC_KEY_BYTES);
  sc_onion_failure_parse(&found, code, input, hops, 3, &destination);
  REQUIRE(code == 0 || found.code == code);
  REQUIRE(found.code >= 0 && found.code <= 999);
  REQUIRE(found.node == SC_ONION_NO_NODE || (found.node >= 1 && found.node <= 3));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, sealed_text, changed_on_its_way, failure};
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 4](input);
  return 0;
}
