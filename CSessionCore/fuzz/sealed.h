/* Shared by the fuzz targets that open sealed messages: genuine messages to change, without which no input
 * would get past the first tag. */
#ifndef SC_FUZZ_SEALED_H
#define SC_FUZZ_SEALED_H

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

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
