#include "null_security.h"

enum {
  iv_bytes = 12,
  secret_bytes = 32,
  most_parameters = 512,
  mask_bytes = 5,
};

/* ngtcp2 wants handles that are not NULL; it never dereferences them. */
static uint8_t handle;
static const uint8_t zeros[secret_bytes];
static const ngtcp2_crypto_aead_ctx aead = {.native_handle = &handle};
static const ngtcp2_crypto_cipher_ctx cipher = {.native_handle = &handle};

static void set_context(ngtcp2_conn *quic) {
  ngtcp2_crypto_ctx context = {.aead = {.native_handle = &handle, .max_overhead = null_overhead},
                               .md = {.native_handle = &handle},
                               .hp = {.native_handle = &handle},
                               .max_encryption = UINT64_MAX,
                               .max_decryption_failure = UINT64_MAX};
  ngtcp2_conn_set_initial_crypto_ctx(quic, &context);
  ngtcp2_conn_set_crypto_ctx(quic, &context);
}

static int install_initial(ngtcp2_conn *quic) {
  set_context(quic);
  return ngtcp2_conn_install_initial_key(quic, &aead, zeros, &cipher, &aead, zeros, &cipher, iv_bytes) == 0
             ? 0
             : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int install_handshake(ngtcp2_conn *quic) {
  int error = ngtcp2_conn_install_rx_handshake_key(quic, &aead, zeros, iv_bytes, &cipher);
  return error != 0 ? error : ngtcp2_conn_install_tx_handshake_key(quic, &aead, zeros, iv_bytes, &cipher);
}

static int install_application(ngtcp2_conn *quic) {
  int error = ngtcp2_conn_install_rx_key(quic, zeros, secret_bytes, &aead, zeros, iv_bytes, &cipher);
  return error != 0 ? error
                    : ngtcp2_conn_install_tx_key(quic, zeros, secret_bytes, &aead, zeros, iv_bytes, &cipher);
}

/* Submitted data must live until it is acknowledged: ngtcp2 keeps its own copy. */
static int submit_parameters(ngtcp2_conn *quic, ngtcp2_crypto_level level) {
  uint8_t parameters[most_parameters];
  ngtcp2_ssize len = ngtcp2_conn_encode_local_transport_params(quic, parameters, sizeof parameters);
  return len < 0 ? (int)len : ngtcp2_conn_submit_crypto_data(quic, level, parameters, (size_t)len);
}

static int submit_byte(ngtcp2_conn *quic, ngtcp2_crypto_level level) {
  return ngtcp2_conn_submit_crypto_data(quic, level, zeros, 1);
}

static int client_initial(ngtcp2_conn *quic, void *user) {
  (void)user;
  int error = install_initial(quic);
  return error != 0 || submit_parameters(quic, NGTCP2_CRYPTO_LEVEL_INITIAL) != 0 ? NGTCP2_ERR_CALLBACK_FAILURE
                                                                                 : 0;
}

static int server_initial(ngtcp2_conn *quic, const ngtcp2_cid *id, void *user) {
  (void)id;
  (void)user;
  return install_initial(quic);
}

static int retried(ngtcp2_conn *quic, const ngtcp2_pkt_hd *head, void *user) {
  (void)head;
  (void)user;
  return install_initial(quic);
}

static int server_hears(ngtcp2_conn *quic, ngtcp2_crypto_level level, const uint8_t *data, size_t len) {
  if (level == NGTCP2_CRYPTO_LEVEL_HANDSHAKE) {
    ngtcp2_conn_handshake_completed(quic);
    return 0;
  }
  int error = ngtcp2_conn_decode_remote_transport_params(quic, data, len);
  if (error == 0)
    error = install_handshake(quic);
  if (error == 0)
    error = submit_byte(quic, NGTCP2_CRYPTO_LEVEL_INITIAL);
  if (error == 0)
    error = submit_parameters(quic, NGTCP2_CRYPTO_LEVEL_HANDSHAKE);
  return error == 0 ? install_application(quic) : error;
}

static int client_hears(ngtcp2_conn *quic, ngtcp2_crypto_level level, const uint8_t *data, size_t len) {
  if (level == NGTCP2_CRYPTO_LEVEL_INITIAL)
    return install_handshake(quic);
  int error = ngtcp2_conn_decode_remote_transport_params(quic, data, len);
  if (error == 0)
    error = install_application(quic);
  if (error == 0)
    error = submit_byte(quic, NGTCP2_CRYPTO_LEVEL_HANDSHAKE);
  if (error == 0)
    ngtcp2_conn_handshake_completed(quic);
  return error;
}

/* Each message is recognised once, by its beginning; its rest is ignored. */
static int receive_crypto_data(ngtcp2_conn *quic, ngtcp2_crypto_level level, uint64_t offset,
                               const uint8_t *data, size_t len, void *user) {
  const sc_quic_link *link = user;
  if (level == NGTCP2_CRYPTO_LEVEL_APPLICATION)
    return 0;
  if (offset != 0)
    return NGTCP2_ERR_CRYPTO;
  int error = link->accepted ? server_hears(quic, level, data, len) : client_hears(quic, level, data, len);
  return error == 0 || ngtcp2_err_is_fatal(error) != 0 ? error : NGTCP2_ERR_CRYPTO;
}

static int encrypt(uint8_t *out, const ngtcp2_crypto_aead *a, const ngtcp2_crypto_aead_ctx *context,
                   const uint8_t *plain, size_t len, const uint8_t *nonce, size_t nonce_len,
                   const uint8_t *head, size_t head_len) {
  (void)a;
  (void)context;
  (void)nonce;
  (void)nonce_len;
  (void)head;
  (void)head_len;
  if (len > 0 && out != plain)
    memmove(out, plain, len);
  memset(out + len, 0, null_overhead);
  return 0;
}

static int decrypt(uint8_t *out, const ngtcp2_crypto_aead *a, const ngtcp2_crypto_aead_ctx *context,
                   const uint8_t *sealed, size_t len, const uint8_t *nonce, size_t nonce_len,
                   const uint8_t *head, size_t head_len) {
  (void)a;
  (void)context;
  (void)nonce;
  (void)nonce_len;
  (void)head;
  (void)head_len;
  if (len < null_overhead)
    return NGTCP2_ERR_DECRYPT;
  memmove(out, sealed, len - null_overhead);
  return 0;
}

static int mask(uint8_t *out, const ngtcp2_crypto_cipher *hp, const ngtcp2_crypto_cipher_ctx *context,
                const uint8_t *sample) {
  (void)hp;
  (void)context;
  (void)sample;
  memset(out, 0, mask_bytes);
  return 0;
}

static int update_key(ngtcp2_conn *quic, uint8_t *rx_secret, uint8_t *tx_secret, ngtcp2_crypto_aead_ctx *rx,
                      uint8_t *rx_iv, ngtcp2_crypto_aead_ctx *tx, uint8_t *tx_iv, const uint8_t *old_rx,
                      const uint8_t *old_tx, size_t len, void *user) {
  (void)quic;
  (void)old_rx;
  (void)old_tx;
  (void)user;
  memset(rx_secret, 0, len);
  memset(tx_secret, 0, len);
  memset(rx_iv, 0, iv_bytes);
  memset(tx_iv, 0, iv_bytes);
  *rx = aead;
  *tx = aead;
  return 0;
}

static void delete_aead(ngtcp2_conn *quic, ngtcp2_crypto_aead_ctx *context, void *user) {
  (void)quic;
  (void)context;
  (void)user;
}

static void delete_cipher(ngtcp2_conn *quic, ngtcp2_crypto_cipher_ctx *context, void *user) {
  (void)quic;
  (void)context;
  (void)user;
}

static int negotiate(ngtcp2_conn *quic, uint32_t version, const ngtcp2_cid *id, void *user) {
  (void)quic;
  (void)version;
  (void)id;
  (void)user;
  return 0;
}

static void fill_callbacks(ngtcp2_callbacks *out) {
  out->client_initial = client_initial;
  out->recv_client_initial = server_initial;
  out->recv_retry = retried;
  out->recv_crypto_data = receive_crypto_data;
  out->encrypt = encrypt;
  out->decrypt = decrypt;
  out->hp_mask = mask;
  out->update_key = update_key;
  out->delete_crypto_aead_ctx = delete_aead;
  out->delete_crypto_cipher_ctx = delete_cipher;
  out->version_negotiation = negotiate;
}

static sc_status start(sc_quic_link *link) {
  (void)link;
  return SC_OK;
}

static void stop(sc_quic_link *link) {
  (void)link;
}

const sc_quic_security null_security = {.fill_callbacks = fill_callbacks, .start = start, .stop = stop};

void null_secure(sc_quic_endpoint *endpoint) {
  endpoint->security = &null_security;
}
