/* What every fuzz target is written with: the entry point's type, and claims that end the process. */
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

/* Takes up to `len` bytes off the front of the input. */
static inline sc_bytes fuzz_take(sc_bytes *input, size_t len) {
  sc_bytes taken = sc_bytes_make(input->ptr, len < input->len ? len : input->len);
  *input = sc_bytes_make(input->ptr + taken.len, input->len - taken.len);
  return taken;
}

#endif
