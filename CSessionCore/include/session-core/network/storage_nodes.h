/* Nodes as other nodes name them: the swarm of an account, the daemon's list, the short binary list.
 *
 * Plain values, and lists owned by the caller that made them. */
#ifndef SC_NETWORK_STORAGE_NODES_H
#define SC_NETWORK_STORAGE_NODES_H

#include "storage_request.h"

SC_API_BEGIN

#define SC_STORAGE_NO_SWARM UINT64_MAX
#define SC_STORAGE_MAX_SWARM 512        /* nodes of one swarm that answer */
#define SC_STORAGE_MAX_REDIRECT 100     /* nodes of one swarm that are named; more are passed over */
#define SC_STORAGE_MAX_NODES 65536      /* in one list of all */
#define SC_STORAGE_ACTIVE_NODE_BYTES 51 /* of one record of the binary list */

typedef struct sc_storage_node {
  uint8_t ed25519[SC_KEY_BYTES];
  uint8_t x25519[SC_KEY_BYTES]; /* the other form of the same key; zeros when not said */
  uint8_t legacy[SC_KEY_BYTES];
  uint8_t ip[4]; /* zeros when not known */
  uint16_t https_port;
  uint16_t quic_port; /* OMQ's as well */
  uint16_t version[3];
  uint64_t swarm; /* SC_STORAGE_NO_SWARM for none */
  bool funded;
  uint64_t unlock_height; /* at which it leaves; 0 for never */
} sc_storage_node;

typedef struct sc_storage_node_list {
  const sc_storage_node *list;
  size_t count;
  size_t skipped; /* records that no node can be reached by */
} sc_storage_node_list;

/* One record of the binary list, which says neither X25519 nor legacy key: both stay zero, also in lists that
 * sc_storage_reply_parse reads. sc_x25519_from_ed25519 makes the one of a node that is to be used, and may
 * find that its key is none; it takes too long for all of a list. A caller that reads a list checks that its
 * length is a multiple of SC_STORAGE_ACTIVE_NODE_BYTES. */
SC_API void sc_storage_active_node_write(uint8_t out[SC_AT_LEAST(51)], const sc_storage_node *node);
SC_API void sc_storage_active_node_read(sc_storage_node *out, const uint8_t record[SC_AT_LEAST(51)]);

SC_API_END

#endif
