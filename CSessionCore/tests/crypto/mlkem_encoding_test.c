#include "crypto/mlkem_encoding.h"

#include "support/test.h"

/* 2^bits * c / q, rounded with halves up, modulo 2^bits. */
static int rounded(int c, int bits) {
  return ((2 * (c << bits) + sc_mlkem_q) / (2 * sc_mlkem_q)) % (1 << bits);
}

static int expanded(int c, int bits) {
  return (2 * c * sc_mlkem_q + (1 << bits)) >> (bits + 1);
}

static void fill(sc_poly *out, int first) {
  for (int i = 0; i < sc_mlkem_n; i++)
    out->c[i] = (int16_t)((first + i) % sc_mlkem_q);
}

static void every_coefficient_is_rounded_to_ten_bits(sc_test *t) {
  sc_poly poly, back;
  uint8_t bytes[sc_mlkem_rounded10_bytes];
  for (int first = 0; first < sc_mlkem_q; first += sc_mlkem_n) {
    fill(&poly, first);
    sc_mlkem_write_rounded10(bytes, &poly);
    sc_mlkem_read_rounded10(&back, bytes);
    for (int i = 0; i < sc_mlkem_n; i++)
      CHECK(back.c[i] == expanded(rounded(poly.c[i], 10), 10));
  }
done:;
}

static void every_coefficient_is_rounded_to_four_bits(sc_test *t) {
  sc_poly poly, back;
  uint8_t bytes[sc_mlkem_rounded4_bytes];
  for (int first = 0; first < sc_mlkem_q; first += sc_mlkem_n) {
    fill(&poly, first);
    sc_mlkem_write_rounded4(bytes, &poly);
    sc_mlkem_read_rounded4(&back, bytes);
    for (int i = 0; i < sc_mlkem_n; i++)
      CHECK(back.c[i] == expanded(rounded(poly.c[i], 4), 4));
  }
done:;
}

static void every_coefficient_is_rounded_to_a_bit(sc_test *t) {
  sc_poly poly, back;
  uint8_t bytes[32];
  for (int first = 0; first < sc_mlkem_q; first += sc_mlkem_n) {
    fill(&poly, first);
    sc_mlkem_write_message(bytes, &poly);
    sc_mlkem_read_message(&back, bytes);
    for (int i = 0; i < sc_mlkem_n; i++) {
      CHECK((bytes[i / 8] >> i % 8 & 1) == rounded(poly.c[i], 1));
      CHECK(back.c[i] == (rounded(poly.c[i], 1) == 1 ? 1665 : 0));
    }
  }
done:;
}

static void vectors_are_read_as_written(sc_test *t) {
  sc_poly_vector vector, back;
  uint8_t bytes[sc_mlkem_vector_bytes];
  for (int first = 0; first < sc_mlkem_q; first += sc_mlkem_k * sc_mlkem_n) {
    for (int i = 0; i < sc_mlkem_k; i++)
      fill(&vector.row[i], first + i * sc_mlkem_n);
    sc_mlkem_write_vector(bytes, &vector);
    sc_mlkem_read_vector(&back, bytes);
    CHECK(memcmp(&vector, &back, sizeof back) == 0);
    CHECK(sc_mlkem_vector_is_reduced(bytes));
  }
done:;
}

static void one_coefficient_that_is_not_reduced_is_noticed(sc_test *t) {
  static const int16_t values[] = {sc_mlkem_q, sc_mlkem_q + 1, 4000, 4095};
  for (int place = 0; place < sc_mlkem_k * sc_mlkem_n; place++)
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
      sc_poly_vector vector = {0};
      uint8_t bytes[sc_mlkem_vector_bytes];
      vector.row[place / sc_mlkem_n].c[place % sc_mlkem_n] = values[i];
      sc_mlkem_write_vector(bytes, &vector);
      CHECK(!sc_mlkem_vector_is_reduced(bytes));
    }
done:;
}

SUITE(crypto_mlkem_encoding, "crypto/mlkem_encoding",
      {"every coefficient is rounded to ten bits", every_coefficient_is_rounded_to_ten_bits},
      {"every coefficient is rounded to four bits", every_coefficient_is_rounded_to_four_bits},
      {"every coefficient is rounded to a bit", every_coefficient_is_rounded_to_a_bit},
      {"vectors are read as written", vectors_are_read_as_written},
      {"one coefficient that is not reduced is noticed", one_coefficient_that_is_not_reduced_is_noticed});
