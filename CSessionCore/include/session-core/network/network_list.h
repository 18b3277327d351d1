/* Network files of private networks: the nodes, and the operator who signed the list.
 *
 * `session devnet up` writes such a file; operators give theirs to users. It is the daemon's list of nodes
 * in JSON, whose first line contains the signature of the rest. An sc_network_list owns its content; release
 * it with sc_network_list_free. One thread at a time. */
#ifndef SC_NETWORK_NETWORK_LIST_H
#define SC_NETWORK_NETWORK_LIST_H

#include "client.h"

SC_API_BEGIN

typedef struct sc_network_list {
  uint8_t operator_key[SC_KEY_BYTES]; /* Ed25519 */
  sc_bytes name;                      /* the name of the network, for people */
  uint64_t height;                    /* grows with every change */
  sc_bytes block_hash;                /* differs between two different lists */
  uint16_t fork[2];                   /* hard fork and revision; its nodes' abilities depend on it */
  sc_storage_node_list nodes;
  const sc_node *seeds; /* the nodes that a client can start with, within its limits */
  size_t seed_count;
  sc_storage_memory *memory;
} sc_network_list;

/* Reads a file and verifies the operator's signature with this Ed25519 key; NULL selects the key in the file.
 * SC_ERR_NODE_LIST for another kind of file, or one without usable nodes; SC_ERR_SIGNATURE. `text` need not
 * outlive the call. */
SC_API SC_NODISCARD sc_status sc_network_list_open(sc_network_list *out, const sc_env *env,
                                                   const uint8_t *operator_key, sc_bytes text);
SC_API void sc_network_list_free(sc_network_list *list);

/* Sets the options of a client of this network, which must not outlive the list: those of a private network
 * with its nodes as seeds, and paths of the usual length or as long as the network has nodes for. */
SC_API void sc_network_list_options(sc_network_options *out, const sc_network_list *list);

SC_API_END

#endif
