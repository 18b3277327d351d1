/* What nodes on the way say when an onion request fails.
 *
 * None of it is authenticated: any hop may have written it. It may count against a node or a path, never
 * change anything else. Nothing here allocates but the writer's buffer, which is the caller's. */
#ifndef SC_NETWORK_ONION_FAILURE_H
#define SC_NETWORK_ONION_FAILURE_H

#include "onion.h"

SC_API_BEGIN

typedef enum sc_onion_failure_kind {
  SC_ONION_FAILED_OTHERWISE,
  SC_ONION_FAILED_REQUEST,          /* 400: the first hop cannot read the request; trying again is no use */
  SC_ONION_FAILED_RELAY,            /* 400: a hop cannot read what the one before sent */
  SC_ONION_FAILED_OPENING,          /* 400: a layer does not open; perhaps a key is stale */
  SC_ONION_FAILED_LENGTH,           /* 400: too many hops */
  SC_ONION_FAILED_RATE,             /* 429: the first hop has had enough for now */
  SC_ONION_FAILED_RESPONSE,         /* 500: the next hop replied badly */
  SC_ONION_FAILED_NEXT_UNKNOWN,     /* 502, names the next hop: it is not in the network */
  SC_ONION_FAILED_NEXT_UNREACHABLE, /* 502, names the next hop */
  SC_ONION_FAILED_SERVER,           /* 502: the last hop cannot reach the server */
  SC_ONION_FAILED_NODE_NOT_READY,   /* 503, names the node that says so */
  SC_ONION_FAILED_GUARD_NOT_READY,  /* 503 */
  SC_ONION_FAILED_GUARD_BUSY,       /* 503 */
  SC_ONION_FAILED_TIMEOUT,          /* 504: the next hop is silent */
  SC_ONION_FAILED_SERVER_TIMEOUT,   /* 504: the server is silent */
} sc_onion_failure_kind;

/* "No node of this path". */
#define SC_ONION_NO_NODE SIZE_MAX

typedef struct sc_onion_failure {
  sc_onion_failure_kind kind;
  int code;    /* 0 when there was none */
  size_t node; /* index of the hop named, `hop_count` for the destination, or SC_ONION_NO_NODE */
} sc_onion_failure;

/* Says what a reply that did not open means. `code` is the status it came with, or 0 for a QUIC error, whose
 * text begins with the code. A node that is named counts only if it is in this path behind the first hop, or
 * is the destination. */
SC_API void sc_onion_failure_parse(sc_onion_failure *out, int code, sc_bytes body, const sc_onion_node *hops,
                                   size_t hop_count, const sc_onion_destination *destination);

/* Replaces `out` with the text by which a node reports a failure; `*code` is the status that goes with it.
 * `node` is the node named, for the kinds that name one; `detail` is appended where a text has room for
 * words of one's own. SC_ERR_ARGUMENT for SC_ONION_FAILED_OTHERWISE, or without a node to name. */
SC_API SC_NODISCARD sc_status sc_onion_failure_write(sc_buffer *out, int *code, sc_onion_failure_kind kind,
                                                     const uint8_t *node, sc_bytes detail);

SC_API_END

#endif
