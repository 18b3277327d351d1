#include "support/known_bytes.h"
#include "support/test_env.h"
#include "support/unsafe_keys.h"

/* An account's seed and its keys, from the specification of identities. */
#define SEED "0123456789abcdef0123456789abcdef00000000000000000000000000000000"
#define ED25519 "4cb76fdc6d32278e3f83dbf608360ecc6b65727934b85d2fb86862ff98c46ab7"
#define ED25519_POSITIVE "4cb76fdc6d32278e3f83dbf608360ecc6b65727934b85d2fb86862ff98c46a37"
#define X25519 "d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72"
#define X25519_SECRET "c066ce44b14d551ee69dbcd631c061d17655b374f5d54e4f1ea9e3718638956b"

static void a_seed_gives_the_known_keys(sc_test *t) {
  KNOWN(seed, SEED);
  KNOWN(ed25519, ED25519);
  KNOWN(x25519, X25519);
  KNOWN(x25519_secret, X25519_SECRET);
  KNOWN(ed25519_secret, SEED ED25519);
  sc_keypair pair;
  sc_keypair_from_seed(&pair, seed);
  SAME(SC_BYTES(ed25519), SC_BYTES(pair.ed.public_key));
  SAME(SC_BYTES(ed25519_secret), SC_BYTES(pair.ed.secret));
  SAME(SC_BYTES(x25519), SC_BYTES(pair.x.public_key));
  SAME(SC_BYTES(x25519_secret), SC_BYTES(pair.x.secret));
done:
  sc_keypair_wipe(&pair);
}

static void a_seed_may_overlap_the_pair_it_makes(sc_test *t) {
  KNOWN(seed, SEED);
  sc_keypair pair, again;
  sc_keypair_from_seed(&pair, seed);
  again = pair;
  sc_keypair_from_seed(&again, again.ed.secret);
  SAME(SC_BYTES(pair.ed.public_key), SC_BYTES(again.ed.public_key));
  SAME(SC_BYTES(pair.ed.secret), SC_BYTES(again.ed.secret));
  SAME(SC_BYTES(pair.x.secret), SC_BYTES(again.x.secret));
done:;
}

static void a_pair_loads_from_its_seed_or_its_secret(sc_test *t) {
  KNOWN(secret, SEED ED25519);
  KNOWN(x25519, X25519);
  for (size_t len = 32; len <= 64; len += 32) {
    sc_keypair pair;
    OK(sc_keypair_from_secret(&pair, sc_bytes_make(secret, len)));
    SAME(SC_BYTES(secret), SC_BYTES(pair.ed.secret));
    SAME(SC_BYTES(x25519), SC_BYTES(pair.x.public_key));
  }
done:;
}

static void a_secret_of_the_wrong_size_is_refused(sc_test *t) {
  static const uint8_t secret[65] = {1};
  sc_keypair pair = {0};
  for (size_t len = 0; len <= sizeof secret; len++)
    if (len != 32 && len != 64)
      FAILS(SC_ERR_KEY_SIZE, sc_keypair_from_secret(&pair, sc_bytes_make(secret, len)));
done:;
}

static void a_secret_with_the_wrong_public_half_is_refused(sc_test *t) {
  KNOWN(secret, SEED ED25519);
  const sc_keypair untouched = {0};
  sc_keypair pair = {0};
  for (size_t i = 32; i < 64; i++) {
    secret[i] ^= 1;
    FAILS(SC_ERR_KEY_MISMATCH, sc_keypair_from_secret(&pair, SC_BYTES(secret)));
    secret[i] ^= 1;
  }
  CHECK(memcmp(&pair, &untouched, sizeof pair) == 0);
done:;
}

static void generated_pairs_use_the_environments_random_source(sc_test *t) {
  KNOWN(seed, SEED);
  KNOWN(ed25519, ED25519);
  KNOWN(x25519_secret, X25519_SECRET);
  KNOWN(x25519, X25519);
  sc_test_env *env = t->env->user;
  sc_keypair pair;
  sc_x25519_pair x_pair;
  sc_test_env_script(env, SC_BYTES(seed));
  sc_keypair_generate(&pair, t->env);
  CHECK(env->script.len == 0 && env->script_shortage == 0);
  SAME(SC_BYTES(ed25519), SC_BYTES(pair.ed.public_key));
  sc_test_env_script(env, SC_BYTES(x25519_secret));
  sc_x25519_pair_generate(&x_pair, t->env);
  CHECK(env->script.len == 0 && env->script_shortage == 0);
  SAME(SC_BYTES(x25519_secret), SC_BYTES(x_pair.secret));
  SAME(SC_BYTES(x25519), SC_BYTES(x_pair.public_key));
done:;
}

static void wiping_leaves_zeros(sc_test *t) {
  const sc_keypair zeros = {0};
  sc_keypair pair;
  sc_keypair_generate(&pair, t->env);
  sc_ed25519_pair_wipe(&pair.ed);
  CHECK(memcmp(&pair.ed, &zeros.ed, sizeof pair.ed) == 0);
  sc_x25519_pair_wipe(&pair.x);
  CHECK(memcmp(&pair.x, &zeros.x, sizeof pair.x) == 0);
  sc_keypair_generate(&pair, t->env);
  sc_keypair_wipe(&pair);
  CHECK(memcmp(&pair, &zeros, sizeof pair) == 0);
done:;
}

static void both_forms_of_a_key_convert_into_each_other(sc_test *t) {
  for (int round = 0; round < 50; round++) {
    sc_keypair pair;
    uint8_t x25519[32];
    uint8_t ed25519[32];
    sc_keypair_generate(&pair, t->env);
    OK(sc_x25519_from_ed25519(x25519, SC_BYTES(pair.ed.public_key)));
    SAME(SC_BYTES(pair.x.public_key), SC_BYTES(x25519));
    OK(sc_ed25519_from_x25519(ed25519, SC_BYTES(pair.x.public_key)));
    ed25519[31] |= pair.ed.public_key[31] & 0x80;
    SAME(SC_BYTES(pair.ed.public_key), SC_BYTES(ed25519));
  }
done:;
}

static void the_ed25519_form_has_sign_bit_0(sc_test *t) {
  KNOWN(x25519, X25519);
  KNOWN(positive, ED25519_POSITIVE);
  uint8_t ed25519[32];
  OK(sc_ed25519_from_x25519(ed25519, SC_BYTES(x25519)));
  SAME(SC_BYTES(positive), SC_BYTES(ed25519));
done:;
}

/* As X25519 itself reads a public key: bit 255 does not count, and p + 9 is 9, the base point. */
static void every_encoding_of_an_x25519_key_is_read(sc_test *t) {
  static const char *const spellings[] = {
      "0900000000000000000000000000000000000000000000000000000000000000",
      "0900000000000000000000000000000000000000000000000000000000000080",
      "f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  };
  KNOWN(base_point, "5866666666666666666666666666666666666666666666666666666666666666");
  for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
    uint8_t x25519[32];
    uint8_t ed25519[32];
    sc_test_hex_into(x25519, sizeof x25519, spellings[i]);
    OK(sc_ed25519_from_x25519(ed25519, SC_BYTES(x25519)));
    SAME(SC_BYTES(base_point), SC_BYTES(ed25519));
  }
done:;
}

static void conversions_check_the_size(sc_test *t) {
  uint8_t key[33] = {0};
  uint8_t out[32];
  sc_test_hex_into(key, 32, ED25519);
  FAILS(SC_ERR_KEY_SIZE, sc_x25519_from_ed25519(out, sc_bytes_make(key, 31)));
  FAILS(SC_ERR_KEY_SIZE, sc_x25519_from_ed25519(out, sc_bytes_make(key, 33)));
  FAILS(SC_ERR_KEY_SIZE, sc_x25519_from_ed25519(out, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_KEY_SIZE, sc_ed25519_from_x25519(out, sc_bytes_make(key, 31)));
  FAILS(SC_ERR_KEY_SIZE, sc_ed25519_from_x25519(out, sc_bytes_make(key, 33)));
  FAILS(SC_ERR_KEY_SIZE, sc_ed25519_from_x25519(out, sc_bytes_make(NULL, 0)));
done:;
}

static void points_of_small_order_are_refused(sc_test *t) {
  for (size_t i = 0; i < small_order_ed25519_count; i++) {
    uint8_t key[32];
    uint8_t out[32] = {0};
    sc_test_hex_into(key, sizeof key, small_order_ed25519[i]);
    FAILS(SC_ERR_KEY_INVALID, sc_x25519_from_ed25519(out, SC_BYTES(key)));
    key[31] |= 0x80;
    FAILS(SC_ERR_KEY_INVALID, sc_x25519_from_ed25519(out, SC_BYTES(key)));
  }
  for (size_t i = 0; i < unsafe_x25519_count; i++) {
    uint8_t key[32];
    uint8_t out[32] = {0};
    sc_test_hex_into(key, sizeof key, unsafe_x25519[i]);
    FAILS(SC_ERR_KEY_INVALID, sc_ed25519_from_x25519(out, SC_BYTES(key)));
    key[31] |= 0x80;
    FAILS(SC_ERR_KEY_INVALID, sc_ed25519_from_x25519(out, SC_BYTES(key)));
  }
done:;
}

/* y = 2 has no point; y of u = 4 has points, with a component of small order. */
static void unsafe_points_are_refused(sc_test *t) {
  static const char *const no_ed25519[] = {
      "0200000000000000000000000000000000000000000000000000000000000000",
      "c2cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc4c",
      "1b177554a3c712112e60d4d7d0fd17e7bcdec2cb8be804aedf27f9b23cae3e7a",
      "a28f4d0fcd4578af376b4f4b111ee93c675ee74de82d00a2b80dab7c61ff7a46",
  };
  static const char *const no_x25519[] = {
      "0200000000000000000000000000000000000000000000000000000000000000",
      "0400000000000000000000000000000000000000000000000000000000000000",
  };
  uint8_t key[32];
  uint8_t out[32] = {0};
  for (size_t i = 0; i < sizeof no_ed25519 / sizeof no_ed25519[0]; i++) {
    sc_test_hex_into(key, sizeof key, no_ed25519[i]);
    FAILS(SC_ERR_KEY_INVALID, sc_x25519_from_ed25519(out, SC_BYTES(key)));
  }
  for (size_t i = 0; i < sizeof no_x25519 / sizeof no_x25519[0]; i++) {
    sc_test_hex_into(key, sizeof key, no_x25519[i]);
    FAILS(SC_ERR_KEY_INVALID, sc_ed25519_from_x25519(out, SC_BYTES(key)));
  }
done:;
}

/* p + y for each y of 0 to 18, the only values with two spellings: no such point is safe, so a safe Ed25519
 * key has one spelling. */
static void an_ed25519_key_has_one_encoding(sc_test *t) {
  for (unsigned y = 0; y < 19; y++)
    for (unsigned sign = 0; sign < 2; sign++) {
      uint8_t key[32];
      uint8_t out[32];
      memset(key, 0xff, sizeof key);
      key[0] = (uint8_t)(0xed + y);
      key[31] = sign == 0 ? 0x7f : 0xff;
      FAILS(SC_ERR_KEY_INVALID, sc_x25519_from_ed25519(out, SC_BYTES(key)));
    }
done:;
}

/* RFC 7748, sections 5.2 and 6.1. */
static void agreement_gives_the_known_answers(sc_test *t) {
  static const char *const known[][3] = {
      {"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
       "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
       "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
      {"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
       "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
       "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"},
      {"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
       "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
       "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"},
      {"5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
       "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
       "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t secret[32];
    uint8_t public_key[32];
    uint8_t expected[32];
    uint8_t shared[32];
    sc_test_hex_into(secret, sizeof secret, known[i][0]);
    sc_test_hex_into(public_key, sizeof public_key, known[i][1]);
    sc_test_hex_into(expected, sizeof expected, known[i][2]);
    OK(sc_x25519(shared, secret, public_key));
    SAME(SC_BYTES(expected), SC_BYTES(shared));
  }
done:;
}

static void both_ends_agree(sc_test *t) {
  for (int round = 0; round < 20; round++) {
    sc_x25519_pair a;
    sc_x25519_pair b;
    uint8_t from_a[32];
    uint8_t from_b[32];
    sc_x25519_pair_generate(&a, t->env);
    sc_x25519_pair_generate(&b, t->env);
    OK(sc_x25519(from_a, a.secret, b.public_key));
    OK(sc_x25519(from_b, b.secret, a.public_key));
    SAME(SC_BYTES(from_a), SC_BYTES(from_b));
  }
done:;
}

static void an_all_zero_shared_secret_is_refused(sc_test *t) {
  static const uint8_t zeros[32];
  sc_x25519_pair pair;
  sc_x25519_pair_generate(&pair, t->env);
  for (size_t i = 0; i < unsafe_x25519_count; i++) {
    uint8_t public_key[32];
    uint8_t shared[32] = {1};
    sc_test_hex_into(public_key, sizeof public_key, unsafe_x25519[i]);
    FAILS(SC_ERR_KEY_INVALID, sc_x25519(shared, pair.secret, public_key));
    SAME(SC_BYTES(zeros), SC_BYTES(shared));
  }
done:;
}

SUITE(crypto_keys, "crypto/keys", {"a seed gives the known keys", a_seed_gives_the_known_keys},
      {"a seed may overlap the pair it makes", a_seed_may_overlap_the_pair_it_makes},
      {"a pair loads from its seed or its secret", a_pair_loads_from_its_seed_or_its_secret},
      {"a secret of the wrong size is refused", a_secret_of_the_wrong_size_is_refused},
      {"a secret with the wrong public half is refused", a_secret_with_the_wrong_public_half_is_refused},
      {"generated pairs use the environment's random source",
       generated_pairs_use_the_environments_random_source},
      {"wiping leaves zeros", wiping_leaves_zeros},
      {"both forms of a key convert into each other", both_forms_of_a_key_convert_into_each_other},
      {"the Ed25519 form has sign bit 0", the_ed25519_form_has_sign_bit_0},
      {"every encoding of an X25519 key is read", every_encoding_of_an_x25519_key_is_read},
      {"conversions check the size", conversions_check_the_size},
      {"points of small order are refused", points_of_small_order_are_refused},
      {"unsafe points are refused", unsafe_points_are_refused},
      {"an Ed25519 key has one encoding", an_ed25519_key_has_one_encoding},
      {"agreement gives the known answers", agreement_gives_the_known_answers},
      {"both ends agree", both_ends_agree},
      {"an all-zero shared secret is refused", an_all_zero_shared_secret_is_refused});
