/* The encoding of ML-KEM polynomials: 12 bits for each coefficient in keys, 10 or 4 (rounded) in ciphertexts,
 * 1 in messages. Coefficients to write are in 0 … q - 1. */
#ifndef SC_CRYPTO_MLKEM_ENCODING_H
#define SC_CRYPTO_MLKEM_ENCODING_H

#include <stdbool.h>

#include "mlkem_poly.h"

enum {
  sc_mlkem_poly_bytes = 384,
  sc_mlkem_vector_bytes = 1152,
  sc_mlkem_rounded10_bytes = 320,
  sc_mlkem_rounded4_bytes = 128,
};

void sc_mlkem_write_vector(uint8_t out[static 1152], const sc_poly_vector *vector);

/* Coefficients are below 4096. */
void sc_mlkem_read_vector(sc_poly_vector *out, const uint8_t bytes[static 1152]);

/* True if all coefficients are reduced. For public vectors. */
bool sc_mlkem_vector_is_reduced(const uint8_t bytes[static 1152]);

void sc_mlkem_write_rounded10(uint8_t out[static 320], const sc_poly *poly);
void sc_mlkem_read_rounded10(sc_poly *out, const uint8_t bytes[static 320]);
void sc_mlkem_write_rounded4(uint8_t out[static 128], const sc_poly *poly);
void sc_mlkem_read_rounded4(sc_poly *out, const uint8_t bytes[static 128]);

/* A coefficient nearer to q/2 than to 0 is a one. */
void sc_mlkem_write_message(uint8_t out[static 32], const sc_poly *poly);
void sc_mlkem_read_message(sc_poly *out, const uint8_t bytes[static 32]);

#endif
