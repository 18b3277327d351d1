#include "endpoint.h"

#include <assert.h>

#include "session-core/base/secret.h"
#include "session-core/crypto/hash.h"

enum {
  mebibyte = 1024 * 1024,
  most_connections = 1 << 20,
};

void sc_quic_options_default(sc_quic_options *out) {
  *out = (sc_quic_options){
      .protocol = sc_bytes_text(SC_QUIC_PROTOCOL_STORAGE),
      .handshake_timeout = 10 * SC_QUIC_SECOND,
      .idle_timeout = 30 * SC_QUIC_SECOND,
      .call_timeout = 10 * SC_QUIC_SECOND,
      .limits = {.connections = 4096,
                 .connections_per_host = 256,
                 .handshakes = 1024,
                 .handshakes_before_retry = 128,
                 .handshakes_per_host = 128,
                 .handshakes_per_host_a_second = 64,
                 .hosts = 8192,
                 .stateless_a_second = 1000,
                 .streams = SC_QUIC_MAX_STREAMS,
                 .open_requests = 4096,
                 .frame = SC_QUIC_MAX_FRAME_BYTES,
                 .receive_memory = 32 * mebibyte,
                 .send_memory = 32 * mebibyte,
                 .stream_window = 6 * mebibyte,
                 .window = 15 * mebibyte,
                 .calls = 65536},
  };
}

static bool limits_hold(const sc_quic_limits *limits) {
  return limits->connections > 0 && limits->connections <= most_connections &&
         limits->hosts <= most_connections && limits->handshakes > 0 && limits->streams > 0 &&
         limits->streams <= SC_QUIC_MAX_STREAMS && limits->open_requests > 0 &&
         limits->frame >= sc_quic_largest_head && limits->frame <= SC_QUIC_MAX_FRAME_BYTES &&
         limits->send_memory / 2 >= limits->frame && limits->receive_memory >= limits->frame &&
         limits->stream_window > 0 && limits->window > 0 && limits->window < UINT32_MAX &&
         limits->stream_window <= limits->window && limits->calls > 0;
}

static bool options_hold(const sc_quic_options *options) {
  return options->protocol.len > 0 && options->protocol.len <= SC_QUIC_MAX_PROTOCOL_BYTES &&
         (options->identity != NULL || !options->accepts) && options->handshake_timeout > 0 &&
         options->idle_timeout > 0 && options->idle_timeout < SC_NEVER / 4 && options->call_timeout > 0 &&
         limits_hold(&options->limits);
}

/* Tokens of a node stay good when it restarts: they come from its key. */
static sc_status make_secret(sc_quic_endpoint *endpoint, const sc_ed25519_pair *identity) {
  static const char label[] = "SessionQuicTokens";
  if (identity == NULL) {
    sc_random(endpoint->env, endpoint->secret, sizeof endpoint->secret);
    return SC_OK;
  }
  return sc_blake2b(endpoint->secret, sizeof endpoint->secret,
                    sc_bytes_make(identity->secret, SC_ED25519_SEED_BYTES),
                    sc_bytes_make(label, sizeof label - 1));
}

static void init_tables(sc_quic_endpoint *endpoint) {
  const sc_quic_limits *limits = &endpoint->options.limits;
  uint64_t requests = (uint64_t)limits->connections * limits->open_requests;
  sc_slots_init(&endpoint->links, endpoint->env, sizeof(sc_quic_link), 2 * limits->connections);
  sc_slots_init(&endpoint->calls, endpoint->env, sizeof(sc_quic_pending_call), limits->calls);
  sc_slots_init(&endpoint->requests, endpoint->env, sizeof(sc_quic_pending_request),
                requests < INT32_MAX ? (uint32_t)requests : INT32_MAX);
  sc_timers_init(&endpoint->timers, endpoint->env);
  sc_quic_id_table_init(&endpoint->ids, endpoint->env);
  sc_quic_segments_init(&endpoint->segments, endpoint->env);
  sc_quic_blocks_init(&endpoint->blocks, endpoint->env);
  endpoint->spare_timer.kind = SC_QUIC_TIMER_SPARE;
  sc_quic_admission_init(&endpoint->admission, endpoint->env, limits->hosts);
  sc_quic_strays_init(&endpoint->strays, endpoint->env);
}

sc_status sc_quic_endpoint_new(sc_quic_endpoint **out, const sc_env *env, const sc_quic_options *options) {
  *out = NULL;
  if (!options_hold(options))
    return SC_ERR_ARGUMENT;
  env = env != NULL ? env : sc_env_default();
  sc_quic_endpoint *endpoint = sc_allocate(env, sizeof *endpoint + options->protocol.len);
  if (endpoint == NULL)
    return SC_ERR_NO_MEMORY;
  *endpoint = (sc_quic_endpoint){.env = env, .options = *options, .security = &sc_quic_tls_security};
  uint8_t *protocol = (uint8_t *)(endpoint + 1);
  memcpy(protocol, options->protocol.ptr, options->protocol.len);
  endpoint->options.protocol.ptr = protocol;
  endpoint->options.identity = NULL;
  init_tables(endpoint);
  sc_status status = sc_quic_memory_init(&endpoint->memory, env);
  if (status == SC_OK)
    status = sc_timers_promise(&endpoint->timers);
  if (status == SC_OK)
    status = make_secret(endpoint, options->identity);
  if (status == SC_OK)
    status = sc_quic_tls_init(&endpoint->tls, options->identity);
  if (status != SC_OK) {
    sc_quic_endpoint_free(endpoint);
    return status;
  }
  *out = endpoint;
  return SC_OK;
}

static void end_all(sc_quic_endpoint *endpoint, sc_quic_ending ending) {
  sc_quic_link *link;
  for (uint32_t i = 0; (link = sc_slots_at(&endpoint->links, i)) != NULL; i++)
    if (link->slot.known)
      sc_quic_link_end(link, ending, SC_ERR_QUIC_STOPPED);
}

void sc_quic_stop(sc_quic_endpoint *endpoint, uint64_t now) {
  endpoint->now = now;
  endpoint->stopped = true;
  end_all(endpoint, SC_QUIC_END_CLOSE);
}

void sc_quic_endpoint_free(sc_quic_endpoint *endpoint) {
  if (endpoint == NULL)
    return;
  endpoint->stopped = true;
  end_all(endpoint, SC_QUIC_END_SILENT);
  sc_quic_link *link;
  for (uint32_t i = 0; (link = sc_slots_at(&endpoint->links, i)) != NULL; i++)
    if (link->endpoint != NULL)
      sc_quic_link_free(link);
  sc_slots_free(&endpoint->links);
  sc_slots_free(&endpoint->calls);
  sc_slots_free(&endpoint->requests);
  sc_timers_free(&endpoint->timers);
  sc_quic_id_table_free(&endpoint->ids);
  sc_quic_segments_clear(&endpoint->segments);
  sc_quic_blocks_clear(&endpoint->blocks);
  sc_quic_admission_free(&endpoint->admission);
  sc_quic_strays_free(&endpoint->strays);
  sc_quic_tls_free(&endpoint->tls);
  sc_quic_memory_free(&endpoint->memory);
  sc_release(endpoint->env, endpoint->buckets);
  sc_release(endpoint->env, endpoint->handlers);
  sc_wipe(endpoint->secret, sizeof endpoint->secret);
  sc_release(endpoint->env, endpoint);
}

void sc_quic_ready(sc_quic_link *link) {
  sc_quic_endpoint *endpoint = link->endpoint;
  if (link->ready || link->remains != NULL)
    return;
  link->ready = true;
  link->next_ready = NULL;
  if (endpoint->last_ready != NULL)
    endpoint->last_ready->next_ready = link;
  else
    endpoint->first_ready = link;
  endpoint->last_ready = link;
}

static sc_quic_link *take_ready(sc_quic_endpoint *endpoint) {
  sc_quic_link *link = endpoint->first_ready;
  if (link == NULL)
    return NULL;
  endpoint->first_ready = link->next_ready;
  if (endpoint->first_ready == NULL)
    endpoint->last_ready = NULL;
  link->ready = false;
  return link;
}

static void take_in(void *self, uint64_t now, const sc_datagrams *runs, size_t count) {
  sc_quic_endpoint *endpoint = self;
  endpoint->now = now;
  for (size_t i = 0; i < count; i++)
    sc_quic_input(endpoint, &runs[i]);
}

static sc_quic_link *link_of(sc_timer *timer) {
  return (sc_quic_link *)(void *)((uint8_t *)timer - offsetof(sc_quic_link, timer));
}

static sc_quic_pending_call *waiting_of(sc_timer *timer) {
  return (sc_quic_pending_call *)(void *)((uint8_t *)timer - offsetof(sc_quic_pending_call, timer));
}

static void link_is_due(sc_quic_link *link) {
  if (link->remains != NULL) {
    sc_quic_link_free(link);
    return;
  }
  if (link->ending == SC_QUIC_END_NONE) {
    sc_quic_link_check(link, ngtcp2_conn_handle_expiry(link->quic, link->endpoint->now));
    if (link->ending == SC_QUIC_END_NONE && sc_quic_link_is_idle(link))
      sc_quic_link_close(link, 0, SC_ERR_QUIC_STOPPED);
  }
  sc_quic_ready(link);
}

static void do_what_is_due(sc_quic_endpoint *endpoint) {
  sc_timer *timer;
  while ((timer = sc_timers_take(&endpoint->timers, endpoint->now)) != NULL) {
    switch ((sc_timer_kind)timer->kind) {
    case SC_QUIC_TIMER_LINK:
      link_is_due(link_of(timer));
      break;
    case SC_QUIC_TIMER_CALL:
      sc_quic_call_time_out(waiting_of(timer));
      break;
    case SC_QUIC_TIMER_SPARE:
      sc_quic_segments_clear(&endpoint->segments);
      sc_quic_blocks_clear(&endpoint->blocks);
      break;
    }
  }
}

/* Cached memory helps an active endpoint; a second later it may be idle. */
static void note_spare(sc_quic_endpoint *endpoint) {
  if (endpoint->spare_timer.place == 0 && endpoint->segments.count + endpoint->blocks.count > 0)
    sc_timer_set(&endpoint->timers, &endpoint->spare_timer, endpoint->now + SC_QUIC_SECOND);
}

static void give_out(void *self, uint64_t now, sc_outbox *out) {
  sc_quic_endpoint *endpoint = self;
  endpoint->now = now;
  sc_outbox_clear(out);
  do_what_is_due(endpoint);
  sc_quic_strays_send(&endpoint->strays, out);
  while (sc_quic_output_has_room(out)) {
    sc_quic_link *link = take_ready(endpoint);
    if (link == NULL)
      break;
    if (link->ending != SC_QUIC_END_NONE)
      sc_quic_link_conclude(link, out);
    else if (sc_quic_link_write(link, out))
      sc_quic_ready(link);
  }
  note_spare(endpoint);
  if (out->run_count == 0 && !endpoint->stopped && endpoint->security->prepare != NULL)
    endpoint->security->prepare(endpoint);
}

static uint64_t next_deadline(const void *self) {
  const sc_quic_endpoint *endpoint = self;
  if (endpoint->first_ready != NULL || endpoint->strays.count > 0)
    return 0;
  return sc_timers_next(&endpoint->timers);
}

sc_driven sc_quic_driven(sc_quic_endpoint *endpoint) {
  static const sc_driven_methods methods = {.receive = take_in, .send = give_out, .deadline = next_deadline};
  return (sc_driven){.self = endpoint, .methods = &methods};
}

void sc_quic_endpoint_count(sc_quic_counts *out, const sc_quic_endpoint *endpoint) {
  *out = endpoint->counts;
  out->connections = endpoint->links.taken;
}
