/* Opening community inbox messages. The first byte of the input chooses: raw bytes between raw ids, a genuine
 * message changed on its way, or one that names any sender; and the kind of the ids and who opens. */
#include <sodium.h>

#include "sealed.h"

enum { raw_input, changed_input, named_input, way_count };

static sc_keypair alice, bob;
static uint8_t server[32];
/* By kind: 15 and 25. */
static sc_id alice_ids[2], bob_ids[2];

static void prepare(void) {
  static bool ready;
  if (ready)
    return;
  sc_blinded_pair pair;
  REQUIRE(sc_init() == SC_OK);
  fuzz_pair(&alice, 1);
  fuzz_pair(&bob, 2);
  memset(server, 3, sizeof server);
  REQUIRE(sc_blind15_pair(&pair, &alice, server) == SC_OK);
  alice_ids[0] = pair.id;
  REQUIRE(sc_blind25_pair(&pair, &alice, server) == SC_OK);
  alice_ids[1] = pair.id;
  REQUIRE(sc_blind15_pair(&pair, &bob, server) == SC_OK);
  bob_ids[0] = pair.id;
  REQUIRE(sc_blind25_pair(&pair, &bob, server) == SC_OK);
  bob_ids[1] = pair.id;
  ready = true;
}

/* Opens a message and checks the rules that hold for any input. */
static sc_status open(sc_buffer *out, sc_sender *sender, const sc_keypair *me, const sc_id *from,
                      const sc_id *to, sc_bytes sealed) {
  REQUIRE(sc_buffer_append(out, sc_bytes_text("left over")) == SC_OK);
  sc_status status = sc_blinded_open(out, sender, me, server, from, to, sealed);
  REQUIRE(status == SC_OK || out->len == 0);
  REQUIRE((status == SC_ERR_TRUNCATED) == (sealed.len < SC_BLINDED_SEAL_OVERHEAD));
  if (status != SC_OK)
    return status;
  bool matches;
  REQUIRE(out->len == sealed.len - SC_BLINDED_SEAL_OVERHEAD);
  REQUIRE(sc_blind_matches(&matches, &sender->id, from, server) == SC_OK && matches);
  return SC_OK;
}

static sc_id take_id(sc_bytes *input) {
  sc_id id = {{0}};
  sc_bytes bytes = fuzz_take(input, sizeof id.bytes);
  if (bytes.len > 0)
    memcpy(id.bytes, bytes.ptr, bytes.len);
  return id;
}

static void raw(const sc_keypair *me, sc_bytes input) {
  sc_buffer opened;
  sc_sender sender;
  sc_buffer_init(&opened, fuzz_env());
  sc_id from = take_id(&input);
  sc_id to = take_id(&input);
  (void)open(&opened, &sender, me, &from, &to, input);
  sc_buffer_free(&opened);
}

static void changed_on_its_way(const sc_keypair *me, size_t kind, sc_bytes input) {
  sc_buffer sealed, opened;
  sc_sender sender;
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  sc_bytes message = fuzz_take_message(&input);
  REQUIRE(sc_blinded_seal(&sealed, fuzz_env(), &alice, server, &bob_ids[kind], message) == SC_OK);
  bool changed = fuzz_change(&sealed, input);
  sc_status status = open(&opened, &sender, me, &alice_ids[kind], &bob_ids[kind], sc_buffer_bytes(&sealed));
  REQUIRE(changed == (status != SC_OK));
  REQUIRE(changed || sc_bytes_same(sc_buffer_bytes(&opened), message));
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

/* Seals any inner part from Alice's 15 id to Bob's, as sc_blinded_seal does its own. */
static void seal_inner(sc_buffer *out, sc_bytes inner) {
  uint8_t agreed[96], key[32], nonce[24] = {0}, *room;
  REQUIRE(crypto_scalarmult_ed25519_noclamp(agreed, alice.x.secret, sc_id_key(&bob_ids[0])) == 0);
  memcpy(agreed + 32, sc_id_key(&alice_ids[0]), 32);
  memcpy(agreed + 64, sc_id_key(&bob_ids[0]), 32);
  REQUIRE(sc_blake2b(key, sizeof key, sc_bytes_make(NULL, 0), SC_BYTES(agreed)) == SC_OK);
  REQUIRE(sc_buffer_extend(&room, out, 1 + inner.len + 16 + 24) == SC_OK);
  room[0] = 0;
  crypto_aead_xchacha20poly1305_ietf_encrypt(room + 1, NULL, inner.ptr, inner.len, NULL, 0, NULL, nonce, key);
  memcpy(room + 1 + inner.len + 16, nonce, sizeof nonce);
}

/* The reader believes an inner part only if it ends in Alice's key, with either sign. */
static void named_by_anybody(const sc_keypair *me, sc_bytes input) {
  sc_buffer sealed, opened;
  sc_sender sender;
  uint8_t key[32];
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  memcpy(key, alice.ed.public_key, sizeof key);
  for (size_t i = 0; i < input.len; i++)
    key[i % sizeof key] ^= input.ptr[i];
  seal_inner(&sealed, SC_BYTES(key));
  sc_status status = open(&opened, &sender, me, &alice_ids[0], &bob_ids[0], sc_buffer_bytes(&sealed));
  key[31] = (uint8_t)((key[31] & 0x7f) | (alice.ed.public_key[31] & 0x80));
  bool is_alice = memcmp(key, alice.ed.public_key, sizeof key) == 0;
  REQUIRE(status == (is_alice ? SC_OK : SC_ERR_SENDER));
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  uint8_t choice = fuzz_take_byte(&input);
  size_t kind = choice >> 6 & 1;
  const sc_keypair *me = choice >> 7 == 0 ? &bob : &alice;
  switch ((choice & 0x3f) % way_count) {
  case raw_input:
    raw(me, input);
    break;
  case changed_input:
    changed_on_its_way(me, kind, input);
    break;
  case named_input:
    named_by_anybody(me, input);
    break;
  }
  return 0;
}
