/* Exchange between the nodes of a swarm, besides answering: they hand over messages that others lack. */
#ifndef SC_SIM_NODE_SWARM_H
#define SC_SIM_NODE_SWARM_H

#include "node.h"

/* Another node is to be given a message, which it could not be given when it came. */
void node_swarm_owe(node *n, uint32_t to, sc_bytes hash);

/* The list changed: nodes that keep a message now, and did not before, are owed it. */
void node_swarm_moved(node *n, const registry_list *before, const registry_list *after);

/* Messages that another node hands over. */
void node_swarm_receive(node *n, const wire_request *request);

/* A node that was dead goes on. */
void node_swarm_wake(node *n);

#endif
