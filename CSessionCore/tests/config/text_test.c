#include "session-core/config/text.h"

#include "support/test.h"

#define CUT(text, limit, expected) SAME(sc_bytes_text(expected), sc_config_cut(sc_bytes_text(text), limit))

static void texts_are_truncated_between_characters(sc_test *t) {
  CUT("", 0, "");
  CUT("abc", 3, "abc");
  CUT("abc", 2, "ab");
  CUT("abc", 0, "");
  CUT("é", 1, "");
  CUT("aé", 2, "a");
  CUT("aé", 3, "aé");
  CUT("a🦊b", 4, "a");
  CUT("a🦊b", 5, "a🦊");
  CUT("e\u0301x", 3, "e\u0301");
done:;
}

static void invalid_utf_8_is_truncated_too(sc_test *t) {
  CUT("\x80\x80\x80", 2, "");
  CUT("\xff\xff\xff", 2, "\xff\xff");
done:;
}

static void displayed_text_is_utf_8(sc_test *t) {
  sc_buffer shown;
  sc_buffer_init(&shown, t->env);
  OK(sc_config_shown(&shown, sc_bytes_text("Zoë 🦊"), 100));
  SAME(sc_bytes_text("Zoë 🦊"), sc_buffer_bytes(&shown));
  OK(sc_config_shown(&shown, sc_bytes_text("a\xc3"), 100));
  SAME(sc_bytes_text("a\uFFFD"), sc_buffer_bytes(&shown));
  OK(sc_config_shown(&shown, sc_bytes_text("\xf0\x9f\xa6x"), 100));
  SAME(sc_bytes_text("\uFFFD\uFFFD\uFFFDx"), sc_buffer_bytes(&shown));
  OK(sc_config_shown(&shown, sc_bytes_make("ab\0cd", 5), 100));
  SAME(sc_bytes_text("ab"), sc_buffer_bytes(&shown));
  OK(sc_config_shown(&shown, sc_bytes_text("abé"), 3));
  SAME(sc_bytes_text("ab"), sc_buffer_bytes(&shown));
  OK(sc_config_shown(&shown, sc_bytes_make(NULL, 0), 3));
  CHECK(shown.len == 0);
done:
  sc_buffer_free(&shown);
}

static void times_in_any_unit_are_read_as_seconds(sc_test *t) {
  CHECK(sc_config_seconds(1680064059) == 1680064059);
  CHECK(sc_config_seconds(1680064059123) == 1680064059);
  CHECK(sc_config_seconds(1680064059123456) == 1680064059);
  CHECK(sc_config_seconds(9000000000) == 9000000000);
  CHECK(sc_config_seconds(9000000001) == 9000000);
  CHECK(sc_config_seconds(9000000000000) == 9000000000);
  CHECK(sc_config_seconds(9000000000001) == 9000000);
  CHECK(sc_config_seconds(0) == 0);
  CHECK(sc_config_seconds(-5) == -5);
  CHECK(sc_config_seconds(INT64_MAX) == INT64_MAX / 1000000);
done:;
}

SUITE(config_text, "config/text",
      {"texts are truncated between characters", texts_are_truncated_between_characters},
      {"invalid UTF-8 is truncated too", invalid_utf_8_is_truncated_too},
      {"displayed text is UTF-8", displayed_text_is_utf_8},
      {"times in any unit are read as seconds", times_in_any_unit_are_read_as_seconds});
