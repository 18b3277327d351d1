/* The transform has seven layers. Each is compiled with its length known, so that compilers can work on many
 * coefficients at once. A constant factor comes with its product by 1/q modulo 2^16, which shortens
 * Montgomery's reduction to three multiplications of 16 bits. */
#include "mlkem_poly.h"

#include <stddef.h>

_Static_assert((-1 >> 1) == -1, "the reductions shift negative numbers");

/* A constant, and the same times 1/q modulo 2^16. Both are centred. */
typedef struct factor {
  int16_t value;
  int16_t over_q;
} factor;

enum { inverse_of_q = -3327 }; /* modulo 2^16 */

/* 17 to the power of i with its seven bits reversed, times 2^16. */
static const int16_t zeta_values[sc_mlkem_n / 2] = {
    -1044, -758,  -359,  -1517, 1493,  1422,  287,   202,   -171,  622,   1577, 182,   962,   -1202, -1474,
    1468,  573,   -1325, 264,   383,   -829,  1458,  -1602, -130,  -681,  1017, 732,   608,   -1542, 411,
    -205,  -1571, 1223,  652,   -552,  1015,  -1293, 1491,  -282,  -1544, 516,  -8,    -320,  -666,  -1618,
    -1162, 126,   1469,  -853,  -90,   -271,  830,   107,   -1421, -247,  -951, -398,  961,   -1508, -725,
    448,   -1065, 677,   -1275, -1103, 430,   555,   843,   -1251, 871,   1550, 105,   422,   587,   177,
    -235,  -291,  -460,  1574,  1653,  -246,  778,   1159,  -147,  -777,  1483, -602,  1119,  -1590, 644,
    -872,  349,   418,   329,   -156,  -75,   817,   1097,  603,   610,   1322, -1285, -1465, 384,   -1215,
    -136,  1218,  -1335, -874,  220,   -1187, -1659, -1185, -1530, -1278, 794,  -1510, -854,  -870,  478,
    -108,  -308,  996,   991,   958,   -1460, 1522,  1628,
};

static const int16_t zetas_over_q[sc_mlkem_n / 2] = {
    -20,    31498,  14745,  787,    13525,  -12402, 28191,  -16694, -20907, 27758,  -3799,  -15690, 10690,
    1358,   -11202, 31164,  -5827,  17363,  -26360, -29057, 5571,   -1102,  21438,  -26242, -28073, 24313,
    -10532, 8800,   18426,  8859,   26675,  -16163, -5689,  -6516,  1496,   30967,  -23565, 20179,  20710,
    25080,  -12796, 26616,  16064,  -12442, 9134,   -650,   -25986, 27837,  19883,  -28250, -15887, -8898,
    -28309, 9075,   -30199, 18249,  13426,  14017,  -29156, -12757, 16832,  4311,   -24155, -17915, -335,
    11182,  -11477, 13387,  -32227, -14233, 20494,  -21655, -27738, 13131,  945,    -4587,  -14883, 23092,
    6182,   5493,   32010,  -32502, 10631,  30317,  29175,  -18741, -28762, 12639,  -18486, 20100,  17560,
    18525,  -14430, 19529,  -5276,  -12619, -31183, 20297,  25435,  2146,   -7382,  15355,  24391,  -32384,
    -20927, -6280,  10946,  -14903, 24214,  -11044, 16989,  14469,  10335,  -21498, -7934,  -20198, -22502,
    23210,  10906,  -17442, 31636,  -23860, 28644,  -20257, 23998,  7756,   -17422, 23132,
};

static inline factor zeta(size_t i) {
  return (factor){zeta_values[i], zetas_over_q[i]};
}

/* Keeps the low 16 bits. */
static inline int16_t low_half(uint32_t value) {
  return (int16_t)(uint16_t)value;
}

/* a * f / 2^16, between -q and q. */
static inline int16_t times(int16_t a, factor f) {
  int16_t high = (int16_t)((int32_t)a * f.value >> 16);
  int16_t quotient = low_half((uint32_t)(uint16_t)a * (uint16_t)f.over_q);
  return (int16_t)(high - (int16_t)((int32_t)quotient * sc_mlkem_q >> 16));
}

/* a / 2^16, between -q and q, for sizes below q * 2^15. */
static inline int16_t reduce_product(int32_t a) {
  int16_t quotient = low_half((uint32_t)a * (uint32_t)inverse_of_q);
  return (int16_t)((a - (int32_t)quotient * sc_mlkem_q) >> 16);
}

/* Centred: at most q/2 in size. 20159 is 2^26 / q, rounded. */
static inline int16_t centre(int16_t a) {
  int16_t quotient = (int16_t)(((20159 * (int32_t)a >> 16) + 512) >> 10);
  return (int16_t)(a - quotient * sc_mlkem_q);
}

static inline void butterflies(int16_t *c, size_t len, factor f) {
  for (size_t i = 0; i < len; i++) {
    int16_t t = times(c[i + len], f);
    c[i + len] = (int16_t)(c[i] - t);
    c[i] = (int16_t)(c[i] + t);
  }
}

static inline void inverse_butterflies(int16_t *c, size_t len, factor f) {
  for (size_t i = 0; i < len; i++) {
    int16_t t = c[i];
    c[i] = centre((int16_t)(t + c[i + len]));
    c[i + len] = times((int16_t)(c[i + len] - t), f);
  }
}

/* The blocks of a layer, whose halves have `len` coefficients. */
static inline void layer(int16_t *c, size_t blocks, size_t len) {
  for (size_t block = 0; block < blocks; block++)
    butterflies(c + 2 * len * block, len, zeta(blocks + block));
}

static inline void inverse_layer(int16_t *c, size_t blocks, size_t len) {
  for (size_t block = 0; block < blocks; block++)
    inverse_butterflies(c + 2 * len * block, len, zeta(2 * blocks - 1 - block));
}

void sc_poly_ntt(sc_poly *poly) {
  layer(poly->c, 1, 128);
  layer(poly->c, 2, 64);
  layer(poly->c, 4, 32);
  layer(poly->c, 8, 16);
  layer(poly->c, 16, 8);
  layer(poly->c, 32, 4);
  layer(poly->c, 64, 2);
  for (size_t i = 0; i < sc_mlkem_n; i++)
    poly->c[i] = centre(poly->c[i]);
}

void sc_poly_inverse_ntt(sc_poly *poly) {
  inverse_layer(poly->c, 64, 2);
  inverse_layer(poly->c, 32, 4);
  inverse_layer(poly->c, 16, 8);
  inverse_layer(poly->c, 8, 16);
  inverse_layer(poly->c, 4, 32);
  inverse_layer(poly->c, 2, 64);
  inverse_layer(poly->c, 1, 128);
  static const factor scale = {
      1441, -10079}; /* 2^32 / 128: takes back the factor of the layers, and of a product */
  for (size_t i = 0; i < sc_mlkem_n; i++)
    poly->c[i] = times(poly->c[i], scale);
}

/* A pair of coefficients is a polynomial modulo x^2 - g, where g is zeta(64 + i / 2) or its negative. */
void sc_poly_twist(sc_poly_twisted *out, const sc_poly_vector *vector) {
  for (size_t row = 0; row < sc_mlkem_k; row++)
    for (size_t i = 0; i < sc_mlkem_n / 4; i++) {
      const int16_t *c = vector->row[row].c + 4 * i;
      factor g = zeta(sc_mlkem_n / 4 + i);
      out->c[row][2 * i] = times(c[1], g);
      out->c[row][2 * i + 1] = (int16_t)-times(c[3], g);
    }
}

void sc_poly_product(sc_poly *out, const sc_poly_vector *row, const sc_poly_vector *vector,
                     const sc_poly_twisted *twisted) {
  for (size_t i = 0; i < sc_mlkem_n / 2; i++) {
    int32_t even = 0, odd = 0;
    for (size_t k = 0; k < sc_mlkem_k; k++) {
      const int16_t *a = row->row[k].c + 2 * i, *b = vector->row[k].c + 2 * i;
      even += (int32_t)a[0] * b[0] + (int32_t)a[1] * twisted->c[k][i];
      odd += (int32_t)a[0] * b[1] + (int32_t)a[1] * b[0];
    }
    out->c[2 * i] = reduce_product(even);
    out->c[2 * i + 1] = reduce_product(odd);
  }
}

void sc_poly_times_2_16(sc_poly *poly) {
  static const factor square = {1353, 20553}; /* 2^32 */
  for (size_t i = 0; i < sc_mlkem_n; i++)
    poly->c[i] = times(poly->c[i], square);
}

void sc_poly_add(sc_poly *poly, const sc_poly *other) {
  for (size_t i = 0; i < sc_mlkem_n; i++)
    poly->c[i] = (int16_t)(poly->c[i] + other->c[i]);
}

void sc_poly_reduce(sc_poly *poly) {
  for (size_t i = 0; i < sc_mlkem_n; i++) {
    int16_t c = centre(poly->c[i]);
    poly->c[i] = (int16_t)(c + ((c >> 15) & sc_mlkem_q));
  }
}
