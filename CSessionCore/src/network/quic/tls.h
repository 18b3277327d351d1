/* TLS 1.3 inside QUIC: Ed25519 raw public keys on both sides, no certificates, names or tickets.
 *
 * The protection of links is behind sc_quic_security, so that tests and fuzzers can run without it. */
#ifndef SC_NETWORK_QUIC_TLS_H
#define SC_NETWORK_QUIC_TLS_H

#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include "session-core/crypto/keys.h"

struct sc_quic_endpoint;
struct sc_quic_link;

/* The TLS state of an endpoint. */
typedef struct sc_quic_tls {
  gnutls_certificate_credentials_t identity; /* NULL without one */
  gnutls_certificate_credentials_t fresh;    /* used without one: the key of the next own link */
  gnutls_priority_t client;
  gnutls_priority_t server;
} sc_quic_tls;

/* The TLS state of a link. */
typedef struct sc_quic_tls_session {
  gnutls_session_t session;                      /* NULL after the handshake */
  gnutls_certificate_credentials_t own_identity; /* NULL if the endpoint's is used */
  ngtcp2_crypto_conn_ref reference;              /* the session's reference to the link */
} sc_quic_tls_session;

typedef struct sc_quic_security {
  /* The callbacks that protect packets and exchange keys. */
  void (*fill_callbacks)(ngtcp2_callbacks *out);
  /* Prepares a link whose `quic` was just made. */
  sc_status (*start)(struct sc_quic_link *link);
  /* Frees what `start` made. Calling it again does nothing. */
  void (*stop)(struct sc_quic_link *link);
  /* Called when there is nothing to send, to prepare for later. May be NULL. */
  void (*prepare)(struct sc_quic_endpoint *endpoint);
} sc_quic_security;

extern const sc_quic_security sc_quic_tls_security;

/* `identity` may be NULL. */
SC_NODISCARD sc_status sc_quic_tls_init(sc_quic_tls *tls, const sc_ed25519_pair *identity);
void sc_quic_tls_free(sc_quic_tls *tls);

#endif
