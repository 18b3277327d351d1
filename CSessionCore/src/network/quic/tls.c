#include "tls.h"

#include <gnutls/abstract.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include "endpoint.h"
#include "path.h"
#include "session-core/base/secret.h"

#define CIPHERS "-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305"
#define GROUPS "-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1"
#define KEYS "-CTYPE-ALL:+CTYPE-CLI-RAWPK:+CTYPE-SRV-RAWPK"
#define PRIORITY "NORMAL:-VERS-ALL:+VERS-TLS1.3:" CIPHERS ":" GROUPS ":" KEYS ":%DISABLE_TLS13_COMPAT_MODE"

/* The server name that clients of nodes send; servers ignore it. */
static const char server_name[] = "localhost";

/* DER of an Ed25519 public key (RFC 8410), up to the key itself. */
static const uint8_t public_prefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                        0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

static sc_status status_of(int error) {
  return error == GNUTLS_E_MEMORY_ERROR ? SC_ERR_NO_MEMORY : SC_ERR_QUIC_HANDSHAKE;
}

/* The peer's key; NULL without one, or if it is not an Ed25519 key. */
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

/* A server must show the target's key. A client may show any admitted key, or none. */
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

/* The key pair as GnuTLS has it. Given in parts, so that it need not work out the one from the other. */
static int import_keys(gnutls_privkey_t *private_key, gnutls_pcert_st *shown, const sc_ed25519_pair *pair) {
  uint8_t der[sizeof public_prefix + SC_KEY_BYTES];
  const gnutls_datum_t encoded = {der, sizeof der};
  const gnutls_datum_t point = {(uint8_t *)(uintptr_t)pair->public_key, SC_KEY_BYTES};
  const gnutls_datum_t seed = {(uint8_t *)(uintptr_t)pair->secret, SC_ED25519_SEED_BYTES};
  memcpy(der, public_prefix, sizeof public_prefix);
  memcpy(der + sizeof public_prefix, pair->public_key, SC_KEY_BYTES);
  int error = gnutls_privkey_init(private_key);
  if (error != 0)
    return error;
  error = gnutls_privkey_import_ecc_raw(*private_key, GNUTLS_ECC_CURVE_ED25519, &point, NULL, &seed);
  if (error == 0)
    error = gnutls_pcert_import_rawpk_raw(shown, &encoded, GNUTLS_X509_FMT_DER, 0, 0);
  if (error != 0)
    gnutls_privkey_deinit(*private_key);
  return error;
}

static int add_keys(gnutls_certificate_credentials_t identity, const sc_ed25519_pair *pair) {
  gnutls_privkey_t private_key;
  gnutls_pcert_st shown; /* copied; its content belongs to the identity, like the private key */
  int error = import_keys(&private_key, &shown, pair);
  if (error != 0)
    return error;
  gnutls_certificate_set_flags(identity, GNUTLS_CERTIFICATE_SKIP_KEY_CERT_MATCH);
  error = gnutls_certificate_set_key(identity, NULL, 0, &shown, 1, private_key);
  if (error != 0) {
    gnutls_privkey_deinit(private_key);
    gnutls_pcert_deinit(&shown);
  }
  return error;
}

static sc_status make_identity(gnutls_certificate_credentials_t *out, const sc_ed25519_pair *pair) {
  gnutls_certificate_credentials_t identity;
  *out = NULL;
  int error = gnutls_certificate_allocate_credentials(&identity);
  if (error != 0)
    return status_of(error);
  error = add_keys(identity, pair);
  if (error != 0) {
    gnutls_certificate_free_credentials(identity);
    return status_of(error);
  }
  gnutls_certificate_set_verify_function(identity, verify);
  *out = identity;
  return SC_OK;
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
  if (tls->fresh != NULL)
    gnutls_certificate_free_credentials(tls->fresh);
  if (tls->client != NULL)
    gnutls_priority_deinit(tls->client);
  if (tls->server != NULL)
    gnutls_priority_deinit(tls->server);
  *tls = (sc_quic_tls){0};
}

/* After the session is freed, the rest of the exchange (tickets, repeated flights) is ignored. */
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

static sc_status make_fresh_identity(gnutls_certificate_credentials_t *out, const sc_env *env) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_ed25519_pair pair;
  sc_random(env, seed, sizeof seed);
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_wipe(seed, sizeof seed);
  sc_status status = make_identity(out, &pair);
  sc_ed25519_pair_wipe(&pair);
  return status;
}

static sc_status take_fresh_identity(sc_quic_link *link) {
  sc_quic_endpoint *endpoint = link->endpoint;
  link->tls.own_identity = endpoint->tls.fresh;
  endpoint->tls.fresh = NULL;
  return link->tls.own_identity != NULL ? SC_OK : make_fresh_identity(&link->tls.own_identity, endpoint->env);
}

/* An endpoint that connects will do so again, so the next key is generated while the peer works on the
 * handshake; without memory the link does without it. */
static void prepare(sc_quic_endpoint *endpoint) {
  if (endpoint->tls.identity == NULL && endpoint->tls.fresh == NULL && endpoint->counts.made > 0)
    (void)make_fresh_identity(&endpoint->tls.fresh, endpoint->env);
}

static int configure(sc_quic_link *link) {
  const sc_quic_endpoint *endpoint = link->endpoint;
  gnutls_session_t session = link->tls.session;
  gnutls_certificate_credentials_t identity =
      link->tls.own_identity != NULL ? link->tls.own_identity : endpoint->tls.identity;
  gnutls_datum_t protocol = {(uint8_t *)(uintptr_t)link->protocol.ptr, (unsigned)link->protocol.len};
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
    sc_status status = take_fresh_identity(link);
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
    .fill_callbacks = fill_callbacks, .start = start, .stop = stop, .prepare = prepare};
