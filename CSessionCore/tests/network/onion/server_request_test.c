#include "support/test.h"

static sc_onion_request request_of(sc_onion_method method, const char *endpoint) {
  return (sc_onion_request){.method = method, .endpoint = sc_bytes_text(endpoint)};
}

static sc_onion_header header_of(const char *name, const char *value) {
  return (sc_onion_header){sc_bytes_text(name), sc_bytes_text(value)};
}

static void the_known_request_is_written(sc_test *t) {
  sc_onion_request request = request_of(SC_ONION_GET, "/room/general");
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(sc_onion_request_write(&out, &request));
  SAME(sc_bytes_text("l56:{\"method\":\"GET\",\"endpoint\":\"/room/general\",\"headers\":{}}e"),
       sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

static void a_body_without_a_type_is_marked_as_json(sc_test *t) {
  sc_onion_request request = request_of(SC_ONION_POST, "/x?a=b");
  const sc_onion_header headers[] = {header_of("User-Agent", "x"), header_of("X-Key", "\"1\""),
                                     header_of("content-TYPE", "text/plain")};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  request.has_body = true;
  request.body = sc_bytes_make("a\0b", 3);
  OK(sc_onion_request_write(&out, &request));
  SAME(sc_bytes_make("l83:{\"method\":\"POST\",\"endpoint\":\"/x?a=b\",\"headers\":{\"Content-Type\":"
                     "\"application/json\"}}3:a\0be",
                     93),
       sc_buffer_bytes(&out));
  request.headers = headers;
  request.header_count = 3;
  OK(sc_onion_request_write(&out, &request));
  SAME(sc_bytes_make("l93:{\"method\":\"POST\",\"endpoint\":\"/x?a=b\",\"headers\":{\"X-Key\":\"\\\"1\\\"\","
                     "\"content-TYPE\":\"text/plain\"}}3:a\0be",
                     103),
       sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

static void requests_survive_a_round_trip(sc_test *t) {
  const sc_onion_header headers[] = {header_of("X-One", "\xc3\xa9 \t\""), header_of("X-Two", "")};
  sc_onion_parsed_request parsed = {0};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (int method = SC_ONION_GET; method <= SC_ONION_HEAD; method++) {
    sc_onion_request request = request_of((sc_onion_method)method, "/r\xc3\xa9?q=\"");
    request.headers = headers;
    request.header_count = 2;
    request.has_body = method % 2 == 0;
    request.body = sc_bytes_text(request.has_body ? "body" : "");
    OK(sc_onion_request_write(&out, &request));
    sc_onion_parsed_request_free(&parsed);
    OK(sc_onion_request_parse(&parsed, t->env, sc_buffer_bytes(&out)));
    CHECK(parsed.request.method == (sc_onion_method)method);
    CHECK(parsed.request.has_body == request.has_body);
    CHECK(parsed.request.header_count == (request.has_body ? 3 : 2));
    SAME(request.endpoint, parsed.request.endpoint);
    SAME(request.body, parsed.request.body);
    SAME(headers[0].name, parsed.request.headers[0].name);
    SAME(headers[0].value, parsed.request.headers[0].value);
  }
done:
  sc_onion_parsed_request_free(&parsed);
  sc_buffer_free(&out);
}

static void an_empty_body_counts_as_a_body(sc_test *t) {
  static const char payload[] = "l38:{\"method\":\"PUT\",\"endpoint\":\"/\",\"a\":{}}0:e";
  sc_onion_parsed_request parsed = {0};
  OK(sc_onion_request_parse(&parsed, t->env, sc_bytes_text(payload)));
  CHECK(parsed.request.has_body && parsed.request.body.len == 0 && parsed.request.header_count == 0);
done:
  sc_onion_parsed_request_free(&parsed);
}

/* A payload whose first string is this. */
static sc_status parse_json(sc_test *t, const char *json) {
  sc_onion_parsed_request parsed = {0};
  sc_bt_writer writer;
  sc_buffer payload;
  sc_buffer_init(&payload, t->env);
  sc_bt_writer_init(&writer, &payload);
  sc_bt_begin_list(&writer);
  sc_bt_write_string(&writer, sc_bytes_text(json));
  sc_bt_end(&writer);
  sc_status status = sc_bt_writer_finish(&writer);
  if (status == SC_OK)
    status = sc_onion_request_parse(&parsed, t->env, sc_buffer_bytes(&payload));
  sc_onion_parsed_request_free(&parsed);
  sc_buffer_free(&payload);
  return status;
}

static void requests_servers_refuse_are_not_read(sc_test *t) {
  static const char *const wrong[] = {
      "",
      "[]",
      "{\"endpoint\":\"/\",\"headers\":{}}",
      "{\"method\":\"BREW\",\"endpoint\":\"/\",\"headers\":{}}",
      "{\"method\":\"get\",\"endpoint\":\"/\",\"headers\":{}}",
      "{\"method\":7,\"endpoint\":\"/\",\"headers\":{}}",
      "{\"method\":\"GET\",\"headers\":{}}",
      "{\"method\":\"GET\",\"endpoint\":\"\",\"headers\":{}}",
      "{\"method\":\"GET\",\"endpoint\":\"room\",\"headers\":{}}",
      "{\"method\":\"GET\",\"endpoint\":\"/a\\r\\nb\",\"headers\":{}}",
      "{\"method\":\"GET\",\"endpoint\":\"/a b\",\"headers\":{}}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":[]}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":null}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":{\"a\":1}}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":{\"a\":null}}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":{\"\":\"x\"}}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":{\"a b\":\"x\"}}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":{\"a\":\"x\\r\\ny: z\"}}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":{\"a\":\"x\",\"a\":\"y\"}}",
      "{\"method\":\"GET\",\"endpoint\":\"/\",\"headers\":{\"Host\":\"x\",\"b\":\"\",\"hOST\":\"y\"}}",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    FAILS(SC_ERR_ONION_REQUEST, parse_json(t, wrong[i]));
done:;
}

/* Lengths with a leading zero, a sign or past the end; no end; too few or too many strings; trailing bytes.
 */
static void payloads_that_are_not_a_list_of_strings_are_refused(sc_test *t) {
#define JSON "{\"method\":\"GET\",\"endpoint\":\"/\"}"
  static const char *const wrong[] = {"",
                                      "le",
                                      "de",
                                      "l031:" JSON "e",
                                      "l+31:" JSON "e",
                                      "l-31:" JSON "e",
                                      "l99999999999999999999:" JSON "e",
                                      "l31:" JSON,
                                      "l31:" JSON "5:abce",
                                      "l31:" JSON "1:a1:be",
                                      "l31:" JSON "i1ee",
                                      "li1ee",
                                      "l31:" JSON "e ",
                                      JSON};
  sc_onion_parsed_request parsed = {0};
  OK(sc_onion_request_parse(&parsed, t->env, sc_bytes_text("l31:" JSON "e")));
  sc_onion_parsed_request_free(&parsed);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    FAILS(SC_ERR_ONION_REQUEST, sc_onion_request_parse(&parsed, t->env, sc_bytes_text(wrong[i])));
  FAILS(SC_ERR_ONION_REQUEST,
        sc_onion_request_parse(&parsed, t->env, sc_bytes_make("", SC_ONION_MAX_BYTES + 1)));
  CHECK(parsed.headers.document == NULL);
done:;
}

/* Different names, and one more than there may be. */
typedef struct many_headers {
  char names[SC_ONION_MAX_HEADERS + 1][3];
  sc_onion_header list[SC_ONION_MAX_HEADERS + 1];
} many_headers;

static void make_headers(many_headers *out) {
  for (size_t i = 0; i <= SC_ONION_MAX_HEADERS; i++) {
    memcpy(out->names[i], (char[]){(char)('a' + i / 26), (char)('a' + i % 26), '\0'}, 3);
    out->list[i] = header_of(out->names[i], "v");
  }
}

/* Headers added or omitted by the writer count when it is read. */
static void the_header_limit_is_the_same_for_writing_and_reading(sc_test *t) {
  many_headers many;
  make_headers(&many);
  sc_onion_request request = request_of(SC_ONION_POST, "/");
  sc_onion_parsed_request parsed = {0};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  request.headers = many.list;
  request.header_count = SC_ONION_MAX_HEADERS;
  OK(sc_onion_request_write(&out, &request));
  OK(sc_onion_request_parse(&parsed, t->env, sc_buffer_bytes(&out)));
  request.has_body = true;
  FAILS(SC_ERR_ONION_REQUEST, sc_onion_request_write(&out, &request));
  many.list[7].name = sc_bytes_text("user-agent");
  OK(sc_onion_request_write(&out, &request));
  sc_onion_parsed_request_free(&parsed);
  OK(sc_onion_request_parse(&parsed, t->env, sc_buffer_bytes(&out)));
  CHECK(parsed.request.header_count == SC_ONION_MAX_HEADERS);
done:
  sc_onion_parsed_request_free(&parsed);
  sc_buffer_free(&out);
}

static void everything_but_the_body_is_limited(sc_test *t) {
  size_t around = strlen("{\"method\":\"PUT\",\"endpoint\":\"\",\"headers\":{}}");
  sc_onion_parsed_request parsed = {0};
  sc_buffer endpoint, out;
  uint8_t *text;
  sc_buffer_init(&endpoint, t->env);
  sc_buffer_init(&out, t->env);
  OK(sc_buffer_extend(&text, &endpoint, SC_ONION_MAX_HEAD_BYTES - around + 1));
  memset(text, '/', endpoint.len);
  sc_onion_request request = {.method = SC_ONION_PUT, .endpoint = sc_buffer_bytes(&endpoint)};
  FAILS(SC_ERR_ONION_REQUEST, sc_onion_request_write(&out, &request));
  CHECK(out.len == 0);
  request.endpoint.len--;
  OK(sc_onion_request_write(&out, &request));
  OK(sc_onion_request_parse(&parsed, t->env, sc_buffer_bytes(&out)));
  sc_onion_parsed_request_free(&parsed);
  /* One more space in the JSON, included in its length. */
  sc_buffer_truncate(&out, out.len - 1);
  OK(sc_buffer_append(&out, sc_bytes_text(" e")));
  memcpy(out.ptr, "l65537:", 7);
  FAILS(SC_ERR_ONION_REQUEST, sc_onion_request_parse(&parsed, t->env, sc_buffer_bytes(&out)));
done:
  sc_onion_parsed_request_free(&parsed);
  sc_buffer_free(&endpoint);
  sc_buffer_free(&out);
}

static void a_request_servers_would_refuse_is_not_written(sc_test *t) {
  many_headers headers;
  make_headers(&headers);
  sc_onion_request no_slash = request_of(SC_ONION_GET, "room");
  sc_onion_request no_text = request_of(SC_ONION_GET, "/\xff");
  sc_onion_request no_method = request_of((sc_onion_method)99, "/");
  sc_onion_request many = request_of(SC_ONION_GET, "/");
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  many.headers = headers.list;
  many.header_count = SC_ONION_MAX_HEADERS + 1;
  const sc_onion_request *const wrong[] = {&no_slash, &no_text, &no_method, &many};
  for (size_t i = 0; i < 4; i++) {
    FAILS(SC_ERR_ONION_REQUEST, sc_onion_request_write(&out, wrong[i]));
    CHECK(out.len == 0);
  }
  many.header_count = 2;
  headers.list[1] = header_of("AA", "v");
  FAILS(SC_ERR_ONION_REQUEST, sc_onion_request_write(&out, &many));
  headers.list[0] = header_of("a", "b\nc: d");
  many.header_count = 1;
  FAILS(SC_ERR_ONION_REQUEST, sc_onion_request_write(&out, &many));
done:
  sc_buffer_free(&out);
}

SUITE(network_onion_server_request, "network/onion/server_request",
      {"the known request is written", the_known_request_is_written},
      {"a body without a type is marked as JSON", a_body_without_a_type_is_marked_as_json},
      {"requests survive a round trip", requests_survive_a_round_trip},
      {"an empty body counts as a body", an_empty_body_counts_as_a_body},
      {"requests servers refuse are not read", requests_servers_refuse_are_not_read},
      {"payloads that are not a list of strings are refused",
       payloads_that_are_not_a_list_of_strings_are_refused},
      {"the header limit is the same for writing and reading",
       the_header_limit_is_the_same_for_writing_and_reading},
      {"everything but the body is limited", everything_but_the_body_is_limited},
      {"a request servers would refuse is not written", a_request_servers_would_refuse_is_not_written});
