/* Attempts at one request take different paths: another last hop, guard and middle, as far as there are
 * others. */
#ifndef SC_SRC_NETWORK_ROUTER_APART_H
#define SC_SRC_NETWORK_ROUTER_APART_H

#include "request.h"

/* Finds or makes a path of the delivery's key to `destination`, apart from those of its other attempts.
 * `destination` is NULL for a server, or a node not chosen yet. */
sc_path_choice sc_apart_choose(sc_path **out, const sc_delivery *delivery, const uint8_t *destination);

/* True in a small network if each of those attempts may have failed because of the node. If one node is dead,
 * it is one of these. */
bool sc_apart_is_suspect(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]);

/* True if the node is a hop of one of those attempts, and may be the one at fault. */
bool sc_apart_has_hop(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]);

#endif
