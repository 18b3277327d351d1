/* Shared by the tests of streaming functions: content, sinks that record and refuse, pieces of any size, and
 * an environment that counts bytes. */
#ifndef SC_TESTS_PIECES_H
#define SC_TESTS_PIECES_H

#include "test.h"

/* Numbers that look random and repeat. */
static inline uint64_t sc_test_next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* Replaces `out` with `len` bytes without early repetition; the first is not zero. */
SC_NODISCARD static inline sc_status sc_test_content(sc_buffer *out, size_t len) {
  uint8_t *room;
  sc_buffer_clear(out);
  sc_status status = sc_buffer_extend(&room, out, len);
  if (status != SC_OK)
    return status;
  uint64_t state = len;
  for (size_t i = 0; i < len; i++)
    room[i] = (uint8_t)sc_test_next(&state);
  if (len > 0)
    room[0] |= 0x80;
  return SC_OK;
}

typedef struct sc_test_sink {
  sc_buffer *into;  /* NULL: the bytes are only counted */
  size_t refuse_at; /* the call to refuse with SC_ERR_SINK, counted from 1; 0 refuses none */
  size_t calls;
  uint64_t len;
  bool broke_a_rule; /* a piece was empty or longer than SC_SINK_MAX_BYTES, or came after a refusal */
} sc_test_sink;

static inline sc_status sc_test_sink_write(void *user, sc_bytes piece) {
  sc_test_sink *sink = user;
  sink->calls++;
  sink->len += piece.len;
  bool refused_before = sink->refuse_at != 0 && sink->calls > sink->refuse_at;
  if (piece.len == 0 || piece.len > SC_SINK_MAX_BYTES || refused_before)
    sink->broke_a_rule = true;
  if (sink->calls == sink->refuse_at)
    return SC_ERR_SINK;
  return sink->into == NULL ? SC_OK : sc_buffer_append(sink->into, piece);
}

static inline sc_sink sc_test_sink_of(sc_test_sink *sink) {
  return (sc_sink){.user = sink, .write = sc_test_sink_write};
}

typedef sc_status (*sc_test_feed)(void *object, sc_bytes piece);

/* Feeds `bytes` in pieces of sizes that follow from `seed`, some of them empty; 0 means in one piece. */
SC_NODISCARD static inline sc_status sc_test_in_pieces(sc_test_feed feed, void *object, sc_bytes bytes,
                                                       uint64_t seed) {
  static const size_t scales[] = {3, 40, 1000, 33000, 100000};
  if (seed == 0)
    return feed(object, bytes);
  sc_status status = SC_OK;
  while (bytes.len > 0 && status == SC_OK) {
    size_t scale = scales[sc_test_next(&seed) % (sizeof scales / sizeof scales[0])];
    size_t len = (size_t)(sc_test_next(&seed) % scale);
    len = len < bytes.len ? len : bytes.len;
    status = feed(object, sc_bytes_make(bytes.ptr, len));
    bytes = sc_bytes_make(bytes.ptr + len, bytes.len - len);
  }
  return status;
}

/* Wraps another environment and counts the requested bytes. */
typedef struct sc_test_tally {
  sc_env env; /* points back here, so do not move the struct */
  const sc_env *inner;
  uint64_t allocated;
} sc_test_tally;

static inline void *sc_test_tally_allocate(void *user, size_t size) {
  sc_test_tally *tally = user;
  tally->allocated += size;
  return sc_allocate(tally->inner, size);
}

static inline void sc_test_tally_release(void *user, void *ptr) {
  sc_release(((sc_test_tally *)user)->inner, ptr);
}

static inline void sc_test_tally_random(void *user, uint8_t *out, size_t len) {
  sc_random(((sc_test_tally *)user)->inner, out, len);
}

static inline void sc_test_tally_init(sc_test_tally *out, const sc_env *inner) {
  *out = (sc_test_tally){
      .env = {.user = out,
              .allocate = sc_test_tally_allocate,
              .release = sc_test_tally_release,
              .random = sc_test_tally_random},
      .inner = inner,
  };
}

#endif
