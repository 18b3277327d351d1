/* GnuTLS calls gnutls_rnd through the symbol table of the process, so a definition in the program goes before
 * its own. Only test programs are linked with this file. */
#include "seeded_tls.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <sodium.h>
#include <stdbool.h>
#include <string.h>

static _Thread_local bool seeded;
static _Thread_local uint64_t state[2];

void sc_test_seed_tls(uint64_t seed) {
  seeded = true;
  state[0] = seed;
  state[1] = 0;
}

__attribute__((visibility("default"))) int gnutls_rnd(gnutls_rnd_level_t level, void *data, size_t len) {
  uint8_t seed[randombytes_SEEDBYTES] = {0};
  (void)level;
  if (!seeded) {
    randombytes_buf(data, len);
    return 0;
  }
  state[1]++;
  memcpy(seed, state, sizeof state);
  randombytes_buf_deterministic(data, len, seed);
  return 0;
}
