/* Sealing, blinding and the onion layer beside the primitives each is made of, called with everything they
 * need at hand: no allocation, no checks, nothing wiped. */
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <sodium.h>

#include "bench.h"

enum { message_bytes = 200, layer_bytes = 1024, most_bytes = 2048 };

static struct {
  sc_keypair alice;
  sc_keypair bob;
  uint8_t server[32];
  sc_blinded_pair alice15, alice25, bob15, bob25;
  uint8_t message[layer_bytes];
} world;

static void make_world(void) {
  uint8_t seed[32] = {1};
  sc_keypair_from_seed(&world.alice, seed);
  seed[0] = 2;
  sc_keypair_from_seed(&world.bob, seed);
  memset(world.server, 3, sizeof world.server);
  memset(world.message, 'm', sizeof world.message);
  BENCH_OK(sc_blind15_pair(&world.alice15, &world.alice, world.server));
  BENCH_OK(sc_blind25_pair(&world.alice25, &world.alice, world.server));
  BENCH_OK(sc_blind15_pair(&world.bob15, &world.bob, world.server));
  BENCH_OK(sc_blind25_pair(&world.bob25, &world.bob, world.server));
}

static sc_bytes text(size_t len) {
  return sc_bytes_make(world.message, len);
}

/* The input of the opening bodies, and the scratch space of the floors. */
static sc_buffer sealed;
static uint8_t scratch[most_bytes];
static const uint8_t nonce[24] = {9};

/* A floor that failed would be too fast. */
static void floor_ok(int failed) {
  if (failed != 0)
    bench_stop(__FILE__, __LINE__, "a primitive", SC_ERR_STATE);
}

static void seal(void *user) {
  (void)user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_seal(&out, bench_env(), &world.alice, SC_BYTES(world.bob.x.public_key), text(message_bytes)));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static void seal_floor(void *user) {
  (void)user;
  uint8_t public_key[32], secret[32], signature[64];
  floor_ok(crypto_sign_detached(signature, NULL, scratch, message_bytes + 64, world.alice.ed.secret));
  floor_ok(crypto_box_keypair(public_key, secret));
  floor_ok(
      crypto_box_easy(scratch, world.message, message_bytes + 96, nonce, world.bob.x.public_key, secret));
  bench_keep(scratch);
  bench_keep(signature);
}

static void seal_open(void *user) {
  (void)user;
  sc_buffer out;
  sc_sender sender;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_seal_open(&out, &sender, &world.bob.x, sc_buffer_bytes(&sealed)));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

/* A box and a signature that open and verify, made once. */
static struct {
  uint8_t box[message_bytes + 96 + 16];
  uint8_t signed_text[message_bytes + 64];
  uint8_t signature[64];
} genuine;

static void make_genuine(void) {
  floor_ok(crypto_box_easy(genuine.box, world.message, message_bytes + 96, nonce, world.bob.x.public_key,
                           world.alice.x.secret));
  floor_ok(crypto_sign_detached(genuine.signature, NULL, genuine.signed_text, sizeof genuine.signed_text,
                                world.alice.ed.secret));
}

static void seal_open_floor(void *user) {
  (void)user;
  uint8_t x25519[32];
  floor_ok(crypto_box_open_easy(scratch, genuine.box, sizeof genuine.box, nonce, world.alice.x.public_key,
                                world.bob.x.secret));
  floor_ok(crypto_sign_verify_detached(genuine.signature, genuine.signed_text, sizeof genuine.signed_text,
                                       world.alice.ed.public_key));
  floor_ok(crypto_sign_ed25519_pk_to_curve25519(x25519, world.alice.ed.public_key));
  bench_keep(scratch);
  bench_keep(x25519);
}

static void blind_sign(void *user) {
  uint8_t signature[64];
  sc_blind_sign(signature, &world.alice, user, text(message_bytes));
  bench_keep(signature);
}

static void hash_three(uint8_t out[64], const uint8_t *first, const uint8_t *key) {
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, first, 32);
  crypto_hash_sha512_update(&state, key, 32);
  crypto_hash_sha512_update(&state, world.message, message_bytes);
  crypto_hash_sha512_final(&state, out);
}

static void sign_with_nonce(const uint8_t wide[64], const sc_blinded_pair *pair) {
  uint8_t scalar[32], hashed[64], signature[64];
  crypto_core_ed25519_scalar_reduce(scalar, wide);
  floor_ok(crypto_scalarmult_ed25519_base_noclamp(signature, scalar));
  hash_three(hashed, signature, pair->id.bytes + 1);
  crypto_core_ed25519_scalar_reduce(signature + 32, hashed);
  crypto_core_ed25519_scalar_mul(signature + 32, signature + 32, pair->scalar);
  crypto_core_ed25519_scalar_add(signature + 32, signature + 32, scalar);
  bench_keep(signature);
}

static void blind15_sign_floor(void *user) {
  const sc_blinded_pair *pair = user;
  uint8_t hashed[64], wide[64];
  crypto_hash_sha512(hashed, world.alice.ed.secret, 64);
  hash_three(wide, hashed + 32, pair->id.bytes + 1);
  sign_with_nonce(wide, pair);
}

static void blind25_sign_floor(void *user) {
  const sc_blinded_pair *pair = user;
  uint8_t hashed[32], wide[64];
  crypto_generichash_state state;
  crypto_generichash(hashed, 32, world.alice.ed.secret, 32, (const uint8_t *)"SessCommBlind25_seed", 20);
  crypto_generichash_init(&state, (const uint8_t *)"SessCommBlind25_sig", 19, 64);
  crypto_generichash_update(&state, hashed, 32);
  crypto_generichash_update(&state, pair->id.bytes + 1, 32);
  crypto_generichash_update(&state, world.message, message_bytes);
  crypto_generichash_final(&state, wide, 64);
  sign_with_nonce(wide, pair);
}

static void blinded_seal(void *user) {
  const sc_blinded_pair *to = user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_blinded_seal(&out, bench_env(), &world.alice, world.server, &to->id, text(message_bytes)));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

/* From the server's key to the key of a message: the factor, the own id, the agreement. */
static void blinded_key(uint8_t out[32], const uint8_t *hashed_text, size_t hashed_len,
                        const sc_keypair *mine, const sc_id *other) {
  uint8_t wide[64], factor[32], scalar[32], public_key[32], agreed[96] = {0};
  crypto_generichash(wide, 64, hashed_text, hashed_len, NULL, 0);
  crypto_core_ed25519_scalar_reduce(factor, wide);
  crypto_core_ed25519_scalar_mul(scalar, factor, mine->x.secret);
  floor_ok(crypto_scalarmult_ed25519_base_noclamp(public_key, scalar));
  floor_ok(crypto_scalarmult_ed25519_noclamp(agreed, scalar, sc_id_key(other)));
  crypto_generichash(out, 32, agreed, sizeof agreed, NULL, 0);
  bench_keep(public_key);
}

static void blinded_seal_floor(void *user) {
  const sc_blinded_pair *to = user;
  uint8_t key[32], fresh[24];
  blinded_key(key, world.server, 32, &world.alice, &to->id);
  randombytes_buf(fresh, sizeof fresh);
  floor_ok(crypto_aead_xchacha20poly1305_ietf_encrypt(scratch, NULL, world.message, message_bytes + 32, NULL,
                                                      0, NULL, fresh, key));
  bench_keep(scratch);
}

static void blinded_open(void *user) {
  const sc_blinded_pair *from = user;
  const sc_blinded_pair *to = from == &world.alice15 ? &world.bob15 : &world.bob25;
  sc_buffer out;
  sc_sender sender;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(
      sc_blinded_open(&out, &sender, &world.bob, world.server, &from->id, &to->id, sc_buffer_bytes(&sealed)));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

/* Decryption stands in with the encryption of as many bytes, which is the same work. */
static void blinded_open_floor(void *user) {
  const sc_blinded_pair *from = user;
  uint8_t key[32], x25519[32], wide[64], factor[32], blinded[32];
  blinded_key(key, world.server, 32, &world.bob, &from->id);
  floor_ok(crypto_aead_xchacha20poly1305_ietf_encrypt(scratch, NULL, world.message, message_bytes + 32, NULL,
                                                      0, NULL, nonce, key));
  floor_ok(crypto_sign_ed25519_pk_to_curve25519(x25519, world.alice.ed.public_key));
  crypto_generichash(wide, 64, world.server, 32, NULL, 0);
  crypto_core_ed25519_scalar_reduce(factor, wide);
  floor_ok(crypto_scalarmult_ed25519_noclamp(blinded, factor, world.alice.ed.public_key));
  bench_keep(scratch);
  bench_keep(x25519);
  bench_keep(blinded);
}

static void hop_seal(void *user) {
  const sc_hop_cipher *cipher = user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_hop_seal(&out, bench_env(), *cipher, SC_HOP_CLIENT, &world.alice.x, world.bob.x.public_key,
                       text(layer_bytes)));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static void hop_open(void *user) {
  const sc_hop_cipher *cipher = user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_hop_open(&out, *cipher, SC_HOP_SERVER, &world.bob.x, world.alice.x.public_key,
                       sc_buffer_bytes(&sealed)));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static void xchacha_layer_key(uint8_t out[32]) {
  uint8_t agreed[96] = {0};
  floor_ok(crypto_scalarmult_curve25519(agreed, world.alice.x.secret, world.bob.x.public_key));
  crypto_generichash(out, 32, agreed, sizeof agreed, NULL, 0);
}

static void xchacha_seal_floor(void *user) {
  (void)user;
  uint8_t key[32], fresh[24];
  xchacha_layer_key(key);
  randombytes_buf(fresh, sizeof fresh);
  floor_ok(crypto_aead_xchacha20poly1305_ietf_encrypt(scratch, NULL, world.message, layer_bytes, NULL, 0,
                                                      NULL, fresh, key));
  bench_keep(scratch);
}

static void xchacha_open_floor(void *user) {
  (void)user;
  uint8_t key[32];
  xchacha_layer_key(key);
  floor_ok(crypto_aead_xchacha20poly1305_ietf_encrypt(scratch, NULL, world.message, layer_bytes, NULL, 0,
                                                      NULL, nonce, key));
  bench_keep(scratch);
}

static void gcm_layer(const uint8_t iv[12]) {
  uint8_t agreed[32], key[32];
  struct hmac_sha256_ctx hmac;
  struct gcm_aes256_ctx gcm;
  floor_ok(crypto_scalarmult_curve25519(agreed, world.alice.x.secret, world.bob.x.public_key));
  hmac_sha256_set_key(&hmac, 4, (const uint8_t *)"LOKI");
  hmac_sha256_update(&hmac, sizeof agreed, agreed);
  hmac_sha256_digest(&hmac, sizeof key, key);
  gcm_aes256_set_key(&gcm, key);
  gcm_aes256_set_iv(&gcm, 12, iv);
  gcm_aes256_encrypt(&gcm, layer_bytes, scratch, world.message);
  gcm_aes256_digest(&gcm, 16, scratch + layer_bytes);
  bench_keep(scratch);
}

static void gcm_seal_floor(void *user) {
  (void)user;
  uint8_t fresh[12];
  randombytes_buf(fresh, sizeof fresh);
  gcm_layer(fresh);
}

static void gcm_open_floor(void *user) {
  (void)user;
  gcm_layer(nonce);
}

/* One call is one operation. */
static void run(const char *name, bench_body ours, bench_body floor, const char *floor_name, void *user,
                bench_goal goal, double target) {
  const bench_case figure = {
      .name = name,
      .ours = ours,
      .floor = floor,
      .floor_name = floor_name,
      .user = user,
      .amount = 1,
      .measure = BENCH_US_PER_OP,
      .goal = goal,
      .target = target,
      .count_allocations = true,
  };
  bench_run(&figure);
}

static void run_seal(void) {
  run("crypto/seal 200 B", seal, seal_floor, "sign, key pair, box", NULL, BENCH_TIME_RATIO_AT_MOST, 1.10);
  BENCH_OK(sc_seal(&sealed, NULL, &world.alice, SC_BYTES(world.bob.x.public_key), text(message_bytes)));
  make_genuine();
  run("crypto/seal_open 200 B", seal_open, seal_open_floor, "box open, verify, conversion", NULL,
      BENCH_TIME_RATIO_AT_MOST, 1.10);
}

static void run_blinded_seal(const char *seal_name, const char *open_name, sc_blinded_pair *from,
                             sc_blinded_pair *to) {
  run(seal_name, blinded_seal, blinded_seal_floor, "own id, agreement, AEAD", to, BENCH_NO_GOAL, 0);
  BENCH_OK(sc_blinded_seal(&sealed, NULL, &world.alice, world.server, &to->id, text(message_bytes)));
  run(open_name, blinded_open, blinded_open_floor, "own id, agreement, AEAD, conversion, sender's id", from,
      BENCH_NO_GOAL, 0);
}

/* An account id stands for a point whose order has to be checked once, which is most of it. */
static void blinded_ids15(void *user) {
  const sc_id *account = user;
  sc_id ids[2];
  BENCH_OK(sc_blind15_ids(ids, account, world.server));
  bench_keep(ids);
}

static void blinded_id25(void *user) {
  const sc_id *account = user;
  sc_id id;
  BENCH_OK(sc_blind25_id(&id, account, world.server));
  bench_keep(&id);
}

static void blinded_id_floor(void *user) {
  uint8_t wide[64], factor[32], blinded[32];
  (void)user;
  floor_ok(crypto_generichash(wide, sizeof wide, world.server, sizeof world.server, NULL, 0));
  crypto_core_ed25519_scalar_reduce(factor, wide);
  floor_ok(crypto_scalarmult_ed25519_noclamp(blinded, factor, world.alice.ed.public_key));
  bench_keep(blinded);
}

static void run_blinded_ids(void) {
  sc_id account;
  sc_id_make(&account, SC_ID_STANDARD, world.alice.x.public_key);
  run("crypto/blinded ids 15 of an account id", blinded_ids15, blinded_id_floor, "hash, multiplication",
      &account, BENCH_TIME_RATIO_AT_MOST, 1.15);
  run("crypto/blinded id 25 of an account id", blinded_id25, blinded_id_floor, "hash, multiplication",
      &account, BENCH_TIME_RATIO_AT_MOST, 1.15);
}

static void run_blinding(void) {
  run_blinded_ids();
  run("crypto/blind_sign 15 200 B", blind_sign, blind15_sign_floor, "hashes and arithmetic", &world.alice15,
      BENCH_TIME_RATIO_AT_MOST, 1.15);
  run("crypto/blind_sign 25 200 B", blind_sign, blind25_sign_floor, "hashes and arithmetic", &world.alice25,
      BENCH_TIME_RATIO_AT_MOST, 1.15);
  run_blinded_seal("crypto/blinded_seal 15 200 B", "crypto/blinded_open 15 200 B", &world.alice15,
                   &world.bob15);
  run_blinded_seal("crypto/blinded_seal 25 200 B", "crypto/blinded_open 25 200 B", &world.alice25,
                   &world.bob25);
}

static void run_hop(sc_hop_cipher cipher, const char *seal_name, const char *open_name,
                    bench_body seal_floor_of, bench_body open_floor_of) {
  run(seal_name, hop_seal, seal_floor_of, "agreement, key, cipher", &cipher, BENCH_NO_GOAL, 0);
  BENCH_OK(sc_hop_seal(&sealed, NULL, cipher, SC_HOP_CLIENT, &world.alice.x, world.bob.x.public_key,
                       text(layer_bytes)));
  run(open_name, hop_open, open_floor_of, "agreement, key, cipher", &cipher, BENCH_NO_GOAL, 0);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  make_world();
  run_seal();
  run_blinding();
  run_hop(SC_HOP_XCHACHA20, "crypto/hop_seal xchacha20 1 KiB", "crypto/hop_open xchacha20 1 KiB",
          xchacha_seal_floor, xchacha_open_floor);
  run_hop(SC_HOP_AES_GCM, "crypto/hop_seal aes-gcm 1 KiB", "crypto/hop_open aes-gcm 1 KiB", gcm_seal_floor,
          gcm_open_floor);
  sc_buffer_free(&sealed);
  return 0;
}
