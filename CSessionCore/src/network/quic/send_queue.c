#include "send_queue.h"

#include <assert.h>

void sc_quic_segments_init(sc_quic_segments *segments, const sc_env *env) {
  *segments = (sc_quic_segments){.env = env};
}

void sc_quic_segments_free(sc_quic_segments *segments) {
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
    *segment = (sc_quic_segment){.capacity = capacity};
  return segment;
}

static void give_back(sc_quic_segments *segments, sc_quic_segment *segment) {
  if (segment->capacity == sc_quic_segment_bytes && segments->count < sc_quic_most_spare_segments) {
    segment->next = segments->spare;
    segments->spare = segment;
    segments->count++;
  } else {
    sc_release(segments->env, segment);
  }
}

static void put_behind(sc_quic_send_queue *queue, sc_quic_segment *segment) {
  if (queue->last != NULL)
    queue->last->next = segment;
  else
    queue->first = segment;
  queue->last = segment;
}

sc_status sc_quic_send_queue_append(sc_quic_send_queue *queue, sc_quic_segments *segments,
                                    const sc_bytes pieces[static 3]) {
  size_t len = pieces[0].len + pieces[1].len + pieces[2].len;
  if (queue->last == NULL || len > queue->last->capacity - queue->last->len) {
    sc_quic_segment *segment = take_segment(segments, len);
    if (segment == NULL)
      return SC_ERR_NO_MEMORY;
    put_behind(queue, segment);
  }
  for (size_t i = 0; i < 3; i++)
    if (pieces[i].len > 0) {
      memcpy(queue->last->bytes + queue->last->len, pieces[i].ptr, pieces[i].len);
      queue->last->len += pieces[i].len;
    }
  if (queue->unsent == NULL && len > 0)
    queue->unsent = queue->last;
  return SC_OK;
}

size_t sc_quic_send_queue_gather(const sc_quic_send_queue *queue, ngtcp2_vec *out, size_t most,
                                 size_t wanted) {
  size_t count = 0;
  size_t len = 0;
  for (sc_quic_segment *at = queue->unsent; at != NULL && count < most && len < wanted; at = at->next) {
    out[count++] = (ngtcp2_vec){.base = at->bytes + at->sent, .len = at->len - at->sent};
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

void sc_quic_send_queue_acknowledged(sc_quic_send_queue *queue, sc_quic_segments *segments, size_t len) {
  while (len > 0) {
    sc_quic_segment *segment = queue->first;
    assert(segment != NULL && segment->acknowledged < segment->sent);
    size_t here = segment->sent - segment->acknowledged;
    here = here < len ? here : len;
    segment->acknowledged += here;
    len -= here;
    if (segment->acknowledged == segment->len) {
      assert(queue->unsent != segment);
      queue->first = segment->next;
      if (queue->first == NULL)
        queue->last = NULL;
      give_back(segments, segment);
    }
  }
}

void sc_quic_send_queue_clear(sc_quic_send_queue *queue, sc_quic_segments *segments) {
  while (queue->first != NULL) {
    sc_quic_segment *segment = queue->first;
    queue->first = segment->next;
    give_back(segments, segment);
  }
  *queue = (sc_quic_send_queue){0};
}
