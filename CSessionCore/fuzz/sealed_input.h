/* For targets that open what was sealed: randomness that is the same in every run, and damage done by the
 * input to a message that was genuine. */
#ifndef SC_FUZZ_SEALED_INPUT_H
#define SC_FUZZ_SEALED_INPUT_H

#include "fuzz.h"

static inline void fuzz_count_up(void *user, uint8_t *out, size_t len) {
  (void)user;
  for (size_t i = 0; i < len; i++)
    out[i] = (uint8_t)i;
}

/* The default environment, but for its randomness. */
static inline sc_env fuzz_env(void) {
  sc_env env = *sc_env_default();
  env.random = fuzz_count_up;
  return env;
}

static inline uint8_t fuzz_byte(sc_bytes *input) {
  sc_bytes taken = fuzz_take(input, 1);
  return taken.len == 1 ? taken.ptr[0] : 0;
}

static inline void fuzz_keypair(sc_keypair *out, int seed_byte) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  memset(seed, seed_byte, sizeof seed);
  sc_keypair_from_seed(out, seed);
}

/* Each three bytes of the input change one byte of the message: two say where, one says how. Returns whether
 * the message is another one now. */
static inline bool fuzz_damage(sc_buffer *sealed, sc_bytes *input, size_t edits) {
  bool damaged = false;
  for (size_t i = 0; i < edits && input->len >= 3 && sealed->len > 0; i++) {
    sc_bytes edit = fuzz_take(input, 3);
    size_t at = ((size_t)edit.ptr[0] << 8 | edit.ptr[1]) % sealed->len;
    sealed->ptr[at] ^= edit.ptr[2];
    damaged |= edit.ptr[2] != 0;
  }
  return damaged;
}

#endif
