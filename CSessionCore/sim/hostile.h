/* What hostile nodes do to requests that pass through them, and to those that end at them. */
#ifndef SC_SIM_HOSTILE_H
#define SC_SIM_HOSTILE_H

#include "node_onion.h"
#include "session-core/network/storage_reply.h"

/* Whether the node does something wicked this time, of one of its kinds. */
bool hostile_tempted(node *n, trait t);

/* A layer was opened. True when the node has dealt with it in its own way. */
bool hostile_hop(onion_job *job);

/* What is passed on to the next hop. */
void hostile_forward(const onion_job *job, sc_buffer *relay);

/* What is passed back. */
void hostile_return(onion_job *job, sc_buffer *body);

/* The code that a moody destination answers with, or 0 for none. */
int hostile_mood(node *n);

/* Fills in the list that the node tells by its trait, which has room for its true list and
 * hostile_most_strangers more. False if it tells the truth. */
enum { hostile_most_strangers = 40 };
bool hostile_list(size_t *count, node *n, sc_storage_node *out);

/* Fills in nodes that there are not, or that are elsewhere; returns how many. */
size_t hostile_nodes(node *n, sc_storage_node *out, size_t capacity);

#endif
