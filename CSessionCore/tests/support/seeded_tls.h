/* GnuTLS with known randomness, so that the same seed gives the same handshake. */
#ifndef SC_TESTS_SEEDED_TLS_H
#define SC_TESTS_SEEDED_TLS_H

#include <stdint.h>

/* What GnuTLS draws on this thread from now on follows from `seed`. A thread that gave none has the system's
 * randomness. */
void sc_test_seed_tls(uint64_t seed);

#endif
