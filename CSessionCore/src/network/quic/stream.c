#include <assert.h>

#include "endpoint.h"

/* Application error codes that peers know. */
enum {
  code_none = 0,
  code_malformed = 777000105,
};

sc_status sc_quic_stream_new(sc_quic_stream **out, sc_quic_link *link, int64_t id, uint32_t number) {
  if (link->stream_count == SC_QUIC_MAX_STREAMS)
    return SC_ERR_QUIC_STREAM;
  sc_quic_stream *stream = sc_allocate(link->endpoint->env, sizeof *stream);
  if (stream == NULL)
    return SC_ERR_NO_MEMORY;
  *stream = (sc_quic_stream){.link = link, .id = id, .number = number};
  sc_quic_frame_reader_init(&stream->reader, &link->endpoint->blocks, link->endpoint->options.limits.frame);
  link->streams[link->stream_count++] = stream;
  link->had_first_stream = link->had_first_stream || number == 0;
  if (id >= 0)
    (void)ngtcp2_conn_set_stream_user_data(link->quic, id, stream);
  *out = stream;
  return SC_OK;
}

static void leave_link(sc_quic_stream *stream) {
  sc_quic_link *link = stream->link;
  uint32_t at = 0;
  while (link->streams[at] != stream)
    at++;
  link->streams[at] = link->streams[--link->stream_count];
}

void sc_quic_stream_free(sc_quic_stream *stream) {
  sc_quic_link *link = stream->link;
  assert(stream->calls == NULL && stream->requests == NULL);
  leave_link(stream);
  for (const sc_quic_segment *segment = stream->queue.first; segment != NULL; segment = segment->next) {
    link->send_memory -= segment->len - segment->acknowledged;
    link->answer_memory -= segment->answers;
  }
  sc_quic_send_queue_clear(&stream->queue, &link->endpoint->segments);
  link->receive_memory -= stream->reader.capacity;
  sc_quic_frame_reader_free(&stream->reader);
  sc_release(link->endpoint->env, stream);
}

void sc_quic_stream_open_waiting(sc_quic_link *link) {
  for (uint32_t i = 0; i < link->stream_count;) {
    sc_quic_stream *stream = link->streams[i];
    if (stream->id >= 0 || ngtcp2_conn_open_bidi_stream(link->quic, &stream->id, stream) == 0) {
      i++;
      continue;
    }
    sc_quic_stream_abandon(stream, SC_ERR_QUIC_STREAM);
    sc_quic_stream_free(stream);
  }
}

void sc_quic_stream_abandon(sc_quic_stream *stream, sc_status reason) {
  stream->receive_closed = true;
  while (stream->requests != NULL)
    sc_quic_request_forget(stream->requests);
  while (stream->calls != NULL)
    sc_quic_call_fail(stream->calls, reason);
}

void sc_quic_stream_close(sc_quic_stream *stream, sc_status reason, uint64_t code) {
  stream->send_closed = true;
  stream->receive_closed = true;
  (void)ngtcp2_conn_shutdown_stream(stream->link->quic, stream->id, code);
  stream->link->receive_memory -= stream->reader.capacity;
  sc_quic_frame_reader_free(&stream->reader);
  sc_quic_stream_abandon(stream, reason);
}

/* Our calls can get no reply any more; the peer's still can. */
void sc_quic_stream_ended(sc_quic_stream *stream) {
  stream->ended = true;
  while (stream->calls != NULL)
    sc_quic_call_fail(stream->calls, SC_ERR_QUIC_STREAM);
}

bool sc_quic_link_owes_too_much(const sc_quic_link *link) {
  const sc_quic_limits *limits = &link->endpoint->options.limits;
  return link->request_count >= limits->open_requests || link->answer_memory > limits->send_memory / 2;
}

static void give_credit(sc_quic_stream *stream, size_t len) {
  if (len == 0)
    return;
  (void)ngtcp2_conn_extend_max_stream_offset(stream->link->quic, stream->id, len);
  ngtcp2_conn_extend_max_offset(stream->link->quic, len);
}

/* Stop reading from a peer that does not read its replies, or sends requests faster than they are processed.
 * Unread data also delays the peer's replies, so two sides that do this to each other would deadlock.
 * Therefore everything is read while a reply is awaited, and excess requests are refused (request.c);
 * likewise after a call timeout without progress, because by then neither side waits for the other. */
static bool must_hold(const sc_quic_link *link) {
  return link->call_count == 0 && !link->refusing && sc_quic_link_owes_too_much(link);
}

uint64_t sc_quic_link_held_until(const sc_quic_link *link) {
  uint64_t timeout = link->endpoint->options.call_timeout;
  if (!link->holding || link->refusing || link->held_since >= SC_NEVER - timeout)
    return SC_NEVER;
  return link->held_since + timeout;
}

void sc_quic_link_owes_less(sc_quic_link *link) {
  link->held_since = link->endpoint->now;
  link->refusing = false;
}

static sc_status hold(sc_quic_stream *stream, sc_bytes bytes) {
  sc_quic_link *link = stream->link;
  if (!link->holding)
    link->held_since = link->endpoint->now;
  link->holding = true;
  return sc_quic_frame_hold(&stream->reader, bytes);
}

static sc_status dispatch(sc_quic_stream *stream, const sc_quic_frame *frame) {
  if (frame->kind != SC_QUIC_FRAME_COMMAND) {
    sc_quic_call_answered(stream, frame);
    return SC_OK;
  }
  return sc_quic_request_received(stream, frame);
}

/* Reads frames until there are no more, reading must stop, or the stream ends. SC_ERR_QUIC_BUSY if the rest
 * is held. */
static sc_status read_frames(sc_quic_stream *stream, sc_bytes bytes) {
  sc_quic_frame frame;
  for (;;) {
    if (must_hold(stream->link)) {
      sc_status status = hold(stream, bytes);
      return status == SC_OK ? SC_ERR_QUIC_BUSY : status;
    }
    sc_status status = sc_quic_frame_next(&frame, &stream->reader, &bytes);
    if (status == SC_OK)
      status = dispatch(stream, &frame);
    if (status != SC_OK)
      return status;
    if (stream->receive_closed || stream->link->ending != SC_QUIC_END_NONE)
      return SC_ERR_TRUNCATED;
  }
}

static sc_status read_and_credit(sc_quic_stream *stream, sc_bytes bytes) {
  sc_quic_link *link = stream->link;
  size_t due = stream->held + bytes.len;
  size_t before = stream->reader.capacity;
  sc_status status = read_frames(stream, bytes);
  link->receive_memory += stream->reader.capacity;
  link->receive_memory -= before;
  stream->held = status == SC_ERR_QUIC_BUSY ? sc_quic_frame_kept(&stream->reader) : 0;
  if (status == SC_ERR_NO_MEMORY)
    return status;
  if (status == SC_ERR_TRUNCATED && link->receive_memory > link->endpoint->options.limits.receive_memory)
    status = SC_ERR_REQUEST_TOO_LARGE;
  if (status != SC_ERR_TRUNCATED && status != SC_ERR_QUIC_BUSY)
    sc_quic_stream_close(stream, status, code_malformed);
  give_credit(stream, due - stream->held);
  return SC_OK;
}

sc_status sc_quic_stream_receive(sc_quic_stream *stream, sc_bytes bytes) {
  sc_quic_link *link = stream->link;
  if (stream->receive_closed) {
    give_credit(stream, bytes.len);
    return SC_OK;
  }
  if (stream->held == 0 && !link->holding)
    return read_and_credit(stream, bytes);
  size_t before = stream->reader.capacity;
  sc_status status = hold(stream, bytes);
  link->receive_memory += stream->reader.capacity;
  link->receive_memory -= before;
  if (status == SC_OK)
    stream->held += bytes.len;
  return status;
}

void sc_quic_link_resume(sc_quic_link *link) {
  static const sc_bytes nothing = {0};
  link->refusing = link->refusing || link->endpoint->now >= sc_quic_link_held_until(link);
  if (!link->holding || must_hold(link))
    return;
  link->holding = false;
  for (uint32_t i = 0; i < link->stream_count && !link->holding; i++) {
    sc_quic_stream *stream = link->streams[i];
    if (stream->held > 0 && !stream->receive_closed && read_and_credit(stream, nothing) != SC_OK)
      sc_quic_link_check(link, NGTCP2_ERR_NOMEM);
    if (link->ending != SC_QUIC_END_NONE)
      return;
  }
}

/* Answers may take all the memory there is; commands leave half of it to them. */
static bool has_memory(const sc_quic_link *link, bool is_answer, size_t len) {
  size_t most = link->endpoint->options.limits.send_memory;
  size_t commands = link->send_memory - link->answer_memory;
  return link->send_memory + len <= most && (is_answer || commands + len <= most / 2);
}

sc_status sc_quic_stream_send(sc_quic_stream *stream, const sc_quic_frame *frame, sc_quic_lender lender) {
  uint8_t head[sc_quic_largest_head];
  size_t len;
  sc_quic_link *link = stream->link;
  size_t head_len = sc_quic_frame_head(head, &len, frame);
  bool is_answer = frame->kind != SC_QUIC_FRAME_COMMAND;
  if (len > link->endpoint->options.limits.frame)
    return SC_ERR_REQUEST_TOO_LARGE;
  if (!has_memory(link, is_answer, len))
    return SC_ERR_QUIC_BUSY;
  const sc_quic_outgoing outgoing = {.head = {head, head_len},
                                     .body = frame->body,
                                     .tail = sc_bytes_text("e"),
                                     .lender = lender,
                                     .is_answer = is_answer};
  sc_status status = sc_quic_send_queue_append(&stream->queue, &link->endpoint->segments, &outgoing);
  if (status != SC_OK)
    return status;
  link->send_memory += len;
  link->answer_memory += is_answer ? len : 0;
  link->last_use = link->endpoint->now;
  sc_quic_ready(link);
  return SC_OK;
}

void sc_quic_stream_acknowledged(sc_quic_stream *stream, size_t len) {
  sc_quic_link *link = stream->link;
  size_t answers = sc_quic_send_queue_acknowledged(&stream->queue, &link->endpoint->segments, len);
  link->send_memory -= len;
  link->answer_memory -= answers;
  if (answers > 0)
    sc_quic_link_owes_less(link);
}
