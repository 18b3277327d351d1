/* A hostile line: an access network that lets clients reach hostile nodes only, for some time. */
#ifndef SC_SIM_LINE_H
#define SC_SIM_LINE_H

#include "node.h"
#include "plan.h"
#include "session-core/network/node.h"

/* When it begins. */
#define LINE_START (90 * SIM_SECOND)

/* "silent"; and the kind of a name, or LINE_HONEST. */
line_kind line_named(const char *name);

/* Plans when it begins and ends. */
void line_begin(world *w);

bool line_is_hostile(const world *w);
uint64_t line_end(const world *w);

/* True if the line keeps clients from the node now. */
bool line_blocks(const world *w, const sc_node *to);

/* How the attempt to connect to a node that is kept from clients ends; SC_OK if it seems to succeed. */
sc_status line_handshake(const world *w);

/* How a connection to it ends. */
sc_status line_loss(const world *w);

#endif
