#include "base/json_cursor.h"
#include "support/test.h"

#include <stdio.h>

static sc_status begin(sc_json_cursor *out, const char *text) {
  return sc_json_cursor_init(out, sc_bytes_text(text), 8);
}

static void a_document_is_read_from_front_to_back(sc_test *t) {
  sc_json_cursor c;
  sc_buffer text;
  int64_t number;
  double real;
  bool flag;
  sc_buffer_init(&text, t->env);
  OK(begin(&c, " { \"a\" : [ 1 , -2.5e1 , null , true ] , \"b\":{},\"c\":\"x\" } "));
  CHECK(sc_json_cursor_type(&c) == SC_JSON_OBJECT);
  OK(sc_json_cursor_enter(&c, SC_JSON_OBJECT));
  CHECK(sc_json_cursor_more(&c));
  OK(sc_json_cursor_key(&text, &c));
  SAME(sc_bytes_text("a"), sc_buffer_bytes(&text));
  OK(sc_json_cursor_enter(&c, SC_JSON_ARRAY));
  CHECK(sc_json_cursor_more(&c) && sc_json_cursor_type(&c) == SC_JSON_INTEGER);
  OK(sc_json_cursor_i64(&number, &c));
  CHECK(number == 1 && sc_json_cursor_more(&c) && sc_json_cursor_type(&c) == SC_JSON_DOUBLE);
  OK(sc_json_cursor_double(&real, &c));
  CHECK(real == -25 && sc_json_cursor_more(&c) && sc_json_cursor_type(&c) == SC_JSON_NULL);
  sc_json_cursor_skip(&c);
  CHECK(sc_json_cursor_more(&c));
  OK(sc_json_cursor_bool(&flag, &c));
  CHECK(flag && !sc_json_cursor_more(&c));
  CHECK(sc_json_cursor_more(&c));
  OK(sc_json_cursor_key(&text, &c));
  sc_json_cursor_skip(&c);
  CHECK(sc_json_cursor_more(&c));
  OK(sc_json_cursor_key(&text, &c));
  sc_buffer_clear(&text);
  OK(sc_json_cursor_string(&text, &c));
  SAME(sc_bytes_text("x"), sc_buffer_bytes(&text));
  CHECK(!sc_json_cursor_more(&c));
done:
  sc_buffer_free(&text);
}

static void escapes_are_resolved(sc_test *t) {
  static const char meant[] = "\"\\/\b\f\n\r\t\0\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82";
  sc_json_cursor c;
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  OK(begin(&c, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00e9\\u20AC\\ud83d\\ude42\""));
  OK(sc_json_cursor_string(&text, &c));
  SAME(sc_bytes_make(meant, sizeof meant - 1), sc_buffer_bytes(&text));
done:
  sc_buffer_free(&text);
}

static void any_value_can_be_skipped(sc_test *t) {
  sc_json_cursor c;
  int64_t number = 0;
  OK(begin(&c, "[{\"a]\":[\"}\\\"\",[]]}, \"\\\\\", -1.5e+3, false, null, true, 7]"));
  OK(sc_json_cursor_enter(&c, SC_JSON_ARRAY));
  for (int i = 0; i < 6; i++) {
    CHECK(sc_json_cursor_more(&c));
    sc_json_cursor_skip(&c);
  }
  CHECK(sc_json_cursor_more(&c));
  OK(sc_json_cursor_i64(&number, &c));
  CHECK(number == 7 && !sc_json_cursor_more(&c));
done:;
}

static void whole_numbers_keep_all_bits(sc_test *t) {
  static const struct {
    const char *text;
    sc_status status;
    int64_t number;
  } cases[] = {{"0", SC_OK, 0},
               {"-0", SC_OK, 0},
               {"9223372036854775807", SC_OK, INT64_MAX},
               {"-9223372036854775808", SC_OK, INT64_MIN},
               {"9223372036854775808", SC_ERR_JSON_RANGE, 0},
               {"18446744073709551615", SC_ERR_JSON_RANGE, 0},
               {"1.0", SC_ERR_JSON_TYPE, 0},
               {"1e1", SC_ERR_JSON_TYPE, 0},
               {"\"1\"", SC_ERR_JSON_TYPE, 0}};
  sc_json_cursor c;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int64_t number = 0;
    OK(begin(&c, cases[i].text));
    FAILS(cases[i].status, sc_json_cursor_i64(&number, &c));
    CHECK(number == cases[i].number);
  }
done:;
}

static void reals_too_large_are_refused_when_they_are_taken(sc_test *t) {
  sc_json_cursor c;
  double real;
  OK(begin(&c, "1e999"));
  FAILS(SC_ERR_JSON_RANGE, sc_json_cursor_double(&real, &c));
  OK(begin(&c, "0.1"));
  OK(sc_json_cursor_double(&real, &c));
  CHECK(real == 0.1);
done:;
}

static void other_types_are_refused_and_still_next(sc_test *t) {
  sc_json_cursor c;
  sc_buffer text;
  bool flag;
  int64_t number;
  double real;
  sc_buffer_init(&text, t->env);
  OK(begin(&c, "[\"x\"]"));
  FAILS(SC_ERR_JSON_TYPE, sc_json_cursor_enter(&c, SC_JSON_OBJECT));
  FAILS(SC_ERR_JSON_TYPE, sc_json_cursor_enter(&c, SC_JSON_STRING));
  OK(sc_json_cursor_enter(&c, SC_JSON_ARRAY));
  CHECK(sc_json_cursor_more(&c));
  FAILS(SC_ERR_JSON_TYPE, sc_json_cursor_bool(&flag, &c));
  FAILS(SC_ERR_JSON_TYPE, sc_json_cursor_i64(&number, &c));
  FAILS(SC_ERR_JSON_TYPE, sc_json_cursor_double(&real, &c));
  OK(sc_json_cursor_string(&text, &c));
  CHECK(text.len == 1);
done:
  sc_buffer_free(&text);
}

static void the_whole_text_is_checked_first(sc_test *t) {
  sc_json_cursor c;
  FAILS(SC_ERR_JSON_SYNTAX, begin(&c, ""));
  FAILS(SC_ERR_JSON_SYNTAX, begin(&c, "{\"a\":1"));
  FAILS(SC_ERR_JSON_SYNTAX, begin(&c, "[1] 2"));
  FAILS(SC_ERR_JSON_SYNTAX, begin(&c, "\"\\ud800\""));
  FAILS(SC_ERR_JSON_DEPTH, begin(&c, "[[[[[[[[[1]]]]]]]]]"));
  OK(begin(&c, "[[[[[[[[1]]]]]]]]"));
done:;
}

static void a_key_occurs_once_in_an_object(sc_test *t) {
  static const char *const twice[] = {
      "{\"a\":1,\"a\":2}",
      "{\"a\":1,\"b\":[{}],\"\\u0061\" :2}",
      "[{\"x\":{\"\\n\":1,\"\\u000a\":2}}]",
      "{\"\":1,\"\":2}",
  };
  sc_json_cursor c;
  for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++)
    FAILS(SC_ERR_JSON_DUPLICATE_KEY, begin(&c, twice[i]));
  OK(begin(&c, "[{\"a\":{\"a\":[{\"a\":1}]},\"b\":\"a\"},{\"a\":2,\"aa\":3,\"a\\n\":4}]"));
done:;
}

static void too_many_keys_are_refused(sc_test *t) {
  char key[24];
  sc_json_cursor c;
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (int keys = sc_json_cursor_keys - 1; keys <= sc_json_cursor_keys; keys++) {
    sc_buffer_clear(&text);
    for (int i = 0; i < keys; i++) {
      snprintf(key, sizeof key, "%s\"%d\":{\"x\":1}", i == 0 ? "{" : ",", i);
      OK(sc_buffer_append(&text, sc_bytes_text(key)));
    }
    OK(sc_buffer_append_byte(&text, '}'));
    sc_status expected = keys < sc_json_cursor_keys ? SC_OK : SC_ERR_TOO_LARGE; /* with the innermost one */
    FAILS(expected, sc_json_cursor_init(&c, sc_buffer_bytes(&text), 8));
  }
done:
  sc_buffer_free(&text);
}

SUITE(base_json_cursor, "base/json_cursor",
      {"a document is read from front to back", a_document_is_read_from_front_to_back},
      {"escapes are resolved", escapes_are_resolved}, {"any value can be skipped", any_value_can_be_skipped},
      {"whole numbers keep all bits", whole_numbers_keep_all_bits},
      {"reals too large are refused when they are taken", reals_too_large_are_refused_when_they_are_taken},
      {"other types are refused and still next", other_types_are_refused_and_still_next},
      {"the whole text is checked first", the_whole_text_is_checked_first},
      {"a key occurs once in an object", a_key_occurs_once_in_an_object},
      {"too many keys are refused", too_many_keys_are_refused});
