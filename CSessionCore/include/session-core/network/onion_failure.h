/* Failures of onion requests, as reported by nodes of the path.
 *
 * They are not authenticated: any hop may have written them. Use them only as evidence against a node or
 * path. Only the caller's buffer allocates. */
#ifndef SC_NETWORK_ONION_FAILURE_H
#define SC_NETWORK_ONION_FAILURE_H

#include "onion.h"

SC_API_BEGIN

typedef enum sc_onion_failure_kind {
  SC_ONION_FAILED_OTHERWISE,
  SC_ONION_FAILED_REQUEST,          /* 400: the guard cannot read the request; do not retry */
  SC_ONION_FAILED_RELAY,            /* 400: a hop cannot read the previous hop's request */
  SC_ONION_FAILED_OPENING,          /* 400: a layer does not decrypt, perhaps because a key is outdated */
  SC_ONION_FAILED_LENGTH,           /* 400: too many hops */
  SC_ONION_FAILED_RATE,             /* 429: the guard's rate limit is reached */
  SC_ONION_FAILED_RESPONSE,         /* 500: invalid reply of the next hop */
  SC_ONION_FAILED_NEXT_UNKNOWN,     /* 502, names the next hop: not in the network */
  SC_ONION_FAILED_NEXT_UNREACHABLE, /* 502, names the next hop */
  SC_ONION_FAILED_SERVER,           /* 502: the last hop cannot reach the server */
  SC_ONION_FAILED_NODE_NOT_READY,   /* 503, names the node that is not ready */
  SC_ONION_FAILED_GUARD_NOT_READY,  /* 503 */
  SC_ONION_FAILED_GUARD_BUSY,       /* 503 */
  SC_ONION_FAILED_TIMEOUT,          /* 504: no reply from the next hop */
  SC_ONION_FAILED_SERVER_TIMEOUT,   /* 504: no reply from the server */
} sc_onion_failure_kind;

/* No node of the path. */
#define SC_ONION_NO_NODE SIZE_MAX

typedef struct sc_onion_failure {
  sc_onion_failure_kind kind;
  int code;    /* 0 if there was none */
  size_t node; /* index of the named hop, `hop_count` for the destination, or SC_ONION_NO_NODE */
} sc_onion_failure;

/* Interprets a reply that did not decrypt. `code` is its status, or 0 for a QUIC error, whose text begins
 * with the code. A named node counts only if it is in this path after the guard, or is the destination. */
SC_API void sc_onion_failure_parse(sc_onion_failure *out, int code, sc_bytes body, const sc_onion_node *hops,
                                   size_t hop_count, const sc_onion_destination *destination);

/* Replaces `out` with the text by which a node reports a failure; `*code` is the matching status. `node` is
 * the named node, for kinds that name one; `detail` is appended if the text has room for it. SC_ERR_ARGUMENT
 * for SC_ONION_FAILED_OTHERWISE, or without a node to name. */
SC_API SC_NODISCARD sc_status sc_onion_failure_write(sc_buffer *out, int *code, sc_onion_failure_kind kind,
                                                     const uint8_t *node, sc_bytes detail);

SC_API_END

#endif
