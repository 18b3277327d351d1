#include "config/encoded.h"

#include "support/test.h"

static void values_are_read_one_by_one(sc_test *t) {
  static const char *const values[] = {"i0e", "i-12e", "0:",       "3:d:e",          "le",
                                       "de",  "llee",  "d1:a1:ee", "d1:ald1:bleeee", "12:abcdefghijkl"};
  sc_buffer all;
  sc_buffer_init(&all, t->env);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    OK(sc_buffer_append(&all, sc_bytes_text(values[i])));
  sc_bytes rest = sc_buffer_bytes(&all);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    SAME(sc_bytes_text(values[i]), sc_encoded_take(&rest));
  CHECK(rest.len == 0);
done:
  sc_buffer_free(&all);
}

static void each_value_has_a_kind(sc_test *t) {
  CHECK(sc_encoded_kind(sc_bytes_text("i1e")) == SC_CONFIG_INTEGER);
  CHECK(sc_encoded_kind(sc_bytes_text("1:i")) == SC_CONFIG_STRING);
  CHECK(sc_encoded_kind(sc_bytes_text("li1ee")) == SC_CONFIG_SET);
  CHECK(sc_encoded_kind(sc_bytes_text("d0:i1ee")) == SC_CONFIG_DICT);
done:;
}

static void scalars_survive_a_round_trip(sc_test *t) {
  static const struct {
    const char *encoded;
    int64_t number;
  } integers[] = {{"i0e", 0},
                  {"i-1e", -1},
                  {"i10e", 10},
                  {"i9223372036854775807e", INT64_MAX},
                  {"i-9223372036854775808e", INT64_MIN}};
  uint8_t written[32];
  for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
    sc_bytes encoded = sc_bytes_text(integers[i].encoded);
    sc_config_value value = sc_encoded_scalar(encoded);
    CHECK(value.kind == SC_CONFIG_INTEGER && value.integer == integers[i].number);
    CHECK(sc_encoded_size(value) == encoded.len && sc_encoded_put(written, value) == written + encoded.len);
    SAME(encoded, sc_bytes_make(written, encoded.len));
  }
  sc_config_value string = sc_encoded_scalar(sc_bytes_text("11:hello world"));
  SAME(sc_bytes_text("hello world"), string.string);
  CHECK(sc_encoded_size(string) == 14 && sc_encoded_put(written, string) == written + 14);
  SAME(sc_bytes_text("11:hello world"), sc_bytes_make(written, 14));
  CHECK(sc_encoded_put(written, sc_config_string(sc_bytes_make(NULL, 0))) == written + 2);
  SAME(sc_bytes_text("0:"), sc_bytes_make(written, 2));
done:;
}

static void integers_sort_before_strings_and_bytes_compare_unsigned(sc_test *t) {
  static const char *const ascending[] = {
      "i-9e", "i-1e", "i0e", "i2e", "i10e", "0:", "1:1", "1:a", "2:aa", "10:ab12345678", "1:b", "1:\xff"};
  enum { count = sizeof ascending / sizeof ascending[0] };
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      sc_bytes left = sc_bytes_text(ascending[i]);
      sc_config_value right = sc_encoded_scalar(sc_bytes_text(ascending[j]));
      int order = sc_config_compare(sc_encoded_scalar(left), right);
      CHECK((order < 0) == (i < j) && (order == 0) == (i == j));
      order = sc_encoded_compare(left, right);
      CHECK((order < 0) == (i < j) && (order == 0) == (i == j));
    }
done:;
}

static void ranks_follow_the_order_of_their_values(sc_test *t) {
  static const char *const ascending[] = {"i-9e",       "i3e",         "0:",          "1:a", "2:aa",
                                          "8:aaaaaaaa", "9:aaaaaaaaa", "9:aaaaaaaab", "1:b", "1:\xff"};
  enum { count = sizeof ascending / sizeof ascending[0] };
  for (size_t i = 0; i < count; i++) {
    uint64_t rank = sc_encoded_rank(sc_bytes_text(ascending[i]));
    CHECK(rank == sc_config_rank(sc_encoded_scalar(sc_bytes_text(ascending[i]))));
    CHECK(i == 0 || rank >= sc_encoded_rank(sc_bytes_text(ascending[i - 1])));
  }
  CHECK(sc_encoded_rank(sc_bytes_text("1:a")) < sc_encoded_rank(sc_bytes_text("2:aa")));
done:;
}

SUITE(config_encoded, "config/encoded", {"values are read one by one", values_are_read_one_by_one},
      {"each value has a kind", each_value_has_a_kind},
      {"scalars survive a round trip", scalars_survive_a_round_trip},
      {"integers sort before strings, and bytes compare unsigned",
       integers_sort_before_strings_and_bytes_compare_unsigned},
      {"ranks follow the order of their values", ranks_follow_the_order_of_their_values});
