/* Little-endian numbers. */
#ifndef SC_SRC_BASE_LITTLE_H
#define SC_SRC_BASE_LITTLE_H

#include <stddef.h>
#include <stdint.h>

static inline void sc_store_little(uint8_t *out, uint64_t value, size_t len) {
  for (size_t i = 0; i < len; i++)
    out[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t sc_load_little(const uint8_t *bytes, size_t len) {
  uint64_t value = 0;
  for (size_t i = 0; i < len; i++)
    value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static inline void sc_store_u16(uint8_t out[static 2], uint16_t value) {
  sc_store_little(out, value, 2);
}

static inline void sc_store_u32(uint8_t out[static 4], uint32_t value) {
  sc_store_little(out, value, 4);
}

static inline void sc_store_u64(uint8_t out[static 8], uint64_t value) {
  sc_store_little(out, value, 8);
}

static inline uint16_t sc_load_u16(const uint8_t bytes[static 2]) {
  return (uint16_t)sc_load_little(bytes, 2);
}

static inline uint32_t sc_load_u32(const uint8_t bytes[static 4]) {
  return (uint32_t)sc_load_little(bytes, 4);
}

static inline uint64_t sc_load_u64(const uint8_t bytes[static 8]) {
  return sc_load_little(bytes, 8);
}

#endif
