/* A node of the network as clients know it: who it is, where it is, which swarm it serves.
 *
 * A plain value. Two records are of the same node when their keys are the same. */
#ifndef SC_NETWORK_NODE_H
#define SC_NETWORK_NODE_H

#include "address.h"
#include "storage_nodes.h"

SC_API_BEGIN

typedef struct sc_node {
  uint8_t key[SC_KEY_BYTES]; /* Ed25519 */
  uint8_t ip[4];
  uint16_t https_port; /* 0 when it has none */
  uint16_t quic_port;
  uint16_t version[3]; /* of its software; zeros when not known */
  uint64_t swarm;      /* SC_STORAGE_NO_SWARM for none: such a node only relays */
} sc_node;

SC_API bool sc_node_same(const sc_node *a, const sc_node *b);

/* Where it listens for QUIC. */
SC_API sc_address sc_node_address(const sc_node *node);

/* Whether both are in one /24, which one operator is likely to own. */
SC_API bool sc_node_same_subnet(const sc_node *a, const sc_node *b);

/* True if the node can be called: it has a key, a QUIC port and a unicast address. Private and loopback
 * addresses count only if `private_addresses` is set. */
SC_API bool sc_node_is_usable(const sc_node *node, bool private_addresses);

/* "key in hexadecimal|ip|https port|quic port|M.m.p|swarm", with the terminator, and a little room. */
#define SC_NODE_TEXT_BYTES 144

/* Writes that text; returns the number of characters. */
SC_API size_t sc_node_format(char out[SC_AT_LEAST(SC_NODE_TEXT_BYTES)], const sc_node *node);

/* Reads what sc_node_format writes, nothing before or behind. SC_ERR_NODE_TEXT. */
SC_API SC_NODISCARD sc_status sc_node_parse(sc_node *out, sc_bytes text);

SC_API_END

#endif
