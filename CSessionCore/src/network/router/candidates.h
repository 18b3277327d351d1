/* The members of a swarm that a request may still go to, and their order. */
#ifndef SC_SRC_NETWORK_ROUTER_CANDIDATES_H
#define SC_SRC_NETWORK_ROUTER_CANDIDATES_H

#include "request.h"

/* Fills in the members that were not called yet, the least doubted first and equally doubted ones in random
 * order, and returns their number. */
size_t sc_candidates_list(const sc_node *out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                          const sc_swarm *swarm);

/* Fills in the members that were called before, in no order. If the path failed, they may not have received
 * the request. */
size_t sc_candidates_called(const sc_node *out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                            const sc_swarm *swarm);

/* Chooses the member to call and the path to it: the first that is reached over a responsive path, even if an
 * earlier one could be reached over a slow path. */
sc_path_choice sc_candidates_choose(sc_path **path, const sc_node **target, const sc_delivery *delivery,
                                    const sc_node *const *nodes, size_t count);

/* Chooses a node for a delivery to any node, reachable over the path: an untried one, apart from tried ones
 * if possible; otherwise one that failed before. NULL if there is none. */
const sc_node *sc_candidates_any(const sc_delivery *delivery, const sc_path *path);

#endif
