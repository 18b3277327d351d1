/* Sending: packets of everything that is ready, contiguous, in runs of one path and size. */
#include "endpoint.h"
#include "path.h"

enum {
  most_vectors = 4,
  /* The burst that may be sent without pacing (RFC 9002, 7.7). */
  most_unpaced_bytes = 10 * SC_QUIC_MAX_DATAGRAM_BYTES,
};

bool sc_quic_output_has_room(const sc_outbox *out) {
  return out->run_count < out->run_capacity && out->capacity - out->len >= SC_QUIC_MAX_DATAGRAM_BYTES;
}

/* True if a packet of `len` bytes may be the next segment of the run. */
static bool continues(const sc_datagrams *run, const sc_datagrams *packet) {
  return run->bytes.len % run->segment == 0 && packet->bytes.len <= run->segment &&
         run->bytes.len + packet->bytes.len <= SC_RUN_MAX_BYTES &&
         run->bytes.len / run->segment < SC_RUN_MAX_SEGMENTS && run->ecn == packet->ecn &&
         run->bytes.ptr + run->bytes.len == packet->bytes.ptr && sc_address_same(&run->peer, &packet->peer) &&
         sc_address_same(&run->local, &packet->local);
}

void sc_quic_output_add(sc_outbox *out, const ngtcp2_path *path, uint8_t ecn, size_t len) {
  sc_datagrams packet = {.bytes = {out->bytes + out->len, len}, .segment = (uint16_t)len, .ecn = ecn};
  sc_quic_path_read(&packet.local, &path->local);
  sc_quic_path_read(&packet.peer, &path->remote);
  out->len += len;
  if (out->run_count > 0 && continues(&out->runs[out->run_count - 1], &packet))
    out->runs[out->run_count - 1].bytes.len += len;
  else
    out->runs[out->run_count++] = packet;
}

/* True if the peer finished sending and all of its requests have replies. */
static bool wants_to_end(const sc_quic_stream *stream) {
  return stream->ended && !stream->fin_sent && stream->requests == NULL && stream->held == 0;
}

static bool has_something(const sc_quic_stream *stream) {
  const sc_quic_link *link = stream->link;
  if (stream->id < 0 || stream->send_closed)
    return false;
  if (sc_quic_send_queue_has_unsent(&stream->queue))
    return !stream->blocked && !link->out_of_data;
  return wants_to_end(stream);
}

/* The next stream with something to send, each in its turn; NULL when there is none. */
static sc_quic_stream *next_stream(sc_quic_link *link) {
  for (uint32_t i = 0; i < link->stream_count; i++) {
    uint32_t at = (link->turn + i) % link->stream_count;
    if (has_something(link->streams[at])) {
      link->turn = at;
      return link->streams[at];
    }
  }
  return NULL;
}

static void stream_refused(sc_quic_stream *stream, ngtcp2_ssize error) {
  sc_quic_link *link = stream->link;
  if (error != NGTCP2_ERR_STREAM_DATA_BLOCKED)
    stream->send_closed = true;
  else if (ngtcp2_conn_get_max_data_left(link->quic) == 0)
    link->out_of_data = true;
  else
    stream->blocked = true;
}

typedef struct packet_room {
  uint8_t *bytes;
  ngtcp2_path_storage path;
  ngtcp2_pkt_info info;
} packet_room;

/* One step towards a packet: its length, 0 when nothing may be sent now, or an error of ngtcp2. */
static ngtcp2_ssize write_step(sc_quic_link *link, sc_quic_stream *stream, packet_room *room) {
  ngtcp2_vec vectors[most_vectors];
  size_t count = 0;
  int64_t id = -1;
  uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_NONE;
  ngtcp2_ssize taken = -1;
  if (stream != NULL) {
    count = sc_quic_send_queue_gather(&stream->queue, vectors, most_vectors, SC_QUIC_MAX_DATAGRAM_BYTES);
    id = stream->id;
    flags = NGTCP2_WRITE_STREAM_FLAG_MORE;
    if (count == 0)
      flags |= NGTCP2_WRITE_STREAM_FLAG_FIN;
  }
  ngtcp2_ssize written = ngtcp2_conn_writev_stream(link->quic, &room->path.path, &room->info, room->bytes,
                                                   SC_QUIC_MAX_DATAGRAM_BYTES, &taken, flags, id, vectors,
                                                   count, link->endpoint->now);
  if (stream != NULL && taken >= 0) {
    sc_quic_send_queue_sent(&stream->queue, (size_t)taken);
    stream->fin_sent = stream->fin_sent || (count == 0);
    link->turn++;
  }
  return written;
}

static ngtcp2_ssize write_packet(sc_quic_link *link, packet_room *room) {
  for (;;) {
    sc_quic_stream *stream = next_stream(link);
    ngtcp2_ssize written = write_step(link, stream, room);
    switch (written) {
    case NGTCP2_ERR_WRITE_MORE:
      break;
    case NGTCP2_ERR_STREAM_DATA_BLOCKED:
    case NGTCP2_ERR_STREAM_SHUT_WR:
    case NGTCP2_ERR_STREAM_NOT_FOUND:
      if (stream == NULL)
        return NGTCP2_ERR_INTERNAL;
      stream_refused(stream, written);
      break;
    default:
      return written;
    }
  }
}

static bool is_measured(sc_quic_link *link) {
  if (!link->measured) {
    ngtcp2_conn_stat state;
    ngtcp2_conn_get_conn_stat(link->quic, &state);
    link->measured = state.first_rtt_sample_ts != UINT64_MAX;
  }
  return link->measured;
}

/* ngtcp2 0.12 paces by a guess until it has measured a round trip, which delays the first packets. A time
 * long ago is an expired slot. */
static void note_time(sc_quic_link *link) {
  ngtcp2_conn_update_pkt_tx_time(link->quic, is_measured(link) ? link->endpoint->now : 0);
}

/* Everything left in a small burst. The next pacing slot would be a useless timer a few microseconds ahead,
 * so it is moved into the past and expired; other due timers are handled as usual, because they need
 * packets. */
static void note_small_burst(sc_quic_link *link) {
  uint64_t now = link->endpoint->now;
  if (!is_measured(link) || ngtcp2_conn_get_expiry(link->quic) <= now) {
    note_time(link);
    return;
  }
  ngtcp2_conn_update_pkt_tx_time(link->quic, 0);
  sc_quic_link_check(link, ngtcp2_conn_handle_expiry(link->quic, now));
}

static bool write_packets(sc_quic_link *link, sc_outbox *out) {
  size_t quantum = ngtcp2_conn_get_send_quantum(link->quic);
  packet_room room;
  size_t sum = 0;
  link->out_of_data = link->out_of_data && ngtcp2_conn_get_max_data_left(link->quic) == 0;
  for (;;) {
    if (sum >= quantum || !sc_quic_output_has_room(out))
      break;
    room.bytes = out->bytes + out->len;
    ngtcp2_path_storage_zero(&room.path);
    ngtcp2_ssize len = write_packet(link, &room);
    sc_quic_link_check(link, len < 0 ? (int)len : 0);
    if (link->ending != SC_QUIC_END_NONE)
      return false;
    if (len == 0) {
      if (sum > most_unpaced_bytes)
        note_time(link);
      else if (sum > 0)
        note_small_burst(link);
      return false;
    }
    sc_quic_output_add(out, &room.path.path, (uint8_t)room.info.ecn, (size_t)len);
    sum += (size_t)len;
  }
  if (sum > 0)
    note_time(link);
  return true;
}

/* Once the peers are sure of each other, TLS has done its work. */
static void let_go_of_handshake(sc_quic_link *link) {
  if (link->confirmed && link->tls.session != NULL)
    link->endpoint->security->stop(link);
}

bool sc_quic_link_write(sc_quic_link *link, sc_outbox *out) {
  let_go_of_handshake(link);
  sc_quic_link_resume(link);
  if (link->ending != SC_QUIC_END_NONE)
    return false;
  bool more = write_packets(link, out);
  if (link->ending == SC_QUIC_END_NONE)
    sc_quic_link_set_timer(link);
  return more;
}
