/* Onion requests, the client's side: wrapping a request once for its destination and once for each hop, and
 * opening what the destination replies.
 *
 * sc_onion_build fills a buffer of the caller's and a key that opens the one reply; wipe it with
 * sc_onion_key_wipe. A reply owns what it shows, until sc_onion_reply_free. Objects belong to one thread at a
 * time. Only what opens was written by the destination: see onion_failure.h for everything else. */
#ifndef SC_NETWORK_ONION_H
#define SC_NETWORK_ONION_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../base/json.h"
#include "../crypto/hop.h"

SC_API_BEGIN

#define SC_ONION_MAX_HOPS 8
#define SC_ONION_MAX_BYTES ((size_t)10 * 1024 * 1024) /* of a request or a reply, at every stage */
#define SC_ONION_MAX_HOST_CHARS 253
#define SC_ONION_MAX_TARGET_CHARS 1024
#define SC_ONION_HTTP_PORT 80
#define SC_ONION_HTTPS_PORT 443

/* Statuses a destination may reply with. */
#define SC_ONION_LOWEST_STATUS 100
#define SC_ONION_HIGHEST_STATUS 599

typedef struct sc_onion_node {
  uint8_t ed25519[SC_KEY_BYTES]; /* what it is known by */
  uint8_t x25519[SC_KEY_BYTES];  /* what is sealed for it */
} sc_onion_node;

typedef struct sc_onion_url {
  sc_bytes host;   /* a name, an IPv4 address, or an IPv6 address in brackets */
  sc_bytes target; /* begins with /loki/ or /oxen/ and ends with /lsrpc */
  bool is_http;    /* without TLS */
  uint16_t port;   /* 0 for the usual one of the protocol */
} sc_onion_url;

/* SC_ERR_ONION_URL unless the address is one that onion requests may go to. */
SC_API SC_NODISCARD sc_status sc_onion_url_check(const sc_onion_url *url);

/* Replaces `out` with the text of the address, the port left out when it is the usual one.
 * SC_ERR_ONION_URL. */
SC_API SC_NODISCARD sc_status sc_onion_url_write(sc_buffer *out, const sc_onion_url *url);

typedef struct sc_onion_server {
  sc_onion_url url;
  uint8_t x25519[SC_KEY_BYTES];
} sc_onion_server;

typedef enum sc_onion_destination_kind {
  SC_ONION_TO_NODE = 1,
  SC_ONION_TO_SERVER, /* reached by the last hop */
} sc_onion_destination_kind;

typedef struct sc_onion_destination {
  sc_onion_destination_kind kind;
  sc_onion_node node;     /* of SC_ONION_TO_NODE */
  sc_onion_server server; /* of SC_ONION_TO_SERVER */
} sc_onion_destination;

/* What opens the reply to one request. */
typedef struct sc_onion_key {
  sc_hop_cipher cipher;
  sc_x25519_pair mine;
  uint8_t destination[SC_KEY_BYTES];
} sc_onion_key;

SC_API void sc_onion_key_wipe(sc_onion_key *key);

/* Replaces `out` with what is sent to the first of `hop_count` hops (SC_ONION_MAX_HOPS at most), or to the
 * destination itself when there is none. `payload` is what the destination reads: a storage request for a
 * node, sc_onion_request_write's for a server. SC_ERR_ARGUMENT for a destination of no kind,
 * SC_ERR_ONION_HOPS, SC_ERR_ONION_URL, SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_onion_build(sc_buffer *out, sc_onion_key *key, const sc_env *env,
                                             sc_hop_cipher cipher, const sc_onion_node *hops,
                                             size_t hop_count, const sc_onion_destination *destination,
                                             sc_bytes payload);

/* Replaces `out` with what the destination wrote: of a node, whose replies are base64, or of a server, whose
 * are not. SC_ERR_ONION_UNAUTHENTICATED when the destination did not write it; SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_onion_unseal(sc_buffer *out, const sc_onion_key *key,
                                              sc_onion_destination_kind from, sc_bytes reply);

typedef struct sc_onion_reply {
  int status;    /* SC_ONION_LOWEST_STATUS to SC_ONION_HIGHEST_STATUS */
  sc_bytes body; /* text, which may be JSON; empty when there was none */
  sc_json *document;
  sc_buffer bytes;
} sc_onion_reply;

/* Opens the reply of a node. SC_ERR_ONION_UNAUTHENTICATED when the destination did not write it,
 * SC_ERR_ONION_REPLY when it did but not in the form of a reply, SC_ERR_TOO_LARGE; then there is nothing to
 * free. */
SC_API SC_NODISCARD sc_status sc_onion_reply_open(sc_onion_reply *out, const sc_env *env,
                                                  const sc_onion_key *key, sc_bytes reply);
SC_API void sc_onion_reply_free(sc_onion_reply *reply);

SC_API_END

#endif
