/* Onion requests, client side: encrypting a request for its destination and for each hop, and decrypting the
 * reply.
 *
 * sc_onion_build fills a buffer of the caller and a key that decrypts the one reply; wipe the key with
 * sc_onion_key_wipe. A reply owns its content until sc_onion_reply_free. Only replies that decrypt, and are
 * no part of the request, come from the destination: onion_failure.h handles all others. One thread at a
 * time. */
#ifndef SC_NETWORK_ONION_H
#define SC_NETWORK_ONION_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../base/json.h"
#include "../crypto/hop.h"

SC_API_BEGIN

#define SC_ONION_MAX_HOPS 8
#define SC_ONION_MAX_BYTES                                                                                   \
  ((size_t)10 * 1024 * 1024) /* the size limit of requests and replies, at every stage */
#define SC_ONION_MAX_HOST_CHARS 253
#define SC_ONION_MAX_TARGET_CHARS 1024
#define SC_ONION_NONCE_BYTES 12 /* compared bytes of each nonce, the length of the shortest */
#define SC_ONION_HTTP_PORT 80
#define SC_ONION_HTTPS_PORT 443

/* Range of statuses in replies. */
#define SC_ONION_LOWEST_STATUS 100
#define SC_ONION_HIGHEST_STATUS 599

typedef struct sc_onion_node {
  uint8_t ed25519[SC_KEY_BYTES]; /* its identity key */
  uint8_t x25519[SC_KEY_BYTES];  /* encrypts requests for it */
} sc_onion_node;

typedef struct sc_onion_url {
  sc_bytes host;   /* a name, an IPv4 address, or an IPv6 address in brackets */
  sc_bytes target; /* begins with /loki/ or /oxen/ and ends with /lsrpc */
  bool is_http;    /* without TLS */
  uint16_t port;   /* 0 for the default port */
} sc_onion_url;

/* Checks that onion requests may go to this address. SC_ERR_ONION_URL. */
SC_API SC_NODISCARD sc_status sc_onion_url_check(const sc_onion_url *url);

/* Replaces `out` with the text of the address, without a default port. SC_ERR_ONION_URL. */
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
  sc_onion_node node;     /* for SC_ONION_TO_NODE */
  sc_onion_server server; /* for SC_ONION_TO_SERVER */
} sc_onion_destination;

/* The key that decrypts the reply to one request. */
typedef struct sc_onion_key {
  sc_hop_cipher cipher;
  sc_x25519_pair mine;
  uint8_t destination[SC_KEY_BYTES];
  uint8_t nonces[SC_ONION_MAX_HOPS + 1][SC_ONION_NONCE_BYTES]; /* nonces of the layers of the request */
  size_t nonce_count;
} sc_onion_key;

SC_API void sc_onion_key_wipe(sc_onion_key *key);

/* Replaces `out` with the request to send to the first of `hop_count` hops (at most SC_ONION_MAX_HOPS), or
 * to the destination if there are none. `payload` is for the destination: a storage request for a node, the
 * result of sc_onion_request_write for a server. SC_ERR_ARGUMENT for an unknown kind of destination,
 * SC_ERR_ONION_HOPS, SC_ERR_ONION_URL, SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_onion_build(sc_buffer *out, sc_onion_key *key, const sc_env *env,
                                             sc_hop_cipher cipher, const sc_onion_node *hops,
                                             size_t hop_count, const sc_onion_destination *destination,
                                             sc_bytes payload);

/* Replaces `out` with the decrypted reply of a node (base64) or server (binary).
 * SC_ERR_ONION_UNAUTHENTICATED if the destination did not write it, as when a layer of the request comes
 * back: both directions use one key. SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_onion_unseal(sc_buffer *out, const sc_onion_key *key,
                                              sc_onion_destination_kind from, sc_bytes reply);

typedef struct sc_onion_reply {
  int status;    /* SC_ONION_LOWEST_STATUS to SC_ONION_HIGHEST_STATUS */
  sc_bytes body; /* text, possibly JSON; empty if there was none */
  sc_json *document;
  sc_buffer bytes;
} sc_onion_reply;

/* Decrypts and parses the reply of a node. SC_ERR_ONION_UNAUTHENTICATED if the destination did not write it,
 * SC_ERR_ONION_REPLY if it has another form, SC_ERR_TOO_LARGE. After a failure there is nothing to free. */
SC_API SC_NODISCARD sc_status sc_onion_reply_open(sc_onion_reply *out, const sc_env *env,
                                                  const sc_onion_key *key, sc_bytes reply);
SC_API void sc_onion_reply_free(sc_onion_reply *reply);

SC_API_END

#endif
