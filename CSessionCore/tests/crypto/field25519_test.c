/* The known answers were computed with Python's integers. */
#include "crypto/field25519.h"

#include "support/known_bytes.h"

typedef struct known_pair {
  const char *a;
  const char *b;
  const char *sum;
  const char *difference;
  const char *product;
  const char *inverse; /* of a */
} known_pair;

static const known_pair known_pairs[] = {
    {"6aad39f4c2aaed1a8a27e534ce4aa7426078fe43c27a88b4ada9dd74482b8410",
     "232cae48c88fff9b500f0b4cca8e9f33a72971aa44125c7294d11bb5c82df818",
     "8dd9e73c8b3aedb6da36f08098d9467607a26fee068de426427bf92911597c29",
     "34818babfa1aee7e3918dae803bc070fb94e8d997d682c4219d8c1bf7ffd8b77",
     "4d9c89b13b70b95cd657e3834059cf68e24ce21919e03c3a40f70b9a3d6bf258",
     "3eb7b9b06dbd9f24df520e8f63ba87954dd94f0fa3a043496e36afc2a4d8b36e"},
    {"52c00060c28921553a62c526134241b82b54e7a6e2d5c69174e5e75e2a082b6e",
     "d99a08e47ccc61a0c7fd186f5fc43b369986715a5578f834b4324705f5921425",
     "3e5b09443f5683f50160de9572067deec4da5801384ebfc628182f641f9b3f13",
     "7925f87b45bdbfb47264acb7b37d058292cd754c8d5dce5cc0b2a05935751649",
     "a46acac66a508ef2522eec77771fd8fb697d79a9808a3de5d6f112c0a7effd2f",
     "d7e89a389ad79bcce2ee3f2cb85d0b7e9f2c70623f1b3ae4e18603352cea085b"},
    {"0102016c9e45bf9fcd7bc5036e3c2e972bed6264cf29988e59785274c6502d2b",
     "57ac9570ee671978bc641eb94c0e31eb21eb4ef5d7853da56a0ecc50676b1848",
     "58ae96dc8cadd8178ae0e3bcba4a5f824dd8b159a7afd533c4861ec52dbc4573",
     "97556bfbafdda5271117a74a212efdab0902146ff7a35ae9ee6986235fe51463",
     "8e44c9a0f91ed0c828668a6f8d194b03b139b2ec78d0f05f51a01eb838e03b3c",
     "ba1373dc2e542d9b00a90b09726a4581d0fdc7e4d3a384676e74bc8e68127d51"},
};

static sc_field25519 element(const char *hex) {
  uint8_t bytes[32];
  sc_field25519 out;
  sc_test_hex_into(bytes, sizeof bytes, hex);
  sc_field25519_load(&out, bytes);
  return out;
}

static bool is(const sc_field25519 *value, const char *hex) {
  uint8_t expected[32];
  uint8_t actual[32];
  sc_test_hex_into(expected, sizeof expected, hex);
  sc_field25519_store(actual, value);
  return memcmp(expected, actual, sizeof actual) == 0;
}

static bool same(const sc_field25519 *a, const sc_field25519 *b) {
  uint8_t stored_a[32];
  uint8_t stored_b[32];
  sc_field25519_store(stored_a, a);
  sc_field25519_store(stored_b, b);
  return memcmp(stored_a, stored_b, sizeof stored_a) == 0;
}

static sc_field25519 any_element(sc_test *t) {
  uint8_t bytes[32];
  sc_field25519 out;
  sc_random(t->env, bytes, sizeof bytes);
  sc_field25519_load(&out, bytes);
  return out;
}

static void arithmetic_gives_the_known_answers(sc_test *t) {
  for (size_t i = 0; i < sizeof known_pairs / sizeof known_pairs[0]; i++) {
    const known_pair *known = &known_pairs[i];
    sc_field25519 a = element(known->a);
    sc_field25519 b = element(known->b);
    sc_field25519 result;
    sc_field25519_add(&result, &a, &b);
    CHECK(is(&result, known->sum));
    sc_field25519_subtract(&result, &a, &b);
    CHECK(is(&result, known->difference));
    sc_field25519_multiply(&result, &a, &b);
    CHECK(is(&result, known->product));
    sc_field25519_invert(&result, &a);
    CHECK(is(&result, known->inverse));
  }
done:;
}

static void the_canonical_residue_is_stored(sc_test *t) {
  static const char *const forms[][2] = {
      {"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       "0000000000000000000000000000000000000000000000000000000000000000"},
      {"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       "0100000000000000000000000000000000000000000000000000000000000000"},
      {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       "1200000000000000000000000000000000000000000000000000000000000000"},
      {"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"},
      {"0000000000000000000000000000000000000000000000000000000000000080",
       "0000000000000000000000000000000000000000000000000000000000000000"},
      {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
       "1200000000000000000000000000000000000000000000000000000000000000"},
  };
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    sc_field25519 value = element(forms[i][0]);
    CHECK(is(&value, forms[i][1]));
  }
done:;
}

/* Every limb at 2^52 - 1, the most an argument may have. */
static void the_largest_limbs_do_not_overflow(sc_test *t) {
  const uint64_t most = ((uint64_t)1 << 52) - 1;
  const sc_field25519 value = {{most, most, most, most, most}};
  const sc_field25519 zero = {{0}};
  sc_field25519 result;
  CHECK(is(&value, "2500000000000800000000004000000000000002000000000010000000000000"));
  sc_field25519_add(&result, &value, &value);
  CHECK(is(&result, "4a00000000001000000000008000000000000004000000000020000000000000"));
  sc_field25519_subtract(&result, &zero, &value);
  CHECK(is(&result, "c8fffffffffff7ffffffffffbffffffffffffffdffffffffffefffffffffff7f"));
  sc_field25519_multiply(&result, &value, &value);
  CHECK(is(&result, "a50500000000180400000000401c0000000000be0000000000d0040000000000"));
  sc_field25519_invert(&result, &value);
  CHECK(is(&result, "5c3b3b70633a127d2520fe174098c91ea9f11d4b0b09598cfb7826ad5737d516"));
done:;
}

static void results_have_limbs_small_enough_for_arguments(sc_test *t) {
  const uint64_t most = ((uint64_t)1 << 52) - 1;
  const sc_field25519 largest = {{most, most, most, most, most}};
  const sc_field25519 zero = {{0}};
  sc_field25519 results[4];
  sc_field25519_add(&results[0], &largest, &largest);
  sc_field25519_subtract(&results[1], &largest, &zero);
  sc_field25519_subtract(&results[2], &zero, &largest);
  sc_field25519_multiply(&results[3], &largest, &largest);
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 5; j++)
      CHECK(results[i].limb[j] <= most);
done:;
}

static void an_element_times_its_inverse_is_one(sc_test *t) {
  for (int round = 0; round < 200; round++) {
    sc_field25519 a = any_element(t);
    sc_field25519 product;
    sc_field25519_invert(&product, &a);
    sc_field25519_multiply(&product, &product, &a);
    CHECK(same(&product, &sc_field25519_one));
  }
done:;
}

static void zero_inverts_to_zero(sc_test *t) {
  const sc_field25519 zero = {{0}};
  sc_field25519 inverse;
  sc_field25519_invert(&inverse, &zero);
  CHECK(same(&inverse, &zero));
done:;
}

static void multiplication_distributes(sc_test *t) {
  for (int round = 0; round < 200; round++) {
    sc_field25519 a = any_element(t);
    sc_field25519 b = any_element(t);
    sc_field25519 c = any_element(t);
    sc_field25519 together;
    sc_field25519 apart;
    sc_field25519 second;
    sc_field25519_subtract(&together, &a, &b);
    sc_field25519_multiply(&together, &together, &c);
    sc_field25519_multiply(&apart, &a, &c);
    sc_field25519_multiply(&second, &b, &c);
    sc_field25519_subtract(&apart, &apart, &second);
    CHECK(same(&together, &apart));
  }
done:;
}

SUITE(crypto_field25519, "crypto/field25519",
      {"arithmetic gives the known answers", arithmetic_gives_the_known_answers},
      {"the canonical residue is stored", the_canonical_residue_is_stored},
      {"the largest limbs do not overflow", the_largest_limbs_do_not_overflow},
      {"results have limbs small enough for arguments", results_have_limbs_small_enough_for_arguments},
      {"an element times its inverse is one", an_element_times_its_inverse_is_one},
      {"zero inverts to zero", zero_inverts_to_zero},
      {"multiplication distributes", multiplication_distributes});
