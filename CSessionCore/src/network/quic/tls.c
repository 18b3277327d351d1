#include "tls.h"

#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include "endpoint.h"
#include "path.h"
#include "session-core/base/secret.h"

#define CIPHERS "-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305"
#define GROUPS "-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1"
#define KEYS "-CTYPE-ALL:+CTYPE-CLI-RAWPK:+CTYPE-SRV-RAWPK"
#define PRIORITY "NORMAL:-VERS-ALL:+VERS-TLS1.3:" CIPHERS ":" GROUPS ":" KEYS ":%DISABLE_TLS13_COMPAT_MODE"

/* What nodes' clients say; servers take no notice of it. */
static const char server_name[] = "localhost";

/* DER of an Ed25519 public key (RFC 8410) and of a private key (PKCS #8), up to the key itself. */
static const uint8_t public_prefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                        0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
static const uint8_t private_prefix[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                         0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};

static sc_status status_of(int error) {
  return error == GNUTLS_E_MEMORY_ERROR ? SC_ERR_NO_MEMORY : SC_ERR_QUIC_HANDSHAKE;
}

/* The key the peer showed; NULL for none, or for what is not an Ed25519 key. */
static const uint8_t *shown_key(gnutls_session_t session, bool *nothing) {
  unsigned count = 0;
  const gnutls_datum_t *shown = gnutls_certificate_get_peers(session, &count);
  *nothing = shown == NULL || count == 0;
  if (*nothing || gnutls_certificate_type_get2(session, GNUTLS_CTYPE_PEERS) != GNUTLS_CRT_RAWPK)
    return NULL;
  if (count != 1 || shown->size != sizeof public_prefix + SC_KEY_BYTES ||
      memcmp(shown->data, public_prefix, sizeof public_prefix) != 0)
    return NULL;
  return shown->data + sizeof public_prefix;
}

/* A server asked for the key, it must be that of the target; clients may show any, or none, that is admitted.
 */
static bool accept_key(sc_quic_link *link, const uint8_t *key, bool nothing) {
  const sc_quic_options *options = &link->endpoint->options;
  if (!link->accepted)
    return key != NULL && sc_equal(key, link->key, SC_KEY_BYTES);
  if (key == NULL && !nothing)
    return false;
  if (options->admits != NULL) {
    sc_address from;
    sc_quic_path_read(&from, &ngtcp2_conn_get_path(link->quic)->remote);
    if (!options->admits(options->accepted.user, key, &from))
      return false;
  }
  if (key != NULL)
    memcpy(link->key, key, SC_KEY_BYTES);
  return true;
}

static int verify(gnutls_session_t session) {
  const ngtcp2_crypto_conn_ref *reference = gnutls_session_get_ptr(session);
  sc_quic_link *link = reference->user_data;
  bool nothing;
  const uint8_t *key = shown_key(session, &nothing);
  if (!accept_key(link, key, nothing)) {
    link->failure = link->accepted ? SC_ERR_QUIC_REFUSED : SC_ERR_QUIC_KEY;
    return GNUTLS_E_CERTIFICATE_ERROR;
  }
  link->has_key = key != NULL;
  return 0;
}

static sc_status make_identity(gnutls_certificate_credentials_t *out, const sc_ed25519_pair *pair) {
  uint8_t public_der[sizeof public_prefix + SC_KEY_BYTES];
  uint8_t private_der[sizeof private_prefix + SC_ED25519_SEED_BYTES];
  gnutls_datum_t public_key = {public_der, sizeof public_der};
  gnutls_datum_t private_key = {private_der, sizeof private_der};
  memcpy(public_der, public_prefix, sizeof public_prefix);
  memcpy(public_der + sizeof public_prefix, pair->public_key, SC_KEY_BYTES);
  memcpy(private_der, private_prefix, sizeof private_prefix);
  memcpy(private_der + sizeof private_prefix, pair->secret, SC_ED25519_SEED_BYTES);
  int error = gnutls_certificate_allocate_credentials(out);
  if (error == 0) {
    error = gnutls_certificate_set_rawpk_key_mem(*out, &public_key, &private_key, GNUTLS_X509_FMT_DER, NULL,
                                                 0, NULL, 0, 0);
    if (error == 0)
      gnutls_certificate_set_verify_function(*out, verify);
    else
      gnutls_certificate_free_credentials(*out);
  }
  sc_wipe(private_der, sizeof private_der);
  if (error == 0)
    return SC_OK;
  *out = NULL;
  return status_of(error);
}

sc_status sc_quic_tls_init(sc_quic_tls *tls, const sc_ed25519_pair *identity) {
  *tls = (sc_quic_tls){0};
  sc_status status = SC_OK;
  if (identity != NULL)
    status = make_identity(&tls->identity, identity);
  if (status == SC_OK && (gnutls_priority_init(&tls->client, PRIORITY, NULL) != 0 ||
                          gnutls_priority_init(&tls->server, PRIORITY ":%SERVER_PRECEDENCE", NULL) != 0))
    status = SC_ERR_NO_MEMORY;
  if (status != SC_OK)
    sc_quic_tls_free(tls);
  return status;
}

void sc_quic_tls_free(sc_quic_tls *tls) {
  if (tls->identity != NULL)
    gnutls_certificate_free_credentials(tls->identity);
  if (tls->client != NULL)
    gnutls_priority_deinit(tls->client);
  if (tls->server != NULL)
    gnutls_priority_deinit(tls->server);
  *tls = (sc_quic_tls){0};
}

/* Once the session is freed, what is left of the exchange (tickets, repeated flights) is of no interest. */
static int receive_crypto_data(ngtcp2_conn *quic, ngtcp2_crypto_level level, uint64_t offset,
                               const uint8_t *data, size_t len, void *user) {
  const sc_quic_link *link = user;
  if (link->tls.session == NULL)
    return 0;
  return ngtcp2_crypto_recv_crypto_data_cb(quic, level, offset, data, len, user);
}

static void fill_callbacks(ngtcp2_callbacks *out) {
  out->client_initial = ngtcp2_crypto_client_initial_cb;
  out->recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
  out->recv_retry = ngtcp2_crypto_recv_retry_cb;
  out->recv_crypto_data = receive_crypto_data;
  out->encrypt = ngtcp2_crypto_encrypt_cb;
  out->decrypt = ngtcp2_crypto_decrypt_cb;
  out->hp_mask = ngtcp2_crypto_hp_mask_cb;
  out->update_key = ngtcp2_crypto_update_key_cb;
  out->delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
  out->delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
  out->version_negotiation = ngtcp2_crypto_version_negotiation_cb;
}

static ngtcp2_conn *quic_of(ngtcp2_crypto_conn_ref *reference) {
  const sc_quic_link *link = reference->user_data;
  return link->quic;
}

static sc_status make_own_identity(sc_quic_link *link) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_ed25519_pair pair;
  sc_random(link->endpoint->env, seed, sizeof seed);
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_wipe(seed, sizeof seed);
  sc_status status = make_identity(&link->tls.own_identity, &pair);
  sc_ed25519_pair_wipe(&pair);
  return status;
}

static int configure(sc_quic_link *link) {
  const sc_quic_endpoint *endpoint = link->endpoint;
  gnutls_session_t session = link->tls.session;
  gnutls_certificate_credentials_t identity =
      link->tls.own_identity != NULL ? link->tls.own_identity : endpoint->tls.identity;
  gnutls_datum_t protocol = {(uint8_t *)(uintptr_t)endpoint->options.protocol.ptr,
                             (unsigned)endpoint->options.protocol.len};
  int error = gnutls_priority_set(session, link->accepted ? endpoint->tls.server : endpoint->tls.client);
  if (error == 0)
    error = link->accepted ? ngtcp2_crypto_gnutls_configure_server_session(session)
                           : ngtcp2_crypto_gnutls_configure_client_session(session);
  if (error == 0)
    error = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, identity);
  if (error == 0)
    error = gnutls_alpn_set_protocols(session, &protocol, 1, GNUTLS_ALPN_MANDATORY);
  if (error == 0 && !link->accepted)
    error = gnutls_server_name_set(session, GNUTLS_NAME_DNS, server_name, sizeof server_name - 1);
  if (error == 0 && link->accepted)
    gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
  return error;
}

static void stop(sc_quic_link *link) {
  if (link->tls.session != NULL) {
    if (link->quic != NULL)
      ngtcp2_conn_set_tls_native_handle(link->quic, NULL);
    gnutls_deinit(link->tls.session);
  }
  if (link->tls.own_identity != NULL)
    gnutls_certificate_free_credentials(link->tls.own_identity);
  link->tls.session = NULL;
  link->tls.own_identity = NULL;
}

static sc_status start(sc_quic_link *link) {
  unsigned flags = GNUTLS_ENABLE_RAWPK | GNUTLS_NO_AUTO_SEND_TICKET | GNUTLS_NO_TICKETS;
  if (!link->accepted && link->endpoint->tls.identity == NULL) {
    sc_status status = make_own_identity(link);
    if (status != SC_OK)
      return status;
  }
  /* A client makes a key share for its first group alone: a second costs as much again, and every node takes
   * the first. One that does not asks for another. */
  flags |= link->accepted ? GNUTLS_SERVER : GNUTLS_CLIENT | GNUTLS_KEY_SHARE_TOP;
  int error = gnutls_init(&link->tls.session, flags);
  if (error != 0)
    link->tls.session = NULL;
  else
    error = configure(link);
  if (error != 0) {
    stop(link);
    return status_of(error);
  }
  link->tls.reference = (ngtcp2_crypto_conn_ref){.get_conn = quic_of, .user_data = link};
  gnutls_session_set_ptr(link->tls.session, &link->tls.reference);
  ngtcp2_conn_set_tls_native_handle(link->quic, link->tls.session);
  return SC_OK;
}

const sc_quic_security sc_quic_tls_security = {
    .fill_callbacks = fill_callbacks, .start = start, .stop = stop};
