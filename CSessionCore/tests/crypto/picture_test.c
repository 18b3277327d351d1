#include "support/pieces.h"
#include "support/test_env.h"

enum { key_bytes = SC_PICTURE_KEY_BYTES, overhead = 28 };

static void the_sealed_picture_has_the_known_bytes(sc_test *t) {
  sc_buffer expected, sealed, opened;
  uint8_t script[key_bytes + 12] = {0}, key[key_bytes];
  sc_buffer_init(&expected, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_hex(&expected, "00000000000000000000000066d9d9b2da0e0c4679f3a82524f5e0499271e16f30"));
  for (size_t i = 0; i < key_bytes; i++)
    script[i] = (uint8_t)i;
  sc_test_env_script(t->env->user, SC_BYTES(script));
  OK(sc_picture_seal(&sealed, key, t->env, sc_bytes_text("hello")));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&sealed));
  SAME(sc_bytes_make(script, key_bytes), SC_BYTES(key));
  OK(sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("hello"), sc_buffer_bytes(&opened));
done:
  sc_buffer_free(&expected);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_sealed_picture_opens(sc_test *t) {
  static const size_t sizes[] = {0, 1, 16, 1000, 100000};
  sc_buffer picture, sealed, opened;
  uint8_t key[key_bytes];
  sc_buffer_init(&picture, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    OK(sc_test_content(&picture, sizes[i]));
    OK(sc_picture_seal(&sealed, key, t->env, sc_buffer_bytes(&picture)));
    CHECK(sealed.len == sizes[i] + overhead);
    OK(sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed)));
    SAME(sc_buffer_bytes(&picture), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&picture);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void each_picture_has_its_own_key(sc_test *t) {
  sc_buffer sealed;
  uint8_t one[key_bytes], other[key_bytes];
  sc_buffer_init(&sealed, t->env);
  OK(sc_picture_seal(&sealed, one, t->env, sc_bytes_text("same")));
  OK(sc_picture_seal(&sealed, other, t->env, sc_bytes_text("same")));
  CHECK(memcmp(one, other, key_bytes) != 0);
done:
  sc_buffer_free(&sealed);
}

static void any_changed_byte_is_detected(sc_test *t) {
  sc_buffer sealed, opened;
  uint8_t key[key_bytes];
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_picture_seal(&sealed, key, t->env, sc_bytes_text("hello")));
  for (size_t at = 0; at < sealed.len; at++) {
    sealed.ptr[at] ^= 1;
    FAILS(SC_ERR_FILE_DAMAGED, sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0);
    sealed.ptr[at] ^= 1;
  }
  for (size_t at = 0; at < key_bytes; at++) {
    key[at] ^= 1;
    FAILS(SC_ERR_FILE_DAMAGED, sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed)));
    key[at] ^= 1;
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void pictures_of_the_wrong_length_are_refused(sc_test *t) {
  sc_buffer sealed, opened;
  uint8_t key[key_bytes];
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_picture_seal(&sealed, key, t->env, sc_bytes_text("hello")));
  for (size_t len = 0; len < sealed.len; len++)
    FAILS(len < overhead ? SC_ERR_FILE_FORMAT : SC_ERR_FILE_DAMAGED,
          sc_picture_open(&opened, SC_BYTES(key), sc_bytes_make(sealed.ptr, len)));
  OK(sc_buffer_append_byte(&sealed, 0));
  FAILS(SC_ERR_FILE_DAMAGED, sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void keys_of_the_wrong_size_are_refused(sc_test *t) {
  static const uint8_t bytes[65];
  sc_buffer opened;
  sc_buffer_init(&opened, t->env);
  for (size_t len = 0; len <= sizeof bytes; len++)
    if (len != key_bytes)
      FAILS(SC_ERR_KEY_SIZE, sc_picture_open(&opened, sc_bytes_make(bytes, len), SC_BYTES(bytes)));
done:
  sc_buffer_free(&opened);
}

static void a_picture_over_the_limit_is_refused(sc_test *t) {
  sc_buffer picture, sealed, opened;
  uint8_t key[key_bytes] = {1};
  sc_buffer_init(&picture, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_content(&picture, SC_PICTURE_MAX_BYTES + overhead + 1));
  FAILS(SC_ERR_FILE_TOO_LARGE,
        sc_picture_seal(&sealed, key, t->env, sc_bytes_make(picture.ptr, SC_PICTURE_MAX_BYTES + 1)));
  CHECK(sealed.len == 0 && key[0] == 0);
  FAILS(SC_ERR_FILE_TOO_LARGE, sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&picture)));

  OK(sc_picture_seal(&sealed, key, t->env, sc_bytes_make(picture.ptr, SC_PICTURE_MAX_BYTES)));
  OK(sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed)));
  CHECK(opened.len == SC_PICTURE_MAX_BYTES);
done:
  sc_buffer_free(&picture);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

SUITE(crypto_picture, "crypto/picture",
      {"the sealed picture has the known bytes", the_sealed_picture_has_the_known_bytes},
      {"a sealed picture opens", a_sealed_picture_opens},
      {"each picture has its own key", each_picture_has_its_own_key},
      {"any changed byte is detected", any_changed_byte_is_detected},
      {"pictures of the wrong length are refused", pictures_of_the_wrong_length_are_refused},
      {"keys of the wrong size are refused", keys_of_the_wrong_size_are_refused},
      {"a picture over the limit is refused", a_picture_over_the_limit_is_refused});
