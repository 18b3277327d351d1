/* Big-endian numbers. */
#ifndef SC_SRC_BASE_BIG_H
#define SC_SRC_BASE_BIG_H

#include <stddef.h>
#include <stdint.h>

static inline void sc_store_big(uint8_t *out, uint64_t value, size_t len) {
  for (size_t i = len; i > 0; i--, value >>= 8)
    out[i - 1] = (uint8_t)value;
}

static inline uint64_t sc_load_big(const uint8_t *bytes, size_t len) {
  uint64_t value = 0;
  for (size_t i = 0; i < len; i++)
    value = value << 8 | bytes[i];
  return value;
}

#endif
