/* How ML-KEM draws polynomials from seeds: the public matrix uniformly, secrets and noise from a centred
 * binomial distribution. */
#ifndef SC_CRYPTO_MLKEM_SAMPLE_H
#define SC_CRYPTO_MLKEM_SAMPLE_H

#include <stdbool.h>

#include "mlkem_poly.h"

enum { sc_mlkem_seed_half = 32 };

/* Derives a row of the transformed public matrix, or of its transpose, from the seed. The time depends on the
 * seed, which is public. */
void sc_mlkem_matrix_row(sc_poly_vector *out, const uint8_t seed[static 32], uint8_t row, bool transpose);

/* A small polynomial: coefficients between -2 and 2. Polynomials of one seed differ by `number`. */
void sc_mlkem_small(sc_poly *out, const uint8_t seed[static 32], uint8_t number);

/* Three of them, from `first` on. */
void sc_mlkem_small_vector(sc_poly_vector *out, const uint8_t seed[static 32], uint8_t first);

#endif
