#include "send_queue.h"

#include <assert.h>

void sc_quic_segments_init(sc_quic_segments *segments, const sc_env *env) {
  *segments = (sc_quic_segments){.env = env};
}

void sc_quic_segments_clear(sc_quic_segments *segments) {
  while (segments->spare != NULL) {
    sc_quic_segment *segment = segments->spare;
    segments->spare = segment->next;
    sc_release(segments->env, segment);
  }
  segments->count = 0;
}

static sc_quic_segment *take_segment(sc_quic_segments *segments, size_t len) {
  sc_quic_segment *segment = segments->spare;
  size_t capacity = len > sc_quic_segment_bytes ? len : sc_quic_segment_bytes;
  if (capacity == sc_quic_segment_bytes && segment != NULL) {
    segments->spare = segment->next;
    segments->count--;
  } else {
    segment = sc_allocate(segments->env, sizeof *segment + capacity);
  }
  if (segment != NULL)
    *segment = (sc_quic_segment){.capacity = capacity, .bytes = segment->own};
  return segment;
}

static sc_quic_segment *make_lent(sc_quic_segments *segments, const sc_quic_outgoing *outgoing) {
  sc_quic_segment *segment = sc_allocate(segments->env, sizeof *segment);
  if (segment != NULL)
    *segment = (sc_quic_segment){.capacity = outgoing->body.len,
                                 .len = outgoing->body.len,
                                 .answers = outgoing->is_answer ? outgoing->body.len : 0,
                                 .bytes = outgoing->body.ptr,
                                 .lender = outgoing->lender};
  return segment;
}

static void release_segment(sc_quic_segments *segments, sc_quic_segment *segment) {
  bool is_lent = segment->bytes != segment->own;
  if (!is_lent && segment->capacity == sc_quic_segment_bytes &&
      segments->count < sc_quic_most_spare_segments) {
    segment->next = segments->spare;
    segments->spare = segment;
    segments->count++;
  } else {
    sc_release(segments->env, segment);
  }
}

static void give_back(sc_quic_segments *segments, sc_quic_segment *segment) {
  sc_quic_lender lender = segment->lender;
  release_segment(segments, segment);
  if (lender.give_back != NULL)
    lender.give_back(lender.owner);
}

static void put_behind(sc_quic_send_queue *queue, sc_quic_segment *segment) {
  if (segment == NULL)
    return;
  if (queue->last != NULL)
    queue->last->next = segment;
  else
    queue->first = segment;
  queue->last = segment;
}

/* Writes to the last segment, which has room. */
static void write_piece(sc_quic_send_queue *queue, sc_bytes piece, bool is_answer) {
  sc_quic_segment *segment = queue->last;
  if (piece.len > 0)
    memcpy(segment->own + segment->len, piece.ptr, piece.len);
  segment->len += piece.len;
  segment->answers += is_answer ? piece.len : 0;
}

static bool has_room(const sc_quic_send_queue *queue, size_t len) {
  return queue->last != NULL && len <= queue->last->capacity - queue->last->len;
}

static void note_unsent(sc_quic_send_queue *queue, sc_quic_segment *before) {
  if (queue->unsent != NULL)
    return;
  queue->unsent = before != NULL ? before : queue->first;
  while (queue->unsent != NULL && queue->unsent->sent == queue->unsent->len)
    queue->unsent = queue->unsent->next;
}

static sc_status append_copy(sc_quic_send_queue *queue, sc_quic_segments *segments,
                             const sc_quic_outgoing *outgoing) {
  size_t len = outgoing->head.len + outgoing->body.len + outgoing->tail.len;
  if (!has_room(queue, len)) {
    sc_quic_segment *segment = take_segment(segments, len);
    if (segment == NULL)
      return SC_ERR_NO_MEMORY;
    put_behind(queue, segment);
  }
  write_piece(queue, outgoing->head, outgoing->is_answer);
  write_piece(queue, outgoing->body, outgoing->is_answer);
  write_piece(queue, outgoing->tail, outgoing->is_answer);
  return SC_OK;
}

static sc_status append_lent(sc_quic_send_queue *queue, sc_quic_segments *segments,
                             const sc_quic_outgoing *outgoing) {
  bool needs_front = !has_room(queue, outgoing->head.len);
  sc_quic_segment *front = needs_front ? take_segment(segments, outgoing->head.len) : NULL;
  sc_quic_segment *lent = make_lent(segments, outgoing);
  sc_quic_segment *back = take_segment(segments, outgoing->tail.len);
  if ((needs_front && front == NULL) || lent == NULL || back == NULL) {
    sc_quic_segment *const made[] = {front, lent, back};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
      if (made[i] != NULL)
        release_segment(segments, made[i]);
    return SC_ERR_NO_MEMORY;
  }
  put_behind(queue, front);
  write_piece(queue, outgoing->head, outgoing->is_answer);
  put_behind(queue, lent);
  put_behind(queue, back);
  write_piece(queue, outgoing->tail, outgoing->is_answer);
  return SC_OK;
}

sc_status sc_quic_send_queue_append(sc_quic_send_queue *queue, sc_quic_segments *segments,
                                    const sc_quic_outgoing *outgoing) {
  bool lent = outgoing->lender.give_back != NULL;
  bool kept = lent && outgoing->body.len >= sc_quic_least_lent_bytes;
  sc_quic_segment *before = queue->last;
  sc_status status = kept ? append_lent(queue, segments, outgoing) : append_copy(queue, segments, outgoing);
  if (status != SC_OK)
    return status;
  note_unsent(queue, before);
  if (lent && !kept)
    outgoing->lender.give_back(outgoing->lender.owner);
  return SC_OK;
}

size_t sc_quic_send_queue_gather(const sc_quic_send_queue *queue, ngtcp2_vec *out, size_t most,
                                 size_t wanted) {
  size_t count = 0;
  size_t len = 0;
  for (sc_quic_segment *at = queue->unsent; at != NULL && count < most && len < wanted; at = at->next) {
    out[count++] =
        (ngtcp2_vec){.base = (uint8_t *)(uintptr_t)at->bytes + at->sent, .len = at->len - at->sent};
    len += at->len - at->sent;
  }
  return count;
}

void sc_quic_send_queue_sent(sc_quic_send_queue *queue, size_t len) {
  while (len > 0) {
    sc_quic_segment *segment = queue->unsent;
    assert(segment != NULL);
    size_t here = segment->len - segment->sent;
    here = here < len ? here : len;
    segment->sent += here;
    len -= here;
    if (segment->sent == segment->len)
      queue->unsent = segment->next;
  }
}

size_t sc_quic_send_queue_acknowledged(sc_quic_send_queue *queue, sc_quic_segments *segments, size_t len) {
  size_t answers = 0;
  while (len > 0) {
    sc_quic_segment *segment = queue->first;
    assert(segment != NULL && segment->acknowledged < segment->sent);
    size_t here = segment->sent - segment->acknowledged;
    here = here < len ? here : len;
    size_t answered = here < segment->answers ? here : segment->answers;
    segment->acknowledged += here;
    segment->answers -= answered;
    answers += answered;
    len -= here;
    if (segment->acknowledged == segment->len) {
      assert(queue->unsent != segment);
      queue->first = segment->next;
      if (queue->first == NULL)
        queue->last = NULL;
      give_back(segments, segment);
    }
  }
  return answers;
}

void sc_quic_send_queue_clear(sc_quic_send_queue *queue, sc_quic_segments *segments) {
  while (queue->first != NULL) {
    sc_quic_segment *segment = queue->first;
    queue->first = segment->next;
    give_back(segments, segment);
  }
  *queue = (sc_quic_send_queue){0};
}
