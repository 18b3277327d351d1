/* A private network as its file tells of it: which nodes there are, and the operator who vouches for them.
 *
 * `session devnet up` names such a file; operators give theirs to people. It is the daemon's list of nodes in
 * JSON, whose first line holds the signature of all that follows. An sc_network_list owns what it shows and
 * is released with sc_network_list_free. One thread at a time. */
#ifndef SC_NETWORK_NETWORK_LIST_H
#define SC_NETWORK_NETWORK_LIST_H

#include "client.h"

SC_API_BEGIN

typedef struct sc_network_list {
  uint8_t operator_key[SC_KEY_BYTES]; /* Ed25519 */
  sc_bytes name;                      /* a few words for people */
  uint64_t height;                    /* grows with every change */
  sc_bytes block_hash;                /* is not the same for two lists that differ */
  uint16_t fork[2];                   /* hard fork and revision: what its nodes can do */
  sc_storage_node_list nodes;
  const sc_node *seeds; /* of the nodes, those that a client can begin with: not more than it takes */
  size_t seed_count;
  sc_storage_memory *memory;
} sc_network_list;

/* Reads a file and checks that its operator has signed it: the one with this Ed25519 key, or with NULL the
 * one that the file names. SC_ERR_NODE_LIST for what is no such file, or names no node that can be called;
 * SC_ERR_SIGNATURE. `text` need not outlive the call. */
SC_API SC_NODISCARD sc_status sc_network_list_open(sc_network_list *out, const sc_env *env,
                                                   const uint8_t *operator_key, sc_bytes text);
SC_API void sc_network_list_free(sc_network_list *list);

/* Options for a client of this network, which must not outlive the list: those of a private network, with its
 * nodes as seeds, and with paths as many and as long as is usual, or as the network has nodes for. */
SC_API void sc_network_list_options(sc_network_options *out, const sc_network_list *list);

SC_API_END

#endif
