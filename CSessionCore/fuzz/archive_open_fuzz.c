/* An archive of the fuzzer's, or a genuine one that it changed, opened at once and in pieces with the same
 * outcome. Input: mode 1, pieces 8, then the file, or content ‖ changes. */
#include "fuzz.h"
#include "fuzz_files.h"

static const uint8_t seed[SC_ARCHIVE_SECRET_BYTES] = {3};
static const sc_archive_secret secrets[] = {{SC_ARCHIVE_SLOT_ACCOUNT, {seed, sizeof seed}, {0, 0}},
                                            {SC_ARCHIVE_SLOT_KEY_FILE, {seed, sizeof seed}, {0, 0}}};

static sc_status write_frames(void *sealer, sc_bytes piece) {
  return sc_archive_sealer_write(sealer, piece);
}

static sc_status write_file(void *opener, sc_bytes piece) {
  return sc_archive_opener_write(opener, piece);
}

static void make_genuine(sc_buffer *out, sc_bytes content, sc_bytes sizes, size_t slots) {
  sc_archive_sealer *sealer;
  REQUIRE(sc_archive_sealer_new(&sealer, fuzz_env(), sc_sink_to_buffer(out), secrets, slots,
                                SC_ARCHIVE_MIN_CHUNK_LOG2) == SC_OK);
  REQUIRE(fuzz_in_pieces(write_frames, sealer, content, sizes) == SC_OK);
  REQUIRE(sc_archive_sealer_finish(sealer) == (content.len > 0 ? SC_OK : SC_ERR_STATE));
  sc_archive_sealer_free(sealer);
}

static sc_status open_archive(sc_buffer *out, sc_bytes file, sc_bytes sizes) {
  sc_archive_opener *opener;
  REQUIRE(sc_archive_opener_new(&opener, fuzz_env(), sc_sink_to_buffer(out), secrets, 1) == SC_OK);
  sc_status status = fuzz_in_pieces(write_file, opener, file, sizes);
  if (status == SC_OK)
    status = sc_archive_opener_finish(opener);
  REQUIRE(sc_archive_opener_finish(opener) == SC_ERR_STATE);
  sc_archive_opener_free(opener);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  uint8_t mode = fuzz_take_byte(&input);
  sc_bytes sizes = fuzz_take(&input, 8), content = {NULL, 0};
  sc_buffer file, at_once, in_pieces;
  sc_archive_header header;
  sc_buffer_init(&file, NULL);
  sc_buffer_init(&at_once, NULL);
  sc_buffer_init(&in_pieces, NULL);
  bool genuine = false;
  if (mode % 2 == 0) {
    REQUIRE(sc_buffer_append(&file, input) == SC_OK);
  } else {
    content = fuzz_take(&input, input.len / 2);
    make_genuine(&file, content, sizes, 1 + mode / 2 % 2);
    genuine = input.len == 0 && content.len > 0;
    fuzz_change(&file, input);
  }
  sc_bytes whole = sc_buffer_bytes(&file);
  sc_status status = open_archive(&at_once, whole, sc_bytes_make(NULL, 0));
  REQUIRE(open_archive(&in_pieces, whole, sizes) == status);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&at_once), sc_buffer_bytes(&in_pieces)));
  REQUIRE(at_once.len <= file.len);
  if (status == SC_OK)
    REQUIRE(sc_archive_header_read(&header, whole) == SC_OK && at_once.len > 0);
  if (genuine)
    REQUIRE(status == SC_OK && sc_bytes_same(content, sc_buffer_bytes(&at_once)));
  sc_buffer_free(&file);
  sc_buffer_free(&at_once);
  sc_buffer_free(&in_pieces);
  return 0;
}
