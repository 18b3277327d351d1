/* QUIC without cryptography, for fuzzing and for tests that need every byte on the wire known: packets are in
 * clear text, and the handshake only exchanges transport parameters. */
#ifndef SC_TESTS_QUIC_NULL_SECURITY_H
#define SC_TESTS_QUIC_NULL_SECURITY_H

#include "network/quic/endpoint.h"

enum { null_overhead = 16 }; /* zeros at the end of each packet, in place of a tag */

extern const sc_quic_security null_security;

/* Removes TLS from an endpoint without connections. */
void null_secure(sc_quic_endpoint *endpoint);

#endif
