/* GnuTLS with known randomness, so that the same seed gives the same handshake. */
#ifndef SC_TESTS_SEEDED_TLS_H
#define SC_TESTS_SEEDED_TLS_H

#include <stdint.h>

/* What GnuTLS draws from now on follows from `seed`. */
void sc_test_seed_tls(uint64_t seed);

#endif
