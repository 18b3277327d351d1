/* A node of the network: its key, address and swarm.
 *
 * A plain value. Two records describe the same node if their keys are equal. */
#ifndef SC_NETWORK_NODE_H
#define SC_NETWORK_NODE_H

#include "address.h"
#include "storage_nodes.h"

SC_API_BEGIN

typedef struct sc_node {
  uint8_t key[SC_KEY_BYTES]; /* Ed25519 */
  uint8_t ip[4];
  uint16_t https_port; /* 0 if it has none */
  uint16_t quic_port;
  uint16_t version[3]; /* of its software; zeros if unknown */
  uint64_t swarm;      /* SC_STORAGE_NO_SWARM for none: such a node only relays */
  uint32_t first_day;  /* first day, since 1970, from which all lists have had it; 0: always */
} sc_node;

SC_API bool sc_node_same(const sc_node *a, const sc_node *b);

/* Returns its QUIC address. */
SC_API sc_address sc_node_address(const sc_node *node);

/* True if both are in one /24, which probably belongs to one operator. */
SC_API bool sc_node_same_subnet(const sc_node *a, const sc_node *b);

/* True if the node can be called: it has a key, a QUIC port and a unicast address. Private and loopback
 * addresses count only if `private_addresses` is set. */
SC_API bool sc_node_is_usable(const sc_node *node, bool private_addresses);

/* "key in hexadecimal|ip|https port|quic port|M.m.p|swarm", with the terminator, and some reserve. */
#define SC_NODE_TEXT_BYTES 144

/* Writes that text and returns its length. */
SC_API size_t sc_node_format(char out[SC_AT_LEAST(SC_NODE_TEXT_BYTES)], const sc_node *node);

/* Reads exactly the text that sc_node_format writes. SC_ERR_NODE_TEXT. */
SC_API SC_NODISCARD sc_status sc_node_parse(sc_node *out, sc_bytes text);

SC_API_END

#endif
