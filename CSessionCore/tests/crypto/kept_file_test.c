#include "support/pieces.h"

enum {
  header_bytes = 32,
  chunk_bytes = 65536,
  sealed_chunk_bytes = chunk_bytes + 17,
  key_bytes = SC_KEPT_FILE_KEY_BYTES,
};

static sc_status write_content(void *sealer, sc_bytes piece) {
  return sc_kept_sealer_write(sealer, piece);
}

static sc_status write_sealed(void *opener, sc_bytes piece) {
  return sc_kept_opener_write(opener, piece);
}

static sc_status seal(sc_test_sink *sink, uint8_t *key, const sc_env *env, sc_bytes content, uint64_t sizes) {
  sc_kept_sealer *sealer;
  sc_status status = sc_kept_sealer_new(&sealer, key, env, sc_test_sink_of(sink));
  if (status != SC_OK)
    return status;
  status = sc_test_in_pieces(write_content, sealer, content, sizes);
  if (status == SC_OK)
    status = sc_kept_sealer_finish(sealer);
  sc_kept_sealer_free(sealer);
  return status;
}

static sc_status open_file(sc_test_sink *sink, const sc_env *env, const uint8_t *key, sc_bytes sealed,
                           uint64_t sizes) {
  sc_kept_opener *opener;
  sc_status status = sc_kept_opener_new(&opener, env, sc_test_sink_of(sink), sc_bytes_make(key, key_bytes));
  if (status != SC_OK)
    return status;
  status = sc_test_in_pieces(write_sealed, opener, sealed, sizes);
  if (status == SC_OK)
    status = sc_kept_opener_finish(opener);
  sc_kept_opener_free(opener);
  return status;
}

/* A file and its content. */
typedef struct example {
  sc_buffer content, sealed, opened;
  uint8_t key[key_bytes];
} example;

static void example_init(example *e, const sc_env *env) {
  sc_buffer_init(&e->content, env);
  sc_buffer_init(&e->sealed, env);
  sc_buffer_init(&e->opened, env);
}

static void example_free(example *e) {
  sc_buffer_free(&e->content);
  sc_buffer_free(&e->sealed);
  sc_buffer_free(&e->opened);
}

static sc_status example_seal(example *e, sc_test *t, size_t len, uint64_t sizes) {
  sc_test_sink sink = {.into = &e->sealed};
  sc_buffer_clear(&e->sealed);
  sc_status status = sc_test_content(&e->content, len);
  if (status == SC_OK)
    status = seal(&sink, e->key, t->env, sc_buffer_bytes(&e->content), sizes);
  return sink.broke_a_rule ? SC_ERR_STATE : status;
}

static sc_status example_open(example *e, sc_test *t, uint64_t sizes) {
  sc_test_sink sink = {.into = &e->opened};
  sc_buffer_clear(&e->opened);
  sc_status status = open_file(&sink, t->env, e->key, sc_buffer_bytes(&e->sealed), sizes);
  return sink.broke_a_rule ? SC_ERR_STATE : status;
}

static void a_sealed_file_opens_to_its_content(sc_test *t) {
  static const size_t lens[] = {0, 1, chunk_bytes - 1, chunk_bytes, chunk_bytes + 1, 2 * chunk_bytes, 200000};
  example e;
  example_init(&e, t->env);
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
    for (uint64_t sizes = 0; sizes < (t->torture ? 1 : 4); sizes++) {
      OK(example_seal(&e, t, lens[i], sizes));
      CHECK(e.sealed.len == sc_kept_file_sealed_len(lens[i]));
      OK(example_open(&e, t, sizes));
      SAME(sc_buffer_bytes(&e.content), sc_buffer_bytes(&e.opened));
    }
done:
  example_free(&e);
}

static void a_file_begins_with_its_format_byte(sc_test *t) {
  static const uint8_t begin[8] = {'S', 'F', 'E', '1', 16, 0, 0, 0};
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, t, 5, 0));
  SAME(SC_BYTES(begin), sc_bytes_make(e.sealed.ptr, sizeof begin));
  CHECK(e.sealed.len == header_bytes + 5 + 17);
done:
  example_free(&e);
}

static void two_files_share_neither_keys_nor_bytes(sc_test *t) {
  example a, b;
  example_init(&a, t->env);
  example_init(&b, t->env);
  OK(example_seal(&a, t, 100, 0));
  OK(example_seal(&b, t, 100, 0));
  SAME(sc_buffer_bytes(&a.content), sc_buffer_bytes(&b.content));
  CHECK(memcmp(a.key, b.key, key_bytes) != 0);
  CHECK(memcmp(a.sealed.ptr + 8, b.sealed.ptr + 8, 24) != 0);
done:
  example_free(&a);
  example_free(&b);
}

static void a_flipped_bit_is_detected(sc_test *t) {
  static const size_t places[] = {8, 31, header_bytes, header_bytes + chunk_bytes,
                                  header_bytes + sealed_chunk_bytes};
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, t, chunk_bytes + 100, 0));
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    e.sealed.ptr[places[i]] ^= 4;
    FAILS(SC_ERR_FILE_DAMAGED, example_open(&e, t, 0));
    e.sealed.ptr[places[i]] ^= 4;
  }
  e.key[0] ^= 1;
  FAILS(SC_ERR_FILE_DAMAGED, example_open(&e, t, 0));
done:
  example_free(&e);
}

static void an_unknown_format_is_reported_from_the_first_byte(sc_test *t) {
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, t, 10, 0));
  for (size_t i = 0; i < 8; i++) {
    e.sealed.ptr[i] ^= 1;
    FAILS(SC_ERR_FILE_FORMAT, example_open(&e, t, 0));
    e.sealed.ptr[i] ^= 1;
  }
done:
  example_free(&e);
}

/* Truncated at every length, chunk boundaries included, and with trailing bytes. */
static void a_truncated_file_is_detected(sc_test *t) {
  static const size_t lens[] = {0,
                                1,
                                8,
                                31,
                                header_bytes,
                                header_bytes + 16,
                                header_bytes + 17,
                                header_bytes + sealed_chunk_bytes,
                                header_bytes + sealed_chunk_bytes + 17};
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, t, 2 * chunk_bytes, 0));
  sc_buffer whole = e.sealed;
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
    e.sealed.len = lens[i];
    sc_status status = example_open(&e, t, 0);
    e.sealed.len = whole.len;
    sc_status expected = lens[i] == header_bytes + 17 || lens[i] == header_bytes + sealed_chunk_bytes + 17
                             ? SC_ERR_FILE_DAMAGED
                             : SC_ERR_FILE_FORMAT;
    FAILS(expected, status);
  }
  OK(sc_buffer_append_byte(&e.sealed, 0));
  FAILS(SC_ERR_FILE_FORMAT, example_open(&e, t, 0));
done:
  example_free(&e);
}

static void reordered_chunks_are_detected(sc_test *t) {
  static uint8_t first[sealed_chunk_bytes];
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, t, 3 * chunk_bytes, 0));
  uint8_t *chunks = e.sealed.ptr + header_bytes;
  memcpy(first, chunks, sealed_chunk_bytes);
  memmove(chunks, chunks + sealed_chunk_bytes, sealed_chunk_bytes);
  memcpy(chunks + sealed_chunk_bytes, first, sealed_chunk_bytes);
  FAILS(SC_ERR_FILE_DAMAGED, example_open(&e, t, 0));
  CHECK(e.opened.len == 0);
done:
  example_free(&e);
}

static void a_sinks_error_is_passed_on(sc_test *t) {
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, t, 2 * chunk_bytes, 0));
  for (size_t refuse_at = 1; refuse_at <= 5; refuse_at++) {
    sc_test_sink sink = {.refuse_at = refuse_at};
    uint8_t key[key_bytes];
    FAILS(SC_ERR_SINK, seal(&sink, key, t->env, sc_buffer_bytes(&e.content), 0));
    CHECK(!sink.broke_a_rule);
  }
  for (size_t refuse_at = 1; refuse_at <= 2; refuse_at++) {
    sc_test_sink sink = {.refuse_at = refuse_at};
    FAILS(SC_ERR_SINK, open_file(&sink, t->env, e.key, sc_buffer_bytes(&e.sealed), 0));
    CHECK(!sink.broke_a_rule);
  }
done:
  example_free(&e);
}

static void calls_after_the_end_are_refused(sc_test *t) {
  example e;
  sc_kept_sealer *sealer = NULL;
  sc_kept_opener *opener = NULL;
  sc_test_sink sink = {0};
  example_init(&e, t->env);
  OK(example_seal(&e, t, 3, 0));
  OK(sc_kept_sealer_new(&sealer, e.key, t->env, sc_test_sink_of(&sink)));
  OK(sc_kept_sealer_finish(sealer));
  FAILS(SC_ERR_STATE, sc_kept_sealer_write(sealer, sc_bytes_text("more")));
  FAILS(SC_ERR_STATE, sc_kept_sealer_finish(sealer));
  OK(sc_kept_opener_new(&opener, t->env, sc_test_sink_of(&sink), SC_BYTES(e.key)));
  FAILS(SC_ERR_FILE_FORMAT, sc_kept_opener_write(opener, sc_bytes_text("other")));
  FAILS(SC_ERR_STATE, sc_kept_opener_write(opener, sc_bytes_text("more")));
  FAILS(SC_ERR_STATE, sc_kept_opener_finish(opener));
done:
  sc_kept_sealer_free(sealer);
  sc_kept_opener_free(opener);
  example_free(&e);
}

static void keys_of_the_wrong_size_are_refused(sc_test *t) {
  static const uint8_t key[33] = {1};
  sc_test_sink sink = {0};
  sc_kept_opener *opener;
  FAILS(SC_ERR_KEY_SIZE, sc_kept_opener_new(&opener, t->env, sc_test_sink_of(&sink), sc_bytes_make(key, 31)));
  CHECK(opener == NULL);
  FAILS(SC_ERR_KEY_SIZE, sc_kept_opener_new(&opener, t->env, sc_test_sink_of(&sink), sc_bytes_make(key, 33)));
done:
  return;
}

static void sizes_follow_from_the_content(sc_test *t) {
  CHECK(sc_kept_file_sealed_len(0) == header_bytes + 17);
  CHECK(sc_kept_file_sealed_len(chunk_bytes) == header_bytes + sealed_chunk_bytes);
  CHECK(sc_kept_file_sealed_len(chunk_bytes + 1) == header_bytes + sealed_chunk_bytes + 18);
  CHECK(sc_kept_file_sealed_len(UINT64_MAX) == UINT64_MAX);
done:
  return;
}

SUITE(crypto_kept_file, "crypto/kept_file",
      {"a sealed file opens to its content", a_sealed_file_opens_to_its_content},
      {"a file begins with its format byte", a_file_begins_with_its_format_byte},
      {"two files share neither keys nor bytes", two_files_share_neither_keys_nor_bytes},
      {"a flipped bit is detected", a_flipped_bit_is_detected},
      {"an unknown format is reported from the first byte",
       an_unknown_format_is_reported_from_the_first_byte},
      {"a truncated file is detected", a_truncated_file_is_detected},
      {"reordered chunks are detected", reordered_chunks_are_detected},
      {"a sink's error is passed on", a_sinks_error_is_passed_on},
      {"calls after the end are refused", calls_after_the_end_are_refused},
      {"keys of the wrong size are refused", keys_of_the_wrong_size_are_refused},
      {"sizes follow from the content", sizes_follow_from_the_content});
