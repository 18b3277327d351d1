#include "support/test.h"

static void padded_sizes_have_the_known_values(sc_test *t) {
  static const size_t sizes[][2] = {{0, 160},   {1, 160},   {158, 160}, {159, 320},
                                    {160, 320}, {318, 320}, {319, 480}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    CHECK(sc_padded_len(sizes[i][0]) == sizes[i][1]);
done:;
}

static void padding_is_removed(sc_test *t) {
  enum { longest = 500 };
  uint8_t message[longest];
  memset(message, 0x80, sizeof message);
  sc_buffer padded;
  sc_buffer_init(&padded, t->env);
  for (size_t len = 0; len <= longest; len += t->torture ? 159 : 1) {
    sc_bytes bytes = sc_bytes_make(message, len);
    OK(sc_pad(&padded, bytes));
    CHECK(padded.len == sc_padded_len(len));
    SAME(bytes, sc_unpadded(sc_buffer_bytes(&padded)));
  }
done:
  sc_buffer_free(&padded);
}

static void a_message_may_end_like_padding(sc_test *t) {
  static const uint8_t message[] = {1, 0x80, 0, 0x80, 0, 0};
  sc_buffer padded;
  sc_buffer_init(&padded, t->env);
  OK(sc_pad(&padded, SC_BYTES(message)));
  SAME(SC_BYTES(message), sc_unpadded(sc_buffer_bytes(&padded)));
done:
  sc_buffer_free(&padded);
}

typedef struct unpadding {
  const char *padded;
  size_t left;
} unpadding;

static void unpadding_never_fails(sc_test *t) {
  static const unpadding cases[] = {
      {"", 0},
      {"80", 0},
      {"00", 0},
      {"8000", 0},
      {"0000000000000000000000", 0}, /* nothing but zeros */
      {"01", 1},                     /* none */
      {"010000", 1},                 /* zeros without their marker */
      {"0180", 1},                   /* a marker without zeros */
      {"018080", 2},                 /* two markers: one is content */
      {"01008000", 2},               /* a zero before the marker is content */
      {"0102030405060780", 7},       /* a word */
      {"010203040506078000", 7},     /* and a byte */
      {"0102030405060708800000000000000000", 8},
      {"0000000000000000800000000000000000", 8},
      {"81", 1},
  };
  sc_buffer padded;
  sc_buffer_init(&padded, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&padded);
    OK(sc_test_hex(&padded, cases[i].padded));
    CHECK(sc_unpadded(sc_buffer_bytes(&padded)).len == cases[i].left);
  }
  CHECK(sc_unpadded(sc_bytes_make(NULL, 0)).len == 0);
done:
  sc_buffer_free(&padded);
}

static void an_impossible_size_is_refused(sc_test *t) {
  sc_buffer padded;
  sc_buffer_init(&padded, NULL);
  FAILS(SC_ERR_NO_MEMORY, sc_pad(&padded, sc_bytes_make("", SIZE_MAX)));
  CHECK(padded.len == 0);
done:
  sc_buffer_free(&padded);
}

SUITE(message_padding, "message/padding",
      {"padded sizes have the known values", padded_sizes_have_the_known_values},
      {"padding is removed", padding_is_removed},
      {"a message may end like padding", a_message_may_end_like_padding},
      {"unpadding never fails", unpadding_never_fails},
      {"an impossible size is refused", an_impossible_size_is_refused});
