/* A kept file of the fuzzer's, or a genuine one that it changed: opened at once and in pieces, with the same
 * outcome. Input: mode 1, pieces 8, then the file, or content ‖ changes. */
#include "fuzz.h"
#include "fuzz_files.h"

static sc_status write_piece(void *sealer, sc_bytes piece) {
  return sc_kept_sealer_write(sealer, piece);
}

static sc_status read_piece(void *opener, sc_bytes piece) {
  return sc_kept_opener_write(opener, piece);
}

static void make_genuine(sc_buffer *out, uint8_t *key, sc_bytes content, sc_bytes sizes) {
  sc_kept_sealer *sealer;
  REQUIRE(sc_kept_sealer_new(&sealer, key, fuzz_env(), sc_sink_to_buffer(out)) == SC_OK);
  REQUIRE(fuzz_in_pieces(write_piece, sealer, content, sizes) == SC_OK);
  REQUIRE(sc_kept_sealer_finish(sealer) == SC_OK);
  REQUIRE(out->len == sc_kept_file_sealed_len(content.len));
  sc_kept_sealer_free(sealer);
}

static sc_status open_in_pieces(sc_buffer *out, const uint8_t *key, sc_bytes sealed, sc_bytes sizes) {
  sc_kept_opener *opener;
  REQUIRE(sc_kept_opener_new(&opener, fuzz_env(), sc_sink_to_buffer(out), sc_bytes_make(key, 32)) == SC_OK);
  sc_status status = fuzz_in_pieces(read_piece, opener, sealed, sizes);
  if (status == SC_OK)
    status = sc_kept_opener_finish(opener);
  if (status != SC_OK)
    REQUIRE(sc_kept_opener_finish(opener) == SC_ERR_STATE);
  sc_kept_opener_free(opener);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_bytes mode = fuzz_take(&input, 1);
  sc_bytes sizes = fuzz_take(&input, 8);
  if (mode.len == 0)
    return 0;
  sc_buffer sealed, at_once, in_pieces;
  uint8_t key[32] = {0};
  sc_buffer_init(&sealed, NULL);
  sc_buffer_init(&at_once, NULL);
  sc_buffer_init(&in_pieces, NULL);

  sc_bytes content = {NULL, 0};
  bool genuine = mode.ptr[0] % 2 == 1;
  if (genuine) {
    content = fuzz_take(&input, input.len / 2);
    make_genuine(&sealed, key, content, sizes);
    fuzz_change(&sealed, input);
  } else {
    REQUIRE(sc_buffer_append(&sealed, input) == SC_OK);
  }

  sc_status status = open_in_pieces(&at_once, key, sc_buffer_bytes(&sealed), sc_bytes_make(NULL, 0));
  REQUIRE(open_in_pieces(&in_pieces, key, sc_buffer_bytes(&sealed), sizes) == status);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&at_once), sc_buffer_bytes(&in_pieces)));
  if (status == SC_OK)
    REQUIRE(genuine && sc_bytes_same(content, sc_buffer_bytes(&at_once)));
  if (genuine && input.len == 0)
    REQUIRE(status == SC_OK);
  sc_buffer_free(&sealed);
  sc_buffer_free(&at_once);
  sc_buffer_free(&in_pieces);
  return 0;
}
