/* A legacy file of the fuzzer's, or a genuine one that it changed: opened at once and in pieces, in both
 * passes, with the same outcome. Input: size 2, mode 1, pieces 8, then the file, or content ‖ changes. */
#include "crypto/hash.h"
#include "fuzz.h"
#include "fuzz_files.h"

static sc_status check_piece(void *opener, sc_bytes piece) {
  return sc_legacy_opener_check(opener, piece);
}

static sc_status read_piece(void *opener, sc_bytes piece) {
  return sc_legacy_opener_open(opener, piece);
}

static sc_status write_piece(void *sealer, sc_bytes piece) {
  return sc_legacy_sealer_write(sealer, piece);
}

/* Seals in pieces, and proves that pieces do not show. */
static void make_genuine(sc_buffer *out, sc_legacy_file_pointer *pointer, sc_bytes content, sc_bytes sizes) {
  sc_buffer at_once;
  sc_legacy_file_pointer same;
  sc_legacy_sealer *sealer;
  sc_buffer_init(&at_once, NULL);
  REQUIRE(sc_legacy_file_seal(&at_once, &same, fuzz_env(), content) == SC_OK);
  REQUIRE(sc_legacy_sealer_new(&sealer, fuzz_env(), sc_sink_to_buffer(out), false) == SC_OK);
  REQUIRE(fuzz_in_pieces(write_piece, sealer, content, sizes) == SC_OK);
  REQUIRE(sc_legacy_sealer_finish(pointer, sealer) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&at_once), sc_buffer_bytes(out)));
  REQUIRE(memcmp(pointer->digest, same.digest, sizeof same.digest) == 0);
  REQUIRE(out->len == sc_legacy_file_sealed_len(content.len));
  sc_legacy_sealer_free(sealer);
  sc_buffer_free(&at_once);
}

static sc_status open_in_pieces(sc_buffer *out, const sc_legacy_file_pointer *pointer, sc_bytes sealed,
                                sc_bytes sizes) {
  sc_legacy_opener *opener;
  REQUIRE(sc_legacy_opener_new(&opener, fuzz_env(), sc_sink_to_buffer(out), SC_BYTES(pointer->key),
                               SC_BYTES(pointer->digest), pointer->size) == SC_OK);
  sc_status status = fuzz_in_pieces(check_piece, opener, sealed, sizes);
  if (status == SC_OK)
    status = sc_legacy_opener_check_finish(opener);
  REQUIRE(out->len == 0);
  if (status == SC_OK)
    status = fuzz_in_pieces(read_piece, opener, sealed, sizes);
  if (status == SC_OK)
    status = sc_legacy_opener_open_finish(opener);
  sc_legacy_opener_free(opener);
  return status;
}

static sc_status open_at_once(sc_buffer *out, const sc_legacy_file_pointer *pointer, sc_bytes sealed) {
  return sc_legacy_file_open(out, SC_BYTES(pointer->key), SC_BYTES(pointer->digest), pointer->size, sealed);
}

/* MAC and digest are made to fit the fuzzer's bytes, so that the code behind the checks is reached. */
static void authenticate(sc_buffer *sealed, sc_legacy_file_pointer *pointer) {
  if (sealed->len < 32)
    return;
  sc_bytes before_mac = sc_bytes_make(sealed->ptr, sealed->len - 32);
  sc_hmac_sha256(sealed->ptr + before_mac.len, sc_bytes_make(pointer->key + 32, 32), before_mac);
  sc_sha256(pointer->digest, sc_buffer_bytes(sealed));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_bytes stated = fuzz_take(&input, 2);
  sc_bytes mode = fuzz_take(&input, 1);
  sc_bytes sizes = fuzz_take(&input, 8);
  if (mode.len == 0)
    return 0;
  sc_buffer sealed, opened, opened_in_pieces;
  sc_legacy_file_pointer pointer = {0};
  sc_buffer_init(&sealed, NULL);
  sc_buffer_init(&opened, NULL);
  sc_buffer_init(&opened_in_pieces, NULL);

  sc_bytes content = {NULL, 0};
  if (mode.ptr[0] % 2 == 0) {
    REQUIRE(sc_buffer_append(&sealed, input) == SC_OK);
  } else {
    content = fuzz_take(&input, input.len / 2);
    make_genuine(&sealed, &pointer, content, sizes);
    fuzz_change(&sealed, input);
  }
  bool changed = mode.ptr[0] % 2 == 0 || input.len > 0;
  bool authenticated = mode.ptr[0] / 2 % 2 == 1;
  bool resized = mode.ptr[0] / 4 % 2 == 1;
  if (authenticated)
    authenticate(&sealed, &pointer);
  if (resized)
    pointer.size = (uint64_t)stated.ptr[0] << 8 | stated.ptr[1];

  sc_status status = open_at_once(&opened, &pointer, sc_buffer_bytes(&sealed));
  REQUIRE(open_in_pieces(&opened_in_pieces, &pointer, sc_buffer_bytes(&sealed), sizes) == status);
  if (status != SC_OK)
    REQUIRE(opened.len == 0 && opened_in_pieces.len == 0);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&opened), sc_buffer_bytes(&opened_in_pieces)));
  if (!changed && !resized) {
    REQUIRE(status == SC_OK);
    REQUIRE(sc_bytes_same(content, sc_buffer_bytes(&opened)));
  }
  if (status == SC_OK && pointer.size > 0)
    REQUIRE(opened.len == pointer.size);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
  sc_buffer_free(&opened_in_pieces);
  return 0;
}
