#include <assert.h>

#include "../moment.h"

#include "endpoint.h"

enum { most_code_digits = 3 };

static size_t bucket_of(const sc_quic_endpoint *endpoint, const sc_quic_stream *stream, int64_t id) {
  uint64_t mixed = ((uint64_t)(uintptr_t)stream >> 4) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)id;
  return (size_t)((mixed ^ mixed >> 32) & (endpoint->bucket_count - 1));
}

static void enter_bucket(sc_quic_endpoint *endpoint, sc_quic_pending_call *call) {
  sc_quic_pending_call **bucket = &endpoint->buckets[bucket_of(endpoint, call->stream, call->id)];
  call->next_in_bucket = *bucket;
  *bucket = call;
}

static void leave_bucket(sc_quic_endpoint *endpoint, sc_quic_pending_call *call) {
  sc_quic_pending_call **at = &endpoint->buckets[bucket_of(endpoint, call->stream, call->id)];
  while (*at != call)
    at = &(*at)->next_in_bucket;
  *at = call->next_in_bucket;
}

/* About one bucket a call. Too few are slower, none at all is a failure. */
static sc_status provide_buckets(sc_quic_endpoint *endpoint) {
  if (endpoint->calls.taken < endpoint->bucket_count)
    return SC_OK;
  size_t old_count = endpoint->bucket_count;
  size_t count = old_count == 0 ? sc_quic_call_buckets_at_first : 2 * old_count;
  sc_quic_pending_call **buckets = sc_allocate(endpoint->env, count * sizeof(sc_quic_pending_call *));
  if (buckets == NULL)
    return old_count == 0 ? SC_ERR_NO_MEMORY : SC_OK;
  memset(buckets, 0, count * sizeof(sc_quic_pending_call *));
  sc_quic_pending_call **old = endpoint->buckets;
  endpoint->buckets = buckets;
  endpoint->bucket_count = count;
  for (size_t i = 0; i < old_count; i++)
    for (sc_quic_pending_call *call = old[i], *next; call != NULL; call = next) {
      next = call->next_in_bucket;
      enter_bucket(endpoint, call);
    }
  sc_release(endpoint->env, old);
  return SC_OK;
}

static bool takes_calls(const sc_quic_stream *stream) {
  return !stream->send_closed && !stream->ended;
}

static sc_quic_stream *find_stream(sc_quic_link *link, uint32_t number) {
  for (uint32_t i = 0; i < link->stream_count; i++)
    if (link->streams[i]->number == number && takes_calls(link->streams[i]))
      return link->streams[i];
  return NULL;
}

/* Finds the least busy stream, stream 0 excluded. */
static sc_quic_stream *find_quietest(sc_quic_link *link) {
  sc_quic_stream *best = NULL;
  for (uint32_t i = 0; i < link->stream_count; i++) {
    sc_quic_stream *stream = link->streams[i];
    if (stream->number > 0 && takes_calls(stream) && (best == NULL || stream->call_count < best->call_count))
      best = stream;
  }
  return best;
}

static sc_status open_stream(sc_quic_stream **out, sc_quic_link *link, uint32_t number) {
  if (link->accepted || number >= SC_QUIC_MAX_STREAMS || (number == 0 && link->had_first_stream))
    return SC_ERR_QUIC_STREAM;
  if (link->open && ngtcp2_conn_get_streams_bidi_left(link->quic) == 0)
    return SC_ERR_QUIC_STREAM;
  sc_status status = sc_quic_stream_new(out, link, -1, number);
  if (status == SC_OK && link->open && ngtcp2_conn_open_bidi_stream(link->quic, &(*out)->id, *out) != 0) {
    sc_quic_stream_free(*out);
    return SC_ERR_NO_MEMORY;
  }
  return status;
}

/* The first stream is opened first, for it is the only one that every node reads. */
static sc_status provide_stream(sc_quic_stream **out, sc_quic_link *link, uint32_t number) {
  *out = find_stream(link, number);
  if (*out != NULL)
    return SC_OK;
  if (number > 0 && !link->had_first_stream && !link->accepted) {
    sc_status status = open_stream(out, link, 0);
    if (status != SC_OK)
      return status;
  }
  return open_stream(out, link, number);
}

static uint32_t next_lane(sc_quic_link *link) {
  uint32_t number = 1;
  while (find_stream(link, number) != NULL)
    number++;
  return number;
}

static sc_status provide_any_stream(sc_quic_stream **out, sc_quic_link *link) {
  if (!link->open || link->first_alone)
    return provide_stream(out, link, 0);
  sc_quic_stream *quietest = find_quietest(link);
  if (quietest == NULL || quietest->call_count > 0) {
    sc_status status = provide_stream(out, link, next_lane(link));
    if (status != SC_ERR_QUIC_STREAM)
      return status;
    if (quietest == NULL)
      return provide_stream(out, link, 0);
  }
  *out = quietest;
  return SC_OK;
}

static sc_status take_waiting(sc_quic_pending_call **out, sc_quic_endpoint *endpoint) {
  void *thing;
  sc_status status = sc_slots_take(&thing, &endpoint->calls);
  if (status != SC_OK)
    return status;
  status = provide_buckets(endpoint);
  if (status == SC_OK)
    status = sc_timers_promise(&endpoint->timers);
  if (status != SC_OK) {
    sc_slots_give_back(&endpoint->calls, thing);
    return status;
  }
  *out = thing;
  (*out)->timer.kind = SC_QUIC_TIMER_CALL;
  return SC_OK;
}

static void give_back_waiting(sc_quic_endpoint *endpoint, sc_quic_pending_call *call) {
  sc_timer_clear(&endpoint->timers, &call->timer);
  sc_timers_release(&endpoint->timers);
  sc_slots_give_back(&endpoint->calls, call);
}

static void enter_stream(sc_quic_stream *stream, sc_quic_pending_call *call) {
  call->stream = stream;
  call->next = stream->calls;
  if (call->next != NULL)
    call->next->previous = call;
  stream->calls = call;
  stream->call_count++;
  stream->link->call_count++;
}

static void leave_stream(sc_quic_pending_call *call) {
  if (call->next != NULL)
    call->next->previous = call->previous;
  if (call->previous != NULL)
    call->previous->next = call->next;
  else
    call->stream->calls = call->next;
  call->stream->call_count--;
  call->stream->link->call_count--;
}

sc_status sc_quic_send(sc_quic_call *out, sc_quic_endpoint *endpoint, uint64_t now,
                       sc_quic_connection connection, const sc_quic_command *command) {
  sc_quic_stream *stream;
  sc_quic_pending_call *call = NULL;
  endpoint->now = now;
  sc_quic_link *link = sc_slots_find(&endpoint->links, connection);
  if (link == NULL)
    return SC_ERR_NOT_FOUND;
  if (command->name.len == 0 || command->name.len > SC_QUIC_MAX_COMMAND_BYTES)
    return SC_ERR_REQUEST_NAME;
  sc_status status = command->stream == SC_QUIC_ANY_STREAM ? provide_any_stream(&stream, link)
                                                           : provide_stream(&stream, link, command->stream);
  if (status == SC_OK && command->done != NULL)
    status = take_waiting(&call, endpoint);
  if (status != SC_OK)
    return status;
  sc_quic_frame frame = {SC_QUIC_FRAME_COMMAND, stream->next_call_id, command->name, command->body};
  status = sc_quic_stream_send(stream, &frame, command->lender);
  if (status != SC_OK) {
    if (call != NULL)
      give_back_waiting(endpoint, call);
    return status;
  }
  stream->next_call_id++;
  if (out != NULL)
    *out = call != NULL ? sc_slot_number(&call->slot) : 0;
  if (call == NULL)
    return SC_OK;
  call->id = frame.id;
  call->done = command->done;
  call->user = command->user;
  enter_stream(stream, call);
  enter_bucket(endpoint, call);
  sc_timer_set(&endpoint->timers, &call->timer,
               sc_later(now, command->timeout != 0 ? command->timeout : endpoint->options.call_timeout));
  return SC_OK;
}

void sc_quic_call_complete(sc_quic_pending_call *call, const sc_quic_result *result) {
  sc_quic_endpoint *endpoint = call->stream->link->endpoint;
  sc_quic_link *link = call->stream->link;
  sc_quic_done done = call->done;
  void *user = call->user;
  sc_quic_call number = sc_slot_number(&call->slot);
  link->last_use = endpoint->now;
  if (link->idle_close != 0)
    sc_quic_ready(link); /* it may be idle from now on */
  leave_bucket(endpoint, call);
  leave_stream(call);
  give_back_waiting(endpoint, call);
  done(user, number, result);
}

void sc_quic_call_fail(sc_quic_pending_call *call, sc_status status) {
  sc_quic_result result = {.status = status};
  sc_quic_call_complete(call, &result);
}

static void tell_streams(const sc_quic_link *link, bool all) {
  if (!link->accepted && link->events.streams_known != NULL)
    link->events.streams_known(link->events.user, sc_slot_number(&link->slot), all);
}

/* A node that reads its first stream alone swallows what comes on others without a word. */
void sc_quic_call_time_out(sc_quic_pending_call *call) {
  sc_quic_link *link = call->stream->link;
  if (call->stream->number > 0 && !link->others_answer && !link->first_alone) {
    link->first_alone = true;
    tell_streams(link, false);
  }
  sc_quic_call_fail(call, SC_ERR_REQUEST_TIMEOUT);
}

sc_status sc_quic_cancel(sc_quic_endpoint *endpoint, sc_quic_call call) {
  sc_quic_pending_call *pending = sc_slots_find(&endpoint->calls, call);
  if (pending == NULL)
    return SC_ERR_NOT_FOUND;
  sc_quic_call_fail(pending, SC_ERR_REQUEST_CANCELLED);
  return SC_OK;
}

/* "404 Not Found…" */
static uint16_t leading_code(sc_bytes body) {
  uint16_t code = 0;
  for (size_t i = 0; i < most_code_digits; i++) {
    if (i >= body.len || body.ptr[i] < '0' || body.ptr[i] > '9')
      return 0;
    code = (uint16_t)(code * 10 + body.ptr[i] - '0');
  }
  return body.len == most_code_digits || body.ptr[most_code_digits] == ' ' ? code : 0;
}

/* Drops late replies, whose calls are over. */
void sc_quic_call_answered(sc_quic_stream *stream, const sc_quic_frame *frame) {
  const sc_quic_endpoint *endpoint = stream->link->endpoint;
  if (endpoint->bucket_count == 0)
    return;
  sc_quic_pending_call *call = endpoint->buckets[bucket_of(endpoint, stream, frame->id)];
  while (call != NULL && (call->stream != stream || call->id != frame->id))
    call = call->next_in_bucket;
  if (call == NULL)
    return;
  if (stream->number > 0 && !stream->link->others_answer) {
    stream->link->others_answer = true;
    tell_streams(stream->link, true);
  }
  bool failed = frame->kind == SC_QUIC_FRAME_ERROR;
  sc_quic_result result = {.status = failed ? SC_ERR_REQUEST_FAILED : SC_OK,
                           .code = failed ? leading_code(frame->body) : 0,
                           .body = frame->body};
  sc_quic_call_complete(call, &result);
}
