#include "crypto/scalar.h"

#include "crypto/hash.h"
#include "support/known_bytes.h"

/* Computed with Python: the secret scalar of a known account, which is larger than the order. */
static void a_scalar_is_negated_when_asked(sc_test *t) {
  KNOWN(scalar, "c066ce44b14d551ee69dbcd631c061d17655b374f5d54e4f1ea9e3718638956b");
  KNOWN(negative, "bb64ea4507682b4af6ab089ee414b7c089aa4c8b0a2ab1b0e1561c8e79c76a04");
  uint8_t value[SC_SCALAR_BYTES];
  memcpy(value, scalar, sizeof value);
  sc_scalar_negate_if(value, 0);
  SAME(SC_BYTES(scalar), SC_BYTES(value));
  sc_scalar_negate_if(value, 1);
  SAME(SC_BYTES(negative), SC_BYTES(value));
done:;
}

/* The scalar of an Ed25519 key and its own nonce give the regular signature. */
static void signing_with_a_keys_scalar_and_nonce_equals_ed25519(sc_test *t) {
  const sc_bytes message = sc_bytes_text("the contract");
  sc_keypair pair;
  uint8_t hashed[64];
  uint8_t nonce[SC_SCALAR_BYTES];
  uint8_t expected[64];
  uint8_t signature[64];
  sc_keypair_generate(&pair, t->env);
  sc_sha512(hashed, sc_bytes_make(pair.ed.secret, SC_ED25519_SEED_BYTES));
  const sc_bytes pieces[] = {sc_bytes_make(hashed + 32, 32), message};
  sc_scalar_from_sha512(nonce, pieces, 2);
  sc_scalar_sign(signature, pair.x.secret, pair.ed.public_key, nonce, message);
  sc_ed25519_sign(expected, &pair.ed, message);
  SAME(SC_BYTES(expected), SC_BYTES(signature));
done:;
}

/* The order is just above 2^252, so a reduced scalar almost never has that bit. */
static void hashed_scalars_are_below_the_order(sc_test *t) {
  for (uint8_t i = 0; i < 100; i++) {
    const sc_bytes pieces[] = {sc_bytes_make(&i, 1)};
    uint8_t scalars[2][SC_SCALAR_BYTES];
    sc_scalar_from_sha512(scalars[0], pieces, 1);
    sc_scalar_from_blake2b(scalars[1], sc_bytes_make(NULL, 0), NULL, pieces, 1);
    CHECK(scalars[0][31] < 0x10 && scalars[1][31] < 0x10);
    CHECK(memcmp(scalars[0], scalars[1], SC_SCALAR_BYTES) != 0);
  }
done:;
}

static void a_zero_nonce_signs_nothing(sc_test *t) {
  static const uint8_t zeros[64];
  sc_keypair pair;
  uint8_t signature[64] = {1};
  sc_keypair_generate(&pair, t->env);
  sc_scalar_sign(signature, pair.x.secret, pair.ed.public_key, zeros, sc_bytes_text("the contract"));
  SAME(SC_BYTES(zeros), SC_BYTES(signature));
done:;
}

/* Changing any input changes the nonce. */
static void a_seeded_nonce_depends_on_all_its_inputs(sc_test *t) {
  static const sc_scalar_nonce_labels labels[] = {{"Seed", "Nonce"}, {"seed", "Nonce"}, {"Seed", "nonce"}};
  const sc_bytes message = sc_bytes_text("the contract");
  sc_keypair pairs[2];
  uint8_t nonces[7][SC_SCALAR_BYTES];
  sc_keypair_generate(&pairs[0], t->env);
  sc_keypair_generate(&pairs[1], t->env);
  const uint8_t *key = pairs[0].ed.public_key;
  for (int i = 0; i < 3; i++)
    sc_scalar_seeded_nonce(nonces[i], &labels[i], &pairs[0].ed, key, message);
  sc_scalar_seeded_nonce(nonces[3], &labels[0], &pairs[1].ed, key, message);
  sc_scalar_seeded_nonce(nonces[4], &labels[0], &pairs[0].ed, pairs[1].ed.public_key, message);
  sc_scalar_seeded_nonce(nonces[5], &labels[0], &pairs[0].ed, key, sc_bytes_text("The contract"));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      CHECK(memcmp(nonces[i], nonces[j], SC_SCALAR_BYTES) != 0);
  sc_scalar_seeded_nonce(nonces[6], &labels[0], &pairs[0].ed, key, message);
  SAME(SC_BYTES(nonces[0]), SC_BYTES(nonces[6]));
done:;
}

SUITE(crypto_scalar, "crypto/scalar", {"a scalar is negated when asked", a_scalar_is_negated_when_asked},
      {"signing with a key's scalar and nonce equals Ed25519",
       signing_with_a_keys_scalar_and_nonce_equals_ed25519},
      {"hashed scalars are below the order", hashed_scalars_are_below_the_order},
      {"a seeded nonce depends on all its inputs", a_seeded_nonce_depends_on_all_its_inputs},
      {"a zero nonce signs nothing", a_zero_nonce_signs_nothing});
