/* A node's half of onion requests. The first byte of the input chooses: a client's post, a node's forwarded
 * layer, or any plaintext in a genuine layer. */
#include "sealed.h"

static sc_keypair node;
static sc_x25519_pair client;

static void prepare(void) {
  const uint8_t secret[32] = {2};
  REQUIRE(sc_init() == SC_OK);
  fuzz_pair(&node, 1);
  sc_x25519_pair_from_secret(&client, secret);
}

static bool is_inside(sc_bytes part, sc_bytes whole) {
  return part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

/* A refusal can always be written, and what was sealed opens at the client. */
static void refuse(sc_onion_arrival arrival, sc_status why, const sc_onion_block *block) {
  sc_buffer text;
  int code;
  sc_buffer_init(&text, fuzz_env());
  REQUIRE(sc_onion_refuse(&text, &code, fuzz_env(), arrival, why, block, &node) == SC_OK);
  REQUIRE(code == 200 || code == 400 || code == 502);
  sc_buffer_free(&text);
}

static void peel(const sc_onion_block *block) {
  sc_onion_layer layer;
  sc_status status = sc_onion_peel(&layer, fuzz_env(), block, &node);
  if (status != SC_OK) {
    refuse(SC_ONION_PEELING, status, block);
    return;
  }
  sc_bytes plaintext = sc_buffer_bytes(&layer.plaintext);
  REQUIRE(is_inside(layer.payload, plaintext) && is_inside(layer.next.sealed, plaintext));
  if (layer.role == SC_ONION_RELAY) {
    REQUIRE(layer.next.hop_number > 0 && layer.next.hop_number <= SC_ONION_MAX_HOP_NUMBER + 1);
    REQUIRE(memcmp(layer.destination, node.ed.public_key, SC_KEY_BYTES) != 0);
  }
  if (layer.role == SC_ONION_PROXY)
    REQUIRE(sc_onion_url_check(&layer.url) == SC_OK && layer.url.port != 0);
  sc_onion_layer_free(&layer);
}

static void posted(sc_bytes input) {
  sc_onion_block block = {0};
  sc_status status = sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, input);
  if (status == SC_OK)
    peel(&block);
  else
    refuse(SC_ONION_FROM_CLIENT, status, &block);
  sc_status at_server = sc_onion_block_parse(&block, SC_ONION_AT_SERVER, SC_ONION_MAX_BYTES, input);
  REQUIRE(status != SC_OK || at_server == SC_OK);
}

static void handed_on(sc_bytes input) {
  sc_onion_block block = {0}, again;
  sc_buffer written;
  sc_buffer_init(&written, fuzz_env());
  sc_status status = sc_onion_relay_parse(&block, input);
  if (status != SC_OK) {
    refuse(SC_ONION_FROM_NODE, status, &block);
    return;
  }
  REQUIRE(sc_onion_relay_write(&written, &block) == SC_OK);
  REQUIRE(sc_onion_relay_parse(&again, sc_buffer_bytes(&written)) == SC_OK);
  REQUIRE(sc_bytes_same(block.sealed, again.sealed) && block.hop_number == again.hop_number);
  peel(&block);
  sc_buffer_free(&written);
}

static void sealed(sc_bytes input) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, fuzz_env());
  REQUIRE(sc_hop_seal(&bytes, fuzz_env(), SC_HOP_XCHACHA20, SC_HOP_CLIENT, &client, node.x.public_key,
                      input) == SC_OK);
  sc_onion_block block = {.cipher = SC_HOP_XCHACHA20, .sealed = sc_buffer_bytes(&bytes)};
  memcpy(block.ephemeral_key, client.public_key, SC_KEY_BYTES);
  peel(&block);
  sc_buffer_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {posted, handed_on, sealed};
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 3](input);
  return 0;
}
