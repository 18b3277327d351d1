#include "base/text.h"

#include "support/test.h"

static void text_is_split_at_separators(sc_test *t) {
  sc_bytes rest = sc_bytes_text("a||bc|"), part;
  static const char *const expected[] = {"a", "", "bc", ""};
  for (size_t i = 0; i < 4; i++) {
    CHECK(sc_text_part(&part, &rest, '|'));
    SAME(sc_bytes_text(expected[i]), part);
  }
  CHECK(!sc_text_part(&part, &rest, '|'));
done:;
}

static void numbers_are_decimal_digits(sc_test *t) {
  static const char *const bad[] = {"",
                                    "-1",
                                    "+1",
                                    " 1",
                                    "1 ",
                                    "0x1",
                                    "1.5",
                                    "18446744073709551616",
                                    "99999999999999999999",
                                    "000000000000000000001"};
  uint64_t number = 77;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    CHECK(!sc_text_number(&number, sc_bytes_text(bad[i]), UINT64_MAX) && number == 77);
  CHECK(sc_text_number(&number, sc_bytes_text("18446744073709551615"), UINT64_MAX) && number == UINT64_MAX);
  CHECK(sc_text_number(&number, sc_bytes_text("255"), 255) && number == 255);
  CHECK(!sc_text_number(&number, sc_bytes_text("256"), 255));
done:;
}

static void lines_end_with_lf_or_cr(sc_test *t) {
  sc_bytes rest = sc_bytes_text("\n\rone\r\ntwo\rthree"), line;
  static const char *const expected[] = {"one", "two", "three"};
  for (size_t i = 0; i < 3; i++) {
    CHECK(sc_text_next_line(&line, &rest) == SC_TEXT_LINE);
    SAME(sc_bytes_text(expected[i]), line);
  }
  CHECK(sc_text_next_line(&line, &rest) == SC_TEXT_END);
  CHECK(sc_text_next_line(&line, &(sc_bytes){0}) == SC_TEXT_END);
done:;
}

static void line_length_is_limited(sc_test *t) {
  char text[sc_text_line_most + 2];
  sc_bytes line, rest;
  memset(text, 'x', sizeof text);
  text[sc_text_line_most] = '\n';
  rest = SC_BYTES(text);
  CHECK(sc_text_next_line(&line, &rest) == SC_TEXT_LINE && line.len == sc_text_line_most);
  text[sc_text_line_most] = 'x';
  rest = sc_bytes_make(text, sc_text_line_most + 1);
  CHECK(sc_text_next_line(&line, &rest) == SC_TEXT_LINE_TOO_LONG);
done:;
}

SUITE(base_text, "base/text", {"text is split at separators", text_is_split_at_separators},
      {"numbers are decimal digits", numbers_are_decimal_digits},
      {"lines end with LF or CR", lines_end_with_lf_or_cr},
      {"line length is limited", line_length_is_limited});
