#include "endpoint.h"

#include <stdio.h>

#include "path.h"

static const char handler_failed[] = "An error occurred while processing the request";
static const char too_busy[] = "503 Service Unavailable\n\ntoo much waits to be answered";

sc_status sc_quic_handle(sc_quic_endpoint *endpoint, sc_bytes name, sc_quic_handler handler, void *user) {
  if (name.len == 0 || name.len > SC_QUIC_MAX_COMMAND_BYTES)
    return SC_ERR_REQUEST_NAME;
  if (endpoint->handlers == NULL)
    endpoint->handlers = sc_allocate(endpoint->env, SC_QUIC_MAX_COMMANDS * sizeof *endpoint->handlers);
  if (endpoint->handlers == NULL)
    return SC_ERR_NO_MEMORY;
  size_t at = 0;
  while (at < endpoint->handler_count &&
         !sc_bytes_same(name, sc_bytes_make(endpoint->handlers[at].name, endpoint->handlers[at].name_len)))
    at++;
  if (at == SC_QUIC_MAX_COMMANDS)
    return SC_ERR_TOO_LARGE;
  sc_quic_named_handler *named = &endpoint->handlers[at];
  named->handler = handler;
  named->user = user;
  named->name_len = (uint8_t)name.len;
  memcpy(named->name, name.ptr, name.len);
  endpoint->handler_count += at == endpoint->handler_count;
  return SC_OK;
}

static const sc_quic_named_handler *find_handler(const sc_quic_endpoint *endpoint, sc_bytes name) {
  for (size_t i = 0; i < endpoint->handler_count; i++) {
    const sc_quic_named_handler *named = &endpoint->handlers[i];
    if (named->name_len == name.len && memcmp(named->name, name.ptr, name.len) == 0)
      return named;
  }
  return NULL;
}

static sc_status send_error(sc_quic_stream *stream, int64_t id, sc_bytes body) {
  static const sc_quic_lender no_lender = {0};
  sc_quic_frame frame = {.kind = SC_QUIC_FRAME_ERROR, .id = id, .body = body};
  return sc_quic_stream_send(stream, &frame, no_lender);
}

/* A peer whose answers do not fit any more can do without this one. */
static sc_status send_refusal(sc_quic_stream *stream, int64_t id, sc_bytes body) {
  sc_status status = send_error(stream, id, body);
  return status == SC_ERR_QUIC_BUSY ? SC_OK : status;
}

/* Invalid names are not repeated in full: a reply is no larger than its request. */
static sc_status answer_unknown(sc_quic_stream *stream, const sc_quic_frame *command) {
  char text[SC_QUIC_MAX_COMMAND_BYTES + 32];
  int shown =
      command->name.len < SC_QUIC_MAX_COMMAND_BYTES ? (int)command->name.len : SC_QUIC_MAX_COMMAND_BYTES;
  int before = snprintf(text, sizeof text, "Invalid endpoint '");
  if (shown > 0)
    memcpy(text + before, command->name.ptr, (size_t)shown);
  text[before + shown] = '\'';
  return send_refusal(stream, command->id, sc_bytes_make(text, (size_t)(before + shown + 1)));
}

static sc_status take_asked(sc_quic_pending_request **out, sc_quic_stream *stream, int64_t id) {
  void *thing;
  sc_status status = sc_slots_take(&thing, &stream->link->endpoint->requests);
  if (status != SC_OK)
    return status;
  sc_quic_pending_request *request = thing;
  request->stream = stream;
  request->id = id;
  request->next = stream->requests;
  if (request->next != NULL)
    request->next->previous = request;
  stream->requests = request;
  stream->link->request_count++;
  *out = request;
  return SC_OK;
}

void sc_quic_request_forget(sc_quic_pending_request *request) {
  sc_quic_stream *stream = request->stream;
  if (request->next != NULL)
    request->next->previous = request->previous;
  if (request->previous != NULL)
    request->previous->next = request->next;
  else
    stream->requests = request->next;
  stream->link->request_count--;
  sc_quic_link_owes_less(stream->link);
  stream->link->last_use = stream->link->endpoint->now;
  if (stream->link->holding || stream->ended)
    sc_quic_ready(stream->link);
  sc_slots_give_back(&stream->link->endpoint->requests, request);
}

sc_status sc_quic_request_received(sc_quic_stream *stream, const sc_quic_frame *frame) {
  sc_quic_link *link = stream->link;
  sc_quic_pending_request *request;
  sc_address peer;
  const sc_quic_named_handler *named = find_handler(link->endpoint, frame->name);
  if (sc_quic_link_owes_too_much(link))
    return send_refusal(stream, frame->id, sc_bytes_text(too_busy));
  if (named == NULL)
    return answer_unknown(stream, frame);
  sc_status status = take_asked(&request, stream, frame->id);
  if (status != SC_OK)
    return status;
  link->last_use = link->endpoint->now;
  sc_quic_path_read(&peer, &ngtcp2_conn_get_path(link->quic)->remote);
  sc_quic_incoming incoming = {.request = sc_slot_number(&request->slot),
                               .connection = sc_slot_number(&link->slot),
                               .peer_key = link->has_key ? link->key : NULL,
                               .peer = &peer,
                               .name = frame->name,
                               .body = frame->body};
  named->handler(named->user, &incoming);
  return SC_OK;
}

static sc_status answer(sc_quic_endpoint *endpoint, sc_quic_request request, sc_quic_frame_kind kind,
                        sc_bytes body, sc_quic_lender lender) {
  sc_quic_pending_request *pending = sc_slots_find(&endpoint->requests, request);
  if (pending == NULL)
    return SC_ERR_NOT_FOUND;
  sc_quic_frame frame = {.kind = kind, .id = pending->id, .body = body};
  sc_status status = sc_quic_stream_send(pending->stream, &frame, lender);
  if (status == SC_ERR_REQUEST_TOO_LARGE) {
    sc_status sent = send_error(pending->stream, pending->id, sc_bytes_text(handler_failed));
    if (sent != SC_OK)
      return sent;
  } else if (status != SC_OK) {
    return status;
  }
  sc_quic_request_forget(pending);
  return status;
}

sc_status sc_quic_reply(sc_quic_endpoint *endpoint, sc_quic_request request, sc_bytes body) {
  return answer(endpoint, request, SC_QUIC_FRAME_REPLY, body, (sc_quic_lender){0});
}

sc_status sc_quic_reply_lent(sc_quic_endpoint *endpoint, sc_quic_request request, sc_bytes body,
                             sc_quic_lender lender) {
  return answer(endpoint, request, SC_QUIC_FRAME_REPLY, body, lender);
}

sc_status sc_quic_reply_error(sc_quic_endpoint *endpoint, sc_quic_request request, sc_bytes body) {
  return answer(endpoint, request, SC_QUIC_FRAME_ERROR, body, (sc_quic_lender){0});
}

void sc_quic_drop_request(sc_quic_endpoint *endpoint, sc_quic_request request) {
  sc_quic_pending_request *pending = sc_slots_find(&endpoint->requests, request);
  if (pending != NULL)
    sc_quic_request_forget(pending);
}
