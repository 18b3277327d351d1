/* A list of callable nodes without duplicates, from a node or file, not yet accepted.
 *
 * A list owns its memory, which sc_node_list_free releases. */
#ifndef SC_SRC_NETWORK_NODES_NODE_LIST_H
#define SC_SRC_NETWORK_NODES_NODE_LIST_H

#include "../../base/key_table.h"
#include "session-core/network/node.h"
#include "session-core/network/storage_request.h"

typedef struct sc_node_list {
  sc_key_table table; /* sc_node */
  size_t skipped;     /* unusable records, and duplicates */
} sc_node_list;

void sc_node_list_init(sc_node_list *list, const sc_env *env);
void sc_node_list_free(sc_node_list *list);

static inline const sc_node *sc_node_list_nodes(const sc_node_list *list) {
  return (const sc_node *)list->table.records;
}

static inline size_t sc_node_list_count(const sc_node_list *list) {
  return list->table.count;
}

/* True if key, address, ports and swarm are equal. Versions may differ, because some lists do not have all of
 * them. */
bool sc_node_agrees(const sc_node *a, const sc_node *b);

/* True if both are in one /16 network, and may belong to one operator. */
bool sc_node_is_near(const sc_node *a, const sc_node *b);

/* Converts a record of a list to a node. */
sc_node sc_node_of_record(const sc_storage_node *record);

/* Adds a node if it can be called and is not present; otherwise counts it as skipped. SC_ERR_TOO_LARGE over
 * SC_STORAGE_MAX_NODES. */
SC_NODISCARD sc_status sc_node_list_add(sc_node_list *list, const sc_node *node, bool private_addresses);

/* Adds the nodes of a daemon's list, except those that will have left at block `height`; 0 for all. */
SC_NODISCARD sc_status sc_node_list_add_states(sc_node_list *list, const sc_storage_node_list *states,
                                               bool private_addresses, uint64_t height);

/* Puts the nodes in random order. */
void sc_node_list_shuffle(sc_node_list *list);

/* Moves the nodes of `from` into `to`, replacing its own. */
void sc_node_list_move(sc_node_list *to, sc_node_list *from);

/* Replaces the list with the one in a reply to SC_STORAGE_ACTIVE_NODES or SC_STORAGE_SERVICE_NODES.
 * SC_ERR_NODE_LIST for an invalid or empty one. */
SC_NODISCARD sc_status sc_node_list_read(sc_node_list *list, sc_storage_method method, bool private_addresses,
                                         sc_bytes body);

#endif
