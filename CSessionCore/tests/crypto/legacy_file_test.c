#include <nettle/aes.h>
#include <nettle/cbc.h>

#include "crypto/hash.h"
#include "support/pieces.h"
#include "support/test_env.h"

enum { key_bytes = SC_LEGACY_FILE_KEY_BYTES };

static sc_status write_content(void *sealer, sc_bytes piece) {
  return sc_legacy_sealer_write(sealer, piece);
}

static sc_status check_sealed(void *opener, sc_bytes piece) {
  return sc_legacy_opener_check(opener, piece);
}

static sc_status open_sealed(void *opener, sc_bytes piece) {
  return sc_legacy_opener_open(opener, piece);
}

/* The random generator returns key 00 01 … 3f and IV 00 01 … 0f next. */
static void script_known_key(sc_test *t) {
  static uint8_t script[key_bytes + 16];
  for (size_t i = 0; i < sizeof script; i++)
    script[i] = (uint8_t)(i % key_bytes);
  sc_test_env_script(t->env->user, SC_BYTES(script));
}

static sc_status open_with(sc_buffer *out, const sc_legacy_file_pointer *pointer, sc_bytes sealed) {
  return sc_legacy_file_open(out, SC_BYTES(pointer->key), SC_BYTES(pointer->digest), pointer->size, sealed);
}

static sc_status new_opener(sc_legacy_opener **out, sc_test *t, sc_test_sink *sink,
                            const sc_legacy_file_pointer *pointer) {
  return sc_legacy_opener_new(out, t->env, sc_test_sink_of(sink), SC_BYTES(pointer->key),
                              SC_BYTES(pointer->digest), pointer->size);
}

/* Seals whole blocks without any padding, under a key of zeros. */
static sc_status craft(sc_buffer *out, sc_legacy_file_pointer *pointer, sc_bytes blocks) {
  struct aes256_ctx aes;
  uint8_t iv[16] = {0};
  uint8_t mac[32];
  uint8_t *room;
  *pointer = (sc_legacy_file_pointer){0};
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, SC_BYTES(iv));
  if (status == SC_OK)
    status = sc_buffer_extend(&room, out, blocks.len);
  if (status != SC_OK)
    return status;
  aes256_set_encrypt_key(&aes, pointer->key);
  cbc_encrypt(&aes, (nettle_cipher_func *)aes256_encrypt, 16, iv, blocks.len, room, blocks.ptr);
  sc_hmac_sha256(mac, sc_bytes_make(pointer->key + 32, 32), sc_buffer_bytes(out));
  status = sc_buffer_append(out, SC_BYTES(mac));
  sc_sha256(pointer->digest, sc_buffer_bytes(out));
  return status;
}

/* The same with valid PKCS#7 padding. */
static sc_status craft_padded(sc_buffer *out, sc_legacy_file_pointer *pointer, const sc_env *env,
                              sc_bytes content) {
  sc_buffer blocks;
  sc_buffer_init(&blocks, env);
  size_t count = 16 - content.len % 16;
  sc_status status = sc_buffer_append(&blocks, content);
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = sc_buffer_append_byte(&blocks, (uint8_t)count);
  if (status == SC_OK)
    status = craft(out, pointer, sc_buffer_bytes(&blocks));
  sc_buffer_free(&blocks);
  return status;
}

static void the_sealed_file_has_the_known_bytes(sc_test *t) {
  sc_buffer sealed, opened;
  sc_legacy_file_pointer pointer;
  uint8_t block[16], mac[32], digest[32];
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_test_hex_into(block, sizeof block, "8418c49b7dfe555c5a6eb34a9416acd1");
  sc_test_hex_into(mac, sizeof mac, "370b3e1863d17519a89c126d048d74df2c5f1c69232f496fc5138335b99e8420");
  sc_test_hex_into(digest, sizeof digest, "f0ac285e4c836636e2afed0c90bb93102d48372918855ec3b8a55aff906c947a");

  script_known_key(t);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));
  CHECK(sealed.len == 592);
  for (size_t i = 0; i < 16; i++)
    CHECK(sealed.ptr[i] == i);
  SAME(SC_BYTES(block), sc_bytes_make(sealed.ptr + 16, 16));
  SAME(SC_BYTES(mac), sc_bytes_make(sealed.ptr + 560, 32));
  SAME(SC_BYTES(digest), SC_BYTES(pointer.digest));
  for (size_t i = 0; i < key_bytes; i++)
    CHECK(pointer.key[i] == i);
  CHECK(pointer.size == 5);

  OK(open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("hello"), sc_buffer_bytes(&opened));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void content_is_padded_to_the_known_sizes(sc_test *t) {
  static const struct {
    uint64_t len, padded;
  } known[] = {{0, 541},           {1, 541},           {541, 541},         {542, 568},
               {569, 596},         {1000, 1020},       {10000, 10110},     {65536, 67789},
               {9999951, 9999951}, {9999952, 9999952}, {1000000, 1041743}, {9900000, 9999951}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    CHECK(sc_legacy_file_padded_len(known[i].len) == known[i].padded);
done:;
}

static void every_bucket_is_a_power_of_1_05_rounded_down(sc_test *t) {
  long double power = 1;
  uint64_t before = 541;
  for (; power < 9999951; power *= 1.05L) {
    uint64_t bucket = (uint64_t)power;
    if (bucket <= 541)
      continue;
    CHECK(sc_legacy_file_padded_len(before + 1) == bucket);
    CHECK(sc_legacy_file_padded_len(bucket) == bucket);
    before = bucket;
  }
  CHECK(sc_legacy_file_padded_len(before + 1) == 9999951);
done:;
}

static void the_sealed_size_is_known_in_advance(sc_test *t) {
  static const uint64_t sizes[] = {0, 1, 15, 16, 541, 542, 568, 569, 1000, 32768, 65536, 200000};
  sc_buffer content, sealed;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    OK(sc_test_content(&content, (size_t)sizes[i]));
    OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
    CHECK(sealed.len == sc_legacy_file_sealed_len(sizes[i]));
    CHECK(pointer.size == sizes[i]);
  }
  CHECK(sc_legacy_file_sealed_len(5) == 592);
  CHECK(sc_legacy_file_sealed_len(9900000) == 10000000);
  CHECK(sc_legacy_file_sealed_len(9999951) == 10000000);
  CHECK(sc_legacy_file_sealed_len(9999952) == 10000016);
  CHECK(sc_legacy_file_sealed_len(UINT64_MAX - 64) % 16 == 0);
  CHECK(sc_legacy_file_sealed_len(UINT64_MAX - 63) == UINT64_MAX);
  CHECK(sc_legacy_file_sealed_len(UINT64_MAX) == UINT64_MAX);
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

static void content_over_the_server_limit_is_refused_unless_allowed(sc_test *t) {
  enum { largest = 9999951 };
  sc_buffer content, sealed;
  sc_legacy_file_pointer pointer;
  sc_legacy_sealer *sealer = NULL;
  sc_test_sink sink = {0};
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, largest + 1));
  FAILS(SC_ERR_FILE_TOO_LARGE, sc_legacy_file_seal(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
  CHECK(sealed.len == 0 && pointer.key[1] == 0 && pointer.size == 0);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_make(content.ptr, largest)));
  CHECK(sealed.len == SC_LEGACY_FILE_MAX_SEALED);

  OK(sc_legacy_sealer_new(&sealer, t->env, sc_test_sink_of(&sink), false));
  OK(sc_legacy_sealer_write(sealer, sc_bytes_make(content.ptr, largest)));
  FAILS(SC_ERR_FILE_TOO_LARGE, sc_legacy_sealer_write(sealer, sc_bytes_text("x")));
  FAILS(SC_ERR_STATE, sc_legacy_sealer_finish(&pointer, sealer));
  sc_legacy_sealer_free(sealer);

  sink = (sc_test_sink){0};
  OK(sc_legacy_sealer_new(&sealer, t->env, sc_test_sink_of(&sink), true));
  OK(sc_legacy_sealer_write(sealer, sc_buffer_bytes(&content)));
  OK(sc_legacy_sealer_finish(&pointer, sealer));
  CHECK(sink.len == 10000016 && !sink.broke_a_rule);
done:
  sc_legacy_sealer_free(sealer);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

static void a_sealed_file_opens(sc_test *t) {
  sc_buffer content, sealed, opened;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t len = 0; len < 100000; len += t->torture ? 40000 : len / 3 + 1) {
    OK(sc_test_content(&content, len));
    OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
    OK(open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void each_file_has_its_own_key(sc_test *t) {
  sc_buffer sealed;
  sc_legacy_file_pointer one, other;
  sc_buffer_init(&sealed, t->env);
  OK(sc_legacy_file_seal(&sealed, &one, t->env, sc_bytes_text("same")));
  OK(sc_legacy_file_seal(&sealed, &other, t->env, sc_bytes_text("same")));
  CHECK(!sc_bytes_same(SC_BYTES(one.key), SC_BYTES(other.key)));
done:
  sc_buffer_free(&sealed);
}

static void sealing_in_pieces_is_sealing_at_once(sc_test *t) {
  sc_buffer content, at_once, sealed;
  sc_legacy_file_pointer expected, pointer;
  sc_legacy_sealer *sealer = NULL;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&at_once, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, 250001));
  script_known_key(t);
  OK(sc_legacy_file_seal(&at_once, &expected, t->env, sc_buffer_bytes(&content)));
  for (uint64_t seed = 1; seed <= (t->torture ? 2 : 60); seed++) {
    sc_test_sink sink = {.into = &sealed};
    sc_buffer_clear(&sealed);
    script_known_key(t);
    OK(sc_legacy_sealer_new(&sealer, t->env, sc_test_sink_of(&sink), false));
    OK(sc_test_in_pieces(write_content, sealer, sc_buffer_bytes(&content), seed));
    OK(sc_legacy_sealer_finish(&pointer, sealer));
    SAME(sc_buffer_bytes(&at_once), sc_buffer_bytes(&sealed));
    SAME(SC_BYTES(expected.digest), SC_BYTES(pointer.digest));
    CHECK(pointer.size == content.len && !sink.broke_a_rule);
    sc_legacy_sealer_free(sealer);
    sealer = NULL;
  }
done:
  sc_legacy_sealer_free(sealer);
  sc_buffer_free(&content);
  sc_buffer_free(&at_once);
  sc_buffer_free(&sealed);
}

static void opening_in_pieces_is_opening_at_once(sc_test *t) {
  sc_buffer content, sealed, opened;
  sc_legacy_file_pointer pointer;
  sc_legacy_opener *opener = NULL;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_content(&content, 250001));
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
  for (uint64_t seed = 1; seed <= (t->torture ? 2 : 60); seed++) {
    sc_test_sink sink = {.into = &opened};
    sc_buffer_clear(&opened);
    OK(new_opener(&opener, t, &sink, &pointer));
    OK(sc_test_in_pieces(check_sealed, opener, sc_buffer_bytes(&sealed), seed));
    OK(sc_legacy_opener_check_finish(opener));
    CHECK(sink.calls == 0);
    OK(sc_test_in_pieces(open_sealed, opener, sc_buffer_bytes(&sealed), 2 * seed));
    OK(sc_legacy_opener_open_finish(opener));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&opened));
    CHECK(!sink.broke_a_rule);
    sc_legacy_opener_free(opener);
    opener = NULL;
  }
done:
  sc_legacy_opener_free(opener);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void any_changed_byte_is_detected(sc_test *t) {
  sc_buffer sealed, opened;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));
  for (size_t at = 0; at < sealed.len; at += t->torture ? 97 : 1) {
    sealed.ptr[at] ^= (uint8_t)(1 << at % 8);
    FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0);
    sealed.ptr[at] ^= (uint8_t)(1 << at % 8);
  }
  OK(open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_changed_key_or_digest_is_detected(sc_test *t) {
  sc_buffer sealed, opened;
  sc_legacy_file_pointer pointer, wrong;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));
  for (size_t at = 32; at < key_bytes; at += t->torture ? 31 : 1) {
    wrong = pointer;
    wrong.key[at] ^= 1;
    FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, &wrong, sc_buffer_bytes(&sealed)));
  }
  for (size_t at = 0; at < sizeof pointer.digest; at += t->torture ? 31 : 1) {
    wrong = pointer;
    wrong.digest[at] ^= 0x80;
    FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, &wrong, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_truncated_file_is_refused(sc_test *t) {
  sc_buffer sealed, opened;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));
  for (size_t len = 0; len < sealed.len; len += t->torture ? 97 : 1) {
    sc_status expected = len < 64 || len % 16 != 0 ? SC_ERR_FILE_FORMAT : SC_ERR_FILE_DAMAGED;
    FAILS(expected, open_with(&opened, &pointer, sc_bytes_make(sealed.ptr, len)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void trailing_bytes_are_refused(sc_test *t) {
  sc_buffer sealed, opened;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));
  for (size_t extra = 1; extra <= 48; extra++) {
    OK(sc_buffer_append_byte(&sealed, 0));
    sc_status expected = extra % 16 != 0 ? SC_ERR_FILE_FORMAT : SC_ERR_FILE_DAMAGED;
    FAILS(expected, open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void keys_and_digests_of_the_wrong_size_are_refused(sc_test *t) {
  static const uint8_t bytes[80];
  sc_buffer opened;
  sc_legacy_opener *opener = NULL;
  sc_test_sink sink = {0};
  sc_buffer_init(&opened, t->env);
  for (size_t len = 0; len <= sizeof bytes; len++) {
    if (len != 64)
      FAILS(SC_ERR_KEY_SIZE, sc_legacy_file_open(&opened, sc_bytes_make(bytes, len), sc_bytes_make(bytes, 32),
                                                 0, sc_bytes_make(bytes, 64)));
    if (len != 32)
      FAILS(SC_ERR_FILE_FORMAT, sc_legacy_file_open(&opened, sc_bytes_make(bytes, 64),
                                                    sc_bytes_make(bytes, len), 0, sc_bytes_make(bytes, 64)));
  }
  FAILS(SC_ERR_KEY_SIZE, sc_legacy_opener_new(&opener, t->env, sc_test_sink_of(&sink),
                                              sc_bytes_make(bytes, 32), sc_bytes_make(bytes, 32), 0));
  CHECK(opener == NULL);
done:
  sc_legacy_opener_free(opener);
  sc_buffer_free(&opened);
}

static void invalid_pkcs_7_padding_means_a_damaged_file(sc_test *t) {
  static const char *const last_blocks[] = {
      "00000000000000000000000000000000", "00000000000000000000000000000011",
      "000000000000000000000000000000ff", "11111111111111111111111111111111",
      "00000000000000000000000000000002", "00000000000000000000000003020303",
      "00101010101010101010101010101010", "10101010101010111010101010101010",
  };
  sc_buffer sealed, opened;
  sc_legacy_file_pointer pointer;
  uint8_t blocks[32];
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  memset(blocks, 'x', 16);
  for (size_t i = 0; i < sizeof last_blocks / sizeof last_blocks[0]; i++) {
    sc_test_hex_into(blocks + 16, 16, last_blocks[i]);
    OK(craft(&sealed, &pointer, SC_BYTES(blocks)));
    FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0);
    OK(craft(&sealed, &pointer, sc_bytes_make(blocks + 16, 16)));
    FAILS(SC_ERR_FILE_DAMAGED, open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void files_without_padding_open(sc_test *t) {
  sc_buffer content, sealed, opened;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t len = 0; len <= 33; len++) {
    OK(sc_test_content(&content, len));
    OK(craft_padded(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
    pointer.size = len;
    OK(open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_stated_size_beyond_the_content_is_refused_before_any_output(sc_test *t) {
  sc_buffer content, sealed;
  sc_legacy_file_pointer pointer;
  sc_legacy_opener *opener = NULL;
  sc_test_sink sink = {0};
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, 100000));
  OK(craft_padded(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
  static const uint64_t sizes[] = {100001, 100016, UINT32_MAX, UINT64_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    pointer.size = sizes[i];
    OK(new_opener(&opener, t, &sink, &pointer));
    OK(sc_legacy_opener_check(opener, sc_buffer_bytes(&sealed)));
    FAILS(SC_ERR_FILE_SIZE, sc_legacy_opener_check_finish(opener));
    FAILS(SC_ERR_STATE, sc_legacy_opener_open(opener, sc_buffer_bytes(&sealed)));
    CHECK(sink.calls == 0);
    sc_legacy_opener_free(opener);
    opener = NULL;
  }
done:
  sc_legacy_opener_free(opener);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

static void a_stated_size_truncates_the_content(sc_test *t) {
  static const uint64_t sizes[] = {1, 16, 32768, 32769, 65536, 99999, 100000};
  sc_buffer content, sealed, opened;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_content(&content, 100000));
  OK(craft_padded(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    pointer.size = sizes[i];
    OK(open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
    SAME(sc_bytes_make(content.ptr, (size_t)sizes[i]), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void without_a_size_a_file_of_zeros_is_empty(sc_test *t) {
  sc_buffer content, sealed, opened;
  sc_legacy_file_pointer pointer;
  uint8_t *room;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_buffer_extend(&room, &content, 100000));
  memset(room, 0, 100000);
  for (size_t len = 0; len <= content.len; len = 7 * len + 1) {
    OK(craft_padded(&sealed, &pointer, t->env, sc_bytes_make(content.ptr, len)));
    OK(open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void without_a_size_other_content_is_kept_whole(sc_test *t) {
  static const size_t places[] = {0, 1, 4095, 4096, 32767, 32768, 65536, 99999};
  sc_buffer content, sealed, opened;
  sc_legacy_file_pointer pointer;
  uint8_t *room;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_buffer_extend(&room, &content, 100000));
  memset(room, 0, 100000);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    content.ptr[places[i]] = 1;
    OK(craft_padded(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
    OK(open_with(&opened, &pointer, sc_buffer_bytes(&sealed)));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&opened));
    content.ptr[places[i]] = 0;
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static sc_status open_second(sc_legacy_opener *opener, sc_bytes sealed) {
  sc_status status = sc_legacy_opener_open(opener, sealed);
  return status == SC_OK ? sc_legacy_opener_open_finish(opener) : status;
}

static void a_small_file_changed_between_the_passes_gives_no_output(sc_test *t) {
  sc_buffer sealed;
  sc_legacy_file_pointer pointer;
  sc_legacy_opener *opener = NULL;
  sc_buffer_init(&sealed, t->env);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));
  for (size_t at = 0; at < sealed.len; at += t->torture ? 97 : 1) {
    sc_test_sink sink = {0};
    OK(new_opener(&opener, t, &sink, &pointer));
    OK(sc_legacy_opener_check(opener, sc_buffer_bytes(&sealed)));
    OK(sc_legacy_opener_check_finish(opener));
    sealed.ptr[at] ^= 1;
    FAILS(SC_ERR_FILE_CHANGED, open_second(opener, sc_buffer_bytes(&sealed)));
    FAILS(SC_ERR_STATE, sc_legacy_opener_open_finish(opener));
    CHECK(sink.calls == 0);
    sealed.ptr[at] ^= 1;
    sc_legacy_opener_free(opener);
    opener = NULL;
  }
done:
  sc_legacy_opener_free(opener);
  sc_buffer_free(&sealed);
}

static void a_large_file_changed_between_the_passes_is_detected(sc_test *t) {
  sc_buffer content, sealed;
  sc_legacy_file_pointer pointer;
  sc_legacy_opener *opener = NULL;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, 200000));
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
  OK(sc_buffer_append_byte(&sealed, 0));
  size_t len = sealed.len - 1;
  for (int change = 0; change < 4; change++) {
    sc_test_sink sink = {0};
    OK(new_opener(&opener, t, &sink, &pointer));
    OK(sc_legacy_opener_check(opener, sc_bytes_make(sealed.ptr, len)));
    OK(sc_legacy_opener_check_finish(opener));
    size_t read = len;
    if (change == 0)
      read = len + 1;
    else if (change == 1)
      read = len - 1;
    else if (change == 2)
      read = 0;
    else
      sealed.ptr[100000] ^= 1;
    FAILS(SC_ERR_FILE_CHANGED, open_second(opener, sc_bytes_make(sealed.ptr, read)));
    sc_legacy_opener_free(opener);
    opener = NULL;
  }
done:
  sc_legacy_opener_free(opener);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

static void a_file_that_grew_is_detected_at_once(sc_test *t) {
  sc_buffer sealed;
  sc_legacy_file_pointer pointer;
  sc_legacy_opener *opener = NULL;
  sc_test_sink sink = {0};
  sc_buffer_init(&sealed, t->env);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));
  OK(new_opener(&opener, t, &sink, &pointer));
  OK(sc_legacy_opener_check(opener, sc_buffer_bytes(&sealed)));
  OK(sc_legacy_opener_check_finish(opener));
  OK(sc_legacy_opener_open(opener, sc_buffer_bytes(&sealed)));
  FAILS(SC_ERR_FILE_CHANGED, sc_legacy_opener_open(opener, sc_bytes_text("!")));
done:
  sc_legacy_opener_free(opener);
  sc_buffer_free(&sealed);
}

static void calls_out_of_order_are_refused(sc_test *t) {
  sc_buffer sealed;
  sc_legacy_file_pointer pointer, again;
  sc_legacy_sealer *sealer = NULL;
  sc_legacy_opener *opener = NULL;
  sc_test_sink sink = {0};
  sc_buffer_init(&sealed, t->env);
  OK(sc_legacy_file_seal(&sealed, &pointer, t->env, sc_bytes_text("hello")));

  OK(sc_legacy_sealer_new(&sealer, t->env, sc_test_sink_of(&sink), false));
  OK(sc_legacy_sealer_finish(&again, sealer));
  FAILS(SC_ERR_STATE, sc_legacy_sealer_write(sealer, sc_bytes_text("x")));
  FAILS(SC_ERR_STATE, sc_legacy_sealer_finish(&again, sealer));

  for (int call = 0; call < 4; call++) {
    OK(new_opener(&opener, t, &sink, &pointer));
    OK(sc_legacy_opener_check(opener, sc_buffer_bytes(&sealed)));
    if (call == 0)
      FAILS(SC_ERR_STATE, sc_legacy_opener_open(opener, sc_buffer_bytes(&sealed)));
    else if (call == 1)
      FAILS(SC_ERR_STATE, sc_legacy_opener_open_finish(opener));
    else
      OK(sc_legacy_opener_check_finish(opener));
    if (call < 3)
      FAILS(SC_ERR_STATE, sc_legacy_opener_check_finish(opener));
    else
      FAILS(SC_ERR_STATE, sc_legacy_opener_check(opener, sc_buffer_bytes(&sealed)));
    FAILS(SC_ERR_STATE, sc_legacy_opener_open(opener, sc_buffer_bytes(&sealed)));
    sc_legacy_opener_free(opener);
    opener = NULL;
  }

  OK(new_opener(&opener, t, &sink, &pointer));
  OK(sc_legacy_opener_check(opener, sc_buffer_bytes(&sealed)));
  OK(sc_legacy_opener_check_finish(opener));
  OK(open_second(opener, sc_buffer_bytes(&sealed)));
  FAILS(SC_ERR_STATE, sc_legacy_opener_open(opener, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_STATE, sc_legacy_opener_open_finish(opener));
done:
  sc_legacy_sealer_free(sealer);
  sc_legacy_opener_free(opener);
  sc_buffer_free(&sealed);
}

static sc_status seal_into(sc_test_sink *sink, sc_test *t, sc_legacy_file_pointer *pointer,
                           sc_bytes content) {
  sc_legacy_sealer *sealer;
  sc_legacy_file_pointer unused;
  sc_status status = sc_legacy_sealer_new(&sealer, t->env, sc_test_sink_of(sink), false);
  if (status != SC_OK)
    return status;
  status = sc_test_in_pieces(write_content, sealer, content, 9);
  if (status == SC_OK)
    status = sc_legacy_sealer_finish(pointer, sealer);
  if (status != SC_OK && sc_legacy_sealer_finish(&unused, sealer) != SC_ERR_STATE)
    status = SC_ERR_ARGUMENT;
  sc_legacy_sealer_free(sealer);
  return status;
}

static sc_status open_into(sc_test_sink *sink, sc_test *t, const sc_legacy_file_pointer *pointer,
                           sc_bytes sealed) {
  sc_legacy_opener *opener;
  sc_status status = new_opener(&opener, t, sink, pointer);
  if (status != SC_OK)
    return status;
  status = sc_legacy_opener_check(opener, sealed);
  if (status == SC_OK)
    status = sc_legacy_opener_check_finish(opener);
  if (status == SC_OK)
    status = sc_test_in_pieces(open_sealed, opener, sealed, 9);
  if (status == SC_OK)
    status = sc_legacy_opener_open_finish(opener);
  if (status != SC_OK && sc_legacy_opener_open_finish(opener) != SC_ERR_STATE)
    status = SC_ERR_ARGUMENT;
  sc_legacy_opener_free(opener);
  return status;
}

static void a_sink_error_ends_the_stream(sc_test *t) {
  sc_buffer content, sealed;
  sc_legacy_file_pointer pointer;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_test_content(&content, 150000));
  memset(content.ptr, 0, 10000);
  sc_test_sink sink = {.into = &sealed};
  OK(seal_into(&sink, t, &pointer, sc_buffer_bytes(&content)));
  for (size_t last = sink.calls, k = 1; k <= last; k++) {
    sink = (sc_test_sink){.refuse_at = k};
    pointer = (sc_legacy_file_pointer){0};
    FAILS(SC_ERR_SINK, seal_into(&sink, t, &pointer, sc_buffer_bytes(&content)));
    CHECK(!sink.broke_a_rule && sink.calls == k && pointer.size == 0 && pointer.key[0] == 0);
  }
  OK(craft_padded(&sealed, &pointer, t->env, sc_buffer_bytes(&content)));
  sink = (sc_test_sink){0};
  OK(open_into(&sink, t, &pointer, sc_buffer_bytes(&sealed)));
  CHECK(sink.len == content.len);
  for (size_t last = sink.calls, k = 1; k <= last; k++) {
    sink = (sc_test_sink){.refuse_at = k};
    FAILS(SC_ERR_SINK, open_into(&sink, t, &pointer, sc_buffer_bytes(&sealed)));
    CHECK(!sink.broke_a_rule && sink.calls == k);
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

/* Seals `len` bytes that never exist in memory at once; the same key and IV every time. */
static sc_status seal_stream(sc_legacy_file_pointer *pointer, sc_test *t, const sc_env *env, sc_sink sink,
                             uint64_t len) {
  static uint8_t piece[50000];
  script_known_key(t);
  sc_legacy_sealer *sealer;
  sc_status status = sc_legacy_sealer_new(&sealer, env, sink, true);
  if (status != SC_OK)
    return status;
  for (uint64_t at = 0; at < len && status == SC_OK; at += sizeof piece) {
    memcpy(piece, &at, sizeof at);
    uint64_t left = len - at;
    status = sc_legacy_sealer_write(sealer,
                                    sc_bytes_make(piece, left < sizeof piece ? (size_t)left : sizeof piece));
  }
  if (status == SC_OK)
    status = sc_legacy_sealer_finish(pointer, sealer);
  sc_legacy_sealer_free(sealer);
  return status;
}

static void a_large_file_takes_little_memory(sc_test *t) {
  const uint64_t len = t->torture ? 100000 : 64 * 1024 * 1024 + 1;
  sc_test_tally tally;
  sc_legacy_file_pointer pointer, same;
  sc_legacy_opener *opener = NULL;
  sc_test_sink sealed = {0}, opened = {0};
  sc_test_tally_init(&tally, t->env);
  OK(seal_stream(&pointer, t, &tally.env, sc_test_sink_of(&sealed), len));
  CHECK(sealed.len == sc_legacy_file_sealed_len(len));
  OK(sc_legacy_opener_new(&opener, &tally.env, sc_test_sink_of(&opened), SC_BYTES(pointer.key),
                          SC_BYTES(pointer.digest), pointer.size));
  OK(seal_stream(&same, t, &tally.env, (sc_sink){opener, check_sealed}, len));
  OK(sc_legacy_opener_check_finish(opener));
  OK(seal_stream(&same, t, &tally.env, (sc_sink){opener, open_sealed}, len));
  OK(sc_legacy_opener_open_finish(opener));
  CHECK(opened.len == len && !opened.broke_a_rule);
  CHECK(tally.allocated < 4 * 64 * 1024);
done:
  sc_legacy_opener_free(opener);
}

static void freeing_null_is_harmless(sc_test *t) {
  (void)t;
  sc_legacy_sealer_free(NULL);
  sc_legacy_opener_free(NULL);
  sc_legacy_file_pointer pointer = {.key = {1}, .size = 5};
  sc_legacy_file_pointer_wipe(&pointer);
  CHECK(pointer.key[0] == 0 && pointer.size == 0);
done:;
}

SUITE(crypto_legacy_file, "crypto/legacy_file",
      {"the sealed file has the known bytes", the_sealed_file_has_the_known_bytes},
      {"content is padded to the known sizes", content_is_padded_to_the_known_sizes},
      {"every bucket is a power of 1.05, rounded down", every_bucket_is_a_power_of_1_05_rounded_down},
      {"the sealed size is known in advance", the_sealed_size_is_known_in_advance},
      {"content over the server limit is refused unless allowed",
       content_over_the_server_limit_is_refused_unless_allowed},
      {"a sealed file opens", a_sealed_file_opens}, {"each file has its own key", each_file_has_its_own_key},
      {"sealing in pieces is sealing at once", sealing_in_pieces_is_sealing_at_once},
      {"opening in pieces is opening at once", opening_in_pieces_is_opening_at_once},
      {"any changed byte is detected", any_changed_byte_is_detected},
      {"a changed key or digest is detected", a_changed_key_or_digest_is_detected},
      {"a truncated file is refused", a_truncated_file_is_refused},
      {"trailing bytes are refused", trailing_bytes_are_refused},
      {"keys and digests of the wrong size are refused", keys_and_digests_of_the_wrong_size_are_refused},
      {"invalid PKCS#7 padding means a damaged file", invalid_pkcs_7_padding_means_a_damaged_file},
      {"files without padding open", files_without_padding_open},
      {"a stated size beyond the content is refused before any output",
       a_stated_size_beyond_the_content_is_refused_before_any_output},
      {"a stated size truncates the content", a_stated_size_truncates_the_content},
      {"without a size, a file of zeros is empty", without_a_size_a_file_of_zeros_is_empty},
      {"without a size, other content is kept whole", without_a_size_other_content_is_kept_whole},
      {"a small file changed between the passes gives no output",
       a_small_file_changed_between_the_passes_gives_no_output},
      {"a large file changed between the passes is detected",
       a_large_file_changed_between_the_passes_is_detected},
      {"a file that grew is detected at once", a_file_that_grew_is_detected_at_once},
      {"calls out of order are refused", calls_out_of_order_are_refused},
      {"a sink error ends the stream", a_sink_error_ends_the_stream},
      {"a large file takes little memory", a_large_file_takes_little_memory},
      {"freeing NULL is harmless", freeing_null_is_harmless});
