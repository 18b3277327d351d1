/* What a client signs in each request to a community server.
 *
 * The request borrows its texts. The caller signs the result as the id that the request names: with
 * sc_blind_sign for a blinded id, with sc_ed25519_sign for an unblinded one. */
#ifndef SC_CRYPTO_COMMUNITY_REQUEST_H
#define SC_CRYPTO_COMMUNITY_REQUEST_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_COMMUNITY_NONCE_BYTES 16

typedef struct sc_community_request {
  uint8_t server[32]; /* the server's public key */
  uint8_t nonce[SC_COMMUNITY_NONCE_BYTES];
  uint64_t timestamp_s;
  sc_bytes method; /* in upper case */
  sc_bytes path;   /* decoded, with ? and the encoded query if there is one */
  sc_bytes body;
  /* The BLAKE2b-512 hash of a body that came in pieces, and is not empty: 64 bytes in the place of `body`.
   * NULL otherwise. */
  const uint8_t *body_hash;
} sc_community_request;

/* Replaces `out` with the text to sign: server ‖ nonce ‖ decimal timestamp ‖ method ‖ path ‖ BLAKE2b-512 of
 * the body, which is left out for an empty body. SC_ERR_NO_MEMORY. */
SC_API SC_NODISCARD sc_status sc_community_request_text(sc_buffer *out, const sc_community_request *request);

SC_API_END

#endif
