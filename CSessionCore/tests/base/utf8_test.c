#include "base/utf8.h"

#include "support/test.h"

static bool is_text(sc_bytes actual, const char *expected) {
  return sc_bytes_same(actual, sc_bytes_text(expected));
}

static void code_points_are_read_one_by_one(sc_test *t) {
  static const uint32_t expected[] = {'a', 0xe9, 0x6f22, 0x1f600};
  sc_bytes rest = sc_bytes_text("a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\xff");
  uint32_t code_point;
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    CHECK(sc_utf8_next(&code_point, &rest) && code_point == expected[i]);
  CHECK(!sc_utf8_next(&code_point, &rest) && rest.len == 1);
  rest = sc_bytes_make(NULL, 0);
  CHECK(!sc_utf8_next(&code_point, &rest));
done:;
}

static void white_space_is_taken_off_the_ends(sc_test *t) {
  CHECK(is_text(sc_utf8_trimmed(sc_bytes_text(" \n\xe3\x80\x80 a b\xc2\xa0\t")), "a b"));
  CHECK(is_text(sc_utf8_trimmed(sc_bytes_text("a")), "a"));
  CHECK(sc_utf8_trimmed(sc_bytes_text(" \xe2\x80\x83\r")).len == 0);
  CHECK(sc_utf8_trimmed(sc_bytes_make(NULL, 0)).len == 0);
done:;
}

static void a_text_is_cut_between_code_points(sc_test *t) {
  sc_bytes text = sc_bytes_text("a\xe6\xbc\xa2"
                                "b");
  CHECK(is_text(sc_utf8_first_bytes(text, 3), "a") && is_text(sc_utf8_first_bytes(text, 4), "a\xe6\xbc\xa2"));
  CHECK(sc_utf8_first_bytes(text, 9).len == 5 && sc_utf8_first_bytes(text, 0).len == 0);
  CHECK(is_text(sc_utf8_first_code_points(text, 2), "a\xe6\xbc\xa2"));
  CHECK(sc_utf8_first_code_points(text, 3).len == 5 && sc_utf8_first_code_points(text, 0).len == 0);
done:;
}

SUITE(base_utf8, "base/utf8", {"code points are read one by one", code_points_are_read_one_by_one},
      {"white space is taken off the ends of a text", white_space_is_taken_off_the_ends},
      {"a text is cut between code points", a_text_is_cut_between_code_points});
