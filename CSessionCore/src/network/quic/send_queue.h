/* The bytes of a stream that wait to be sent or acknowledged, in segments that do not move until then.
 *
 * Small frames share segments of one size, of which an endpoint keeps spares; a large frame has its own
 * segment, or its body is a segment lent by the program. */
#ifndef SC_NETWORK_QUIC_SEND_QUEUE_H
#define SC_NETWORK_QUIC_SEND_QUEUE_H

#include <ngtcp2/ngtcp2.h>
#include <stdbool.h>

#include "session-core/network/quic.h"

enum {
  sc_quic_segment_bytes = 16384,
  sc_quic_most_spare_segments = 32,
  sc_quic_least_lent_bytes = 4096, /* smaller bodies are copied and given back at once */
};

typedef struct sc_quic_segment {
  struct sc_quic_segment *next;
  size_t capacity;
  size_t len;
  size_t sent;
  size_t acknowledged;
  size_t answers; /* estimated bytes of replies among the unacknowledged ones */
  const uint8_t *bytes;
  sc_quic_lender lender; /* for bytes that are lent */
  uint8_t own[];
} sc_quic_segment;

/* The spare segments of an endpoint. */
typedef struct sc_quic_segments {
  const sc_env *env;
  sc_quic_segment *spare;
  size_t count;
} sc_quic_segments;

void sc_quic_segments_init(sc_quic_segments *segments, const sc_env *env);

/* Drops those that are spare. */
void sc_quic_segments_clear(sc_quic_segments *segments);

typedef struct sc_quic_send_queue {
  sc_quic_segment *first;
  sc_quic_segment *unsent; /* the first with unsent bytes; NULL if there are none */
  sc_quic_segment *last;
} sc_quic_send_queue;

static inline int sc_quic_send_queue_has_unsent(const sc_quic_send_queue *queue) {
  return queue->unsent != NULL;
}

/* A frame to append. */
typedef struct sc_quic_outgoing {
  sc_bytes head;
  sc_bytes body;
  sc_bytes tail;
  sc_quic_lender lender; /* for the body; if none, it is copied */
  bool is_answer;
} sc_quic_outgoing;

/* Appends a frame. SC_ERR_NO_MEMORY, after which nothing was appended. */
SC_NODISCARD sc_status sc_quic_send_queue_append(sc_quic_send_queue *queue, sc_quic_segments *segments,
                                                 const sc_quic_outgoing *outgoing);

/* Returns the next bytes to send, at least `wanted` if there are so many and `most` vectors hold them. */
size_t sc_quic_send_queue_gather(const sc_quic_send_queue *queue, ngtcp2_vec *out, size_t most,
                                 size_t wanted);

/* Marks the next `len` bytes as sent. */
void sc_quic_send_queue_sent(sc_quic_send_queue *queue, size_t len);

/* Removes the next `len` acknowledged bytes, and returns how many of them belonged to replies. */
size_t sc_quic_send_queue_acknowledged(sc_quic_send_queue *queue, sc_quic_segments *segments, size_t len);

/* Drops everything. */
void sc_quic_send_queue_clear(sc_quic_send_queue *queue, sc_quic_segments *segments);

#endif
