/* The default transport: a QUIC endpoint with a pool of connections to nodes. */
#ifndef SC_SRC_NETWORK_ROUTER_QUIC_TRANSPORT_H
#define SC_SRC_NETWORK_ROUTER_QUIC_TRANSPORT_H

#include "../transport.h"

typedef struct sc_quic_transport sc_quic_transport;

/* At most `connections` nodes are connected at once. */
SC_NODISCARD sc_status sc_quic_transport_new(sc_quic_transport **out, const sc_env *env,
                                             uint32_t connections);
void sc_quic_transport_free(sc_quic_transport *transport);

sc_transport sc_quic_transport_face(sc_quic_transport *transport);
sc_driven sc_quic_transport_driven(sc_quic_transport *transport);
uint32_t sc_quic_transport_connections(const sc_quic_transport *transport);

#endif
