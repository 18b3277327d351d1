#include "crypto/birational.h"

#include "support/test.h"
#include "support/unsafe_keys.h"

static void both_forms_of_a_key_belong_together(sc_test *t) {
  sc_keypair previous, pair;
  sc_keypair_generate(&previous, t->env);
  for (int round = 0; round < 50; round++) {
    sc_keypair_generate(&pair, t->env);
    CHECK(sc_x25519_is_form_of(pair.x.public_key, pair.ed.public_key));
    CHECK(!sc_x25519_is_form_of(pair.x.public_key, previous.ed.public_key));
    CHECK(!sc_x25519_is_form_of(previous.x.public_key, pair.ed.public_key));
    pair.ed.public_key[31] ^= 0x80; /* the other point of the same form */
    CHECK(sc_x25519_is_form_of(pair.x.public_key, pair.ed.public_key));
    previous = pair;
  }
done:;
}

static void one_wrong_bit_breaks_the_match(sc_test *t) {
  sc_keypair pair;
  sc_keypair_generate(&pair, t->env);
  for (size_t bit = 0; bit < 256; bit++) {
    pair.x.public_key[bit / 8] ^= (uint8_t)(1U << bit % 8);
    CHECK(!sc_x25519_is_form_of(pair.x.public_key, pair.ed.public_key));
    pair.x.public_key[bit / 8] ^= (uint8_t)(1U << bit % 8);
  }
done:;
}

/* 9 is the base point; p + 9 and 2^255 + 9 are other encodings of it. */
static void only_the_canonical_encoding_matches(sc_test *t) {
  static const char *const spellings[] = {
      "0900000000000000000000000000000000000000000000000000000000000000",
      "0900000000000000000000000000000000000000000000000000000000000080",
      "f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  };
  uint8_t base_point[32], x25519[32];
  sc_test_hex_into(base_point, 32, "5866666666666666666666666666666666666666666666666666666666666666");
  for (size_t i = 0; i < 3; i++) {
    sc_test_hex_into(x25519, 32, spellings[i]);
    CHECK(sc_x25519_is_form_of(x25519, base_point) == (i == 0));
  }
done:;
}

static void keys_of_small_order_never_match(sc_test *t) {
  uint8_t ed25519[32], x25519[32];
  for (size_t i = 0; i < small_order_ed25519_count; i++) {
    sc_test_hex_into(ed25519, 32, small_order_ed25519[i]);
    for (size_t j = 0; j < unsafe_x25519_count; j++) {
      sc_test_hex_into(x25519, 32, unsafe_x25519[j]);
      CHECK(!sc_x25519_is_form_of(x25519, ed25519));
    }
  }
done:;
}

SUITE(crypto_birational, "crypto/birational",
      {"both forms of a key belong together", both_forms_of_a_key_belong_together},
      {"one wrong bit breaks the match", one_wrong_bit_breaks_the_match},
      {"only the canonical encoding matches", only_the_canonical_encoding_matches},
      {"keys of small order never match", keys_of_small_order_never_match});
