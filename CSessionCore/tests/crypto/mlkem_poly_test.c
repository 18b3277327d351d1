#include "crypto/mlkem_poly.h"

#include "support/test.h"

enum { rounds = 20 };

static int canonical(int64_t c) {
  return (int)((c % sc_mlkem_q + sc_mlkem_q) % sc_mlkem_q);
}

/* The first two rounds have the extremes. */
static void draw(sc_poly *out, const sc_env *env, int round) {
  uint8_t random[2 * sc_mlkem_n];
  sc_random(env, random, sizeof random);
  for (size_t i = 0; i < sc_mlkem_n; i++) {
    int c = (random[2 * i] | random[2 * i + 1] << 8) % sc_mlkem_q;
    out->c[i] = (int16_t)(round == 0 ? 0 : round == 1 ? sc_mlkem_q - 1 : c);
  }
}

/* The inverse takes back a factor of 2^16 besides, that of a product. */
static void the_inverse_undoes_the_transform(sc_test *t) {
  for (int round = 0; round < rounds; round++) {
    sc_poly start, poly;
    draw(&start, t->env, round);
    poly = start;
    sc_poly_ntt(&poly);
    for (size_t i = 0; i < sc_mlkem_n; i++)
      CHECK(poly.c[i] >= -sc_mlkem_q / 2 && poly.c[i] <= sc_mlkem_q / 2);
    sc_poly_inverse_ntt(&poly);
    for (size_t i = 0; i < sc_mlkem_n; i++)
      CHECK(canonical(poly.c[i]) == canonical(65536 * (int64_t)start.c[i]));
  }
done:;
}

/* By hand: x^256 is -1. */
static void add_product(int64_t out[static sc_mlkem_n], const sc_poly *a, const sc_poly *b) {
  for (int i = 0; i < sc_mlkem_n; i++)
    for (int j = 0; j < sc_mlkem_n; j++) {
      int64_t term = (int64_t)a->c[i] * b->c[j];
      out[(i + j) % sc_mlkem_n] += i + j < sc_mlkem_n ? term : -term;
    }
}

static void products_are_those_of_the_polynomials(sc_test *t) {
  for (int round = 0; round < rounds; round++) {
    sc_poly_vector a, b;
    sc_poly_twisted twisted;
    sc_poly product;
    int64_t expected[sc_mlkem_n] = {0};
    for (int i = 0; i < sc_mlkem_k; i++) {
      draw(&a.row[i], t->env, round);
      draw(&b.row[i], t->env, round);
      add_product(expected, &a.row[i], &b.row[i]);
      sc_poly_ntt(&a.row[i]);
      sc_poly_ntt(&b.row[i]);
    }
    sc_poly_twist(&twisted, &b);
    sc_poly_product(&product, &a, &b, &twisted);
    sc_poly_inverse_ntt(&product);
    sc_poly_reduce(&product);
    for (size_t i = 0; i < sc_mlkem_n; i++)
      CHECK(product.c[i] == canonical(expected[i]));
  }
done:;
}

static void every_number_is_reduced(sc_test *t) {
  sc_poly poly;
  for (int first = INT16_MIN; first <= INT16_MAX; first += sc_mlkem_n) {
    for (int i = 0; i < sc_mlkem_n; i++)
      poly.c[i] = (int16_t)(first + i);
    sc_poly_reduce(&poly);
    for (int i = 0; i < sc_mlkem_n; i++)
      CHECK(poly.c[i] == canonical(first + i));
  }
done:;
}

SUITE(crypto_mlkem_poly, "crypto/mlkem_poly",
      {"the inverse undoes the transform", the_inverse_undoes_the_transform},
      {"products are those of the polynomials", products_are_those_of_the_polynomials},
      {"every number is reduced", every_number_is_reduced});
