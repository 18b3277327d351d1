#include <sodium.h>

#include "support/test.h"

static const char *const accounts[][2] = {
    {"e5481635020d6f7b327e94e6d63e33a431fccabc4d2775845c43a8486a9f2884",
     "b6d20c075eddd2edb69d4d7da9b7e580f187ce0537585da2b5e454b77980d0c8"},
    {"743d646706b6b04b97b752036dd6cf5f2adc4b339fcfdfb4b496f0764bb93a84",
     "539d0a3be9658ebb6ba3ce97b25d4f6b716f7ef6d6ae6343bd0733519f5a51e8"},
};

static void known_master(sc_ed25519_pair *out) {
  uint8_t seed[32];
  sc_keypair account;
  sc_test_hex_into(seed, sizeof seed, accounts[0][0]);
  sc_keypair_from_seed(&account, seed);
  sc_pro_master_pair(out, &account);
}

static void known_backend(sc_ed25519_pair *out) {
  uint8_t seed[32];
  memset(seed, 1, sizeof seed);
  sc_ed25519_pair_from_seed(out, seed);
}

static sc_pro_proof known_proof(sc_pro_generation generation) {
  sc_pro_proof proof = {.generation = generation, .expiry = 1752000000};
  if (generation == SC_PRO_GENERATION_A)
    proof.expiry *= 1000;
  memset(proof.tag, 2, sizeof proof.tag);
  sc_test_hex_into(proof.rotating_key, 32,
                   "a65ac2c66f0e711bd16df8559a968a5b465d0d47f89292e3ae181e97be13555a");
  return proof;
}

static void master_keys_have_the_known_bytes(sc_test *t) {
  for (size_t i = 0; i < sizeof accounts / sizeof accounts[0]; i++) {
    uint8_t seed[32], expected[32];
    sc_keypair account;
    sc_ed25519_pair master;
    sc_test_hex_into(seed, sizeof seed, accounts[i][0]);
    sc_test_hex_into(expected, sizeof expected, accounts[i][1]);
    sc_keypair_from_seed(&account, seed);
    sc_pro_master_pair(&master, &account);
    SAME(SC_BYTES(expected), SC_BYTES(master.public_key));
  }
done:;
}

static void the_rotating_key_is_the_weeks_key(sc_test *t) {
  static const uint64_t same_week[] = {1749686400, 1750000000, 1749686400 + 604799};
  sc_ed25519_pair master, rotating;
  uint8_t expected[32], seed[32];
  known_master(&master);
  sc_test_hex_into(expected, sizeof expected,
                   "a65ac2c66f0e711bd16df8559a968a5b465d0d47f89292e3ae181e97be13555a");
  sc_test_hex_into(seed, sizeof seed, "7ddea924e1dcdcec56364a95f2f3fa808f544f510ce1ae118a507a9303208c38");
  for (size_t i = 0; i < sizeof same_week / sizeof same_week[0]; i++) {
    sc_pro_rotating_pair(&rotating, &master, same_week[i]);
    SAME(SC_BYTES(expected), SC_BYTES(rotating.public_key));
    SAME(SC_BYTES(seed), sc_bytes_make(rotating.secret, 32));
  }
  sc_pro_rotating_pair(&rotating, &master, 1749686400 + 604800);
  CHECK(memcmp(expected, rotating.public_key, 32) != 0);
  sc_pro_rotating_pair(&rotating, &master, 0);
  CHECK(memcmp(expected, rotating.public_key, 32) != 0);
done:;
}

static void issued_proofs_have_the_known_bytes(sc_test *t) {
  static const char *const signatures[] = {
      [SC_PRO_GENERATION_A] = "456607e420ccc9ccd4f8fa8d35bcea8b8a5e56ff538207e9ccb1ed093147a30c"
                              "15701b3320bfbe103a6a9bb052771d9400e151e8ec773d290018c9f40cf61603",
      [SC_PRO_GENERATION_B] = "5462fb66abbd901e11749fcb6b0272c954ef9fea669ec5bca1e0a70ce01b0218"
                              "0daf66cefb9477bad80b55453aba8c93cc26b40554efeabd4d8f506e93598101",
  };
  sc_ed25519_pair backend;
  uint8_t key[32];
  known_backend(&backend);
  sc_test_hex_into(key, sizeof key, "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c");
  SAME(SC_BYTES(key), SC_BYTES(backend.public_key));
  for (int generation = SC_PRO_GENERATION_A; generation <= SC_PRO_GENERATION_B; generation++) {
    uint8_t expected[64];
    sc_test_hex_into(expected, sizeof expected, signatures[generation]);
    sc_pro_proof proof = known_proof((sc_pro_generation)generation);
    sc_pro_issue(&proof, &backend);
    SAME(SC_BYTES(expected), SC_BYTES(proof.signature));
  }
done:;
}

static void a_proof_is_checked_in_order(sc_test *t) {
  sc_ed25519_pair backend, master, rotating, other;
  known_backend(&backend);
  known_master(&master);
  sc_pro_rotating_pair(&rotating, &master, 1750000000);
  sc_pro_rotating_pair(&other, &master, 1);
  sc_bytes message = sc_bytes_text("message");
  uint8_t own[64], stolen[64];
  sc_ed25519_sign(own, &rotating, message);
  sc_ed25519_sign(stolen, &other, message);
  for (int generation = SC_PRO_GENERATION_A; generation <= SC_PRO_GENERATION_B; generation++) {
    sc_pro_proof proof = known_proof((sc_pro_generation)generation);
    sc_pro_issue(&proof, &backend);
    const uint8_t *key = backend.public_key;
    uint64_t end = 1752000000;
    CHECK(sc_pro_judge(&proof, key, message, SC_BYTES(own), end) == SC_PRO_VALID);
    CHECK(sc_pro_judge(&proof, key, message, SC_BYTES(own), 0) == SC_PRO_VALID);
    CHECK(sc_pro_judge(&proof, key, message, SC_BYTES(own), end + 1) == SC_PRO_EXPIRED);
    CHECK(sc_pro_judge(&proof, key, message, SC_BYTES(own), UINT64_MAX) == SC_PRO_EXPIRED);
    CHECK(sc_pro_judge(&proof, key, message, SC_BYTES(stolen), end + 1) == SC_PRO_STOLEN);
    CHECK(sc_pro_judge(&proof, key, sc_bytes_text("massage"), SC_BYTES(own), end) == SC_PRO_STOLEN);
    CHECK(sc_pro_judge(&proof, key, message, sc_bytes_make(own, 63), end) == SC_PRO_STOLEN);
    CHECK(sc_pro_judge(&proof, other.public_key, message, SC_BYTES(stolen), end + 1) == SC_PRO_FORGED);
    /* Without a message, only the proof is checked. */
    CHECK(sc_pro_judge(&proof, key, message, sc_bytes_make(NULL, 0), end) == SC_PRO_VALID);
    CHECK(sc_pro_judge(&proof, key, message, sc_bytes_make(NULL, 0), end + 1) == SC_PRO_EXPIRED);
    /* Every field the backend signed is covered. */
    sc_pro_proof changed = proof;
    changed.expiry++;
    CHECK(sc_pro_judge(&changed, key, message, SC_BYTES(own), 0) == SC_PRO_FORGED);
    changed = proof;
    changed.tag[31] ^= 1;
    CHECK(sc_pro_judge(&changed, key, message, SC_BYTES(own), 0) == SC_PRO_FORGED);
    changed = proof;
    changed.rotating_key[0] ^= 1;
    CHECK(sc_pro_judge(&changed, key, message, SC_BYTES(own), 0) == SC_PRO_FORGED);
    changed = proof;
    changed.generation = (sc_pro_generation)(SC_PRO_GENERATION_B - generation);
    CHECK(sc_pro_judge(&changed, key, message, SC_BYTES(own), 0) == SC_PRO_FORGED);
  }
done:;
}

static void a_proof_of_an_unknown_version_is_refused(sc_test *t) {
  sc_ed25519_pair backend;
  known_backend(&backend);
  sc_pro_proof proof = known_proof(SC_PRO_GENERATION_A);
  proof.version = 256; /* its hash covers one byte of it */
  sc_pro_issue(&proof, &backend);
  CHECK(sc_pro_judge(&proof, backend.public_key, sc_bytes_make(NULL, 0), sc_bytes_make(NULL, 0), 0) ==
        SC_PRO_NO_PROOF);
done:;
}

/* Zeros are a point of order four: with an identity and a zero for a signature, a verifier that takes such
 * keys would accept one message in four. */
static void no_proof_is_valid_without_a_backend_key(sc_test *t) {
  static const uint8_t no_backend[32] = {0};
  sc_pro_proof proof = known_proof(SC_PRO_GENERATION_B);
  proof.signature[0] = 1;
  for (; proof.expiry < 1752000000 + 64; proof.expiry++)
    CHECK(sc_pro_judge(&proof, no_backend, sc_bytes_make(NULL, 0), sc_bytes_make(NULL, 0), 0) ==
          SC_PRO_FORGED);
done:;
}

static void a_proof_with_the_greatest_expiry_does_not_expire(sc_test *t) {
  sc_ed25519_pair backend;
  known_backend(&backend);
  sc_pro_proof proof = known_proof(SC_PRO_GENERATION_B);
  proof.expiry = UINT64_MAX;
  sc_pro_issue(&proof, &backend);
  CHECK(sc_pro_judge(&proof, backend.public_key, sc_bytes_make(NULL, 0), sc_bytes_make(NULL, 0),
                     UINT64_MAX) == SC_PRO_VALID);
done:;
}

static bool is_reduced(const uint8_t scalar[32]) {
  uint8_t wide[64] = {0}, reduced[32];
  memcpy(wide, scalar, 32);
  crypto_core_ed25519_scalar_reduce(reduced, wide);
  return memcmp(scalar, reduced, 32) == 0;
}

static void a_decoy_looks_like_a_signature(sc_test *t) {
  uint8_t last[64] = {0};
  for (int i = 0; i < 50; i++) {
    uint8_t decoy[64];
    sc_pro_decoy(decoy, t->env);
    CHECK(crypto_core_ed25519_is_valid_point(decoy) == 1);
    CHECK(is_reduced(decoy + 32));
    CHECK(memcmp(decoy, last, 32) != 0 && memcmp(decoy + 32, last + 32, 32) != 0);
    memcpy(last, decoy, sizeof last);
  }
done:;
}

static void features_depend_on_the_length(sc_test *t) {
  uint64_t features = 7;
  OK(sc_pro_features_for(&features, 2000));
  CHECK(features == 0);
  OK(sc_pro_features_for(&features, 2001));
  CHECK(features == SC_PRO_MESSAGE_10K);
  OK(sc_pro_features_for(&features, 10000));
  CHECK(features == SC_PRO_MESSAGE_10K);
  FAILS(SC_ERR_MESSAGE_LENGTH, sc_pro_features_for(&features, 10001));
  CHECK(features == 0);
done:;
}

static void code_points_are_counted(sc_test *t) {
  size_t count = 7;
  OK(sc_code_points(&count, sc_bytes_text("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")));
  CHECK(count == 4);
  OK(sc_code_points(&count, sc_bytes_make(NULL, 0)));
  CHECK(count == 0);
  FAILS(SC_ERR_UTF8, sc_code_points(&count, sc_bytes_text("a\xc3")));
  CHECK(count == 0);
done:;
}

SUITE(message_pro, "message/pro", {"master keys have the known bytes", master_keys_have_the_known_bytes},
      {"the rotating key is the week's key", the_rotating_key_is_the_weeks_key},
      {"issued proofs have the known bytes", issued_proofs_have_the_known_bytes},
      {"a proof is checked in order", a_proof_is_checked_in_order},
      {"a proof of an unknown version is refused", a_proof_of_an_unknown_version_is_refused},
      {"no proof is valid without a backend key", no_proof_is_valid_without_a_backend_key},
      {"a proof with the greatest expiry does not expire", a_proof_with_the_greatest_expiry_does_not_expire},
      {"a decoy looks like a signature", a_decoy_looks_like_a_signature},
      {"features depend on the length", features_depend_on_the_length},
      {"code points are counted", code_points_are_counted});
