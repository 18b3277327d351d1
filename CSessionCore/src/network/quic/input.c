/* Received datagrams: each belongs to a connection, or comes from a stranger, who gets at most one short
 * reply. */
#include <ngtcp2/ngtcp2_crypto.h>

#include "endpoint.h"
#include "path.h"

enum {
  smallest_first_datagram = 1200,
  /* Peers send no reset for anything shorter, and neither does this side. */
  smallest_reset_cause = 42,
  largest_reset = 43,
  stateless_burst = sc_quic_most_strays,
  long_header = 0x80,
  connection_refused = 0x2,
};

static const uint64_t retry_lifetime = 10 * SC_QUIC_SECOND;

/* A datagram and where it came from. */
typedef struct arrival {
  sc_quic_endpoint *endpoint;
  const sc_datagrams *run;
  const sc_quic_path *path;
  sc_bytes bytes;
  ngtcp2_version_cid ids;
} arrival;

/* Room for an answer to a stranger, if there may be one now. */
static sc_quic_stray *answer_to(const arrival *a) {
  sc_quic_endpoint *endpoint = a->endpoint;
  if (!sc_quic_rate_allows(&endpoint->admission.stateless, endpoint->now, stateless_burst,
                           endpoint->options.limits.stateless_a_second))
    return NULL;
  sc_quic_stray *stray = sc_quic_strays_place(&endpoint->strays);
  if (stray != NULL) {
    stray->local = a->run->local;
    stray->peer = a->run->peer;
  }
  return stray;
}

/* Always smaller than the packet it replies to, so that two endpoints cannot reset each other for ever. */
static void send_reset(const arrival *a) {
  uint8_t token[sc_quic_reset_token_bytes];
  uint8_t noise[largest_reset - sizeof token];
  ngtcp2_cid id;
  if (a->bytes.len < smallest_reset_cause)
    return;
  sc_quic_stray *stray = answer_to(a);
  if (stray == NULL)
    return;
  size_t len = a->bytes.len > largest_reset ? largest_reset : a->bytes.len - 1;
  sc_quic_endpoint *endpoint = a->endpoint;
  ngtcp2_cid_init(&id, a->ids.dcid, a->ids.dcidlen);
  if (ngtcp2_crypto_generate_stateless_reset_token(token, endpoint->secret, sizeof endpoint->secret, &id) !=
      0)
    return;
  sc_random(endpoint->env, noise, sizeof noise);
  ngtcp2_ssize written =
      ngtcp2_pkt_write_stateless_reset(stray->bytes, sizeof stray->bytes, token, noise, len - sizeof token);
  if (written <= 0)
    return;
  endpoint->counts.resets++;
  sc_quic_strays_push(&endpoint->strays, (size_t)written);
}

static void send_versions(const arrival *a) {
  static const uint32_t versions[] = {NGTCP2_PROTO_VER_V1};
  uint8_t unused;
  if (!a->endpoint->options.accepts || a->bytes.len < smallest_first_datagram)
    return;
  sc_quic_stray *stray = answer_to(a);
  if (stray == NULL)
    return;
  sc_random(a->endpoint->env, &unused, 1);
  ngtcp2_ssize written = ngtcp2_pkt_write_version_negotiation(
      stray->bytes, sizeof stray->bytes, unused, a->ids.scid, a->ids.scidlen, a->ids.dcid, a->ids.dcidlen,
      versions, sizeof versions / sizeof versions[0]);
  if (written <= 0)
    return;
  a->endpoint->counts.version_replies++;
  sc_quic_strays_push(&a->endpoint->strays, (size_t)written);
}

static void send_retry(const arrival *a, const ngtcp2_pkt_hd *head) {
  uint8_t token[NGTCP2_CRYPTO_MAX_RETRY_TOKENLEN];
  uint8_t bytes[sc_quic_id_bytes];
  ngtcp2_cid id;
  sc_quic_endpoint *endpoint = a->endpoint;
  sc_quic_stray *stray = answer_to(a);
  if (stray == NULL)
    return;
  sc_random(endpoint->env, bytes, sizeof bytes);
  ngtcp2_cid_init(&id, bytes, sizeof bytes);
  ngtcp2_ssize token_len = ngtcp2_crypto_generate_retry_token(
      token, endpoint->secret, sizeof endpoint->secret, head->version, a->path->path.remote.addr,
      a->path->path.remote.addrlen, &id, &head->dcid, endpoint->now);
  if (token_len < 0)
    return;
  ngtcp2_ssize written = ngtcp2_crypto_write_retry(stray->bytes, sizeof stray->bytes, head->version,
                                                   &head->scid, &id, &head->dcid, token, (size_t)token_len);
  if (written <= 0)
    return;
  endpoint->counts.retries++;
  sc_quic_strays_push(&endpoint->strays, (size_t)written);
}

static void send_refusal(const arrival *a, const ngtcp2_pkt_hd *head) {
  sc_quic_stray *stray = answer_to(a);
  if (stray == NULL)
    return;
  ngtcp2_ssize written =
      ngtcp2_crypto_write_connection_close(stray->bytes, sizeof stray->bytes, head->version, &head->scid,
                                           &head->dcid, connection_refused, NULL, 0);
  if (written <= 0)
    return;
  a->endpoint->counts.refusals++;
  sc_quic_strays_push(&a->endpoint->strays, (size_t)written);
}

/* An invalid token counts as none: some clients send uninitialised memory. */
static bool proves_address(ngtcp2_cid *original_id, const arrival *a, const ngtcp2_pkt_hd *head) {
  const sc_quic_endpoint *endpoint = a->endpoint;
  return head->token.len > 0 && head->token.base[0] == NGTCP2_CRYPTO_TOKEN_MAGIC_RETRY &&
         ngtcp2_crypto_verify_retry_token(original_id, head->token.base, head->token.len, endpoint->secret,
                                          sizeof endpoint->secret, head->version, a->path->path.remote.addr,
                                          a->path->path.remote.addrlen, &head->dcid, retry_lifetime,
                                          endpoint->now) == 0;
}

static void read_packet(sc_quic_link *link, const arrival *a) {
  ngtcp2_pkt_info info = {.ecn = a->run->ecn};
  ngtcp2_path path = a->path->path;
  /* A link made here stays on the address it began with, whatever the driver knows of it. */
  if (!link->accepted)
    path.local = ngtcp2_conn_get_path(link->quic)->local;
  sc_quic_link_check(
      link, ngtcp2_conn_read_pkt(link->quic, &path, &info, a->bytes.ptr, a->bytes.len, link->endpoint->now));
  sc_quic_ready(link);
}

static void first_packet(const arrival *a) {
  ngtcp2_pkt_hd head;
  ngtcp2_cid original_id;
  sc_quic_host *host;
  sc_quic_link *link;
  sc_quic_endpoint *endpoint = a->endpoint;
  if (!endpoint->options.accepts || endpoint->stopped || a->bytes.len < smallest_first_datagram ||
      ngtcp2_accept(&head, a->bytes.ptr, a->bytes.len) != 0)
    return;
  bool proved = proves_address(&original_id, a, &head);
  sc_quic_load load = {.links = endpoint->live, .handshakes = endpoint->counts.handshakes};
  switch (sc_quic_admission_judge(&endpoint->admission, &host, endpoint->now, &a->run->peer, proved, load,
                                  &endpoint->options.limits)) {
  case SC_QUIC_ADMIT:
    if (sc_quic_link_accept(endpoint, &a->path->path, &head, proved ? &original_id : NULL, host, &link) ==
        SC_OK)
      read_packet(link, a);
    break;
  case SC_QUIC_PROVE:
    send_retry(a, &head);
    break;
  case SC_QUIC_REFUSE:
    send_refusal(a, &head);
    break;
  case SC_QUIC_IGNORE:
    endpoint->counts.unheard++;
    break;
  }
}

/* Repeats the close of a closed link, for the 1st, 2nd, 4th, 8th … packet. */
static void answer_late(sc_quic_link *link, const arrival *a) {
  sc_quic_remains *remains = link->remains;
  remains->heard++;
  if (remains->close_len == 0 || remains->close_len > a->bytes.len ||
      (remains->heard & (remains->heard - 1)) != 0)
    return;
  sc_quic_stray *stray = answer_to(a);
  if (stray == NULL)
    return;
  memcpy(stray->bytes, remains->close, remains->close_len);
  sc_quic_strays_push(&a->endpoint->strays, remains->close_len);
}

static sc_quic_link *reset_by(const arrival *a) {
  if (a->bytes.len < sc_quic_reset_token_bytes)
    return NULL;
  return sc_quic_id_table_find(
      &a->endpoint->ids, SC_QUIC_ID_RESET_TOKEN,
      sc_bytes_make(a->bytes.ptr + a->bytes.len - sc_quic_reset_token_bytes, sc_quic_reset_token_bytes));
}

static void take_datagram(arrival *a) {
  int error = ngtcp2_pkt_decode_version_cid(&a->ids, a->bytes.ptr, a->bytes.len, sc_quic_id_bytes);
  if (error == NGTCP2_ERR_VERSION_NEGOTIATION)
    send_versions(a);
  if (error != 0)
    return;
  sc_quic_link *link = sc_quic_id_table_find(&a->endpoint->ids, SC_QUIC_ID_CONNECTION,
                                             sc_bytes_make(a->ids.dcid, a->ids.dcidlen));
  bool is_long = (a->bytes.ptr[0] & long_header) != 0;
  if (link == NULL && !is_long)
    link = reset_by(a);
  if (link != NULL && link->remains != NULL)
    answer_late(link, a);
  else if (link != NULL && link->ending == SC_QUIC_END_NONE)
    read_packet(link, a);
  else if (link == NULL && is_long)
    first_packet(a);
  else if (link == NULL)
    send_reset(a);
}

void sc_quic_input(sc_quic_endpoint *endpoint, const sc_datagrams *run) {
  sc_quic_path path;
  if (run->peer.family == SC_ADDRESS_NONE)
    return;
  sc_quic_path_set(&path, &run->local, &run->peer);
  size_t segment = run->segment != 0 ? run->segment : run->bytes.len;
  for (size_t at = 0; at < run->bytes.len; at += segment) {
    size_t left = run->bytes.len - at;
    arrival a = {.endpoint = endpoint,
                 .run = run,
                 .path = &path,
                 .bytes = {run->bytes.ptr + at, segment < left ? segment : left}};
    take_datagram(&a);
  }
}
