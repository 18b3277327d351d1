#include "mlkem_encoding.h"

#include <stddef.h>

/* 2^bits * c / q, rounded, modulo 2^bits. The multiplication stands in for a division, which processors do in
 * a time that depends on its operands: 1290168 is 2^32 / q, rounded up, and exact for these sizes. */
static inline uint32_t rounded(int16_t c, int bits) {
  uint64_t scaled = ((uint64_t)(uint16_t)c << bits) + sc_mlkem_q / 2;
  return (uint32_t)(scaled * 1290168 >> 32) & ((1U << bits) - 1);
}

/* c * q / 2^bits, rounded. */
static inline int16_t expanded(uint32_t c, int bits) {
  return (int16_t)((c * sc_mlkem_q + (1U << (bits - 1))) >> bits);
}

static void write_poly(uint8_t out[static 384], const sc_poly *poly) {
  for (size_t i = 0; i < sc_mlkem_n / 2; i++) {
    unsigned first = (unsigned)poly->c[2 * i], second = (unsigned)poly->c[2 * i + 1];
    out[3 * i] = (uint8_t)first;
    out[3 * i + 1] = (uint8_t)(first >> 8 | second << 4);
    out[3 * i + 2] = (uint8_t)(second >> 4);
  }
}

static void read_poly(sc_poly *out, const uint8_t bytes[static 384]) {
  for (size_t i = 0; i < sc_mlkem_n / 2; i++) {
    out->c[2 * i] = (int16_t)(bytes[3 * i] | (bytes[3 * i + 1] & 0x0f) << 8);
    out->c[2 * i + 1] = (int16_t)(bytes[3 * i + 1] >> 4 | bytes[3 * i + 2] << 4);
  }
}

void sc_mlkem_write_vector(uint8_t out[static 1152], const sc_poly_vector *vector) {
  for (size_t i = 0; i < sc_mlkem_k; i++)
    write_poly(out + sc_mlkem_poly_bytes * i, &vector->row[i]);
}

void sc_mlkem_read_vector(sc_poly_vector *out, const uint8_t bytes[static 1152]) {
  for (size_t i = 0; i < sc_mlkem_k; i++)
    read_poly(&out->row[i], bytes + sc_mlkem_poly_bytes * i);
}

bool sc_mlkem_vector_is_reduced(const uint8_t bytes[static 1152]) {
  sc_poly_vector vector;
  sc_mlkem_read_vector(&vector, bytes);
  for (size_t i = 0; i < sc_mlkem_k; i++)
    for (size_t j = 0; j < sc_mlkem_n; j++)
      if (vector.row[i].c[j] >= sc_mlkem_q)
        return false;
  return true;
}

/* Four numbers of 10 bits in five bytes. */
void sc_mlkem_write_rounded10(uint8_t out[static 320], const sc_poly *poly) {
  for (size_t i = 0; i < sc_mlkem_n / 4; i++) {
    uint64_t bits = 0;
    for (size_t j = 0; j < 4; j++)
      bits |= (uint64_t)rounded(poly->c[4 * i + j], 10) << 10 * j;
    for (size_t j = 0; j < 5; j++)
      out[5 * i + j] = (uint8_t)(bits >> 8 * j);
  }
}

void sc_mlkem_read_rounded10(sc_poly *out, const uint8_t bytes[static 320]) {
  for (size_t i = 0; i < sc_mlkem_n / 4; i++) {
    uint64_t bits = 0;
    for (size_t j = 0; j < 5; j++)
      bits |= (uint64_t)bytes[5 * i + j] << 8 * j;
    for (size_t j = 0; j < 4; j++)
      out->c[4 * i + j] = expanded((uint32_t)(bits >> 10 * j) & 0x3ff, 10);
  }
}

void sc_mlkem_write_rounded4(uint8_t out[static 128], const sc_poly *poly) {
  for (size_t i = 0; i < sc_mlkem_n / 2; i++)
    out[i] = (uint8_t)(rounded(poly->c[2 * i], 4) | rounded(poly->c[2 * i + 1], 4) << 4);
}

void sc_mlkem_read_rounded4(sc_poly *out, const uint8_t bytes[static 128]) {
  for (size_t i = 0; i < sc_mlkem_n / 2; i++) {
    out->c[2 * i] = expanded(bytes[i] & 0x0f, 4);
    out->c[2 * i + 1] = expanded(bytes[i] >> 4, 4);
  }
}

void sc_mlkem_write_message(uint8_t out[static 32], const sc_poly *poly) {
  for (size_t i = 0; i < sc_mlkem_n / 8; i++) {
    uint32_t byte = 0;
    for (size_t j = 0; j < 8; j++)
      byte |= rounded(poly->c[8 * i + j], 1) << j;
    out[i] = (uint8_t)byte;
  }
}

void sc_mlkem_read_message(sc_poly *out, const uint8_t bytes[static 32]) {
  for (size_t i = 0; i < sc_mlkem_n; i++) {
    uint32_t bit = sc_opaque((uint32_t)bytes[i / 8] >> i % 8 & 1);
    out->c[i] = (int16_t)((0 - bit) & (sc_mlkem_q + 1) / 2);
  }
}
