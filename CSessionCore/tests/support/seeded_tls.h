/* GnuTLS with known randomness, so that the same seed gives the same handshake. */
#ifndef SC_TESTS_SEEDED_TLS_H
#define SC_TESTS_SEEDED_TLS_H

#include <stdint.h>

/* From now on GnuTLS's random bytes on this thread follow from `seed`. A thread without a seed uses the
 * system's random source. */
void sc_test_seed_tls(uint64_t seed);

#endif
