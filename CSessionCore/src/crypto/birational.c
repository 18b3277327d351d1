/* Between the curves u = (1 + y) / (1 - y). Compared as u · (1 - y) = 1 + y there is nothing to invert. */
#include "birational.h"

#include "field25519.h"

/* Every u of small order, in its canonical spelling; the last is -1. */
static const uint8_t small_order[][32] = {
    {0},
    {1},
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
     0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
     0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
};

static bool is_of_small_order(const uint8_t *x25519) {
  for (size_t i = 0; i < sizeof small_order / sizeof small_order[0]; i++)
    if (memcmp(x25519, small_order[i], sizeof small_order[i]) == 0)
      return true;
  return false;
}

/* y = (u - 1) / (u + 1). For u = -1 the quotient comes out as 0, which is a y of small order. */
void sc_ed25519_form_of(uint8_t out[static 32], const uint8_t x25519[static 32]) {
  sc_field25519 u, numerator, denominator;
  sc_field25519_load(&u, x25519);
  sc_field25519_subtract(&numerator, &u, &sc_field25519_one);
  sc_field25519_add(&denominator, &u, &sc_field25519_one);
  sc_field25519_invert(&denominator, &denominator);
  sc_field25519_multiply(&numerator, &numerator, &denominator);
  sc_field25519_store(out, &numerator);
}

bool sc_x25519_is_form_of(const uint8_t x25519[static 32], const uint8_t ed25519[static 32]) {
  uint8_t canonical[32], left[32], right[32];
  sc_field25519 u, y, product, sum;
  sc_field25519_load(&u, x25519);
  sc_field25519_load(&y, ed25519); /* the sign of the other coordinate is in bit 255, which does not count */
  sc_field25519_store(canonical, &u);
  sc_field25519_subtract(&product, &sc_field25519_one, &y);
  sc_field25519_multiply(&product, &u, &product);
  sc_field25519_add(&sum, &sc_field25519_one, &y);
  sc_field25519_store(left, &product);
  sc_field25519_store(right, &sum);
  return memcmp(canonical, x25519, sizeof canonical) == 0 && memcmp(left, right, sizeof left) == 0 &&
         !is_of_small_order(x25519);
}
