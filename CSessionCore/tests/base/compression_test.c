#include <zstd.h>

#include "base/compression.h"
#include "support/test.h"

static const char sentence[] =
    "the quick brown fox jumps over the lazy dog, the quick brown fox jumps over it again";

static sc_bytes sample(void) {
  return sc_bytes_text(sentence);
}

/* A frame from zstd's own streaming encoder, for what ours never writes: no content size, another window, a
 * checksum. */
static sc_status append_stream(sc_buffer *out, sc_bytes data, int window_log, int checksum) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
  uint8_t *space;
  size_t len = out->len;
  sc_status status = sc_buffer_extend(&space, out, ZSTD_compressBound(data.len) + 64);
  ZSTD_inBuffer in = {.src = data.ptr, .size = data.len};
  ZSTD_outBuffer frame = {.dst = space, .size = out->len - len};
  if (status == SC_OK && (ZSTD_compressStream2(context, &frame, &in, ZSTD_e_flush) != 0 ||
                          ZSTD_compressStream2(context, &frame, &in, ZSTD_e_end) != 0))
    status = SC_ERR_STATE;
  if (status == SC_OK)
    sc_buffer_truncate(out, len + frame.pos);
  ZSTD_freeCCtx(context);
  return status;
}

static void output_equals_one_shot_zstd(sc_test *t) {
  sc_buffer data, ours;
  sc_buffer_init(&data, t->env);
  sc_buffer_init(&ours, t->env);
  uint8_t theirs[4096];
  for (size_t len = 0; len <= 1200; len += t->torture ? 1200 : 100) {
    uint8_t *space;
    sc_buffer_clear(&data);
    OK(sc_buffer_extend(&space, &data, len));
    for (size_t i = 0; i < len; i++)
      space[i] = (uint8_t)sentence[(i * i + i / 40) % sizeof sentence];
    for (int level = 1; level <= 19; level += 6) {
      size_t their_len = ZSTD_compress(theirs, sizeof theirs, data.ptr, data.len, level);
      OK(sc_zstd_compress(&ours, sc_bytes_make(NULL, 0), sc_buffer_bytes(&data), level));
      SAME(sc_bytes_make(theirs, their_len), sc_buffer_bytes(&ours));
    }
  }
done:
  sc_buffer_free(&data);
  sc_buffer_free(&ours);
}

static void the_prefix_comes_first(sc_test *t) {
  sc_buffer out, back;
  sc_buffer_init(&out, t->env);
  sc_buffer_init(&back, t->env);
  OK(sc_buffer_append(&out, sc_bytes_text("replaced")));
  OK(sc_zstd_compress(&out, sc_bytes_text("zz"), sample(), 1));
  SAME(sc_bytes_text("zz"), sc_bytes_make(out.ptr, 2));
  OK(sc_zstd_decompress(&back, sc_bytes_make(out.ptr + 2, out.len - 2), sizeof sentence));
  SAME(sample(), sc_buffer_bytes(&back));
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&back, sc_buffer_bytes(&out), sizeof sentence));
  CHECK(back.len == 0);
done:
  sc_buffer_free(&out);
  sc_buffer_free(&back);
}

static void a_level_outside_the_range_is_refused(sc_test *t) {
  static const int levels[] = {0, -1, 20, 23};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
    FAILS(SC_ERR_ARGUMENT, sc_zstd_compress(&out, sample(), sample(), levels[i]));
  CHECK(out.len == 0);
done:
  sc_buffer_free(&out);
}

static void content_may_reach_the_limit_but_not_exceed_it(sc_test *t) {
  sc_buffer frame, out;
  sc_buffer_init(&frame, t->env);
  sc_buffer_init(&out, t->env);
  const size_t len = sample().len;
  OK(sc_zstd_compress(&frame, sc_bytes_make(NULL, 0), sample(), 1));
  for (int streamed = 0; streamed < 2; streamed++) {
    OK(sc_zstd_decompress(&out, sc_buffer_bytes(&frame), len));
    SAME(sample(), sc_buffer_bytes(&out));
    FAILS(SC_ERR_TOO_LARGE, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), len - 1));
    CHECK(out.len == 0);
    FAILS(SC_ERR_TOO_LARGE, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1));
    FAILS(SC_ERR_TOO_LARGE, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 0));
    sc_buffer_clear(&frame);
    OK(append_stream(&frame, sample(), 20, 1));
  }
  OK(sc_zstd_compress(&frame, sc_bytes_make(NULL, 0), sc_bytes_make(NULL, 0), 1));
  OK(sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 0));
  CHECK(out.len == 0);
done:
  sc_buffer_free(&frame);
  sc_buffer_free(&out);
}

static void a_decompression_bomb_costs_no_more_than_the_limit(sc_test *t) {
  sc_buffer zeros, bomb, out;
  sc_buffer_init(&zeros, t->env);
  sc_buffer_init(&bomb, t->env);
  sc_buffer_init(&out, t->env);
  uint8_t *space;
  const size_t len = t->torture ? 1 << 18 : 1 << 26;
  OK(sc_buffer_extend(&space, &zeros, len));
  memset(space, 0, len);
  OK(sc_zstd_compress(&bomb, sc_bytes_make(NULL, 0), sc_buffer_bytes(&zeros), 1));
  CHECK(bomb.len < len / 1000);
  FAILS(SC_ERR_TOO_LARGE, sc_zstd_decompress(&out, sc_buffer_bytes(&bomb), 100000));
  CHECK(out.len == 0 && out.capacity < 300000);
  OK(sc_zstd_decompress(&out, sc_buffer_bytes(&bomb), len));
  SAME(sc_buffer_bytes(&zeros), sc_buffer_bytes(&out));
done:
  sc_buffer_free(&zeros);
  sc_buffer_free(&bomb);
  sc_buffer_free(&out);
}

/* Header: a window of 1 KiB, a content size of 2^40; then one last raw block of one byte. */
static void the_stated_size_is_not_trusted(sc_test *t) {
  static const uint8_t lie[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0x00, 0, 0, 0, 0, 0, 1, 0, 0, 0x09, 0, 0, 'x'};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, SC_BYTES(lie), SIZE_MAX));
  CHECK(out.len == 0 && out.capacity < 100000);
done:
  sc_buffer_free(&out);
}

static void frames_are_joined_unless_one_was_requested(sc_test *t) {
  sc_buffer first, both, out;
  sc_buffer_init(&first, t->env);
  sc_buffer_init(&both, t->env);
  sc_buffer_init(&out, t->env);
  OK(sc_zstd_compress(&first, sc_bytes_make(NULL, 0), sc_bytes_text("one "), 1));
  OK(sc_zstd_compress(&both, sc_buffer_bytes(&first), sc_bytes_text("two"), 19));
  OK(sc_zstd_decompress(&out, sc_buffer_bytes(&both), 7));
  SAME(sc_bytes_text("one two"), sc_buffer_bytes(&out));
  FAILS(SC_ERR_TOO_LARGE, sc_zstd_decompress(&out, sc_buffer_bytes(&both), 6));
  FAILS(SC_ERR_TOO_LARGE, sc_zstd_decompress(&out, sc_buffer_bytes(&both), 4));
  CHECK(out.len == 0);
  OK(sc_zstd_decompress_one(&out, sc_buffer_bytes(&first), 7));
  SAME(sc_bytes_text("one "), sc_buffer_bytes(&out));
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress_one(&out, sc_buffer_bytes(&both), 7));
  CHECK(out.len == 0);
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress_one(&out, sc_bytes_make(first.ptr, first.len - 1), 7));
  FAILS(SC_ERR_TOO_LARGE, sc_zstd_decompress_one(&out, sc_buffer_bytes(&first), 3));
done:
  sc_buffer_free(&first);
  sc_buffer_free(&both);
  sc_buffer_free(&out);
}

static void trailing_bytes_are_refused(sc_test *t) {
  static const char *const tails[] = {"x", "\x28", "\x28\xb5\x2f", "\x28\xb5\x2f\xfd", "trailing bytes"};
  sc_buffer frame, out;
  sc_buffer_init(&frame, t->env);
  sc_buffer_init(&out, t->env);
  OK(sc_zstd_compress(&frame, sc_bytes_make(NULL, 0), sample(), 1));
  const size_t len = frame.len;
  for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
    OK(sc_buffer_append(&frame, sc_bytes_text(tails[i])));
    FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
    CHECK(out.len == 0);
    sc_buffer_truncate(&frame, len);
  }
  OK(sc_buffer_append_byte(&frame, 0));
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
done:
  sc_buffer_free(&frame);
  sc_buffer_free(&out);
}

static void a_truncated_frame_is_refused(sc_test *t) {
  sc_buffer frame, out;
  sc_buffer_init(&frame, t->env);
  sc_buffer_init(&out, t->env);
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_bytes_make(NULL, 0), 1000));
  OK(append_stream(&frame, sample(), 20, 1));
  for (size_t len = t->torture ? frame.len - 1 : 0; len < frame.len; len++) {
    FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_bytes_make(frame.ptr, len), 1000));
    CHECK(out.len == 0);
  }
  OK(sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
done:
  sc_buffer_free(&frame);
  sc_buffer_free(&out);
}

static void the_checksum_detects_corruption(sc_test *t) {
  sc_buffer frame, out;
  sc_buffer_init(&frame, t->env);
  sc_buffer_init(&out, t->env);
  OK(append_stream(&frame, sample(), 20, 1));
  frame.ptr[frame.len - 1] ^= 1;
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
  CHECK(out.len == 0);
done:
  sc_buffer_free(&frame);
  sc_buffer_free(&out);
}

static void a_failure_wipes_partial_output(sc_test *t) {
  sc_buffer frame, out;
  sc_buffer_init(&frame, t->env);
  sc_buffer_init(&out, t->env);
  OK(append_stream(&frame, sample(), 20, 1));
  frame.ptr[frame.len - 1] ^= 1;
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
  CHECK(out.capacity >= sizeof sentence);
  for (size_t i = 0; i < out.capacity; i++)
    CHECK(out.ptr[i] == 0);
done:
  sc_buffer_free(&frame);
  sc_buffer_free(&out);
}

static void a_window_over_the_limit_is_refused_for_large_content(sc_test *t) {
  sc_buffer frame, out;
  sc_buffer_init(&frame, t->env);
  sc_buffer_init(&out, t->env);
  OK(append_stream(&frame, sample(), SC_ZSTD_WINDOW_LOG_MAX, 0));
  OK(sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
  SAME(sample(), sc_buffer_bytes(&out));
  sc_buffer_clear(&frame);
  OK(append_stream(&frame, sample(), SC_ZSTD_WINDOW_LOG_MAX + 1, 0));
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
done:
  sc_buffer_free(&frame);
  sc_buffer_free(&out);
}

/* Header: a content size of 1, and a window of 2^23 and 2^24 bytes; then one last raw block of one byte. */
static void a_window_over_the_limit_is_refused_for_small_content(sc_test *t) {
  uint8_t small[] = {0x28, 0xb5, 0x2f, 0xfd, 0x80, 0x68, 1, 0, 0, 0, 0x09, 0, 0, 'x'};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(sc_zstd_decompress(&out, SC_BYTES(small), 1000));
  SAME(sc_bytes_text("x"), sc_buffer_bytes(&out));
  small[5] = 0x70;
  FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, SC_BYTES(small), 1000));
done:
  sc_buffer_free(&out);
}

static void frames_of_other_formats_are_refused(sc_test *t) {
  static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'h', 'i'};
  static const uint8_t old[] = {0x27, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 0x00};
  static const uint8_t gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const sc_bytes others[] = {SC_BYTES(skippable), SC_BYTES(old), SC_BYTES(gzip), sample()};
  sc_buffer out, frame;
  sc_buffer_init(&out, t->env);
  sc_buffer_init(&frame, t->env);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, others[i], 1000));
    CHECK(out.len == 0);
    OK(sc_zstd_compress(&frame, others[i], sample(), 1));
    FAILS(SC_ERR_COMPRESSION, sc_zstd_decompress(&out, sc_buffer_bytes(&frame), 1000));
  }
done:
  sc_buffer_free(&out);
  sc_buffer_free(&frame);
}

SUITE(base_compression, "base/compression", {"output equals one-shot zstd", output_equals_one_shot_zstd},
      {"the prefix comes first", the_prefix_comes_first},
      {"a level outside the range is refused", a_level_outside_the_range_is_refused},
      {"content may reach the limit but not exceed it", content_may_reach_the_limit_but_not_exceed_it},
      {"a decompression bomb costs no more than the limit",
       a_decompression_bomb_costs_no_more_than_the_limit},
      {"the stated size is not trusted", the_stated_size_is_not_trusted},
      {"frames are joined unless one was requested", frames_are_joined_unless_one_was_requested},
      {"trailing bytes are refused", trailing_bytes_are_refused},
      {"a truncated frame is refused", a_truncated_frame_is_refused},
      {"the checksum detects corruption", the_checksum_detects_corruption},
      {"a failure wipes partial output", a_failure_wipes_partial_output},
      {"a window over the limit is refused for large content",
       a_window_over_the_limit_is_refused_for_large_content},
      {"a window over the limit is refused for small content",
       a_window_over_the_limit_is_refused_for_small_content},
      {"frames of other formats are refused", frames_of_other_formats_are_refused});
