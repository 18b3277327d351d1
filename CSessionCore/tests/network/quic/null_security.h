/* QUIC without cryptography, for fuzzing and for tests that want every byte on the wire known: packets go in
 * the clear, and the handshake is an exchange of transport parameters alone. */
#ifndef SC_TESTS_QUIC_NULL_SECURITY_H
#define SC_TESTS_QUIC_NULL_SECURITY_H

#include "network/quic/endpoint.h"

enum { null_overhead = 16 }; /* zeros behind each packet, where a tag would be */

extern const sc_quic_security null_security;

/* Takes TLS out of an endpoint that has no connections yet. */
void null_secure(sc_quic_endpoint *endpoint);

#endif
