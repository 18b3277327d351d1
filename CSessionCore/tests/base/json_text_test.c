#include "base/json_text.h"

#include "support/test.h"

static void characters_that_need_escapes_get_them(sc_test *t) {
  static const char *const known[][2] = {
      {"", "\"\""},
      {"plain", "\"plain\""},
      {"\"", "\"\\\"\""},
      {"a\\b/c", "\"a\\\\b/c\""},
      {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
      {"\x01|\x1f|\x7f", "\"\\u0001|\\u001f|\x7f\""},
      {"\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
  };
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_buffer_clear(&out);
    OK(sc_json_text_append(&out, sc_bytes_text(known[i][0])));
    SAME(sc_bytes_text(known[i][1]), sc_buffer_bytes(&out));
  }
done:
  sc_buffer_free(&out);
}

static void every_byte_survives_a_round_trip(sc_test *t) {
  uint8_t text[0x80];
  sc_json *document = NULL;
  sc_bytes read;
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = (uint8_t)i;
  OK(sc_json_text_append(&out, SC_BYTES(text)));
  OK(sc_json_parse(&document, sc_buffer_bytes(&out), 1));
  OK(sc_json_string(&read, document));
  SAME(SC_BYTES(text), read);
done:
  sc_json_free(document);
  sc_buffer_free(&out);
}

static void invalid_utf_8_is_refused(sc_test *t) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(sc_buffer_append(&out, sc_bytes_text("before")));
  FAILS(SC_ERR_UTF8, sc_json_text_append(&out, sc_bytes_text("ab\xff")));
  SAME(sc_bytes_text("before"), sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

SUITE(base_json_text, "base/json_text",
      {"characters that need escapes get them", characters_that_need_escapes_get_them},
      {"every byte survives a round trip", every_byte_survives_a_round_trip},
      {"invalid UTF-8 is refused", invalid_utf_8_is_refused});
