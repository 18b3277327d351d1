#include "network/quic/send_queue.h"

#include "support/test.h"
#include "support/test_env.h"

static sc_status append(sc_quic_send_queue *queue, sc_quic_segments *segments, const void *bytes,
                        size_t len) {
  const sc_quic_outgoing outgoing = {
      .head = sc_bytes_text("<"), .body = sc_bytes_make(bytes, len), .tail = sc_bytes_text(">")};
  return sc_quic_send_queue_append(queue, segments, &outgoing);
}

/* Sends and acknowledges in steps of other sizes than the appended pieces; nothing is lost or changed. */
static void bytes_are_sent_in_order(sc_test *t) {
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
  sc_quic_segments_clear(&segments);
  sc_buffer_free(&sent);
}

static void segments_are_reused(sc_test *t) {
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
  sc_quic_segments_clear(&segments);
}

static void the_number_of_spare_segments_is_limited(sc_test *t) {
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
  sc_quic_segments_clear(&segments);
}

static void count_return(void *owner) {
  ++*(size_t *)owner;
}

static sc_status append_lent(sc_quic_send_queue *queue, sc_quic_segments *segments, sc_bytes body,
                             size_t *returns) {
  const sc_quic_outgoing outgoing = {.head = sc_bytes_text("<"),
                                     .body = body,
                                     .tail = sc_bytes_text(">"),
                                     .lender = {count_return, returns}};
  return sc_quic_send_queue_append(queue, segments, &outgoing);
}

/* Between copied bytes; it is returned when its last byte is acknowledged, not before. */
static void a_lent_body_is_sent_without_a_copy(sc_test *t) {
  static const uint8_t body[sc_quic_least_lent_bytes] = {1};
  sc_quic_segments segments;
  sc_quic_send_queue queue = {0};
  size_t returns = 0;
  ngtcp2_vec vectors[4];
  sc_quic_segments_init(&segments, t->env);
  OK(append(&queue, &segments, "a", 1));
  OK(append_lent(&queue, &segments, SC_BYTES(body), &returns));
  OK(append(&queue, &segments, "b", 1));
  CHECK(sc_quic_send_queue_gather(&queue, vectors, 4, 100000) == 3);
  CHECK(vectors[0].len == 4 && memcmp(vectors[0].base, "<a><", 4) == 0);
  CHECK(vectors[1].base == body && vectors[1].len == sizeof body);
  CHECK(vectors[2].len == 4 && memcmp(vectors[2].base, "><b>", 4) == 0);
  sc_quic_send_queue_sent(&queue, sizeof body + 8);
  (void)sc_quic_send_queue_acknowledged(&queue, &segments, sizeof body + 3);
  CHECK(returns == 0);
  (void)sc_quic_send_queue_acknowledged(&queue, &segments, 1);
  CHECK(returns == 1);
  OK(append_lent(&queue, &segments, SC_BYTES(body), &returns));
  CHECK(sc_quic_send_queue_gather(&queue, vectors, 4, 100000) == 3 && vectors[0].len == 1);
  sc_quic_send_queue_clear(&queue, &segments);
  CHECK(returns == 2);
done:
  sc_quic_send_queue_clear(&queue, &segments);
  sc_quic_segments_clear(&segments);
}

static void a_small_body_is_returned_at_once(sc_test *t) {
  sc_quic_segments segments;
  sc_quic_send_queue queue = {0};
  size_t returns = 0;
  ngtcp2_vec vector;
  sc_quic_segments_init(&segments, t->env);
  OK(append_lent(&queue, &segments, sc_bytes_text("abc"), &returns));
  CHECK(returns == 1);
  CHECK(sc_quic_send_queue_gather(&queue, &vector, 1, 100) == 1);
  SAME(sc_bytes_text("<abc>"), sc_bytes_make(vector.base, vector.len));
  sc_quic_send_queue_clear(&queue, &segments);
  CHECK(returns == 1);
done:
  sc_quic_send_queue_clear(&queue, &segments);
  sc_quic_segments_clear(&segments);
}

static void a_refused_body_stays_with_its_owner(sc_test *t) {
  static const uint8_t body[sc_quic_least_lent_bytes] = {1};
  sc_quic_segments segments;
  sc_quic_send_queue queue = {0};
  sc_test_env poor;
  size_t returns = 0;
  sc_test_env_init(&poor, 1);
  sc_quic_segments_init(&segments, &poor.env);
  for (size_t failing = 1; failing <= 3; failing++) {
    poor.fail_at = poor.allocations + failing;
    FAILS(SC_ERR_NO_MEMORY, append_lent(&queue, &segments, SC_BYTES(body), &returns));
    CHECK(returns == 0 && queue.first == NULL && !sc_quic_send_queue_has_unsent(&queue));
    sc_quic_segments_clear(&segments);
  }
  CHECK(poor.live == 0);
done:
  sc_quic_send_queue_clear(&queue, &segments);
  sc_quic_segments_clear(&segments);
}

/* Acknowledged bytes are identified by their segment. */
static void replies_are_counted(sc_test *t) {
  static const uint8_t body[sc_quic_segment_bytes] = {1};
  sc_quic_segments segments;
  sc_quic_send_queue queue = {0};
  const sc_quic_outgoing command = {.body = SC_BYTES(body)};
  const sc_quic_outgoing reply = {.body = SC_BYTES(body), .is_answer = true};
  sc_quic_segments_init(&segments, t->env);
  OK(sc_quic_send_queue_append(&queue, &segments, &command));
  OK(sc_quic_send_queue_append(&queue, &segments, &reply));
  sc_quic_send_queue_sent(&queue, 2 * sizeof body);
  CHECK(sc_quic_send_queue_acknowledged(&queue, &segments, sizeof body - 1) == 0);
  CHECK(sc_quic_send_queue_acknowledged(&queue, &segments, 11) == 10);
  CHECK(sc_quic_send_queue_acknowledged(&queue, &segments, sizeof body - 10) == sizeof body - 10);
done:
  sc_quic_send_queue_clear(&queue, &segments);
  sc_quic_segments_clear(&segments);
}

SUITE(network_quic_send_queue, "network/quic/send_queue",
      {"bytes are sent in order", bytes_are_sent_in_order}, {"segments are reused", segments_are_reused},
      {"the number of spare segments is limited", the_number_of_spare_segments_is_limited},
      {"a lent body is sent without a copy", a_lent_body_is_sent_without_a_copy},
      {"a small body is returned at once", a_small_body_is_returned_at_once},
      {"a refused body stays with its owner", a_refused_body_stays_with_its_owner},
      {"replies are counted", replies_are_counted});
