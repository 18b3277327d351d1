#include "support/test.h"

static void a_secret_keeps_its_value(sc_test *t) {
  sc_secret *secret = NULL;
  char text[] = "correct horse battery staple";
  OK(sc_secret_new(&secret, t->env, sc_bytes_text(text)));
  sc_wipe(text, sizeof text);
  SAME(sc_bytes_text("correct horse battery staple"), sc_secret_bytes(secret));
done:
  sc_secret_free(secret);
}

static void a_secret_has_a_value(sc_test *t) {
  sc_secret *secret = NULL;
  FAILS(SC_ERR_ARGUMENT, sc_secret_new(&secret, t->env, sc_bytes_make(NULL, 0)));
  CHECK(secret == NULL);
done:
  sc_secret_free(secret);
}

static void wiping_leaves_zeros(sc_test *t) {
  uint8_t bytes[40];
  memset(bytes, 0xa5, sizeof bytes);
  sc_wipe(bytes + 4, 32);
  for (size_t i = 0; i < sizeof bytes; i++)
    CHECK(bytes[i] == (i < 4 || i >= 36 ? 0xa5 : 0));
  sc_wipe(NULL, 0);
done:;
}

static void comparison_sees_every_bit(sc_test *t) {
  uint8_t a[33] = {1, 2, 3};
  uint8_t b[33] = {1, 2, 3};
  CHECK(sc_equal(a, b, sizeof a) && sc_equal(NULL, NULL, 0));
  for (size_t bit = 0; bit < 8 * sizeof b; bit++) {
    b[bit / 8] ^= (uint8_t)(1 << bit % 8);
    CHECK(!sc_equal(a, b, sizeof a));
    b[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
done:;
}

SUITE(base_secret, "base/secret", {"a secret keeps its value", a_secret_keeps_its_value},
      {"a secret has a value", a_secret_has_a_value}, {"wiping leaves zeros", wiping_leaves_zeros},
      {"comparison sees every bit", comparison_sees_every_bit});
