/* The first two bytes choose the limit, the level and what the rest is: frames to open, or data to make a
 * frame of. */
#include "base/compression.h"
#include "fuzz.h"

static void check_frames(sc_bytes frames, size_t max_len) {
  sc_buffer out = {0}, shorter = {0};
  sc_status status = sc_zstd_decompress(&out, frames, max_len);
  REQUIRE(status == SC_OK || status == SC_ERR_COMPRESSION || status == SC_ERR_TOO_LARGE);
  REQUIRE(status == SC_OK ? out.len <= max_len : out.len == 0);
  if (status == SC_OK) {
    REQUIRE(sc_zstd_decompress(&shorter, frames, out.len) == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&out), sc_buffer_bytes(&shorter)));
  }
  if (status == SC_OK && out.len > 0) {
    REQUIRE(sc_zstd_decompress(&shorter, frames, out.len - 1) == SC_ERR_TOO_LARGE);
    REQUIRE(shorter.len == 0);
  }
  sc_buffer_free(&out);
  sc_buffer_free(&shorter);
}

static void check_round_trip(sc_bytes data, int level) {
  sc_buffer frame = {0}, back = {0};
  REQUIRE(sc_zstd_compress(&frame, sc_bytes_make(NULL, 0), data, level) == SC_OK);
  REQUIRE(sc_zstd_decompress(&back, sc_buffer_bytes(&frame), data.len) == SC_OK);
  REQUIRE(sc_bytes_same(data, sc_buffer_bytes(&back)));
  REQUIRE(sc_zstd_decompress(&back, sc_bytes_make(frame.ptr, frame.len - 1), data.len) == SC_ERR_COMPRESSION);
  REQUIRE(back.len == 0);
  sc_buffer_free(&frame);
  sc_buffer_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_bytes choice = fuzz_take(&input, 2);
  if (choice.len < 2)
    return 0;
  int level = 1 + choice.ptr[0] % 3;
  size_t max_len = (size_t)1 << choice.ptr[1] % 18;
  if (choice.ptr[0] < 128)
    check_frames(input, max_len);
  else
    check_round_trip(input, level);
  return 0;
}
