/* Opening one-to-one messages. The first byte of the input chooses: raw bytes, a genuine message changed on
 * its way, or one whose inner part was changed before it was encrypted. */
#include <sodium.h>

#include "crypto/seal.h"
#include "sealed.h"

static sc_keypair alice, bob;

static void prepare(void) {
  static bool ready;
  if (ready)
    return;
  REQUIRE(sc_init() == SC_OK);
  fuzz_pair(&alice, 1);
  fuzz_pair(&bob, 2);
  ready = true;
}

static sc_status open(sc_buffer *out, sc_sender *sender, sc_bytes sealed) {
  REQUIRE(sc_buffer_append(out, sc_bytes_text("left over")) == SC_OK);
  sc_status status = sc_seal_open(out, sender, &bob.x, sealed);
  REQUIRE(status == SC_OK || out->len == 0);
  REQUIRE((status == SC_ERR_TRUNCATED) == (sealed.len < SC_SEAL_OVERHEAD));
  if (status != SC_OK)
    return status;
  uint8_t x25519[32];
  REQUIRE(out->len == sealed.len - SC_SEAL_OVERHEAD);
  REQUIRE(sc_x25519_from_ed25519(x25519, SC_BYTES(sender->ed25519_public)) == SC_OK);
  REQUIRE(sc_id_kind_of(&sender->id) == SC_ID_STANDARD && memcmp(sc_id_key(&sender->id), x25519, 32) == 0);
  return SC_OK;
}

static void require_from_alice(const sc_buffer *opened, const sc_sender *sender, sc_bytes message) {
  REQUIRE(sc_bytes_same(sc_buffer_bytes(opened), message));
  REQUIRE(memcmp(sender->ed25519_public, alice.ed.public_key, 32) == 0);
}

static void raw(sc_bytes input) {
  sc_buffer opened;
  sc_sender sender;
  sc_buffer_init(&opened, fuzz_env());
  (void)open(&opened, &sender, input);
  sc_buffer_free(&opened);
}

static void changed_on_its_way(sc_bytes input) {
  sc_buffer sealed, opened;
  sc_sender sender;
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  sc_bytes message = fuzz_take_message(&input);
  REQUIRE(sc_seal(&sealed, fuzz_env(), &alice, SC_BYTES(bob.x.public_key), message) == SC_OK);
  bool changed = fuzz_change(&sealed, input);
  sc_status status = open(&opened, &sender, sc_buffer_bytes(&sealed));
  REQUIRE(changed == (status != SC_OK));
  if (status == SC_OK)
    require_from_alice(&opened, &sender, message);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

/* Seals any inner part, as sc_seal does its own. */
static void seal_inner(sc_buffer *out, sc_bytes inner) {
  sc_x25519_pair ephemeral;
  uint8_t nonce[crypto_box_NONCEBYTES], keys[64];
  sc_x25519_pair_generate(&ephemeral, fuzz_env());
  memcpy(keys, ephemeral.public_key, 32);
  memcpy(keys + 32, bob.x.public_key, 32);
  REQUIRE(sc_blake2b(nonce, sizeof nonce, sc_bytes_make(NULL, 0), SC_BYTES(keys)) == SC_OK);
  uint8_t *room;
  REQUIRE(sc_buffer_extend(&room, out, 48 + inner.len) == SC_OK);
  memcpy(room, ephemeral.public_key, 32);
  REQUIRE(crypto_box_easy(room + 32, inner.ptr, inner.len, nonce, bob.x.public_key, ephemeral.secret) == 0);
}

static void changed_inside(sc_bytes input) {
  sc_buffer inner, sealed, opened;
  sc_sender sender;
  sc_buffer_init(&inner, fuzz_env());
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  sc_bytes message = fuzz_take_message(&input);
  REQUIRE(sc_seal_sign(&inner, &alice, SC_BYTES(bob.x.public_key), message) == SC_OK);
  bool changed = fuzz_change(&inner, input);
  seal_inner(&sealed, sc_buffer_bytes(&inner));
  sc_status status = open(&opened, &sender, sc_buffer_bytes(&sealed));
  REQUIRE(changed == (status != SC_OK));
  REQUIRE(status != SC_ERR_DECRYPT);
  if (status == SC_OK)
    require_from_alice(&opened, &sender, message);
  sc_buffer_free(&inner);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, changed_on_its_way, changed_inside};
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 3](input);
  return 0;
}
