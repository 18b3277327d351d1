/* Which members of a swarm a request may still be put to, and in which order. */
#ifndef SC_SRC_NETWORK_ROUTER_CANDIDATES_H
#define SC_SRC_NETWORK_ROUTER_CANDIDATES_H

#include "request.h"

/* Fills in the members that were not asked yet, the least doubted first, those that are doubted alike in an
 * order of chance. Returns how many there are. */
size_t sc_candidates_list(const sc_node *out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                          const sc_swarm *swarm);

/* The members that were asked before, in no order. They may not have heard of it when it was the path that
 * failed. */
size_t sc_candidates_asked(const sc_node *out[static SC_STORAGE_MAX_SWARM], const sc_delivery *delivery,
                           const sc_swarm *swarm);

/* Finds the member to ask, and the path to it: the first over a path that answers, rather than one before it
 * over a path that lets wait. */
sc_path_choice sc_candidates_choose(sc_path **path, const sc_node **target, const sc_delivery *delivery,
                                    const sc_node *const *nodes, size_t count);

/* A node that a path can reach, for a delivery to any node: one not tried yet, apart from those that were
 * if there is one; or else one that failed before. NULL if there is none. */
const sc_node *sc_candidates_any(const sc_delivery *delivery, const sc_path *path);

#endif
