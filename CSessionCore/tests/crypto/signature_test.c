#include "support/known_bytes.h"
#include "support/test_env.h"
#include "support/unsafe_keys.h"

/* RFC 8032, section 7.1. */
static void ed25519_gives_the_known_signatures(sc_test *t) {
  static const struct {
    const char *seed;
    const char *public_key;
    sc_bytes message;
    const char *signature;
  } known[] = {
      {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
       "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
       {NULL, 0},
       "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
       "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
      {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
       "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
       {(const uint8_t *)"\x72", 1},
       "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
       "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
      {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
       "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
       {(const uint8_t *)"\xaf\x82", 2},
       "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
       "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t seed[32];
    uint8_t public_key[32];
    uint8_t expected[64];
    uint8_t signature[64];
    sc_ed25519_pair pair;
    sc_test_hex_into(seed, sizeof seed, known[i].seed);
    sc_test_hex_into(public_key, sizeof public_key, known[i].public_key);
    sc_test_hex_into(expected, sizeof expected, known[i].signature);
    sc_ed25519_pair_from_seed(&pair, seed);
    SAME(SC_BYTES(public_key), SC_BYTES(pair.public_key));
    sc_ed25519_sign(signature, &pair, known[i].message);
    SAME(SC_BYTES(expected), SC_BYTES(signature));
    OK(sc_ed25519_verify(SC_BYTES(public_key), known[i].message, SC_BYTES(signature)));
  }
done:;
}

static void changing_any_bit_breaks_a_signature(sc_test *t) {
  const sc_bytes message = sc_bytes_text("the contract");
  sc_keypair pair;
  uint8_t signature[64];
  sc_keypair_generate(&pair, t->env);
  sc_ed25519_sign(signature, &pair.ed, message);
  for (size_t bit = 0; bit < 512; bit++) {
    signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    FAILS(SC_ERR_SIGNATURE, sc_ed25519_verify(SC_BYTES(pair.ed.public_key), message, SC_BYTES(signature)));
    signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  OK(sc_ed25519_verify(SC_BYTES(pair.ed.public_key), message, SC_BYTES(signature)));
done:;
}

static void a_signature_fits_one_message_and_one_key(sc_test *t) {
  const sc_bytes message = sc_bytes_text("the contract");
  sc_keypair pair;
  sc_keypair other;
  uint8_t signature[64];
  sc_keypair_generate(&pair, t->env);
  sc_keypair_generate(&other, t->env);
  sc_ed25519_sign(signature, &pair.ed, message);
  FAILS(SC_ERR_SIGNATURE, sc_ed25519_verify(SC_BYTES(other.ed.public_key), message, SC_BYTES(signature)));
  FAILS(SC_ERR_SIGNATURE,
        sc_ed25519_verify(SC_BYTES(pair.ed.public_key), sc_bytes_text("the contracT"), SC_BYTES(signature)));
  FAILS(SC_ERR_SIGNATURE,
        sc_ed25519_verify(SC_BYTES(pair.ed.public_key), sc_bytes_make(NULL, 0), SC_BYTES(signature)));
done:;
}

/* The two, and the key, of a case that libsession also rejects: S + L instead of S. */
static void a_non_canonical_scalar_is_refused(sc_test *t) {
  KNOWN(public_key, "a6ed9a71a0de80bdea6911ce9acd92e82bf2799ec4a9b6bd2daf09fa8386820c");
  KNOWN(message, "edbf9d07c59c8c58136896c5131baeb0c65e5973df3ad846c4506d0e994d2883");
  KNOWN(signature, "a39c2fd21f6a3095892b9f4fbc066c23f5e0cfdedb6357db4e4944d76adb37c6"
                   "93b0f89f6cfa5e84b9794bc608c0215241867370c4b54d7303ba8fa26d101516");
  FAILS(SC_ERR_SIGNATURE, sc_ed25519_verify(SC_BYTES(public_key), SC_BYTES(message), SC_BYTES(signature)));
done:;
}

/* With a key or a commitment of small order one signature can fit many messages. */
static void points_of_small_order_are_refused(sc_test *t) {
  const sc_bytes message = sc_bytes_text("anything");
  sc_keypair pair;
  sc_keypair_generate(&pair, t->env);
  for (size_t i = 0; i < 2 * (size_t)small_order_ed25519_count; i++) {
    uint8_t point[32];
    uint8_t signature[64] = {1};
    sc_test_hex_into(point, sizeof point, small_order_ed25519[i / 2]);
    point[31] |= i % 2 == 0 ? 0 : 0x80;
    FAILS(SC_ERR_SIGNATURE, sc_ed25519_verify(SC_BYTES(point), message, SC_BYTES(signature)));
    sc_ed25519_sign(signature, &pair.ed, message);
    memcpy(signature, point, sizeof point);
    FAILS(SC_ERR_SIGNATURE, sc_ed25519_verify(SC_BYTES(pair.ed.public_key), message, SC_BYTES(signature)));
  }
done:;
}

static void verification_checks_sizes(sc_test *t) {
  const sc_bytes message = sc_bytes_text("the contract");
  sc_keypair pair;
  uint8_t signature[65] = {0};
  sc_keypair_generate(&pair, t->env);
  sc_ed25519_sign(signature, &pair.ed, message);
  sc_bytes key = SC_BYTES(pair.ed.public_key);
  sc_bytes short_key = sc_bytes_make(key.ptr, 31);
  FAILS(SC_ERR_KEY_SIZE, sc_ed25519_verify(short_key, message, sc_bytes_make(signature, 64)));
  FAILS(SC_ERR_KEY_SIZE, sc_ed25519_verify(sc_bytes_make(NULL, 0), message, sc_bytes_make(signature, 64)));
  FAILS(SC_ERR_SIGNATURE_SIZE, sc_ed25519_verify(key, message, sc_bytes_make(signature, 63)));
  FAILS(SC_ERR_SIGNATURE_SIZE, sc_ed25519_verify(key, message, sc_bytes_make(signature, 65)));
  FAILS(SC_ERR_SIGNATURE_SIZE, sc_ed25519_verify(key, message, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_KEY_SIZE, sc_xed25519_verify(short_key, message, sc_bytes_make(signature, 64)));
  FAILS(SC_ERR_SIGNATURE_SIZE, sc_xed25519_verify(key, message, sc_bytes_make(signature, 63)));
done:;
}

/* Made by libsession: with a key whose sign bit is 1, so that the scalar is negated, and one with 0. */
static void xed25519_gives_the_known_signatures(sc_test *t) {
  static const struct {
    const char *secret;
    const char *message;
    const char *random;
    const char *signature;
  } known[] = {
      {"c066ce44b14d551ee69dbcd631c061d17655b374f5d54e4f1ea9e3718638956b", "",
       "e86abd1a9cb37464470b676f8b8186446d8f0ac21619e9d4dce62b228a735d72"
       "04f7f8ac6b5f50535c5f56518aa331897f74e149251153cd7a57bd64d674fd8d",
       "5ca2b109438dea78b9be7eb185be85d0ad85277c5d6f5ea1a0326e6a7dad2ef7"
       "a0f2fa4ca70c8345fa0004259356a4225757ebb827b560ca3160638795d96200"},
      {"384182361cd32dfe9e3b2815828591571649b15bf366562b806516b065994a5e", "x-ray sierra tango _under_",
       "43965992ac3b7f2e20818acf066bbef4fc66b1b77add46ecfa1dea64308ec366"
       "3f31ecfe6af9f91d00885499b7ebe7767d463cf9269553d5b1ec10470fc8b313",
       "f7325fd432042ddce757e5046d402f5b5038a8b0e04f0fd5e74fd438337d1f5e"
       "32972100e3ff8737efee1f495948fd10ca8ecb69187f52f714b36b434290c60f"},
  };
  sc_test_env *env = t->env->user;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const sc_bytes message = sc_bytes_text(known[i].message);
    uint8_t secret[32];
    uint8_t random[64];
    uint8_t expected[64];
    uint8_t signature[64];
    sc_x25519_pair pair;
    sc_test_hex_into(secret, sizeof secret, known[i].secret);
    sc_test_hex_into(random, sizeof random, known[i].random);
    sc_test_hex_into(expected, sizeof expected, known[i].signature);
    sc_test_env_script(env, SC_BYTES(random));
    OK(sc_xed25519_sign(signature, t->env, secret, message));
    CHECK(env->script.len == 0 && env->script_shortage == 0);
    SAME(SC_BYTES(expected), SC_BYTES(signature));
    sc_x25519_pair_from_secret(&pair, secret);
    OK(sc_xed25519_verify(SC_BYTES(pair.public_key), message, SC_BYTES(signature)));
  }
done:;
}

/* A secret may be any 32 bytes: X25519 ignores five of its bits, and so does signing. */
static void an_x25519_pair_can_sign(sc_test *t) {
  const sc_bytes message = sc_bytes_text("the contract");
  for (int round = 0; round < 20; round++) {
    sc_x25519_pair pair;
    uint8_t signature[64];
    sc_x25519_pair_generate(&pair, t->env);
    OK(sc_xed25519_sign(signature, t->env, pair.secret, message));
    OK(sc_xed25519_verify(SC_BYTES(pair.public_key), message, SC_BYTES(signature)));
    FAILS(SC_ERR_SIGNATURE,
          sc_xed25519_verify(SC_BYTES(pair.public_key), sc_bytes_text("other"), SC_BYTES(signature)));
    signature[round] ^= 1;
    FAILS(SC_ERR_SIGNATURE, sc_xed25519_verify(SC_BYTES(pair.public_key), message, SC_BYTES(signature)));
  }
done:;
}

static void signing_twice_gives_two_signatures(sc_test *t) {
  sc_x25519_pair pair;
  uint8_t first[64];
  uint8_t second[64];
  sc_x25519_pair_generate(&pair, t->env);
  OK(sc_xed25519_sign(first, t->env, pair.secret, sc_bytes_text("the contract")));
  OK(sc_xed25519_sign(second, t->env, pair.secret, sc_bytes_text("the contract")));
  CHECK(memcmp(first, second, 32) != 0);
done:;
}

/* Ed25519 signs with the key's true sign; a verifier with only the X25519 key assumes it is positive. */
/* The signature overlaps two thirds of its text. */
static void a_signature_may_be_written_over_its_message(sc_test *t) {
  uint8_t text[96];
  uint8_t original[sizeof text];
  sc_keypair pair;
  memset(original, 'm', sizeof original);
  sc_keypair_generate(&pair, t->env);
  memcpy(text, original, sizeof text);
  sc_ed25519_sign(text + 32, &pair.ed, SC_BYTES(text));
  sc_bytes signature = sc_bytes_make(text + 32, SC_SIGNATURE_BYTES);
  OK(sc_ed25519_verify(SC_BYTES(pair.ed.public_key), SC_BYTES(original), signature));
  memcpy(text, original, sizeof text);
  OK(sc_xed25519_sign(text + 32, t->env, pair.x.secret, SC_BYTES(text)));
  OK(sc_xed25519_verify(SC_BYTES(pair.x.public_key), SC_BYTES(original), signature));
done:
  sc_keypair_wipe(&pair);
}

static void an_ed25519_signature_fits_the_x25519_key_if_the_sign_bits_agree(sc_test *t) {
  const sc_bytes message = sc_bytes_text("the contract");
  bool seen[2] = {false, false};
  while (!seen[0] || !seen[1]) {
    sc_keypair pair;
    uint8_t signature[64];
    sc_keypair_generate(&pair, t->env);
    sc_ed25519_sign(signature, &pair.ed, message);
    unsigned sign = pair.ed.public_key[31] >> 7;
    FAILS(sign == 0 ? SC_OK : SC_ERR_SIGNATURE,
          sc_xed25519_verify(SC_BYTES(pair.x.public_key), message, SC_BYTES(signature)));
    seen[sign] = true;
  }
done:;
}

static void an_x25519_key_without_an_ed25519_form_is_refused(sc_test *t) {
  static const uint8_t keys[][32] = {{0}, {1}, {2}, {4}};
  const uint8_t signature[64] = {1};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    FAILS(SC_ERR_KEY_INVALID,
          sc_xed25519_verify(SC_BYTES(keys[i]), sc_bytes_text("anything"), SC_BYTES(signature)));
done:;
}

SUITE(crypto_signature, "crypto/signature",
      {"Ed25519 gives the known signatures", ed25519_gives_the_known_signatures},
      {"changing any bit breaks a signature", changing_any_bit_breaks_a_signature},
      {"a signature fits one message and one key", a_signature_fits_one_message_and_one_key},
      {"a non-canonical scalar is refused", a_non_canonical_scalar_is_refused},
      {"points of small order are refused", points_of_small_order_are_refused},
      {"a signature may be written over its message", a_signature_may_be_written_over_its_message},
      {"verification checks sizes", verification_checks_sizes},
      {"XEd25519 gives the known signatures", xed25519_gives_the_known_signatures},
      {"an X25519 pair can sign", an_x25519_pair_can_sign},
      {"signing twice gives two signatures", signing_twice_gives_two_signatures},
      {"an Ed25519 signature fits the X25519 key if the sign bits agree",
       an_ed25519_signature_fits_the_x25519_key_if_the_sign_bits_agree},
      {"an X25519 key without an Ed25519 form is refused", an_x25519_key_without_an_ed25519_form_is_refused});
