/* The frame of every fuzz target: the entry point's type, and claims that end the process. */
#ifndef SC_FUZZ_FUZZ_H
#define SC_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "session-core/session-core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which is a finding, unless the condition holds; live in every build. */
#define REQUIRE(condition)                                                                                   \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                         \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

static inline void fuzz_repeating_random(void *user, uint8_t *out, size_t len) {
  (void)user;
  for (size_t i = 0; i < len; i++)
    out[i] = (uint8_t)(7 * i + 1);
}

/* The default environment, but every draw gives the same bytes, so that what is made twice is the same. */
static inline const sc_env *fuzz_env(void) {
  static sc_env env;
  env = *sc_env_default();
  env.random = fuzz_repeating_random;
  return &env;
}

/* Takes up to `len` bytes off the front of the input. */
static inline sc_bytes fuzz_take(sc_bytes *input, size_t len) {
  sc_bytes taken = sc_bytes_make(input->ptr, len < input->len ? len : input->len);
  *input = sc_bytes_make(input->ptr + taken.len, input->len - taken.len);
  return taken;
}

/* 0 when there is none left. */
static inline uint8_t fuzz_take_byte(sc_bytes *input) {
  sc_bytes byte = fuzz_take(input, 1);
  return byte.len == 1 ? byte.ptr[0] : 0;
}

#endif
