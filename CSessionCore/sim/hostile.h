/* Hostile nodes' attacks on requests that pass through them, and on those that end at them. */
#ifndef SC_SIM_HOSTILE_H
#define SC_SIM_HOSTILE_H

#include "node_onion.h"
#include "session-core/network/storage_reply.h"

/* True if the node misbehaves this time by the given trait. */
bool hostile_tempted(node *n, trait t);

/* A layer was opened. True when the node has dealt with it in its own way. */
bool hostile_hop(onion_job *job);

/* May tamper with the bytes that the node forwards to the next hop. */
void hostile_forward(const onion_job *job, sc_buffer *relay);

/* May replay, tamper with or truncate the reply that the node passes back. */
void hostile_return(onion_job *job, sc_buffer *body);

/* Takes out what the node hides of a mailbox: all, the newer half, or about every second message. Returns how
 * many are left. */
size_t hostile_hide(node *n, sc_storage_message *list, size_t count);

/* The code that a moody destination answers with, or 0 for none. */
int hostile_mood(node *n);

/* The rest is in hostile_lists.c. Fills in the list that the node tells by its trait, which has room for its
 * true list and hostile_most_strangers more. False if it tells the truth. */
enum { hostile_most_strangers = 40 };
bool hostile_list(size_t *count, node *n, sc_storage_node *out);

/* Fills in nodes that there are not, or that are elsewhere; returns how many. */
size_t hostile_nodes(node *n, sc_storage_node *out, size_t capacity);

/* Fills in the nodes of a redirect, where the account is not: strangers, other hostile nodes, or another
 * swarm. Returns how many. */
size_t hostile_redirect(node *n, const uint8_t account[static 33], sc_storage_node *out, size_t capacity);

#endif
