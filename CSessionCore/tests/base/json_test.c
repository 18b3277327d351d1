#include "support/test.h"

static const char *const not_json[] = {
    "",
    " ",
    "nul",
    "nullx",
    "NULL",
    "True",
    "tru",
    "x",
    "'a'",
    "{",
    "[",
    "]",
    "}",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1]]",
    "[1}",
    "{\"a\":1]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":1,,\"b\":2}",
    "1 2",
    "1,",
    "null null",
    "// note\n1",
    "/* note */ 1",
    "1 // note",
    "[1 /* note */]",
    "\xef\xbb\xbf"
    "1",
    "\v1",
    "\f1",
    "\xa0"
    "1",
    "NaN",
    "nan",
    "Infinity",
    "-Infinity",
    "[NaN]",
    "01",
    "00",
    "-01",
    "+1",
    "1.",
    ".5",
    "-.5",
    "-",
    "--1",
    "1e",
    "1e+",
    "1E-",
    "1.e5",
    "1e1.5",
    "0x10",
    "1_000",
    "1a",
    "[-]",
    "\"",
    "\"a",
    "\"\\",
    "\"\\\"",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"a\x01"
    "b\"",
    "\"a\x1f"
    "b\"",
    "\"\\a\"",
    "\"\\v\"",
    "\"\\x41\"",
    "\"\\'\"",
    "\"\\0\"",
    "\"\\u\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\u 123\"",
    "\"\\U0041\"",
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\\ud800x\"",
    "\"\\ud800\\n\"",
    "\"\\ud800\\u0041\"",
    "\"\\ud800\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\x80\"",
    "\"\xbf\"",
    "\"\xc0\x80\"",
    "\"\xc1\xbf\"",
    "\"\xc3\"",
    "\"\xc3(\"",
    "\"\xe0\x9f\xbf\"",
    "\"\xe2\x82\"",
    "\"\xed\xa0\x80\"",
    "\"\xed\xbf\xbf\"",
    "\"\xf0\x8f\xbf\xbf\"",
    "\"\xf0\x9f\x98\"",
    "\"\xf4\x90\x80\x80\"",
    "\"\xf5\x80\x80\x80\"",
    "\"\xff\"",
    "{\"\xff\":1}",
    "{\"a\\u0000b\":1}",
};

static void invalid_json_is_refused(sc_test *t) {
  sc_json *document = NULL;
  for (size_t i = 0; i < sizeof not_json / sizeof not_json[0]; i++) {
    FAILS(SC_ERR_JSON_SYNTAX, sc_json_parse(&document, sc_bytes_text(not_json[i]), SC_JSON_DEFAULT_DEPTH));
    CHECK(document == NULL);
  }
  FAILS(SC_ERR_JSON_SYNTAX, sc_json_parse(&document, sc_bytes_make("1\0", 2), SC_JSON_DEFAULT_DEPTH));
  FAILS(SC_ERR_JSON_SYNTAX, sc_json_parse(&document, sc_bytes_make("\"a\0b\"", 5), SC_JSON_DEFAULT_DEPTH));
  FAILS(SC_ERR_JSON_SYNTAX, sc_json_parse(&document, sc_bytes_make(NULL, 0), SC_JSON_DEFAULT_DEPTH));
done:
  sc_json_free(document);
}

typedef struct rewritten_text {
  const char *text;
  const char *compact;
} rewritten_text;

static void valid_json_is_written_back_compactly(sc_test *t) {
  static const rewritten_text cases[] = {
      {"null", "null"},
      {" \t\r\n true \n", "true"},
      {"[ ]", "[]"},
      {"{ }", "{}"},
      {"[[],{},[{}]]", "[[],{},[{}]]"},
      {"[1 , 2,\n3]", "[1,2,3]"},
      {"{\"z\" : 1 , \"a\" : {\"m\":null}}", "{\"z\":1,\"a\":{\"m\":null}}"},
      {"{\"\":false}", "{\"\":false}"},
      {"0", "0"},
      {"-0", "0"},
      {"-7", "-7"},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"[9223372036854775807,9223372036854775808]", "[9223372036854775807,9223372036854775808]"},
      {"1.5", "1.5"},
      {"-0.0", "-0.0"},
      {"[0.1,1E5,1e-5,2.50e+3]", "[0.1,1E5,1e-5,2.50e+3]"},
      {"\"a/b\\/c\"", "\"a/b/c\""},
      {"\"\\\"\\\\\\b\\f\\n\\r\\t\"", "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
      {"\"\\u0041\\u00e9\\u20AC\"", "\"A\xc3\xa9\xe2\x82\xac\""},
      {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
      {"\"\\uD83D\\uDE00\\udbff\\udfff\"", "\"\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\""},
      {"\"\\uffff\\ufffd\"", "\"\xef\xbf\xbf\xef\xbf\xbd\""},
      {"\"\\u0000\\u001f\x7f\"", "\"\\u0000\\u001f\x7f\""},
      {"\"\xc2\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
       "\"\xc2\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""},
  };
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  sc_json *document = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    OK(sc_json_parse(&document, sc_bytes_text(cases[i].text), SC_JSON_DEFAULT_DEPTH));
    OK(sc_json_write(&out, document));
    SAME(sc_bytes_text(cases[i].compact), sc_buffer_bytes(&out));
    sc_json_free(document);
    document = NULL;
  }
done:
  sc_json_free(document);
  sc_buffer_free(&out);
}

static void out_of_range_numbers_are_refused(sc_test *t) {
  static const char *const inputs[] = {"18446744073709551616",
                                       "-9223372036854775809",
                                       "[99999999999999999999]",
                                       "{\"a\":-18446744073709551615}",
                                       "100000000000000000000000000000000000000000000000000",
                                       "1e999",
                                       "[-1e400]",
                                       "{\"a\":[{\"b\":1.8e308}]}"};
  sc_json *document = NULL;
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
    FAILS(SC_ERR_JSON_RANGE, sc_json_parse(&document, sc_bytes_text(inputs[i]), SC_JSON_DEFAULT_DEPTH));
    CHECK(document == NULL);
  }
done:
  sc_json_free(document);
}

static void duplicate_keys_are_refused(sc_test *t) {
  static const char *const inputs[] = {"{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":2,\"\\u0061\":3}",
                                       "[{},{\"x\":{\"\":1,\"\":2}}]", "{\"a\":null,\"a\":null}"};
  sc_json *document = NULL;
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
    FAILS(SC_ERR_JSON_DUPLICATE_KEY,
          sc_json_parse(&document, sc_bytes_text(inputs[i]), SC_JSON_DEFAULT_DEPTH));
    CHECK(document == NULL);
  }
  OK(sc_json_parse(&document, sc_bytes_text("[{\"a\":{\"a\":1}},{\"a\":2},{\"A\":3,\"a\":3}]"),
                   SC_JSON_DEFAULT_DEPTH));
done:
  sc_json_free(document);
}

static void containers_nest_to_the_requested_limit(sc_test *t) {
  static char text[2 * (SC_JSON_MAX_DEPTH + 1)];
  sc_json *document = NULL;
  for (unsigned depth = 1; depth <= SC_JSON_MAX_DEPTH; depth = depth < 4 ? depth + 1 : 2 * depth) {
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    sc_bytes nested = sc_bytes_make(text, (size_t)2 * depth);
    FAILS(SC_ERR_JSON_DEPTH, sc_json_parse(&document, nested, depth - 1));
    CHECK(document == NULL);
    OK(sc_json_parse(&document, nested, depth));
    sc_json_free(document);
    document = NULL;
  }
  OK(sc_json_parse(&document, sc_bytes_text("1"), 0));
  sc_json_free(document);
  document = NULL;
  OK(sc_json_parse(&document, sc_bytes_text("[{\"a\":[1,2]},{\"b\":\"c\"}]"), 3));
  sc_json_free(document);
  document = NULL;
  FAILS(SC_ERR_JSON_DEPTH, sc_json_parse(&document, sc_bytes_text("[{\"a\":[1,2]}]"), 2));
  FAILS(SC_ERR_ARGUMENT, sc_json_parse(&document, sc_bytes_text("1"), SC_JSON_MAX_DEPTH + 1));
done:
  sc_json_free(document);
}

/* A list of `count` copies of this value. */
static sc_status make_list(sc_buffer *out, const char *value, size_t count) {
  uint8_t *text;
  size_t len = strlen(value) + 1;
  sc_buffer_clear(out);
  sc_status status = sc_buffer_extend(&text, out, len * count + 1);
  if (status != SC_OK)
    return status;
  for (size_t i = 0; i < count; i++) {
    text[i * len] = ',';
    memcpy(text + i * len + 1, value, len - 1);
  }
  text[0] = '[';
  text[len * count] = ']';
  return SC_OK;
}

typedef struct known_most {
  const char *value;
  size_t most; /* in a list, which counts itself */
} known_most;

static void more_values_than_the_limit_are_refused(sc_test *t) {
  static const size_t room = SC_JSON_MAX_VALUES - SC_JSON_ARRAY_VALUES;
  const known_most known[] = {
      {"0", room},
      {"\"\"", room},
      {"[]", room / SC_JSON_ARRAY_VALUES},
      {"{}", room / SC_JSON_OBJECT_VALUES},
      {"{\"a\":0}", room / (SC_JSON_OBJECT_VALUES + 1)},
      {"[[0]]", room / (2 * SC_JSON_ARRAY_VALUES + 1)},
  };
  sc_json *document = NULL;
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < (t->torture ? 1 : sizeof known / sizeof known[0]); i++) {
    OK(make_list(&text, known[i].value, known[i].most));
    OK(sc_json_parse(&document, sc_buffer_bytes(&text), 3));
    CHECK(sc_json_count(document) == known[i].most);
    sc_json_free(document);
    document = NULL;
    OK(make_list(&text, known[i].value, known[i].most + 1));
    FAILS(SC_ERR_TOO_LARGE, sc_json_parse(&document, sc_buffer_bytes(&text), 3));
    CHECK(document == NULL);
  }
done:
  sc_json_free(document);
  sc_buffer_free(&text);
}

static void a_text_over_the_limit_is_refused(sc_test *t) {
  sc_json *document = NULL;
  uint8_t *space;
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  OK(sc_buffer_extend(&space, &text, SC_JSON_MAX_BYTES + 1));
  memset(space, ' ', SC_JSON_MAX_BYTES);
  space[SC_JSON_MAX_BYTES - 1] = '5';
  space[SC_JSON_MAX_BYTES] = ' ';
  FAILS(SC_ERR_TOO_LARGE, sc_json_parse(&document, sc_buffer_bytes(&text), 1));
  CHECK(document == NULL);
  OK(sc_json_parse(&document, sc_bytes_make(text.ptr, SC_JSON_MAX_BYTES), 1));
done:
  sc_json_free(document);
  sc_buffer_free(&text);
}

static void values_are_read_by_their_type(sc_test *t) {
  sc_json *document = NULL;
  const sc_json *value;
  bool truth;
  int64_t i64;
  uint64_t u64;
  double real;
  sc_bytes string;
  OK(sc_json_parse(&document,
                   sc_bytes_text("{\"t\":true,\"n\":null,\"i\":-5,\"u\":18446744073709551615,\"d\":2.5,"
                                 "\"s\":\"x\\u0000y\",\"a\":[7,\"e\"],\"o\":{}}"),
                   4));
  CHECK(sc_json_type_of(document) == SC_JSON_OBJECT && sc_json_count(document) == 8);
  OK(sc_json_member_bool(&truth, document, "t"));
  CHECK(truth);
  OK(sc_json_member_i64(&i64, document, "i"));
  CHECK(i64 == -5);
  OK(sc_json_member_u64(&u64, document, "u"));
  CHECK(u64 == UINT64_MAX);
  OK(sc_json_member_string(&string, document, "s"));
  SAME(sc_bytes_make("x\0y", 3), string);
  FAILS(SC_ERR_JSON_RANGE, sc_json_member_u64(&u64, document, "i"));
  FAILS(SC_ERR_JSON_RANGE, sc_json_member_i64(&i64, document, "u"));
  FAILS(SC_ERR_JSON_TYPE, sc_json_member_i64(&i64, document, "d"));
  FAILS(SC_ERR_JSON_TYPE, sc_json_member_u64(&u64, document, "s"));
  FAILS(SC_ERR_JSON_TYPE, sc_json_member_bool(&truth, document, "i"));
  FAILS(SC_ERR_JSON_TYPE, sc_json_member_string(&string, document, "n"));
  FAILS(SC_ERR_NOT_FOUND, sc_json_member_string(&string, document, "absent"));
  OK(sc_json_member(&value, document, "n"));
  CHECK(value == NULL && sc_json_type_of(value) == SC_JSON_NULL);
  OK(sc_json_member(&value, document, "d"));
  OK(sc_json_double(&real, value));
  CHECK(sc_json_type_of(value) == SC_JSON_DOUBLE && real > 2.4 && real < 2.6);
  OK(sc_json_member(&value, document, "i"));
  OK(sc_json_double(&real, value));
  CHECK(real < -4.9 && real > -5.1);
  OK(sc_json_member(&value, document, "u"));
  FAILS(SC_ERR_JSON_RANGE, sc_json_double(&real, value));
  FAILS(SC_ERR_JSON_TYPE, sc_json_member(&value, value, "x"));
  OK(sc_json_member(&value, document, "s"));
  FAILS(SC_ERR_JSON_TYPE, sc_json_double(&real, value));
  CHECK(sc_json_count(value) == 0 && sc_json_count(NULL) == 0);
done:
  sc_json_free(document);
}

static void elements_are_reached_by_index(sc_test *t) {
  sc_json *document = NULL;
  const sc_json *value;
  int64_t number;
  OK(sc_json_parse(&document, sc_bytes_text("[10,null,30]"), 1));
  CHECK(sc_json_type_of(document) == SC_JSON_ARRAY && sc_json_count(document) == 3);
  OK(sc_json_element(&value, document, 2));
  OK(sc_json_i64(&number, value));
  CHECK(number == 30);
  OK(sc_json_element(&value, document, 1));
  CHECK(value == NULL);
  FAILS(SC_ERR_NOT_FOUND, sc_json_element(&value, document, 3));
  FAILS(SC_ERR_JSON_TYPE, sc_json_element(&value, NULL, 0));
done:
  sc_json_free(document);
}

static void integers_are_exact_at_the_limits_of_their_types(sc_test *t) {
  sc_json *document = NULL;
  const sc_json *value;
  int64_t i64;
  uint64_t u64;
  double real;
  OK(sc_json_parse(&document,
                   sc_bytes_text("[9223372036854775807,9223372036854775808,-9223372036854775808,"
                                 "9007199254740992,9007199254740993]"),
                   1));
  OK(sc_json_element(&value, document, 0));
  OK(sc_json_i64(&i64, value));
  OK(sc_json_u64(&u64, value));
  CHECK(i64 == INT64_MAX && u64 == INT64_MAX);
  OK(sc_json_element(&value, document, 1));
  FAILS(SC_ERR_JSON_RANGE, sc_json_i64(&i64, value));
  OK(sc_json_u64(&u64, value));
  CHECK(u64 == (uint64_t)INT64_MAX + 1);
  OK(sc_json_element(&value, document, 2));
  OK(sc_json_i64(&i64, value));
  CHECK(i64 == INT64_MIN);
  FAILS(SC_ERR_JSON_RANGE, sc_json_u64(&u64, value));
  OK(sc_json_element(&value, document, 3));
  OK(sc_json_double(&real, value));
  OK(sc_json_element(&value, document, 4));
  FAILS(SC_ERR_JSON_RANGE, sc_json_double(&real, value));
done:
  sc_json_free(document);
}

static sc_status gather_keys(void *user, sc_bytes key, const sc_json *value) {
  sc_buffer *keys = user;
  if (sc_json_type_of(value) == SC_JSON_NULL)
    return SC_ERR_SINK;
  return sc_buffer_append(keys, key);
}

static void members_are_visited_in_text_order(sc_test *t) {
  sc_json *document = NULL;
  sc_buffer keys;
  sc_buffer_init(&keys, t->env);
  OK(sc_json_parse(&document, sc_bytes_text("{\"q\":1,\"a\":2,\"m\":3}"), 1));
  OK(sc_json_each(document, gather_keys, &keys));
  SAME(sc_bytes_text("qam"), sc_buffer_bytes(&keys));
  sc_json_free(document);
  document = NULL;
  sc_buffer_clear(&keys);
  OK(sc_json_parse(&document, sc_bytes_text("{\"q\":1,\"stop\":null,\"m\":3}"), 1));
  FAILS(SC_ERR_SINK, sc_json_each(document, gather_keys, &keys));
  SAME(sc_bytes_text("q"), sc_buffer_bytes(&keys));
  FAILS(SC_ERR_JSON_TYPE, sc_json_each(NULL, gather_keys, &keys));
done:
  sc_json_free(document);
  sc_buffer_free(&keys);
}

static void nothing_is_written_as_null(sc_test *t) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(sc_buffer_append(&out, sc_bytes_text("replaced")));
  OK(sc_json_write(&out, NULL));
  SAME(sc_bytes_text("null"), sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

SUITE(base_json, "base/json", {"invalid JSON is refused", invalid_json_is_refused},
      {"valid JSON is written back compactly", valid_json_is_written_back_compactly},
      {"out-of-range numbers are refused", out_of_range_numbers_are_refused},
      {"duplicate keys are refused", duplicate_keys_are_refused},
      {"containers nest to the requested limit", containers_nest_to_the_requested_limit},
      {"a text over the limit is refused", a_text_over_the_limit_is_refused},
      {"more values than the limit are refused", more_values_than_the_limit_are_refused},
      {"values are read by their type", values_are_read_by_their_type},
      {"elements are reached by index", elements_are_reached_by_index},
      {"integers are exact at the limits of their types", integers_are_exact_at_the_limits_of_their_types},
      {"members are visited in text order", members_are_visited_in_text_order},
      {"nothing is written as null", nothing_is_written_as_null});
