#include <sodium.h>

#include "crypto/hash.h"
#include "support/pieces.h"

enum {
  header_bytes = 25,
  chunk_bytes = 32768,
  sealed_chunk_bytes = chunk_bytes + 17,
  key_bytes = SC_STREAM_FILE_KEY_BYTES,
};

static const uint8_t seed[32] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
                                 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};

static sc_status measure_content(void *sealer, sc_bytes piece) {
  return sc_stream_sealer_measure(sealer, piece);
}

static sc_status write_content(void *sealer, sc_bytes piece) {
  return sc_stream_sealer_write(sealer, piece);
}

static sc_status write_sealed(void *opener, sc_bytes piece) {
  return sc_stream_opener_write(opener, piece);
}

static sc_status seal(sc_buffer *out, uint8_t *key, sc_bytes content) {
  return sc_stream_file_seal(out, key, SC_BYTES(seed), SC_STREAM_FILE_ATTACHMENT, content);
}

static sc_status open_with(sc_buffer *out, const uint8_t *key, sc_bytes sealed) {
  return sc_stream_file_open(out, sc_bytes_make(key, key_bytes), sealed);
}

static sc_status new_sealer(sc_stream_sealer **out, sc_test *t, sc_test_sink *sink) {
  return sc_stream_sealer_new(out, t->env, sc_test_sink_of(sink), SC_BYTES(seed), SC_STREAM_FILE_ATTACHMENT,
                              false);
}

/* A file of any chunks under a key of zeros, as a rule-breaking sender would make. */
typedef struct craft {
  sc_buffer file;
  crypto_secretstream_xchacha20poly1305_state stream;
} craft;

static const uint8_t craft_key[key_bytes];

static void craft_init(craft *c, const sc_env *env) {
  sc_buffer_init(&c->file, env);
}

static sc_status craft_begin(craft *c) {
  uint8_t header[header_bytes] = {'S'};
  sc_buffer_clear(&c->file);
  crypto_secretstream_xchacha20poly1305_init_pull(&c->stream, header + 1, craft_key);
  return sc_buffer_append(&c->file, SC_BYTES(header));
}

static sc_status craft_chunk(craft *c, sc_bytes plain, uint8_t tag) {
  uint8_t *room;
  sc_status status = sc_buffer_extend(&room, &c->file, plain.len + 17);
  if (status == SC_OK)
    crypto_secretstream_xchacha20poly1305_push(&c->stream, room, NULL, plain.ptr, plain.len, NULL, 0, tag);
  return status;
}

enum { MESSAGE = 0, PUSH = 1, REKEY = 2, FINAL = 3 };

static void the_sealed_file_has_the_known_bytes(sc_test *t) {
  static const struct {
    sc_stream_file_domain domain;
    const char *header, *key;
  } known[] = {
      {SC_STREAM_FILE_ATTACHMENT, "68ca56570f2fa1fcc49c64c74e4b402432fb8ee0b439e25b",
       "f543835dec590c8cb2987665adf932e75f6fd71e70bc5b73caa2153cf3734620"},
      {SC_STREAM_FILE_PICTURE, "a2b6ed21296c3d31a0b1fbfca368b85e3f80ba30e9d23646",
       "4e6e220e2bdf2669699049ba9144b3748b69f16f718ce3faa0f07e23137cb408"},
  };
  sc_buffer sealed, opened;
  uint8_t header[24], expected[key_bytes], key[key_bytes];
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < 2; i++) {
    sc_test_hex_into(header, sizeof header, known[i].header);
    sc_test_hex_into(expected, sizeof expected, known[i].key);
    OK(sc_stream_file_seal(&sealed, key, SC_BYTES(seed), known[i].domain, sc_bytes_text("hello")));
    CHECK(sealed.len == 4096 && sealed.ptr[0] == 'S');
    SAME(SC_BYTES(header), sc_bytes_make(sealed.ptr + 1, sizeof header));
    SAME(SC_BYTES(expected), SC_BYTES(key));
    OK(open_with(&opened, key, sc_buffer_bytes(&sealed)));
    SAME(sc_bytes_text("hello"), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void every_byte_of_the_sealed_file_follows_from_the_specification(sc_test *t) {
  sc_buffer sealed;
  uint8_t key[key_bytes], expected[32], actual[32];
  sc_buffer_init(&sealed, t->env);
  sc_test_hex_into(expected, 32, "daab7d62aade54f5a7d236486ebb8e73e3debe71b16f1ce50ce1df97b86a3850");
  OK(seal(&sealed, key, sc_bytes_text("hello")));
  sc_sha256(actual, sc_buffer_bytes(&sealed));
  SAME(SC_BYTES(expected), SC_BYTES(actual));
done:
  sc_buffer_free(&sealed);
}

/* 560 bytes of padding, from the format's table. */
static void a_long_file_is_split_into_the_specified_chunks(sc_test *t) {
  enum { content_bytes = 200000, padding = 560 };
  sc_buffer content, plain, sealed;
  craft c;
  uint8_t key[key_bytes], derived[24 + key_bytes];
  uint8_t *room;
  craft_init(&c, t->env);
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&plain, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, content_bytes));
  OK(sc_buffer_extend(&room, &plain, padding));
  memset(room, 0, padding);
  room[padding - 1] = 1;
  OK(sc_buffer_append(&plain, sc_buffer_bytes(&content)));

  OK(sc_blake2b_personal(derived, sizeof derived, SC_BYTES(seed), (const uint8_t *)"SessionAttachmnt",
                         sc_buffer_bytes(&content)));
  OK(sc_buffer_append_byte(&c.file, 'S'));
  OK(sc_buffer_append(&c.file, sc_bytes_make(derived, 24)));
  crypto_secretstream_xchacha20poly1305_init_pull(&c.stream, derived, derived + 24);
  for (size_t at = 0; at < plain.len; at += chunk_bytes) {
    size_t left = plain.len - at;
    bool last = left <= chunk_bytes;
    OK(craft_chunk(&c, sc_bytes_make(plain.ptr + at, last ? left : chunk_bytes), last ? FINAL : MESSAGE));
  }
  OK(seal(&sealed, key, sc_buffer_bytes(&content)));
  SAME(sc_bytes_make(derived + 24, key_bytes), SC_BYTES(key));
  SAME(sc_buffer_bytes(&c.file), sc_buffer_bytes(&sealed));
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&content);
  sc_buffer_free(&plain);
  sc_buffer_free(&sealed);
}

static void the_sealed_sizes_have_the_known_values(sc_test *t) {
  static const struct {
    uint64_t len, sealed;
  } known[] = {{0, 4096},        {5, 4096},        {1000, 4096},       {32768, 36864},
               {131072, 135168}, {200000, 200704}, {1000000, 1015808}, {10218286, 10223616}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    CHECK(sc_stream_file_sealed_len(known[i].len) == known[i].sealed);
done:;
}

static void every_possible_size_has_a_sealed_size(sc_test *t) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; i++) {
    uint64_t len = (sc_test_next(&state) << 33 | sc_test_next(&state)) >> i % 64;
    uint64_t sealed = sc_stream_file_sealed_len(len);
    CHECK(sealed > len);
    if (len >= UINT64_MAX / 8 * 7 + 1) {
      CHECK(sealed == UINT64_MAX);
      continue;
    }
    uint64_t most;
    OK(sc_stream_file_max_content(&most, sealed));
    CHECK(most >= len && most < sealed);
    CHECK(sealed - len <= len / 14 + 4096);
  }
  CHECK(sc_stream_file_sealed_len(UINT64_MAX) == UINT64_MAX);
  CHECK(sc_stream_file_sealed_len(UINT64_MAX / 8 * 7) < UINT64_MAX);
done:;
}

/* For these sizes the padding formula leaves no space for the marker. */
static void sizes_the_padding_formula_misses_are_padded_too(sc_test *t) {
  for (uint64_t len = 1339334950900; len <= 1339334950920; len++) {
    uint64_t sealed = sc_stream_file_sealed_len(len);
    uint64_t most;
    OK(sc_stream_file_max_content(&most, sealed));
    CHECK(most >= len && sealed - len < len / 14);
  }
done:;
}

static void the_maximum_content_follows_from_the_sealed_size(sc_test *t) {
  uint64_t most = 7;
  FAILS(SC_ERR_FILE_FORMAT, sc_stream_file_max_content(&most, 0));
  FAILS(SC_ERR_FILE_FORMAT, sc_stream_file_max_content(&most, 42));
  CHECK(most == 0);
  OK(sc_stream_file_max_content(&most, 43));
  CHECK(most == 0);
  OK(sc_stream_file_max_content(&most, 44));
  CHECK(most == 1);
  OK(sc_stream_file_max_content(&most, header_bytes + sealed_chunk_bytes));
  CHECK(most == chunk_bytes - 1);
  OK(sc_stream_file_max_content(&most, header_bytes + 2 * sealed_chunk_bytes));
  CHECK(most == 2 * chunk_bytes - 1);
  OK(sc_stream_file_max_content(&most, UINT64_MAX));
  CHECK(most > UINT64_MAX - UINT64_MAX / 1000);
done:;
}

static void a_sealed_file_opens(sc_test *t) {
  static const size_t sizes[] = {0,     1,     5,      28000,  28714,  28715,  32767,  32768,  32769,
                                 65535, 65536, 131045, 131072, 200000, 262144, 300001, 524288, 1000000};
  sc_buffer content, sealed, opened;
  uint8_t key[key_bytes];
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    OK(sc_test_content(&content, sizes[i]));
    OK(seal(&sealed, key, sc_buffer_bytes(&content)));
    CHECK(sealed.len == sc_stream_file_sealed_len(sizes[i]));
    OK(open_with(&opened, key, sc_buffer_bytes(&sealed)));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void files_depend_only_on_content_account_and_domain(sc_test *t) {
  sc_buffer one, other;
  uint8_t key[key_bytes], longer[64], different[32];
  sc_buffer_init(&one, t->env);
  sc_buffer_init(&other, t->env);
  memset(longer, 9, sizeof longer);
  memcpy(longer, seed, sizeof seed);
  memcpy(different, seed, sizeof seed);
  different[31] ^= 1;
  OK(seal(&one, key, sc_bytes_text("hello")));
  OK(sc_stream_file_seal(&other, key, SC_BYTES(longer), SC_STREAM_FILE_ATTACHMENT, sc_bytes_text("hello")));
  SAME(sc_buffer_bytes(&one), sc_buffer_bytes(&other));
  OK(sc_stream_file_seal(&other, key, SC_BYTES(different), SC_STREAM_FILE_ATTACHMENT,
                         sc_bytes_text("hello")));
  CHECK(memcmp(one.ptr + 1, other.ptr + 1, 24) != 0);
  OK(sc_stream_file_seal(&other, key, SC_BYTES(seed), SC_STREAM_FILE_PICTURE, sc_bytes_text("hello")));
  CHECK(memcmp(one.ptr + 1, other.ptr + 1, 24) != 0);
  OK(seal(&other, key, sc_bytes_text("hellp")));
  CHECK(memcmp(one.ptr + 1, other.ptr + 1, 24) != 0);
done:
  sc_buffer_free(&one);
  sc_buffer_free(&other);
}

static void sealing_in_pieces_is_sealing_at_once(sc_test *t) {
  sc_buffer content, at_once, sealed;
  uint8_t expected[key_bytes], key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&at_once, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, 250001));
  OK(seal(&at_once, expected, sc_buffer_bytes(&content)));
  for (uint64_t pieces = 1; pieces <= (t->torture ? 2 : 60); pieces++) {
    sc_test_sink sink = {.into = &sealed};
    sc_buffer_clear(&sealed);
    OK(new_sealer(&sealer, t, &sink));
    OK(sc_test_in_pieces(measure_content, sealer, sc_buffer_bytes(&content), pieces));
    OK(sc_stream_sealer_begin(key, sealer));
    OK(sc_test_in_pieces(write_content, sealer, sc_buffer_bytes(&content), 2 * pieces));
    OK(sc_stream_sealer_finish(sealer));
    SAME(sc_buffer_bytes(&at_once), sc_buffer_bytes(&sealed));
    SAME(SC_BYTES(expected), SC_BYTES(key));
    CHECK(!sink.broke_a_rule);
    sc_stream_sealer_free(sealer);
    sealer = NULL;
  }
done:
  sc_stream_sealer_free(sealer);
  sc_buffer_free(&content);
  sc_buffer_free(&at_once);
  sc_buffer_free(&sealed);
}

/* Enough content to need several chunks of padding. */
static void padding_is_written_a_chunk_at_a_time(sc_test *t) {
  enum { content_bytes = 8 * 1024 * 1024 + 1 };
  sc_buffer content, at_once, sealed;
  uint8_t expected[key_bytes], key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_test_sink sink = {.into = &sealed};
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&at_once, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, content_bytes));
  OK(seal(&at_once, expected, sc_buffer_bytes(&content)));
  OK(new_sealer(&sealer, t, &sink));
  OK(sc_stream_sealer_measure(sealer, sc_buffer_bytes(&content)));
  OK(sc_stream_sealer_begin(key, sealer));
  CHECK(sink.calls == 1);
  size_t steps = 0;
  for (bool more = true; more; steps++) {
    OK(sc_stream_sealer_pad(&more, sealer));
    CHECK(sink.calls <= steps + 1);
  }
  CHECK(steps > 3);
  bool more = true;
  OK(sc_stream_sealer_pad(&more, sealer));
  CHECK(!more && sink.calls <= steps);
  OK(sc_stream_sealer_write(sealer, sc_buffer_bytes(&content)));
  OK(sc_stream_sealer_finish(sealer));
  SAME(sc_buffer_bytes(&at_once), sc_buffer_bytes(&sealed));
done:
  sc_stream_sealer_free(sealer);
  sc_buffer_free(&content);
  sc_buffer_free(&at_once);
  sc_buffer_free(&sealed);
}

static void opening_in_pieces_is_opening_at_once(sc_test *t) {
  sc_buffer content, sealed, opened;
  uint8_t key[key_bytes];
  sc_stream_opener *opener = NULL;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_content(&content, 250001));
  OK(seal(&sealed, key, sc_buffer_bytes(&content)));
  for (uint64_t pieces = 1; pieces <= (t->torture ? 2 : 60); pieces++) {
    sc_test_sink sink = {.into = &opened};
    sc_buffer_clear(&opened);
    OK(sc_stream_opener_new(&opener, t->env, sc_test_sink_of(&sink), SC_BYTES(key)));
    OK(sc_test_in_pieces(write_sealed, opener, sc_buffer_bytes(&sealed), pieces));
    OK(sc_stream_opener_finish(opener));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&opened));
    CHECK(!sink.broke_a_rule);
    sc_stream_opener_free(opener);
    opener = NULL;
  }
done:
  sc_stream_opener_free(opener);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void any_changed_byte_is_detected(sc_test *t) {
  sc_buffer sealed, opened;
  uint8_t key[key_bytes];
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(seal(&sealed, key, sc_bytes_text("hello")));
  for (size_t at = 0; at < sealed.len; at += t->torture ? 500 : 1) {
    sealed.ptr[at] ^= (uint8_t)(1 << at % 8);
    FAILS(at == 0 ? SC_ERR_FILE_FORMAT : SC_ERR_FILE_DAMAGED,
          open_with(&opened, key, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0);
    sealed.ptr[at] ^= (uint8_t)(1 << at % 8);
  }
  for (size_t at = 0; at < key_bytes; at++) {
    key[at] ^= 0x80;
    FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, key, sc_buffer_bytes(&sealed)));
    key[at] ^= 0x80;
  }
  OK(open_with(&opened, key, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_truncated_file_is_refused(sc_test *t) {
  sc_buffer sealed, opened;
  uint8_t key[key_bytes];
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(seal(&sealed, key, sc_bytes_text("hello")));
  for (size_t len = 0; len < sealed.len; len += t->torture ? 500 : 1) {
    FAILS(len < 43 ? SC_ERR_FILE_FORMAT : SC_ERR_FILE_DAMAGED,
          open_with(&opened, key, sc_bytes_make(sealed.ptr, len)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_long_file_truncated_between_chunks_is_refused(sc_test *t) {
  sc_buffer content, sealed, opened;
  uint8_t key[key_bytes];
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_content(&content, 200000));
  OK(seal(&sealed, key, sc_buffer_bytes(&content)));
  for (size_t end = header_bytes; end < sealed.len; end += sealed_chunk_bytes) {
    FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, key, sc_bytes_make(sealed.ptr, end)));
    FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, key, sc_bytes_make(sealed.ptr, end + 17)));
    FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, key, sc_bytes_make(sealed.ptr, end + 18)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void swapped_chunks_are_detected(sc_test *t) {
  sc_buffer content, sealed, opened;
  uint8_t key[key_bytes];
  static uint8_t aside[sealed_chunk_bytes];
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_content(&content, 200000));
  OK(seal(&sealed, key, sc_buffer_bytes(&content)));
  uint8_t *second = sealed.ptr + header_bytes + sealed_chunk_bytes;
  memcpy(aside, second, sealed_chunk_bytes);
  memcpy(second, second + sealed_chunk_bytes, sealed_chunk_bytes);
  memcpy(second + sealed_chunk_bytes, aside, sealed_chunk_bytes);
  FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, key, sc_buffer_bytes(&sealed)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void trailing_bytes_are_refused(sc_test *t) {
  static uint8_t plain[chunk_bytes] = {1};
  craft c;
  sc_buffer opened;
  craft_init(&c, t->env);
  sc_buffer_init(&opened, t->env);
  OK(craft_begin(&c));
  OK(craft_chunk(&c, SC_BYTES(plain), FINAL));
  OK(open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
  CHECK(opened.len == chunk_bytes - 1);
  OK(sc_buffer_append_byte(&c.file, 0));
  FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));

  OK(craft_begin(&c));
  OK(craft_chunk(&c, SC_BYTES(plain), FINAL));
  OK(craft_chunk(&c, SC_BYTES(plain), FINAL));
  FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));

  OK(craft_begin(&c));
  OK(craft_chunk(&c, sc_bytes_make(plain, 100), FINAL));
  OK(sc_buffer_append_byte(&c.file, 0));
  FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&opened);
}

static void a_file_without_a_final_chunk_is_refused(sc_test *t) {
  static const uint8_t tags[] = {MESSAGE, PUSH, REKEY};
  static uint8_t plain[chunk_bytes] = {1};
  craft c;
  sc_buffer opened;
  craft_init(&c, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < sizeof tags; i++) {
    OK(craft_begin(&c));
    OK(craft_chunk(&c, SC_BYTES(plain), tags[i]));
    FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
    OK(craft_chunk(&c, sc_bytes_make(plain, 5), tags[i]));
    FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&opened);
}

static void other_tags_are_read_as_ordinary_chunks(sc_test *t) {
  static const uint8_t tags[] = {PUSH, REKEY, MESSAGE};
  static uint8_t first[chunk_bytes] = {0, 1}, rest[chunk_bytes];
  craft c;
  sc_buffer opened;
  craft_init(&c, t->env);
  sc_buffer_init(&opened, t->env);
  memset(rest, 'r', sizeof rest);
  OK(craft_begin(&c));
  OK(craft_chunk(&c, SC_BYTES(first), REKEY));
  for (size_t i = 0; i < sizeof tags; i++)
    OK(craft_chunk(&c, SC_BYTES(rest), tags[i]));
  OK(craft_chunk(&c, sc_bytes_text("end"), FINAL));
  OK(open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
  CHECK(opened.len == 4 * chunk_bytes - 2 + 3);
  CHECK(memcmp(opened.ptr + opened.len - 4, "rend", 4) == 0);
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&opened);
}

static void content_must_follow_a_one_byte(sc_test *t) {
  static const uint8_t zeros[chunk_bytes];
  static const uint8_t others[] = {2, 0x10, 0x80, 0xff, 'S'};
  craft c;
  sc_buffer opened;
  craft_init(&c, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < sizeof others; i++) {
    uint8_t plain[] = {0, 0, others[i], 1, 'x'};
    OK(craft_begin(&c));
    OK(craft_chunk(&c, SC_BYTES(zeros), MESSAGE));
    OK(craft_chunk(&c, SC_BYTES(plain), FINAL));
    FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
    OK(craft_begin(&c));
    OK(craft_chunk(&c, sc_bytes_make(plain + 2, 3), FINAL));
    FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&opened);
}

static void padding_alone_is_refused(sc_test *t) {
  static const uint8_t zeros[chunk_bytes];
  craft c;
  sc_buffer opened;
  craft_init(&c, t->env);
  sc_buffer_init(&opened, t->env);
  OK(craft_begin(&c));
  OK(craft_chunk(&c, sc_bytes_make(zeros, 100), FINAL));
  FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
  OK(craft_begin(&c));
  OK(craft_chunk(&c, SC_BYTES(zeros), MESSAGE));
  OK(craft_chunk(&c, SC_BYTES(zeros), FINAL));
  FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&opened);
}

static void an_empty_chunk_is_refused(sc_test *t) {
  static uint8_t plain[chunk_bytes] = {1};
  craft c;
  sc_buffer opened;
  craft_init(&c, t->env);
  sc_buffer_init(&opened, t->env);
  OK(craft_begin(&c));
  OK(craft_chunk(&c, SC_BYTES(plain), MESSAGE));
  OK(craft_chunk(&c, sc_bytes_make(plain, 0), FINAL));
  FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
  OK(craft_begin(&c));
  OK(craft_chunk(&c, sc_bytes_make(plain, 0), FINAL));
  FAILS(SC_ERR_FILE_FORMAT, open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&opened);
}

static void the_smallest_file_is_empty(sc_test *t) {
  craft c;
  sc_buffer opened;
  craft_init(&c, t->env);
  sc_buffer_init(&opened, t->env);
  OK(craft_begin(&c));
  OK(craft_chunk(&c, sc_bytes_text("\x01"), FINAL));
  CHECK(c.file.len == 43);
  OK(open_with(&opened, craft_key, sc_buffer_bytes(&c.file)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&c.file);
  sc_buffer_free(&opened);
}

static void the_first_byte_is_checked_on_arrival(sc_test *t) {
  sc_stream_opener *opener = NULL;
  sc_test_sink sink = {0};
  OK(sc_stream_opener_new(&opener, t->env, sc_test_sink_of(&sink), SC_BYTES(craft_key)));
  FAILS(SC_ERR_FILE_FORMAT, sc_stream_opener_write(opener, sc_bytes_text("s")));
  FAILS(SC_ERR_STATE, sc_stream_opener_write(opener, sc_bytes_text("S")));
  FAILS(SC_ERR_STATE, sc_stream_opener_finish(opener));
done:
  sc_stream_opener_free(opener);
}

static void keys_and_seeds_of_the_wrong_size_are_refused(sc_test *t) {
  static const uint8_t bytes[80];
  sc_buffer out;
  uint8_t key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_test_sink sink = {0};
  sc_buffer_init(&out, t->env);
  for (size_t len = 0; len <= sizeof bytes; len++)
    if (len != key_bytes)
      FAILS(SC_ERR_KEY_SIZE, sc_stream_file_open(&out, sc_bytes_make(bytes, len), SC_BYTES(bytes)));
  for (size_t len = 0; len < 32; len++)
    FAILS(SC_ERR_KEY_SIZE, sc_stream_file_seal(&out, key, sc_bytes_make(bytes, len),
                                               SC_STREAM_FILE_ATTACHMENT, sc_bytes_text("x")));
  FAILS(SC_ERR_ARGUMENT, sc_stream_sealer_new(&sealer, t->env, sc_test_sink_of(&sink), SC_BYTES(bytes),
                                              (sc_stream_file_domain)2, false));
  CHECK(sealer == NULL && key[0] == 0);
done:
  sc_stream_sealer_free(sealer);
  sc_buffer_free(&out);
}

static void content_over_the_limit_is_refused_unless_allowed(sc_test *t) {
  sc_buffer content, sealed;
  uint8_t key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_test_sink sink = {0};
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, SC_STREAM_FILE_MAX + 1));
  FAILS(SC_ERR_FILE_TOO_LARGE, seal(&sealed, key, sc_buffer_bytes(&content)));
  CHECK(sealed.len == 0 && key[0] == 0);
  OK(seal(&sealed, key, sc_bytes_make(content.ptr, SC_STREAM_FILE_MAX)));
  CHECK(sealed.len == 10223616);

  OK(sc_stream_sealer_new(&sealer, t->env, sc_test_sink_of(&sink), SC_BYTES(seed), SC_STREAM_FILE_PICTURE,
                          true));
  OK(sc_stream_sealer_measure(sealer, sc_buffer_bytes(&content)));
  OK(sc_stream_sealer_begin(key, sealer));
  OK(sc_stream_sealer_write(sealer, sc_buffer_bytes(&content)));
  OK(sc_stream_sealer_finish(sealer));
  CHECK(sink.len == sc_stream_file_sealed_len(SC_STREAM_FILE_MAX + 1));
done:
  sc_stream_sealer_free(sealer);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

static sc_status write_second(sc_stream_sealer *sealer, sc_bytes content) {
  sc_status status = sc_stream_sealer_write(sealer, content);
  return status == SC_OK ? sc_stream_sealer_finish(sealer) : status;
}

static void small_content_changed_between_the_passes_is_never_sealed(sc_test *t) {
  sc_buffer content;
  uint8_t key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_buffer_init(&content, t->env);
  OK(sc_test_content(&content, 300));
  for (size_t at = 0; at < content.len; at += t->torture ? 50 : 1) {
    sc_test_sink sink = {0};
    OK(new_sealer(&sealer, t, &sink));
    OK(sc_stream_sealer_measure(sealer, sc_buffer_bytes(&content)));
    OK(sc_stream_sealer_begin(key, sealer));
    content.ptr[at] ^= (uint8_t)(1 << at % 8);
    FAILS(SC_ERR_FILE_CHANGED, write_second(sealer, sc_buffer_bytes(&content)));
    FAILS(SC_ERR_STATE, sc_stream_sealer_finish(sealer));
    CHECK(sink.len == header_bytes);
    sc_stream_sealer_free(sealer);
    sealer = NULL;
  }
done:
  sc_stream_sealer_free(sealer);
  sc_buffer_free(&content);
}

static void large_content_changed_between_the_passes_is_detected(sc_test *t) {
  enum { len = 200000 };
  static const size_t read[] = {len, len - 1, 0, len + 1};
  sc_buffer content;
  uint8_t key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_buffer_init(&content, t->env);
  OK(sc_test_content(&content, len + 1));
  for (size_t change = 0; change < sizeof read / sizeof read[0]; change++) {
    sc_test_sink sink = {0};
    OK(new_sealer(&sealer, t, &sink));
    OK(sc_stream_sealer_measure(sealer, sc_bytes_make(content.ptr, len)));
    OK(sc_stream_sealer_begin(key, sealer));
    if (change == 0)
      content.ptr[100000] ^= 1;
    FAILS(SC_ERR_FILE_CHANGED, write_second(sealer, sc_bytes_make(content.ptr, read[change])));
    CHECK(sink.len < sc_stream_file_sealed_len(len));
    sc_stream_sealer_free(sealer);
    sealer = NULL;
  }
done:
  sc_stream_sealer_free(sealer);
  sc_buffer_free(&content);
}

static void content_that_grew_is_detected_at_once(sc_test *t) {
  uint8_t key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_test_sink sink = {0};
  OK(new_sealer(&sealer, t, &sink));
  OK(sc_stream_sealer_measure(sealer, sc_bytes_text("hello")));
  OK(sc_stream_sealer_begin(key, sealer));
  OK(sc_stream_sealer_write(sealer, sc_bytes_text("hello")));
  FAILS(SC_ERR_FILE_CHANGED, sc_stream_sealer_write(sealer, sc_bytes_text("!")));
done:
  sc_stream_sealer_free(sealer);
}

static void calls_out_of_order_are_refused(sc_test *t) {
  uint8_t key[key_bytes];
  sc_stream_sealer *sealer = NULL;
  sc_stream_opener *opener = NULL;
  sc_test_sink sink = {0};
  OK(new_sealer(&sealer, t, &sink));
  FAILS(SC_ERR_STATE, sc_stream_sealer_write(sealer, sc_bytes_text("x")));
  FAILS(SC_ERR_STATE, sc_stream_sealer_measure(sealer, sc_bytes_text("x")));
  sc_stream_sealer_free(sealer);
  OK(new_sealer(&sealer, t, &sink));
  bool more = true;
  FAILS(SC_ERR_STATE, sc_stream_sealer_pad(&more, sealer));
  CHECK(!more);
  sc_stream_sealer_free(sealer);
  OK(new_sealer(&sealer, t, &sink));
  FAILS(SC_ERR_STATE, sc_stream_sealer_finish(sealer));
  FAILS(SC_ERR_STATE, sc_stream_sealer_begin(key, sealer));
  sc_stream_sealer_free(sealer);
  OK(new_sealer(&sealer, t, &sink));
  OK(sc_stream_sealer_begin(key, sealer));
  FAILS(SC_ERR_STATE, sc_stream_sealer_begin(key, sealer));
  CHECK(key[0] == 0);
  FAILS(SC_ERR_STATE, sc_stream_sealer_finish(sealer));
  sc_stream_sealer_free(sealer);
  OK(new_sealer(&sealer, t, &sink));
  OK(sc_stream_sealer_begin(key, sealer));
  FAILS(SC_ERR_STATE, sc_stream_sealer_measure(sealer, sc_bytes_make(NULL, 0)));
  sc_stream_sealer_free(sealer);
  OK(new_sealer(&sealer, t, &sink));
  OK(sc_stream_sealer_begin(key, sealer));
  OK(sc_stream_sealer_finish(sealer));
  FAILS(SC_ERR_STATE, sc_stream_sealer_finish(sealer));
  FAILS(SC_ERR_STATE, sc_stream_sealer_write(sealer, sc_bytes_make(NULL, 0)));

  OK(sc_stream_opener_new(&opener, t->env, sc_test_sink_of(&sink), SC_BYTES(key)));
  FAILS(SC_ERR_FILE_FORMAT, sc_stream_opener_finish(opener));
  FAILS(SC_ERR_STATE, sc_stream_opener_finish(opener));
  FAILS(SC_ERR_STATE, sc_stream_opener_write(opener, sc_bytes_make(NULL, 0)));
done:
  sc_stream_sealer_free(sealer);
  sc_stream_opener_free(opener);
}

static sc_status seal_into(sc_test_sink *sink, sc_test *t, uint8_t *key, sc_bytes content) {
  sc_stream_sealer *sealer;
  sc_status status = new_sealer(&sealer, t, sink);
  if (status != SC_OK)
    return status;
  status = sc_stream_sealer_measure(sealer, content);
  if (status == SC_OK)
    status = sc_stream_sealer_begin(key, sealer);
  if (status == SC_OK)
    status = sc_test_in_pieces(write_content, sealer, content, 9);
  if (status == SC_OK)
    status = sc_stream_sealer_finish(sealer);
  if (status != SC_OK && sc_stream_sealer_finish(sealer) != SC_ERR_STATE)
    status = SC_ERR_ARGUMENT;
  sc_stream_sealer_free(sealer);
  return status;
}

static sc_status open_into(sc_test_sink *sink, sc_test *t, const uint8_t *key, sc_bytes sealed) {
  sc_stream_opener *opener;
  sc_status status =
      sc_stream_opener_new(&opener, t->env, sc_test_sink_of(sink), sc_bytes_make(key, key_bytes));
  if (status != SC_OK)
    return status;
  status = sc_test_in_pieces(write_sealed, opener, sealed, 9);
  if (status == SC_OK)
    status = sc_stream_opener_finish(opener);
  if (status != SC_OK && sc_stream_opener_finish(opener) != SC_ERR_STATE)
    status = SC_ERR_ARGUMENT;
  sc_stream_opener_free(opener);
  return status;
}

static void a_sink_error_ends_the_stream(sc_test *t) {
  sc_buffer content, sealed;
  uint8_t key[key_bytes], none[key_bytes];
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, 1500000)); /* its padding is more than a chunk */
  sc_test_sink sink = {.into = &sealed};
  OK(seal_into(&sink, t, key, sc_buffer_bytes(&content)));
  for (size_t last = sink.calls, k = 1; k <= last; k += t->torture ? 15 : 1) {
    sink = (sc_test_sink){.refuse_at = k};
    FAILS(SC_ERR_SINK, seal_into(&sink, t, none, sc_buffer_bytes(&content)));
    CHECK(!sink.broke_a_rule && sink.calls == k);
  }
  sink = (sc_test_sink){0};
  OK(open_into(&sink, t, key, sc_buffer_bytes(&sealed)));
  CHECK(sink.len == content.len);
  for (size_t last = sink.calls, k = 1; k <= last; k += t->torture ? 15 : 1) {
    sink = (sc_test_sink){.refuse_at = k};
    FAILS(SC_ERR_SINK, open_into(&sink, t, key, sc_buffer_bytes(&sealed)));
    CHECK(!sink.broke_a_rule && sink.calls == k);
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

/* Feeds `len` bytes that never exist in memory at once. */
static sc_status feed_generated(sc_test_feed feed, void *object, uint64_t len) {
  static uint8_t piece[50000];
  sc_status status = SC_OK;
  for (uint64_t at = 0; at < len && status == SC_OK; at += sizeof piece) {
    memcpy(piece, &at, sizeof at);
    uint64_t left = len - at;
    status = feed(object, sc_bytes_make(piece, left < sizeof piece ? (size_t)left : sizeof piece));
  }
  return status;
}

static sc_status seal_generated(uint8_t *key, const sc_env *env, sc_sink sink, uint64_t len) {
  sc_stream_sealer *sealer;
  sc_status status =
      sc_stream_sealer_new(&sealer, env, sink, SC_BYTES(seed), SC_STREAM_FILE_ATTACHMENT, true);
  if (status != SC_OK)
    return status;
  status = feed_generated(measure_content, sealer, len);
  if (status == SC_OK)
    status = sc_stream_sealer_begin(key, sealer);
  if (status == SC_OK)
    status = feed_generated(write_content, sealer, len);
  if (status == SC_OK)
    status = sc_stream_sealer_finish(sealer);
  sc_stream_sealer_free(sealer);
  return status;
}

static void a_large_file_takes_little_memory(sc_test *t) {
  const uint64_t len = t->torture ? 100000 : 64 * 1024 * 1024 + 1;
  sc_test_tally tally;
  uint8_t key[key_bytes], same_key[key_bytes];
  sc_stream_opener *opener = NULL;
  sc_test_sink sealed = {0}, opened = {0};
  sc_test_tally_init(&tally, t->env);
  OK(seal_generated(key, &tally.env, sc_test_sink_of(&sealed), len));
  CHECK(sealed.len == sc_stream_file_sealed_len(len) && !sealed.broke_a_rule);
  OK(sc_stream_opener_new(&opener, &tally.env, sc_test_sink_of(&opened), SC_BYTES(key)));
  OK(seal_generated(same_key, &tally.env, (sc_sink){opener, write_sealed}, len));
  OK(sc_stream_opener_finish(opener));
  CHECK(opened.len == len && !opened.broke_a_rule);
  CHECK(tally.allocated < 4 * 80 * 1024);
done:
  sc_stream_opener_free(opener);
}

static void freeing_null_is_harmless(sc_test *t) {
  (void)t;
  sc_stream_sealer_free(NULL);
  sc_stream_opener_free(NULL);
}

SUITE(crypto_stream_file, "crypto/stream_file",
      {"the sealed file has the known bytes", the_sealed_file_has_the_known_bytes},
      {"every byte of the sealed file follows from the specification",
       every_byte_of_the_sealed_file_follows_from_the_specification},
      {"a long file is split into the specified chunks", a_long_file_is_split_into_the_specified_chunks},
      {"the sealed sizes have the known values", the_sealed_sizes_have_the_known_values},
      {"every possible size has a sealed size", every_possible_size_has_a_sealed_size},
      {"sizes the padding formula misses are padded too", sizes_the_padding_formula_misses_are_padded_too},
      {"the maximum content follows from the sealed size", the_maximum_content_follows_from_the_sealed_size},
      {"a sealed file opens", a_sealed_file_opens},
      {"files depend only on content, account and domain", files_depend_only_on_content_account_and_domain},
      {"sealing in pieces is sealing at once", sealing_in_pieces_is_sealing_at_once},
      {"padding is written a chunk at a time", padding_is_written_a_chunk_at_a_time},
      {"opening in pieces is opening at once", opening_in_pieces_is_opening_at_once},
      {"any changed byte is detected", any_changed_byte_is_detected},
      {"a truncated file is refused", a_truncated_file_is_refused},
      {"a long file truncated between chunks is refused", a_long_file_truncated_between_chunks_is_refused},
      {"swapped chunks are detected", swapped_chunks_are_detected},
      {"trailing bytes are refused", trailing_bytes_are_refused},
      {"a file without a final chunk is refused", a_file_without_a_final_chunk_is_refused},
      {"other tags are read as ordinary chunks", other_tags_are_read_as_ordinary_chunks},
      {"content must follow a one byte", content_must_follow_a_one_byte},
      {"padding alone is refused", padding_alone_is_refused},
      {"an empty chunk is refused", an_empty_chunk_is_refused},
      {"the smallest file is empty", the_smallest_file_is_empty},
      {"the first byte is checked on arrival", the_first_byte_is_checked_on_arrival},
      {"keys and seeds of the wrong size are refused", keys_and_seeds_of_the_wrong_size_are_refused},
      {"content over the limit is refused unless allowed", content_over_the_limit_is_refused_unless_allowed},
      {"small content changed between the passes is never sealed",
       small_content_changed_between_the_passes_is_never_sealed},
      {"large content changed between the passes is detected",
       large_content_changed_between_the_passes_is_detected},
      {"content that grew is detected at once", content_that_grew_is_detected_at_once},
      {"calls out of order are refused", calls_out_of_order_are_refused},
      {"a sink error ends the stream", a_sink_error_ends_the_stream},
      {"a large file takes little memory", a_large_file_takes_little_memory},
      {"freeing NULL is harmless", freeing_null_is_harmless});
