/* Nodes in the replies of other nodes: the swarm of an account, the daemon's list, the short binary list.
 *
 * Plain values, and lists owned by the caller that made them. */
#ifndef SC_NETWORK_STORAGE_NODES_H
#define SC_NETWORK_STORAGE_NODES_H

#include "storage_request.h"

SC_API_BEGIN

#define SC_STORAGE_NO_SWARM UINT64_MAX
#define SC_STORAGE_MAX_SWARM 512        /* nodes of one swarm in a reply */
#define SC_STORAGE_MAX_REDIRECT 100     /* nodes in a redirect to another swarm; more are ignored */
#define SC_STORAGE_MAX_NODES 65536      /* nodes in a complete list */
#define SC_STORAGE_ACTIVE_NODE_BYTES 51 /* one record of the binary list */

typedef struct sc_storage_node {
  uint8_t ed25519[SC_KEY_BYTES];
  uint8_t x25519[SC_KEY_BYTES]; /* the X25519 form of the key; zeros if not stated */
  uint8_t legacy[SC_KEY_BYTES];
  uint8_t ip[4]; /* zeros if unknown */
  uint16_t https_port;
  uint16_t quic_port; /* also for OMQ */
  uint16_t version[3];
  uint64_t swarm; /* SC_STORAGE_NO_SWARM for none */
  bool funded;
  uint64_t unlock_height; /* height at which it leaves; 0 for never */
} sc_storage_node;

typedef struct sc_storage_node_list {
  const sc_storage_node *list;
  size_t count;
  size_t skipped; /* records without an address */
} sc_storage_node_list;

/* The members of a swarm, whose signatures count. */
typedef struct sc_storage_keepers {
  const uint8_t (*keys)[SC_KEY_BYTES];
  size_t count;
  size_t least; /* minimum number of members that must store a message, in addition to half of all */
} sc_storage_keepers;

/* Write and read a record of the binary list, which has no X25519 and no legacy key: both stay zero, also in
 * lists from sc_storage_reply_parse. sc_x25519_from_ed25519 computes the former for a node that is to be
 * used, and may fail for an unsafe key; it is too slow for a whole list. The caller checks that the length
 * of a list is a multiple of SC_STORAGE_ACTIVE_NODE_BYTES. */
SC_API void sc_storage_active_node_write(uint8_t out[SC_AT_LEAST(51)], const sc_storage_node *node);
SC_API void sc_storage_active_node_read(sc_storage_node *out, const uint8_t record[SC_AT_LEAST(51)]);

SC_API_END

#endif
