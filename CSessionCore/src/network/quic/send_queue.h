/* The bytes of a stream that wait to be sent or acknowledged, in segments that stay where they are until
 * then.
 *
 * Small frames share segments of one size, which an endpoint keeps a few of; a large frame has one of its
 * own. */
#ifndef SC_NETWORK_QUIC_SEND_QUEUE_H
#define SC_NETWORK_QUIC_SEND_QUEUE_H

#include <ngtcp2/ngtcp2.h>

#include "session-core/base/bytes.h"

enum {
  sc_quic_segment_bytes = 16384,
  sc_quic_most_spare_segments = 32,
};

typedef struct sc_quic_segment {
  struct sc_quic_segment *next;
  size_t capacity;
  size_t len;
  size_t sent;
  size_t acknowledged;
  uint8_t bytes[];
} sc_quic_segment;

/* The spare segments of an endpoint. */
typedef struct sc_quic_segments {
  const sc_env *env;
  sc_quic_segment *spare;
  size_t count;
} sc_quic_segments;

void sc_quic_segments_init(sc_quic_segments *segments, const sc_env *env);
void sc_quic_segments_free(sc_quic_segments *segments);

typedef struct sc_quic_send_queue {
  sc_quic_segment *first;
  sc_quic_segment *unsent; /* the first with bytes that were not sent; NULL when there are none */
  sc_quic_segment *last;
} sc_quic_send_queue;

static inline int sc_quic_send_queue_has_unsent(const sc_quic_send_queue *queue) {
  return queue->unsent != NULL;
}

/* Appends three pieces or, SC_ERR_NO_MEMORY, none. */
SC_NODISCARD sc_status sc_quic_send_queue_append(sc_quic_send_queue *queue, sc_quic_segments *segments,
                                                 const sc_bytes pieces[static 3]);

/* What is to be sent next, at least `wanted` bytes if there are so many and `most` vectors hold them. */
size_t sc_quic_send_queue_gather(const sc_quic_send_queue *queue, ngtcp2_vec *out, size_t most,
                                 size_t wanted);

/* The next `len` bytes were sent, or acknowledged. */
void sc_quic_send_queue_sent(sc_quic_send_queue *queue, size_t len);
void sc_quic_send_queue_acknowledged(sc_quic_send_queue *queue, sc_quic_segments *segments, size_t len);

/* Drops everything. */
void sc_quic_send_queue_clear(sc_quic_send_queue *queue, sc_quic_segments *segments);

#endif
