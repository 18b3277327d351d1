/* What the targets that open sealed messages share: randomness that is always the same, and genuine messages
 * to be changed, without which no input would get past the first tag. */
#ifndef SC_FUZZ_SEALED_H
#define SC_FUZZ_SEALED_H

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

static inline void fuzz_fixed_random(void *user, uint8_t *out, size_t len) {
  (void)user;
  memset(out, 0x5a, len);
}

static inline void *fuzz_allocate(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static inline void fuzz_release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

static inline const sc_env *fuzz_env(void) {
  static const sc_env env = {
      .allocate = fuzz_allocate,
      .release = fuzz_release,
      .random = fuzz_fixed_random,
  };
  return &env;
}

static inline uint8_t fuzz_take_byte(sc_bytes *input) {
  sc_bytes byte = fuzz_take(input, 1);
  return byte.len == 1 ? byte.ptr[0] : 0;
}

/* A message of up to 255 bytes, its length first. */
static inline sc_bytes fuzz_take_message(sc_bytes *input) {
  return fuzz_take(input, fuzz_take_byte(input));
}

/* Changes `bytes` as `script` says: a byte with how many to cut off, then three for each change, which are
 * place and mask. True when something differs now. */
static inline bool fuzz_change(sc_buffer *bytes, sc_bytes script) {
  sc_buffer before;
  sc_buffer_init(&before, fuzz_env());
  REQUIRE(sc_buffer_append(&before, sc_buffer_bytes(bytes)) == SC_OK);
  size_t cut = fuzz_take_byte(&script);
  sc_buffer_truncate(bytes, cut < bytes->len ? bytes->len - cut : 0);
  while (script.len >= 3 && bytes->len > 0) {
    sc_bytes change = fuzz_take(&script, 3);
    bytes->ptr[(size_t)(change.ptr[0] | change.ptr[1] << 8) % bytes->len] ^= change.ptr[2];
  }
  bool differs = !sc_bytes_same(sc_buffer_bytes(&before), sc_buffer_bytes(bytes));
  sc_buffer_free(&before);
  return differs;
}

static inline void fuzz_pair(sc_keypair *out, uint8_t number) {
  uint8_t seed[32] = {number};
  sc_keypair_from_seed(out, seed);
}

#endif
