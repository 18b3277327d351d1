/* A node's endpoint for QUIC: the core's own, with its packets, where the plan says so. Requests over QUIC
 * are handled like those over a wire. */
#ifndef SC_SIM_NODE_QUIC_H
#define SC_SIM_NODE_QUIC_H

#include "node.h"

void node_quic_start(node *n);
void node_quic_stop(node *n);

/* Answers a call that came over QUIC. False if it came another way. */
bool node_quic_answer(node *n, wire_call call, bool is_error, sc_bytes body);

#endif
