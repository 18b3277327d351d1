#include "network/quic/send_queue.h"

#include "support/test.h"

static sc_status append(sc_quic_send_queue *queue, sc_quic_segments *segments, const void *bytes,
                        size_t len) {
  const sc_bytes pieces[3] = {sc_bytes_text("<"), sc_bytes_make(bytes, len), sc_bytes_text(">")};
  return sc_quic_send_queue_append(queue, segments, pieces);
}

/* Sends and acknowledges in steps of other sizes than what was appended; nothing is lost or changed. */
static void bytes_leave_as_they_came(sc_test *t) {
  sc_quic_segments segments;
  sc_quic_send_queue queue = {0};
  sc_buffer sent;
  static uint8_t bytes[40000];
  size_t total = 0;
  size_t acknowledged = 0;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 7 >> 2);
  sc_quic_segments_init(&segments, t->env);
  sc_buffer_init(&sent, t->env);
  for (size_t len = 1; len < sizeof bytes; len = len * 3 + 1) {
    OK(append(&queue, &segments, bytes, len));
    total += len + 2;
    while (sent.len < total) {
      ngtcp2_vec vectors[2];
      size_t count = sc_quic_send_queue_gather(&queue, vectors, 2, 1000);
      CHECK(count >= 1);
      size_t here = vectors[0].len < 777 ? vectors[0].len : 777;
      OK(sc_buffer_append(&sent, sc_bytes_make(vectors[0].base, here)));
      sc_quic_send_queue_sent(&queue, here);
    }
    CHECK(!sc_quic_send_queue_has_unsent(&queue));
    size_t now = (sent.len - acknowledged) / 2;
    sc_quic_send_queue_acknowledged(&queue, &segments, now);
    acknowledged += now;
  }
  size_t at = 0;
  for (size_t len = 1; len < sizeof bytes; len = len * 3 + 1) {
    CHECK(sent.ptr[at] == '<' && sent.ptr[at + len + 1] == '>');
    SAME(sc_bytes_make(bytes, len), sc_bytes_make(sent.ptr + at + 1, len));
    at += len + 2;
  }
  sc_quic_send_queue_acknowledged(&queue, &segments, total - acknowledged);
  CHECK(queue.first == NULL && queue.last == NULL);
done:
  sc_quic_send_queue_clear(&queue, &segments);
  sc_quic_segments_free(&segments);
  sc_buffer_free(&sent);
}

static void segments_are_used_again(sc_test *t) {
  sc_quic_segments segments;
  sc_quic_send_queue queue = {0};
  sc_quic_segments_init(&segments, t->env);
  OK(append(&queue, &segments, "a", 1));
  const sc_quic_segment *first = queue.first;
  sc_quic_send_queue_sent(&queue, 3);
  sc_quic_send_queue_acknowledged(&queue, &segments, 3);
  CHECK(segments.count == 1);
  OK(append(&queue, &segments, "b", 1));
  CHECK(queue.first == first && segments.count == 0);
done:
  sc_quic_send_queue_clear(&queue, &segments);
  sc_quic_segments_free(&segments);
}

static void only_some_spare_segments_are_kept(sc_test *t) {
  sc_quic_segments segments;
  sc_quic_send_queue queue = {0};
  static uint8_t bytes[sc_quic_segment_bytes - 2];
  sc_quic_segments_init(&segments, t->env);
  for (size_t i = 0; i < 2 * sc_quic_most_spare_segments; i++)
    OK(append(&queue, &segments, bytes, sizeof bytes));
  sc_quic_send_queue_clear(&queue, &segments);
  CHECK(segments.count == sc_quic_most_spare_segments);
done:
  sc_quic_send_queue_clear(&queue, &segments);
  sc_quic_segments_free(&segments);
}

SUITE(network_quic_send_queue, "network/quic/send_queue",
      {"bytes leave as they came", bytes_leave_as_they_came},
      {"segments are used again", segments_are_used_again},
      {"only some spare segments are kept", only_some_spare_segments_are_kept});
