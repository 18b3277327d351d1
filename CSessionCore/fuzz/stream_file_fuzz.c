/* A stream file of the fuzzer's, a genuine one that it changed, or chunks with whatever content and tags
 * under a known key: opened at once and in pieces, with the same outcome. Input: mode 1, pieces 8, then the
 * file, content ‖ changes, or chunks of tag 1, size 2 and plaintext. */
#include <sodium.h>

#include "fuzz.h"
#include "fuzz_files.h"

static const uint8_t seed[32] = {3};

static sc_status measure_piece(void *sealer, sc_bytes piece) {
  return sc_stream_sealer_measure(sealer, piece);
}

static sc_status write_piece(void *sealer, sc_bytes piece) {
  return sc_stream_sealer_write(sealer, piece);
}

static sc_status read_piece(void *opener, sc_bytes piece) {
  return sc_stream_opener_write(opener, piece);
}

/* Seals in pieces, and proves that pieces do not show. */
static void make_genuine(sc_buffer *out, uint8_t *key, sc_bytes content, sc_bytes sizes) {
  sc_buffer at_once;
  sc_stream_sealer *sealer;
  uint8_t same_key[32];
  sc_buffer_init(&at_once, NULL);
  REQUIRE(sc_stream_file_seal(&at_once, same_key, SC_BYTES(seed), SC_STREAM_FILE_PICTURE, content) == SC_OK);
  REQUIRE(sc_stream_sealer_new(&sealer, fuzz_env(), sc_sink_to_buffer(out), SC_BYTES(seed),
                               SC_STREAM_FILE_PICTURE, false) == SC_OK);
  REQUIRE(fuzz_in_pieces(measure_piece, sealer, content, sizes) == SC_OK);
  REQUIRE(sc_stream_sealer_begin(key, sealer) == SC_OK);
  REQUIRE(fuzz_in_pieces(write_piece, sealer, content, sizes) == SC_OK);
  REQUIRE(sc_stream_sealer_finish(sealer) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&at_once), sc_buffer_bytes(out)));
  REQUIRE(memcmp(key, same_key, sizeof same_key) == 0);
  REQUIRE(out->len == sc_stream_file_sealed_len(content.len));
  sc_stream_sealer_free(sealer);
  sc_buffer_free(&at_once);
}

/* Plaintext is repeated until the chunk has its size, so that small inputs make whole chunks. */
static void append_chunk(sc_buffer *out, crypto_secretstream_xchacha20poly1305_state *stream, sc_bytes plain,
                         size_t len, uint8_t tag) {
  static uint8_t chunk[32768];
  uint8_t *room;
  for (size_t i = 0; i < len; i++)
    chunk[i] = plain.len > 0 ? plain.ptr[i % plain.len] : 0;
  REQUIRE(sc_buffer_extend(&room, out, len + 17) == SC_OK);
  crypto_secretstream_xchacha20poly1305_push(stream, room, NULL, chunk, len, NULL, 0, tag);
}

static void make_chunks(sc_buffer *out, const uint8_t *key, sc_bytes input) {
  enum { most_chunks = 8 };
  uint8_t header[25] = {'S'};
  crypto_secretstream_xchacha20poly1305_state stream;
  crypto_secretstream_xchacha20poly1305_init_pull(&stream, header + 1, key);
  REQUIRE(sc_buffer_append(out, SC_BYTES(header)) == SC_OK);
  for (int i = 0; i < most_chunks && input.len >= 3; i++) {
    sc_bytes head = fuzz_take(&input, 3);
    size_t len = ((size_t)head.ptr[1] << 8 | head.ptr[2]) % 32769;
    append_chunk(out, &stream, fuzz_take(&input, 16), len, head.ptr[0] % 4);
  }
}

static sc_status open_in_pieces(sc_buffer *out, const uint8_t *key, sc_bytes sealed, sc_bytes sizes) {
  sc_stream_opener *opener;
  REQUIRE(sc_stream_opener_new(&opener, fuzz_env(), sc_sink_to_buffer(out), sc_bytes_make(key, 32)) == SC_OK);
  sc_status status = fuzz_in_pieces(read_piece, opener, sealed, sizes);
  if (status == SC_OK)
    status = sc_stream_opener_finish(opener);
  if (status != SC_OK)
    REQUIRE(sc_stream_opener_finish(opener) == SC_ERR_STATE);
  sc_stream_opener_free(opener);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_bytes mode = fuzz_take(&input, 1);
  sc_bytes sizes = fuzz_take(&input, 8);
  if (mode.len == 0)
    return 0;
  sc_buffer sealed, opened, opened_in_pieces;
  uint8_t key[32] = {0};
  sc_buffer_init(&sealed, NULL);
  sc_buffer_init(&opened, NULL);
  sc_buffer_init(&opened_in_pieces, NULL);

  sc_bytes content = {NULL, 0};
  bool genuine = false;
  if (mode.ptr[0] % 3 == 0) {
    REQUIRE(sc_buffer_append(&sealed, input) == SC_OK);
  } else if (mode.ptr[0] % 3 == 1) {
    content = fuzz_take(&input, input.len / 2);
    make_genuine(&sealed, key, content, sizes);
    fuzz_change(&sealed, input);
    genuine = input.len == 0;
  } else {
    make_chunks(&sealed, key, input);
  }

  sc_status status = sc_stream_file_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed));
  sc_status in_pieces = open_in_pieces(&opened_in_pieces, key, sc_buffer_bytes(&sealed), sizes);
  if (status == SC_OK) {
    uint64_t most;
    REQUIRE(sc_stream_file_max_content(&most, sealed.len) == SC_OK && opened.len <= most);
    REQUIRE(in_pieces == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&opened), sc_buffer_bytes(&opened_in_pieces)));
  } else {
    REQUIRE(in_pieces == status && opened.len == 0);
  }
  if (genuine) {
    REQUIRE(status == SC_OK);
    REQUIRE(sc_bytes_same(content, sc_buffer_bytes(&opened)));
  }
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
  sc_buffer_free(&opened_in_pieces);
  return 0;
}
