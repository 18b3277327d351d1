#include "config/envelope.h"
#include "support/test.h"

static void padded_lengths_grow_in_the_known_steps(sc_test *t) {
  static const size_t known[][3] = {
      {0, 40, 216},       {216, 40, 216},     {217, 40, 472},     {5079, 40, 5080},   {5080, 40, 5080},
      {5081, 40, 6104},   {20440, 40, 20440}, {20441, 40, 22488}, {40920, 40, 40920}, {40921, 40, 46040},
      {76760, 40, 76760}, {76761, 40, 81880}, {0, 0, 0},          {1, 0, 256},        {4999961, 40, 5002200},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    CHECK(sc_config_padded_len(known[i][0], known[i][1]) == known[i][2]);
done:;
}

static void padding_is_removed(sc_test *t) {
  static const size_t sizes[] = {1, 23, 215, 216, 217, 5081, 20441, 40921};
  static uint8_t message[40921];
  sc_buffer padded;
  sc_buffer_init(&padded, t->env);
  memset(message, 0, sizeof message);
  message[0] = 'd';
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    sc_bytes bytes = sc_bytes_make(message, sizes[i]);
    OK(sc_config_pad(&padded, bytes, SC_CONFIG_ENCRYPT_OVERHEAD));
    CHECK(padded.len == sc_config_padded_len(sizes[i], SC_CONFIG_ENCRYPT_OVERHEAD));
    SAME(bytes, sc_config_unpadded(sc_buffer_bytes(&padded)));
  }
done:
  sc_buffer_free(&padded);
}

static void zeros_alone_are_an_empty_message(sc_test *t) {
  static const uint8_t zeros[300] = {0};
  CHECK(sc_config_unpadded(SC_BYTES(zeros)).len == 0);
  CHECK(sc_config_unpadded(sc_bytes_make(NULL, 0)).len == 0);
done:;
}

static void an_impossible_size_is_refused(sc_test *t) {
  sc_buffer padded;
  sc_buffer_init(&padded, NULL);
  FAILS(SC_ERR_NO_MEMORY, sc_config_pad(&padded, sc_bytes_make("", SIZE_MAX), SC_CONFIG_ENCRYPT_OVERHEAD));
  FAILS(SC_ERR_NO_MEMORY, sc_config_pad(&padded, sc_bytes_make("", SIZE_MAX - 5120), 40));
  FAILS(SC_ERR_NO_MEMORY, sc_config_pad(&padded, sc_bytes_make("", 1), SIZE_MAX));
  CHECK(padded.len == 0);
done:
  sc_buffer_free(&padded);
}

SUITE(config_padding, "config/padding",
      {"padded lengths grow in the known steps", padded_lengths_grow_in_the_known_steps},
      {"padding is removed", padding_is_removed},
      {"zeros alone are an empty message", zeros_alone_are_an_empty_message},
      {"an impossible size is refused", an_impossible_size_is_refused});
