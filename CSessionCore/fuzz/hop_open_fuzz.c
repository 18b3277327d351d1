/* Opening one onion layer. The first byte of the input chooses the cipher, the direction, and raw bytes or a
 * genuine layer changed on its way. */
#include "sealed.h"

static sc_x25519_pair client, node;

static void prepare(void) {
  static bool ready;
  if (ready)
    return;
  uint8_t secret[32] = {1};
  REQUIRE(sc_init() == SC_OK);
  sc_x25519_pair_from_secret(&client, secret);
  secret[0] = 2;
  secret[31] = 2;
  sc_x25519_pair_from_secret(&node, secret);
  ready = true;
}

static size_t overhead(sc_hop_cipher cipher) {
  return cipher == SC_HOP_XCHACHA20 ? 40 : 28;
}

/* Opens a layer and checks the rules that hold for any input. */
static sc_status open(sc_buffer *out, sc_hop_cipher cipher, sc_hop_side side, sc_bytes sealed) {
  const sc_x25519_pair *mine = side == SC_HOP_CLIENT ? &client : &node;
  const sc_x25519_pair *other = side == SC_HOP_CLIENT ? &node : &client;
  REQUIRE(sc_buffer_append(out, sc_bytes_text("left over")) == SC_OK);
  sc_status status = sc_hop_open(out, cipher, side, mine, other->public_key, sealed);
  REQUIRE(status == SC_OK || status == SC_ERR_TRUNCATED || status == SC_ERR_DECRYPT);
  REQUIRE((status == SC_ERR_TRUNCATED) == (sealed.len < overhead(cipher)));
  REQUIRE(out->len == (status == SC_OK ? sealed.len - overhead(cipher) : 0));
  return status;
}

/* A reply opens as the cipher that was asked for, or as AES-GCM. */
static void reply(sc_hop_cipher cipher, sc_bytes sealed) {
  sc_buffer opened, expected;
  sc_buffer_init(&opened, fuzz_env());
  sc_buffer_init(&expected, fuzz_env());
  sc_status should = open(&expected, cipher, SC_HOP_CLIENT, sealed);
  if (should != SC_OK)
    should = open(&expected, SC_HOP_AES_GCM, SC_HOP_CLIENT, sealed);
  REQUIRE(sc_hop_open_reply(&opened, cipher, &client, node.public_key, sealed) == should);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&opened), sc_buffer_bytes(&expected)));
  sc_buffer_free(&opened);
  sc_buffer_free(&expected);
}

static void raw(sc_hop_cipher cipher, sc_bytes input) {
  sc_buffer opened;
  sc_buffer_init(&opened, fuzz_env());
  (void)open(&opened, cipher, SC_HOP_SERVER, input);
  reply(cipher, input);
  sc_buffer_free(&opened);
}

static void changed_on_its_way(sc_hop_cipher cipher, sc_hop_side opener, sc_bytes input) {
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  sc_bytes message = fuzz_take_message(&input);
  if (opener == SC_HOP_SERVER)
    REQUIRE(sc_hop_seal(&sealed, fuzz_env(), cipher, SC_HOP_CLIENT, &client, node.public_key, message) ==
            SC_OK);
  else
    REQUIRE(sc_hop_seal(&sealed, fuzz_env(), cipher, SC_HOP_SERVER, &node, client.public_key, message) ==
            SC_OK);
  bool changed = fuzz_change(&sealed, input);
  sc_status status = open(&opened, cipher, opener, sc_buffer_bytes(&sealed));
  REQUIRE(changed == (status != SC_OK));
  REQUIRE(changed || sc_bytes_same(sc_buffer_bytes(&opened), message));
  reply(SC_HOP_XCHACHA20, sc_buffer_bytes(&sealed));
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void names(sc_bytes name) {
  sc_hop_cipher cipher;
  if (sc_hop_cipher_parse(&cipher, name) != SC_OK)
    return;
  sc_hop_cipher again;
  REQUIRE(sc_hop_cipher_parse(&again, sc_bytes_text(sc_hop_cipher_name(cipher))) == SC_OK);
  REQUIRE(again == cipher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  names(input);
  uint8_t choice = fuzz_take_byte(&input);
  sc_hop_cipher cipher = (choice & 1) == 0 ? SC_HOP_XCHACHA20 : SC_HOP_AES_GCM;
  sc_hop_side opener = (choice & 2) == 0 ? SC_HOP_SERVER : SC_HOP_CLIENT;
  if ((choice & 4) == 0)
    raw(cipher, input);
  else
    changed_on_its_way(cipher, opener, input);
  return 0;
}
