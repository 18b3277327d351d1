/* Callbacks of ngtcp2. None of them may read or write packets. */
#include <ngtcp2/ngtcp2_crypto.h>

#include "endpoint.h"

static void give_random(uint8_t *out, size_t len, const ngtcp2_rand_ctx *context) {
  sc_random(context->native_handle, out, len);
}

static int new_connection_id(ngtcp2_conn *quic, ngtcp2_cid *id, uint8_t *token, size_t len, void *user) {
  (void)quic;
  sc_quic_link *link = user;
  sc_quic_endpoint *endpoint = link->endpoint;
  sc_random(endpoint->env, id->data, len);
  id->datalen = len;
  if (ngtcp2_crypto_generate_stateless_reset_token(token, endpoint->secret, sizeof endpoint->secret, id) != 0)
    return NGTCP2_ERR_CALLBACK_FAILURE;
  sc_status status =
      sc_quic_id_table_add(&endpoint->ids, SC_QUIC_ID_CONNECTION, sc_bytes_make(id->data, len), link);
  return status == SC_OK ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int remove_connection_id(ngtcp2_conn *quic, const ngtcp2_cid *id, void *user) {
  (void)quic;
  sc_quic_link *link = user;
  sc_quic_id_table_remove(&link->endpoint->ids, SC_QUIC_ID_CONNECTION, sc_bytes_make(id->data, id->datalen),
                          link);
  return 0;
}

static void remember_token(sc_quic_link *link, const uint8_t *token) {
  if (link->reset_token_count == sc_quic_most_reset_tokens)
    return;
  uint8_t *place = link->reset_tokens[link->reset_token_count];
  memcpy(place, token, sc_quic_reset_token_bytes);
  /* Without it a reset is not understood, and the connection ends a little later. */
  if (sc_quic_id_table_add(&link->endpoint->ids, SC_QUIC_ID_RESET_TOKEN,
                           sc_bytes_make(place, sc_quic_reset_token_bytes), link) == SC_OK)
    link->reset_token_count++;
}

static void forget_token(sc_quic_link *link, const uint8_t *token) {
  for (uint32_t i = 0; i < link->reset_token_count; i++)
    if (memcmp(link->reset_tokens[i], token, sc_quic_reset_token_bytes) == 0) {
      sc_quic_id_table_remove(&link->endpoint->ids, SC_QUIC_ID_RESET_TOKEN,
                              sc_bytes_make(token, sc_quic_reset_token_bytes), link);
      memcpy(link->reset_tokens[i], link->reset_tokens[--link->reset_token_count], sc_quic_reset_token_bytes);
      return;
    }
}

static int peer_id_status(ngtcp2_conn *quic, int type, uint64_t sequence, const ngtcp2_cid *id,
                          const uint8_t *token, void *user) {
  (void)quic;
  (void)sequence;
  (void)id;
  if (token == NULL)
    return 0;
  if (type == NGTCP2_CONNECTION_ID_STATUS_TYPE_ACTIVATE)
    remember_token(user, token);
  else
    forget_token(user, token);
  return 0;
}

/* Only the peer can have sent this packet. */
static void note_heard(const sc_quic_link *link) {
  link->endpoint->counts.heard_at = link->endpoint->now;
}

static int handshake_completed(ngtcp2_conn *quic, void *user) {
  (void)quic;
  sc_quic_link *link = user;
  note_heard(link);
  if (link->ending != SC_QUIC_END_NONE)
    return 0;
  link->open = true;
  link->told = true;
  link->last_use = link->endpoint->now;
  if (link->accepted) {
    link->confirmed = true; /* servers are not called back for that */
    link->endpoint->counts.handshakes--;
  }
  sc_quic_stream_open_waiting(link);
  if (link->events.opened != NULL)
    link->events.opened(link->events.user, sc_slot_number(&link->slot), link->has_key ? link->key : NULL);
  return 0;
}

static int handshake_confirmed(ngtcp2_conn *quic, void *user) {
  (void)quic;
  sc_quic_link *link = user;
  link->confirmed = true;
  return 0;
}

static int version_negotiation_received(ngtcp2_conn *quic, const ngtcp2_pkt_hd *head,
                                        const uint32_t *versions, size_t count, void *user) {
  (void)quic;
  (void)head;
  (void)versions;
  (void)count;
  (void)user;
  return 0;
}

static int stateless_reset_received(ngtcp2_conn *quic, const ngtcp2_pkt_stateless_reset *reset, void *user) {
  (void)quic;
  (void)reset;
  sc_quic_link *link = user;
  link->reset = true;
  return 0;
}

/* The stream that a peer opened, created at its first data. */
static sc_quic_stream *stream_of(sc_quic_link *link, int64_t id, void *stream_user) {
  sc_quic_stream *stream = stream_user;
  if (stream == NULL && sc_quic_stream_new(&stream, link, id, (uint32_t)((uint64_t)id / 4)) != SC_OK)
    return NULL;
  return stream;
}

static int stream_opened(ngtcp2_conn *quic, int64_t id, void *user) {
  (void)quic;
  sc_quic_link *link = user;
  return stream_of(link, id, NULL) != NULL ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int stream_data(ngtcp2_conn *quic, uint32_t flags, int64_t id, uint64_t offset, const uint8_t *data,
                       size_t len, void *user, void *stream_user) {
  (void)quic;
  (void)offset;
  sc_quic_link *link = user;
  note_heard(link);
  if (link->ending != SC_QUIC_END_NONE)
    return 0;
  sc_quic_stream *stream = stream_of(link, id, stream_user);
  if (stream == NULL)
    return NGTCP2_ERR_CALLBACK_FAILURE;
  sc_status status = sc_quic_stream_receive(stream, sc_bytes_make(data, len));
  if (status != SC_OK) {
    link->failure = status;
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  if ((flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0)
    sc_quic_stream_ended(stream);
  return 0;
}

static int stream_acknowledged(ngtcp2_conn *quic, int64_t id, uint64_t offset, uint64_t len, void *user,
                               void *stream_user) {
  (void)quic;
  (void)id;
  (void)offset;
  note_heard(user);
  if (stream_user != NULL)
    sc_quic_stream_acknowledged(stream_user, (size_t)len);
  return 0;
}

static int stream_closed(ngtcp2_conn *quic, uint32_t flags, int64_t id, uint64_t code, void *user,
                         void *stream_user) {
  (void)flags;
  (void)code;
  sc_quic_link *link = user;
  if (stream_user != NULL) {
    sc_quic_stream_abandon(stream_user, SC_ERR_QUIC_STREAM);
    sc_quic_stream_free(stream_user);
  }
  if (ngtcp2_conn_is_local_stream(quic, id) == 0)
    ngtcp2_conn_extend_max_streams_bidi(quic, 1);
  (void)link;
  return 0;
}

static int stream_reset(ngtcp2_conn *quic, int64_t id, uint64_t final_size, uint64_t code, void *user,
                        void *stream_user) {
  (void)quic;
  (void)id;
  (void)final_size;
  (void)code;
  (void)user;
  if (stream_user != NULL)
    sc_quic_stream_close(stream_user, SC_ERR_QUIC_STREAM, 0);
  return 0;
}

static int stream_not_wanted(ngtcp2_conn *quic, int64_t id, uint64_t code, void *user, void *stream_user) {
  return stream_reset(quic, id, 0, code, user, stream_user);
}

static int stream_limit_raised(ngtcp2_conn *quic, int64_t id, uint64_t limit, void *user, void *stream_user) {
  (void)quic;
  (void)id;
  (void)limit;
  (void)user;
  sc_quic_stream *stream = stream_user;
  if (stream != NULL)
    stream->blocked = false;
  return 0;
}

static int path_challenge(ngtcp2_conn *quic, uint8_t *data, void *user) {
  (void)quic;
  const sc_quic_link *link = user;
  sc_random(link->endpoint->env, data, NGTCP2_PATH_CHALLENGE_DATALEN);
  return 0;
}

void sc_quic_fill_callbacks(ngtcp2_callbacks *out) {
  out->rand = give_random;
  out->get_new_connection_id = new_connection_id;
  out->remove_connection_id = remove_connection_id;
  out->dcid_status = peer_id_status;
  out->get_path_challenge_data = path_challenge;
  out->handshake_completed = handshake_completed;
  out->handshake_confirmed = handshake_confirmed;
  out->recv_version_negotiation = version_negotiation_received;
  out->recv_stateless_reset = stateless_reset_received;
  out->stream_open = stream_opened;
  out->recv_stream_data = stream_data;
  out->acked_stream_data_offset = stream_acknowledged;
  out->stream_close = stream_closed;
  out->stream_reset = stream_reset;
  out->stream_stop_sending = stream_not_wanted;
  out->extend_max_stream_data = stream_limit_raised;
}
