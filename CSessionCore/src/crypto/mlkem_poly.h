/* Polynomials of ML-KEM: 256 coefficients modulo q = 3329, and their number-theoretic transform.
 *
 * Coefficients may be secret: everything here takes the same time for all of them, and a coefficient is a
 * representative of its class in a range that each function states. Products are Montgomery's: they lose a
 * factor of 2^16, which sc_poly_times_2_16 or the inverse transform puts back. */
#ifndef SC_CRYPTO_MLKEM_POLY_H
#define SC_CRYPTO_MLKEM_POLY_H

#include <stdint.h>

enum {
  sc_mlkem_q = 3329,
  sc_mlkem_n = 256,
  sc_mlkem_k = 3,
};

typedef struct sc_poly {
  int16_t c[sc_mlkem_n];
} sc_poly;

typedef struct sc_poly_vector {
  sc_poly row[sc_mlkem_k];
} sc_poly_vector;

/* The parts of a vector's products that depend only on the vector, shared by all rows it is multiplied with.
 */
typedef struct sc_poly_twisted {
  int16_t c[sc_mlkem_k][sc_mlkem_n / 2];
} sc_poly_twisted;

/* From coefficients of at most q in size to centred ones, of at most q/2. */
void sc_poly_ntt(sc_poly *poly);

/* From a product to coefficients between -q and q. */
void sc_poly_inverse_ntt(sc_poly *poly);

void sc_poly_twist(sc_poly_twisted *out, const sc_poly_vector *vector);

/* The product of a row and a vector, both transformed: coefficients between -q and q. The coefficients of the
 * row are below 4096 in size, those of the vector below q. */
void sc_poly_product(sc_poly *out, const sc_poly_vector *row, const sc_poly_vector *vector,
                     const sc_poly_twisted *twisted);

void sc_poly_times_2_16(sc_poly *poly);

/* Adds; the sums must not overflow. */
void sc_poly_add(sc_poly *poly, const sc_poly *other);

/* To 0 … q - 1. */
void sc_poly_reduce(sc_poly *poly);

/* Returns the value, hidden from the optimiser, which would otherwise turn masks into branches. */
static inline uint32_t sc_opaque(uint32_t value) {
  __asm__("" : "+r"(value));
  return value;
}

#endif
