#include <assert.h>

#include "endpoint.h"
#include "path.h"
#include "session-core/base/secret.h"

enum {
  client_first_id_bytes = 18,
  transport_no_error = 0x0,
  transport_internal_error = 0x1,
  transport_connection_refused = 0x2,
  transport_tls = 0x100,
  tls_bad_certificate = 42,
  tls_certificate_required = 116,
  tls_no_protocol = 120,
  probe_timeouts_kept = 3, /* how long a closed connection is remembered */
};

static sc_quic_link *find(const sc_quic_endpoint *endpoint, sc_quic_connection number) {
  return sc_slots_find(&endpoint->links, number);
}

static void random_id(ngtcp2_cid *out, const sc_env *env, size_t len) {
  uint8_t bytes[NGTCP2_MAX_CIDLEN];
  sc_random(env, bytes, len);
  ngtcp2_cid_init(out, bytes, len);
}

static sc_bytes id_bytes(const ngtcp2_cid *id) {
  return sc_bytes_make(id->data, id->datalen);
}

static sc_status status_of(int error) {
  return error == NGTCP2_ERR_NOMEM ? SC_ERR_NO_MEMORY : SC_ERR_QUIC_VIOLATION;
}

/* A link without ngtcp2's part. */
static sc_status take(sc_quic_link **out, sc_quic_endpoint *endpoint, bool accepted) {
  void *thing;
  if (endpoint->stopped)
    return SC_ERR_QUIC_STOPPED;
  if (endpoint->live >= endpoint->options.limits.connections)
    return SC_ERR_QUIC_BUSY;
  sc_status status = sc_slots_take(&thing, &endpoint->links);
  if (status != SC_OK)
    return status;
  status = sc_timers_promise(&endpoint->timers);
  if (status != SC_OK) {
    sc_slots_give_back(&endpoint->links, thing);
    return status;
  }
  sc_quic_link *link = thing;
  link->endpoint = endpoint;
  link->timer.kind = SC_QUIC_TIMER_LINK;
  link->accepted = accepted;
  link->last_use = endpoint->now;
  endpoint->live++;
  if (accepted)
    endpoint->counts.handshakes++;
  *out = link;
  return SC_OK;
}

static void fill_settings(ngtcp2_settings *settings, const sc_quic_link *link, uint64_t handshake_timeout) {
  ngtcp2_settings_default(settings);
  settings->initial_ts = link->endpoint->now;
  settings->handshake_timeout = handshake_timeout;
  settings->max_tx_udp_payload_size = SC_QUIC_MAX_DATAGRAM_BYTES;
  settings->rand_ctx.native_handle = (void *)(uintptr_t)link->endpoint->env;
}

static void fill_parameters(ngtcp2_transport_params *parameters, const sc_quic_link *link) {
  const sc_quic_options *options = &link->endpoint->options;
  ngtcp2_transport_params_default(parameters);
  parameters->initial_max_stream_data_bidi_local = options->limits.stream_window;
  parameters->initial_max_stream_data_bidi_remote = options->limits.stream_window;
  parameters->initial_max_data = options->limits.window;
  parameters->initial_max_streams_bidi = link->accepted ? options->limits.streams : 0;
  parameters->max_idle_timeout = options->idle_timeout;
  parameters->active_connection_id_limit = sc_quic_active_ids;
}

/* Lets datagrams find the link, and prepares its handshake. */
static sc_status prepare(sc_quic_link *link, const ngtcp2_cid *id) {
  sc_quic_endpoint *endpoint = link->endpoint;
  sc_status status = sc_quic_id_table_add(&endpoint->ids, SC_QUIC_ID_CONNECTION, id_bytes(id), link);
  if (status == SC_OK && link->accepted)
    status = sc_quic_id_table_add(&endpoint->ids, SC_QUIC_ID_CONNECTION, id_bytes(&link->first_id), link);
  if (sc_quic_memory_was_short(&endpoint->memory))
    status = SC_ERR_NO_MEMORY;
  if (status == SC_OK)
    status = endpoint->security->start(link);
  link->protocol = (sc_bytes){0}; /* the caller's, perhaps */
  return status;
}

/* `error` is what ngtcp2 said when its part was to be made. Frees the link if that, or what remains to be
 * done, fails. */
static sc_status start(sc_quic_link *link, int error, const ngtcp2_cid *id) {
  if (error != 0)
    link->quic = NULL;
  sc_status status = error == 0 ? prepare(link, id) : status_of(error);
  if (status != SC_OK)
    sc_quic_link_free(link);
  return status;
}

sc_status sc_quic_connect(sc_quic_connection *out, sc_quic_endpoint *endpoint, uint64_t now,
                          const sc_quic_target *target) {
  static const sc_address anywhere = {.family = SC_ADDRESS_NONE};
  ngtcp2_callbacks callbacks = {0};
  ngtcp2_settings settings;
  ngtcp2_transport_params parameters;
  ngtcp2_cid first_id, own_id;
  sc_quic_path path;
  sc_quic_link *link;
  *out = 0;
  endpoint->now = now;
  if (target->address.family == SC_ADDRESS_NONE || target->protocol.len > SC_QUIC_MAX_PROTOCOL_BYTES)
    return SC_ERR_ARGUMENT;
  sc_status status = take(&link, endpoint, false);
  if (status != SC_OK)
    return status;
  link->events = target->events;
  link->protocol = target->protocol.len > 0 ? target->protocol : endpoint->options.protocol;
  link->idle_close = target->idle_close;
  memcpy(link->key, target->key, SC_KEY_BYTES);
  random_id(&first_id, endpoint->env, client_first_id_bytes);
  random_id(&own_id, endpoint->env, sc_quic_id_bytes);
  sc_quic_path_set(&path, &anywhere, &target->address);
  sc_quic_fill_callbacks(&callbacks);
  endpoint->security->fill_callbacks(&callbacks);
  fill_settings(&settings, link,
                target->handshake_timeout != 0 ? target->handshake_timeout
                                               : endpoint->options.handshake_timeout);
  fill_parameters(&parameters, link);
  int error = ngtcp2_conn_client_new(&link->quic, &first_id, &own_id, &path.path, NGTCP2_PROTO_VER_V1,
                                     &callbacks, &settings, &parameters, &endpoint->memory.mem, link);
  status = start(link, error, &own_id);
  if (status != SC_OK)
    return status;
  if (target->keep_alive != 0)
    ngtcp2_conn_set_keep_alive_timeout(link->quic, target->keep_alive);
  link->told = true;
  endpoint->counts.made++;
  sc_quic_ready(link);
  *out = sc_slot_number(&link->slot);
  return SC_OK;
}

sc_status sc_quic_link_accept(sc_quic_endpoint *endpoint, const ngtcp2_path *path, const ngtcp2_pkt_hd *head,
                              const ngtcp2_cid *original_id, sc_quic_host *host, sc_quic_link **out) {
  ngtcp2_callbacks callbacks = {0};
  ngtcp2_settings settings;
  ngtcp2_transport_params parameters;
  ngtcp2_cid own_id;
  sc_quic_link *link;
  sc_status status = take(&link, endpoint, true);
  if (status != SC_OK) {
    sc_quic_admission_leave(host);
    return status;
  }
  link->events = endpoint->options.accepted;
  link->protocol = endpoint->options.protocol;
  link->host = host;
  link->first_id = head->dcid;
  random_id(&own_id, endpoint->env, sc_quic_id_bytes);
  sc_quic_fill_callbacks(&callbacks);
  endpoint->security->fill_callbacks(&callbacks);
  fill_settings(&settings, link, endpoint->options.handshake_timeout);
  fill_parameters(&parameters, link);
  parameters.original_dcid = head->dcid;
  if (original_id != NULL) {
    settings.token = head->token;
    parameters.original_dcid = *original_id;
    parameters.retry_scid = head->dcid;
    parameters.retry_scid_present = 1;
  }
  parameters.stateless_reset_token_present = 1;
  int error = ngtcp2_crypto_generate_stateless_reset_token(parameters.stateless_reset_token, endpoint->secret,
                                                           sizeof endpoint->secret, &own_id);
  if (error == 0)
    error = ngtcp2_conn_server_new(&link->quic, &head->scid, &own_id, path, head->version, &callbacks,
                                   &settings, &parameters, &endpoint->memory.mem, link);
  status = start(link, error, &own_id);
  if (status != SC_OK)
    return status;
  endpoint->counts.accepted++;
  *out = link;
  return SC_OK;
}

void sc_quic_link_end(sc_quic_link *link, sc_quic_ending ending, sc_status reason) {
  if (link->ending != SC_QUIC_END_NONE)
    return;
  uint64_t number = sc_slot_number(&link->slot);
  link->ending = (uint8_t)ending;
  sc_slot_forget(&link->slot);
  sc_quic_ready(link);
  for (size_t i = 0; i < link->stream_count; i++)
    sc_quic_stream_abandon(link->streams[i], reason);
  if (link->told && link->events.closed != NULL)
    link->events.closed(link->events.user, number, reason);
}

void sc_quic_link_close(sc_quic_link *link, uint64_t code, sc_status reason) {
  link->close_code = code;
  sc_quic_link_end(link, SC_QUIC_END_CLOSE, reason);
}

static void close_transport(sc_quic_link *link, uint64_t code, sc_status reason) {
  link->close_is_transport = true;
  sc_quic_link_close(link, code, reason);
}

/* The status for the peer's close. */
static sc_status reason_of_peer(sc_quic_link *link) {
  ngtcp2_connection_close_error error;
  if (link->reset)
    return SC_ERR_QUIC_RESET;
  ngtcp2_conn_get_connection_close_error(link->quic, &error);
  if (error.type != NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_TRANSPORT)
    return SC_ERR_QUIC_CLOSED;
  switch (error.error_code) {
  case transport_no_error:
    return SC_ERR_QUIC_CLOSED;
  case transport_connection_refused:
    return SC_ERR_QUIC_BUSY;
  case transport_tls + tls_bad_certificate:
  case transport_tls + tls_certificate_required:
    return SC_ERR_QUIC_REFUSED;
  case transport_tls + tls_no_protocol:
    return SC_ERR_QUIC_PROTOCOL;
  default:
    return error.error_code >= transport_tls && error.error_code < 2 * transport_tls ? SC_ERR_QUIC_HANDSHAKE
                                                                                     : SC_ERR_QUIC_VIOLATION;
  }
}

static void handshake_failed(sc_quic_link *link) {
  uint8_t alert = ngtcp2_conn_get_tls_alert(link->quic);
  sc_status reason = alert == tls_no_protocol ? SC_ERR_QUIC_PROTOCOL : SC_ERR_QUIC_HANDSHAKE;
  close_transport(link, transport_tls + alert, link->failure != SC_OK ? link->failure : reason);
}

static void fail(sc_quic_link *link, int error) {
  switch (error) {
  case NGTCP2_ERR_DRAINING:
    sc_quic_link_end(link, SC_QUIC_END_DRAIN, reason_of_peer(link));
    break;
  case NGTCP2_ERR_IDLE_CLOSE:
    sc_quic_link_end(link, SC_QUIC_END_SILENT, link->open ? SC_ERR_QUIC_IDLE : SC_ERR_QUIC_UNREACHABLE);
    break;
  case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
    sc_quic_link_end(link, SC_QUIC_END_SILENT, SC_ERR_QUIC_UNREACHABLE);
    break;
  case NGTCP2_ERR_DROP_CONN:
  case NGTCP2_ERR_RETRY:
    sc_quic_link_end(link, SC_QUIC_END_SILENT, SC_ERR_QUIC_HANDSHAKE);
    break;
  case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
    sc_quic_link_end(link, SC_QUIC_END_SILENT, SC_ERR_QUIC_VERSION);
    break;
  case NGTCP2_ERR_CRYPTO:
    handshake_failed(link);
    break;
  case NGTCP2_ERR_NOMEM:
  case NGTCP2_ERR_CALLBACK_FAILURE:
    close_transport(link, transport_internal_error,
                    link->failure != SC_OK ? link->failure : SC_ERR_NO_MEMORY);
    break;
  default:
    close_transport(link, ngtcp2_err_infer_quic_transport_error_code(error), SC_ERR_QUIC_VIOLATION);
  }
}

void sc_quic_link_check(sc_quic_link *link, int error) {
  bool was_short = sc_quic_memory_was_short(&link->endpoint->memory);
  if (error == 0 && was_short)
    error = NGTCP2_ERR_NOMEM;
  if (error != 0)
    fail(link, error);
}

/* The packet that says why, straight into the room for packets. Its length, 0 when there is nothing to say.
 */
static size_t write_close(sc_quic_link *link, sc_outbox *out) {
  ngtcp2_connection_close_error error;
  ngtcp2_path_storage path;
  ngtcp2_pkt_info info;
  ngtcp2_path_storage_zero(&path);
  if (link->close_is_transport)
    ngtcp2_connection_close_error_set_transport_error(&error, link->close_code, NULL, 0);
  else
    ngtcp2_connection_close_error_set_application_error(&error, link->close_code, NULL, 0);
  ngtcp2_ssize len =
      ngtcp2_conn_write_connection_close(link->quic, &path.path, &info, out->bytes + out->len,
                                         SC_QUIC_MAX_DATAGRAM_BYTES, &error, link->endpoint->now);
  if (len <= 0)
    return 0;
  sc_quic_output_add(out, &path.path, (uint8_t)info.ecn, (size_t)len);
  return (size_t)len;
}

static void forget_ids(sc_quic_link *link, const ngtcp2_cid *ids, size_t count) {
  for (size_t i = 0; i < count; i++)
    sc_quic_id_table_remove(&link->endpoint->ids, SC_QUIC_ID_CONNECTION, id_bytes(&ids[i]), link);
}

static sc_quic_remains *make_remains(sc_quic_link *link, sc_bytes close) {
  size_t count = ngtcp2_conn_get_num_scid(link->quic);
  sc_quic_remains *remains =
      sc_allocate(link->endpoint->env, sizeof *remains + (count + 1) * sizeof(ngtcp2_cid));
  if (remains == NULL)
    return NULL;
  *remains = (sc_quic_remains){.ids = (ngtcp2_cid *)(remains + 1)};
  remains->id_count = ngtcp2_conn_get_scid(link->quic, remains->ids);
  if (link->accepted)
    remains->ids[remains->id_count++] = link->first_id;
  sc_quic_path_read(&remains->local, &ngtcp2_conn_get_path(link->quic)->local);
  sc_quic_path_read(&remains->peer, &ngtcp2_conn_get_path(link->quic)->remote);
  if (close.len <= sizeof remains->close) {
    memcpy(remains->close, close.ptr, close.len);
    remains->close_len = close.len;
  }
  return remains;
}

/* Frees all that only a living link needs; its ids too, unless remains keep them. */
static void strip(sc_quic_link *link) {
  sc_quic_endpoint *endpoint = link->endpoint;
  while (link->stream_count > 0)
    sc_quic_stream_free(link->streams[link->stream_count - 1]);
  for (uint32_t i = 0; i < link->reset_token_count; i++)
    sc_quic_id_table_remove(&endpoint->ids, SC_QUIC_ID_RESET_TOKEN, SC_BYTES(link->reset_tokens[i]), link);
  link->reset_token_count = 0;
  endpoint->security->stop(link);
  if (link->quic != NULL)
    ngtcp2_conn_del(link->quic);
  link->quic = NULL;
  sc_quic_admission_leave(link->host);
  link->host = NULL;
  endpoint->live--;
  if (link->accepted && !link->open)
    endpoint->counts.handshakes--;
}

static void forget_own_ids(sc_quic_link *link) {
  ngtcp2_cid ids[64];
  size_t count = link->quic != NULL ? ngtcp2_conn_get_num_scid(link->quic) : 0;
  assert(count < sizeof ids / sizeof ids[0]);
  if (count > 0)
    count = ngtcp2_conn_get_scid(link->quic, ids);
  if (link->accepted)
    ids[count++] = link->first_id;
  forget_ids(link, ids, count);
}

void sc_quic_link_free(sc_quic_link *link) {
  sc_quic_endpoint *endpoint = link->endpoint;
  assert(!link->ready || endpoint->stopped);
  sc_timer_clear(&endpoint->timers, &link->timer);
  sc_timers_release(&endpoint->timers);
  if (link->remains != NULL) {
    forget_ids(link, link->remains->ids, link->remains->id_count);
    sc_release(endpoint->env, link->remains);
  } else {
    forget_own_ids(link);
    strip(link);
  }
  sc_slots_give_back(&endpoint->links, link);
}

void sc_quic_link_conclude(sc_quic_link *link, sc_outbox *out) {
  const uint8_t *at = out->bytes + out->len;
  sc_quic_endpoint *endpoint = link->endpoint;
  size_t close_len = 0;
  if (link->ending == SC_QUIC_END_CLOSE) {
    if (!sc_quic_output_has_room(out)) {
      sc_quic_ready(link);
      return;
    }
    close_len = write_close(link, out);
    if (close_len == 0)
      link->ending = SC_QUIC_END_SILENT;
  }
  uint64_t kept = probe_timeouts_kept * ngtcp2_conn_get_pto(link->quic);
  /* As many may be remembered as may live, so that those never stand in the way of these. */
  bool remembered = endpoint->links.taken - endpoint->live < endpoint->options.limits.connections;
  if (link->ending != SC_QUIC_END_SILENT && remembered)
    link->remains = make_remains(link, sc_bytes_make(at, close_len));
  if (link->remains == NULL) {
    sc_quic_link_free(link);
    return;
  }
  strip(link);
  sc_timer_set(&endpoint->timers, &link->timer, endpoint->now + kept);
}

bool sc_quic_link_is_idle(const sc_quic_link *link) {
  return link->idle_close != 0 && link->call_count == 0 && link->request_count == 0 &&
         link->endpoint->now >= link->last_use + link->idle_close;
}

void sc_quic_link_set_timer(sc_quic_link *link) {
  uint64_t at = ngtcp2_conn_get_expiry(link->quic);
  if (link->idle_close != 0 && link->call_count == 0 && link->request_count == 0) {
    uint64_t idle = link->last_use + link->idle_close;
    at = idle < at ? idle : at;
  }
  uint64_t held = sc_quic_link_held_until(link);
  at = held < at ? held : at;
  sc_timer_set(&link->endpoint->timers, &link->timer, at);
}

sc_status sc_quic_close(sc_quic_endpoint *endpoint, uint64_t now, sc_quic_connection connection) {
  endpoint->now = now;
  sc_quic_link *link = find(endpoint, connection);
  if (link == NULL)
    return SC_ERR_NOT_FOUND;
  sc_quic_link_close(link, 0, SC_ERR_QUIC_STOPPED);
  return SC_OK;
}

sc_status sc_quic_connection_inspect(sc_quic_connection_info *out, const sc_quic_endpoint *endpoint,
                                     sc_quic_connection connection) {
  const sc_quic_link *link = find(endpoint, connection);
  *out = (sc_quic_connection_info){0};
  if (link == NULL)
    return SC_ERR_NOT_FOUND;
  *out = (sc_quic_connection_info){.accepted = link->accepted,
                                   .open = link->open,
                                   .has_peer_key = link->has_key,
                                   .streams = link->stream_count,
                                   .calls = link->call_count,
                                   .open_requests = link->request_count,
                                   .send_memory = link->send_memory,
                                   .receive_memory = link->receive_memory};
  memcpy(out->peer_key, link->key, SC_KEY_BYTES);
  sc_quic_path_read(&out->peer, &ngtcp2_conn_get_path(link->quic)->remote);
  return SC_OK;
}

sc_status sc_quic_update_keys(sc_quic_endpoint *endpoint, uint64_t now, sc_quic_connection connection) {
  endpoint->now = now;
  sc_quic_link *link = find(endpoint, connection);
  if (link == NULL)
    return SC_ERR_NOT_FOUND;
  /* ngtcp2 0.12 lets a side update keys before it knows that the peer has seen the last update: if both
   * sides do so in turn, one lost packet separates them for good. */
  if (link->accepted)
    return SC_ERR_STATE;
  int error = ngtcp2_conn_initiate_key_update(link->quic, now);
  if (error == NGTCP2_ERR_INVALID_STATE)
    return SC_ERR_STATE;
  sc_quic_link_check(link, error);
  sc_quic_ready(link);
  return link->ending == SC_QUIC_END_NONE ? SC_OK : SC_ERR_NO_MEMORY;
}
