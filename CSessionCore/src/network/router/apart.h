/* Attempts at one request take routes apart: another last hop, another guard and another middle, as far as
 * there are others. */
#ifndef SC_SRC_NETWORK_ROUTER_APART_H
#define SC_SRC_NETWORK_ROUTER_APART_H

#include "request.h"

/* Finds a path apart from those of the attempts that failed or are in flight. False if there is none. */
bool sc_apart_choose(sc_path **out, const sc_delivery *delivery, const uint8_t *destination);

/* True if the node is a hop of one of those attempts, and may be the one at fault. */
bool sc_apart_has_hop(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]);

/* Begins to build such a path. True when one is being built, false when there are too many. */
bool sc_apart_want(const sc_delivery *delivery, const uint8_t *destination);

#endif
