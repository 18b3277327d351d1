#include "field25519.h"
#include "../base/little.h"

__extension__ typedef unsigned __int128 uint128;

enum { limb_bits = 51 };
#define LIMB_MASK (((uint64_t)1 << limb_bits) - 1)

const sc_field25519 sc_field25519_one = {{1, 0, 0, 0, 0}};

void sc_field25519_load(sc_field25519 *out, const uint8_t bytes[static 32]) {
  out->limb[0] = sc_load_u64(bytes) & LIMB_MASK;
  out->limb[1] = sc_load_u64(bytes + 6) >> 3 & LIMB_MASK;
  out->limb[2] = sc_load_u64(bytes + 12) >> 6 & LIMB_MASK;
  out->limb[3] = sc_load_u64(bytes + 19) >> 1 & LIMB_MASK;
  out->limb[4] = sc_load_u64(bytes + 24) >> 12 & LIMB_MASK;
}

/* Adds `over` and brings every limb under 2^51; returns what passes 2^255, divided by it. */
static uint64_t propagate(sc_field25519 *value, uint64_t over) {
  for (size_t i = 0; i < 5; i++) {
    value->limb[i] += over;
    over = value->limb[i] >> limb_bits;
    value->limb[i] &= LIMB_MASK;
  }
  return over;
}

/* Brings limbs below 2^63 under 2^52: 2^255 is 19 modulo p. From limbs below 2^52 the value comes out below
 * 2^255 + 38, which is below 2p. */
static void carry(sc_field25519 *value) {
  value->limb[0] += 19 * propagate(value, 0);
}

/* For a value below 2p: takes p away unless it is below p. Adding 19 passes 2^255 exactly when it is not, and
 * the sum without that bit is then the difference. */
static void reduce_once(sc_field25519 *value) {
  sc_field25519 sum = *value;
  uint64_t at_least_p = propagate(&sum, 19);
  (void)propagate(value, 19 * at_least_p);
}

void sc_field25519_store(uint8_t out[static 32], const sc_field25519 *value) {
  sc_field25519 least = *value;
  carry(&least);
  reduce_once(&least);
  memset(out, 0, 32);
  for (size_t bit = 0; bit < 5 * limb_bits; bit++)
    out[bit / 8] |= (uint8_t)((least.limb[bit / limb_bits] >> bit % limb_bits & 1) << bit % 8);
}

void sc_field25519_add(sc_field25519 *out, const sc_field25519 *a, const sc_field25519 *b) {
  for (size_t i = 0; i < 5; i++)
    out->limb[i] = a->limb[i] + b->limb[i];
  carry(out);
}

void sc_field25519_subtract(sc_field25519 *out, const sc_field25519 *a, const sc_field25519 *b) {
  for (size_t i = 0; i < 5; i++) {
    uint64_t limb_of_4p = 4 * (LIMB_MASK - (i == 0 ? 18 : 0));
    out->limb[i] = a->limb[i] + limb_of_4p - b->limb[i];
  }
  carry(out);
}

static uint128 product(uint64_t a, uint64_t b) {
  return (uint128)a * b;
}

/* Brings sums below 2^111, the last of them below 2^107, under 2^52: the carry of the last stays below 2^60
 * nineteenfold, and what the first passes on below 2^10. */
static void settle(sc_field25519 *out, const uint128 sums[static 5]) {
  uint64_t over = 0;
  for (size_t i = 0; i < 5; i++) {
    uint128 sum = sums[i] + over;
    out->limb[i] = (uint64_t)sum & LIMB_MASK;
    over = (uint64_t)(sum >> limb_bits);
  }
  uint64_t first = out->limb[0] + 19 * over;
  out->limb[0] = first & LIMB_MASK;
  out->limb[1] += first >> limb_bits;
}

/* Products that pass 2^255 return nineteenfold: `w` is 19 times `y`. Sums of five products of 52-bit limbs
 * then stay below 2^111; the last sum has no such products and stays below 2^107. */
void sc_field25519_multiply(sc_field25519 *out, const sc_field25519 *a, const sc_field25519 *b) {
  const uint64_t *x = a->limb;
  const uint64_t *y = b->limb;
  const uint64_t w[5] = {0, 19 * y[1], 19 * y[2], 19 * y[3], 19 * y[4]};
  const uint128 sums[5] = {
      product(x[0], y[0]) + product(x[1], w[4]) + product(x[2], w[3]) + product(x[3], w[2]) +
          product(x[4], w[1]),
      product(x[0], y[1]) + product(x[1], y[0]) + product(x[2], w[4]) + product(x[3], w[3]) +
          product(x[4], w[2]),
      product(x[0], y[2]) + product(x[1], y[1]) + product(x[2], y[0]) + product(x[3], w[4]) +
          product(x[4], w[3]),
      product(x[0], y[3]) + product(x[1], y[2]) + product(x[2], y[1]) + product(x[3], y[0]) +
          product(x[4], w[4]),
      product(x[0], y[4]) + product(x[1], y[3]) + product(x[2], y[2]) + product(x[3], y[1]) +
          product(x[4], y[0]),
  };
  settle(out, sums);
}

/* Of the products in a square most come twice. */
static void square(sc_field25519 *value) {
  const uint64_t *x = value->limb;
  const uint64_t twice[4] = {2 * x[0], 2 * x[1], 2 * x[2], 2 * x[3]};
  const uint64_t w3 = 19 * x[3], w4 = 19 * x[4];
  const uint128 sums[5] = {
      product(x[0], x[0]) + product(twice[1], w4) + product(twice[2], w3),
      product(twice[0], x[1]) + product(twice[2], w4) + product(x[3], w3),
      product(twice[0], x[2]) + product(x[1], x[1]) + product(twice[3], w4),
      product(twice[0], x[3]) + product(twice[1], x[2]) + product(x[4], w4),
      product(twice[0], x[4]) + product(twice[1], x[3]) + product(x[2], x[2]),
  };
  settle(value, sums);
}

/* a^(2^doublings) · b */
static sc_field25519 extend_power(const sc_field25519 *a, unsigned doublings, const sc_field25519 *b) {
  sc_field25519 power = *a;
  for (unsigned i = 0; i < doublings; i++)
    square(&power);
  sc_field25519_multiply(&power, &power, b);
  return power;
}

/* By Fermat: the power p - 2 = (2^250 - 1)·2^5 + 11. `ones_n` is the power 2^n - 1, an exponent of n one
 * bits. */
void sc_field25519_invert(sc_field25519 *out, const sc_field25519 *value) {
  sc_field25519 ones_2 = extend_power(value, 1, value);
  sc_field25519 ones_4 = extend_power(&ones_2, 2, &ones_2);
  sc_field25519 ones_5 = extend_power(&ones_4, 1, value);
  sc_field25519 ones_10 = extend_power(&ones_5, 5, &ones_5);
  sc_field25519 ones_20 = extend_power(&ones_10, 10, &ones_10);
  sc_field25519 ones_40 = extend_power(&ones_20, 20, &ones_20);
  sc_field25519 ones_50 = extend_power(&ones_40, 10, &ones_10);
  sc_field25519 ones_100 = extend_power(&ones_50, 50, &ones_50);
  sc_field25519 ones_200 = extend_power(&ones_100, 100, &ones_100);
  sc_field25519 ones_250 = extend_power(&ones_200, 50, &ones_50);
  sc_field25519 power_11 = extend_power(value, 3, &ones_2);
  *out = extend_power(&ones_250, 5, &power_11);
}
