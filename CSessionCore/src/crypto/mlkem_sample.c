#include "mlkem_sample.h"

#include "../base/little.h"
#include "keccak.h"
#include "session-core/base/secret.h"

enum {
  block_bytes = 168,
  noise_bytes = 128,
};

/* Appends the 12-bit numbers of the block that are below q, as long as there is room. */
static size_t accept(int16_t out[static sc_mlkem_n], size_t count, const uint8_t block[static block_bytes]) {
  for (size_t i = 0; i < block_bytes && count < sc_mlkem_n; i += 3) {
    int first = block[i] | (block[i + 1] & 0x0f) << 8;
    int second = block[i + 1] >> 4 | block[i + 2] << 4;
    if (first < sc_mlkem_q)
      out[count++] = (int16_t)first;
    if (second < sc_mlkem_q && count < sc_mlkem_n)
      out[count++] = (int16_t)second;
  }
  return count;
}

static void uniform(sc_poly *out, const uint8_t seed[static 32], uint8_t first, uint8_t second) {
  const uint8_t place[2] = {first, second};
  uint8_t block[block_bytes];
  sc_keccak sponge;
  sc_keccak_init(&sponge, SC_SHAKE128);
  sc_keccak_absorb(&sponge, sc_bytes_make(seed, sc_mlkem_seed_half));
  sc_keccak_absorb(&sponge, SC_BYTES(place));
  sc_keccak_finish(&sponge);
  for (size_t count = 0; count < sc_mlkem_n;) {
    sc_keccak_squeeze(&sponge, block, sizeof block);
    count = accept(out->c, count, block);
  }
}

void sc_mlkem_matrix_row(sc_poly_vector *out, const uint8_t seed[static 32], uint8_t row, bool transpose) {
  for (uint8_t column = 0; column < sc_mlkem_k; column++)
    uniform(&out->row[column], seed, transpose ? row : column, transpose ? column : row);
}

/* Four bytes give eight coefficients, each the difference of two sums of two bits. */
static void binomial(int16_t out[static 8], const uint8_t bytes[static 4]) {
  uint32_t bits = sc_load_u32(bytes);
  uint32_t sums = (bits & 0x55555555) + (bits >> 1 & 0x55555555);
  for (int i = 0; i < 8; i++)
    out[i] = (int16_t)((int)(sums >> 4 * i & 3) - (int)(sums >> (4 * i + 2) & 3));
}

void sc_mlkem_small(sc_poly *out, const uint8_t seed[static 32], uint8_t number) {
  uint8_t noise[noise_bytes];
  sc_keccak_hash(noise, sizeof noise, SC_SHAKE256, sc_bytes_make(seed, sc_mlkem_seed_half),
                 sc_bytes_make(&number, 1));
  for (size_t i = 0; i < sc_mlkem_n / 8; i++)
    binomial(out->c + 8 * i, noise + 4 * i);
  sc_wipe(noise, sizeof noise);
}

void sc_mlkem_small_vector(sc_poly_vector *out, const uint8_t seed[static 32], uint8_t first) {
  for (uint8_t i = 0; i < sc_mlkem_k; i++)
    sc_mlkem_small(&out->row[i], seed, (uint8_t)(first + i));
}
