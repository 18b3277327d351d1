#include <stdio.h>

#include "path.h"
#include "support/test.h"

static sc_onion_header header_of(const char *name, const char *value) {
  return (sc_onion_header){sc_bytes_text(name), sc_bytes_text(value)};
}

static const char known[] =
    "l58:{\"code\":200,\"headers\":{\"content-type\":\"application/json\"}}11:{\"ok\":true}e";

static void the_known_response_is_written_and_read(sc_test *t) {
  const sc_onion_header type = header_of("Content-Type", "application/json");
  sc_onion_response response = {
      .status = 200, .headers = &type, .header_count = 1, .kind = SC_ONION_BODY_JSON};
  sc_onion_opened_response opened = {0};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  response.body = sc_bytes_text("{\"ok\":true}");
  OK(sc_onion_response_write(&out, &response));
  SAME(sc_bytes_text(known), sc_buffer_bytes(&out));
  OK(sc_onion_response_parse(&opened, t->env, sc_buffer_bytes(&out)));
  CHECK(opened.response.status == 200 && opened.response.kind == SC_ONION_BODY_JSON);
  SAME(response.body, opened.response.body);
  const sc_bytes *found =
      sc_onion_header_find(opened.response.headers, opened.response.header_count, "CONTENT-TYPE");
  CHECK(found != NULL);
  SAME(type.value, *found);
  CHECK(sc_onion_header_find(opened.response.headers, opened.response.header_count, "content-typ") == NULL);
done:
  sc_onion_opened_response_free(&opened);
  sc_buffer_free(&out);
}

static void a_sealed_response_opens(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_key key;
  sc_onion_block block;
  sc_onion_opened_response opened = {0};
  sc_buffer request, sealed;
  sc_buffer_init(&request, t->env);
  sc_buffer_init(&sealed, t->env);
  OK(sc_onion_build(&request, &key, t->env, SC_HOP_XCHACHA20, NULL, 0, &p.server, sc_bytes_text("le")));
  OK(sc_onion_block_parse(&block, SC_ONION_AT_SERVER, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
  OK(sc_onion_reply_seal_raw(&sealed, t->env, &block, &path_destination(&p)->x, sc_bytes_text(known)));
  OK(sc_onion_response_open(&opened, t->env, &key, sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("{\"ok\":true}"), opened.response.body);
  sc_onion_opened_response_free(&opened);
  sealed.ptr[0] ^= 1;
  FAILS(SC_ERR_ONION_UNAUTHENTICATED,
        sc_onion_response_open(&opened, t->env, &key, sc_buffer_bytes(&sealed)));
  FAILS(SC_ERR_ONION_UNAUTHENTICATED,
        sc_onion_response_open(&opened, t->env, &key, sc_bytes_text("Next node not found: ")));
  FAILS(SC_ERR_TOO_LARGE,
        sc_onion_response_open(&opened, t->env, &key, sc_bytes_make("", SC_ONION_MAX_BYTES + 1)));
  OK(sc_onion_reply_seal_raw(&sealed, t->env, &block, &path_destination(&p)->x, sc_bytes_text("l2:{}e")));
  FAILS(SC_ERR_ONION_REPLY, sc_onion_response_open(&opened, t->env, &key, sc_buffer_bytes(&sealed)));
  CHECK(opened.bytes.ptr == NULL);
done:
  sc_onion_opened_response_free(&opened);
  sc_buffer_free(&request);
  sc_buffer_free(&sealed);
}

typedef struct known_type {
  const char *value;
  sc_onion_body kind;
} known_type;

static void the_content_type_determines_the_bodys_form(sc_test *t) {
  static const known_type types[] = {
      {"application/json", SC_ONION_BODY_JSON},
      {"application/json; charset=utf-8", SC_ONION_BODY_JSON},
      {"Application/JSON ;x", SC_ONION_BODY_JSON},
      {"text/plain", SC_ONION_BODY_TEXT},
      {"application/octet-stream", SC_ONION_BODY_BYTES},
      {"text/html", SC_ONION_BODY_BYTES},
      {"application/jsonx", SC_ONION_BODY_BYTES},
      {"", SC_ONION_BODY_BYTES},
  };
  sc_onion_opened_response opened = {0};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    const sc_onion_header type = header_of("content-type", types[i].value);
    sc_onion_response response = {.status = 200, .headers = &type, .header_count = 1};
    response.kind = SC_ONION_BODY_BYTES;
    OK(sc_onion_response_write(&out, &response));
    sc_onion_opened_response_free(&opened);
    OK(sc_onion_response_parse(&opened, t->env, sc_buffer_bytes(&out)));
    CHECK(opened.response.kind == types[i].kind);
  }
done:
  sc_onion_opened_response_free(&opened);
  sc_buffer_free(&out);
}

static void a_response_may_have_no_body(sc_test *t) {
  sc_onion_opened_response opened = {0};
  sc_onion_response response = {.status = 404};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(sc_onion_response_write(&out, &response));
  SAME(sc_bytes_text("l25:{\"code\":404,\"headers\":{}}e"), sc_buffer_bytes(&out));
  OK(sc_onion_response_parse(&opened, t->env, sc_bytes_text("l12:{\"code\":404}e")));
  CHECK(opened.response.kind == SC_ONION_BODY_NONE && opened.response.status == 404);
  sc_onion_opened_response_free(&opened);
  OK(sc_onion_response_parse(&opened, t->env, sc_bytes_text("l12:{\"code\":404}0:e")));
  CHECK(opened.response.kind == SC_ONION_BODY_BYTES);
done:
  sc_onion_opened_response_free(&opened);
  sc_buffer_free(&out);
}

/* A code that is missing, not an integer or out of range; invalid headers; not a list of one or two. */
static void an_invalid_response_is_a_protocol_error(sc_test *t) {
  static const char *const wrong[] = {
      "",
      "{\"code\":200}",
      "le",
      "l2:{}e",
      "l2:[]e",
      "l1:{e",
      "l14:{\"code\":\"200\"}e",
      "l14:{\"code\":200.5}e",
      "l11:{\"code\":99}e",
      "l12:{\"code\":600}e",
      "l13:{\"code\":null}e",
      "l25:{\"code\":200,\"headers\":[]}e",
      "l30:{\"code\":200,\"headers\":{\"a\":1}}e",
      "l12:{\"code\":200}1:a1:be",
      "l12:{\"code\":200}li1eee",
      "l012:{\"code\":200}e",
      "l+12:{\"code\":200}e",
      "l99999999999:{\"code\":200}e",
      "l12:{\"code\":200}5:ae",
      "l12:{\"code\":200}",
      "l12:{\"code\":200}ex",
  };
  sc_onion_opened_response opened = {0};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    FAILS(SC_ERR_ONION_REPLY, sc_onion_response_parse(&opened, t->env, sc_bytes_text(wrong[i])));
  CHECK(opened.headers.document == NULL && opened.headers.list == NULL);
done:;
}

/* A response with headers of these names. */
static sc_status append_list(sc_buffer *out, char names[][4], size_t count) {
  sc_bt_writer writer;
  char json[2048] = "{\"code\":200,\"headers\":{";
  size_t len = strlen(json);
  for (size_t i = 0; i < count; i++)
    len += (size_t)snprintf(json + len, sizeof json - len, "%s\"%s\":\"v\"", i == 0 ? "" : ",", names[i]);
  snprintf(json + len, sizeof json - len, "}}");
  sc_buffer_clear(out);
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_list(&writer);
  sc_bt_write_string(&writer, sc_bytes_text(json));
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

static void the_number_of_headers_is_limited(sc_test *t) {
  sc_onion_header headers[SC_ONION_MAX_HEADERS + 1];
  char names[SC_ONION_MAX_HEADERS + 1][4];
  sc_onion_response response = {.status = 200, .headers = headers, .header_count = SC_ONION_MAX_HEADERS};
  sc_onion_opened_response opened = {0};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i <= SC_ONION_MAX_HEADERS; i++) {
    memcpy(names[i], (char[]){'x', (char)('a' + i / 26), (char)('a' + i % 26), '\0'}, 4);
    headers[i] = header_of(names[i], "v");
  }
  OK(sc_onion_response_write(&out, &response));
  OK(sc_onion_response_parse(&opened, t->env, sc_buffer_bytes(&out)));
  CHECK(opened.response.header_count == SC_ONION_MAX_HEADERS);
  response.header_count++;
  FAILS(SC_ERR_ONION_REPLY, sc_onion_response_write(&out, &response));
  OK(append_list(&out, names, SC_ONION_MAX_HEADERS + 1));
  sc_onion_opened_response_free(&opened);
  FAILS(SC_ERR_ONION_REPLY, sc_onion_response_parse(&opened, t->env, sc_buffer_bytes(&out)));
done:
  sc_onion_opened_response_free(&opened);
  sc_buffer_free(&out);
}

static void everything_but_the_body_is_limited(sc_test *t) {
  size_t around = strlen("{\"code\":200,\"headers\":{\"a\":\"\"}}");
  sc_onion_opened_response opened = {0};
  sc_buffer value, out;
  uint8_t *text;
  sc_buffer_init(&value, t->env);
  sc_buffer_init(&out, t->env);
  OK(sc_buffer_extend(&text, &value, SC_ONION_MAX_HEAD_BYTES - around + 1));
  memset(text, 'v', value.len);
  sc_onion_header header = {sc_bytes_text("a"), sc_buffer_bytes(&value)};
  const sc_onion_response response = {.status = 200, .headers = &header, .header_count = 1};
  FAILS(SC_ERR_ONION_REPLY, sc_onion_response_write(&out, &response));
  CHECK(out.len == 0);
  header.value.len--;
  OK(sc_onion_response_write(&out, &response));
  OK(sc_onion_response_parse(&opened, t->env, sc_buffer_bytes(&out)));
  sc_onion_opened_response_free(&opened);
  sc_buffer_truncate(&out, out.len - 1);
  OK(sc_buffer_append(&out, sc_bytes_text(" e")));
  memcpy(out.ptr, "l65537:", 7);
  FAILS(SC_ERR_ONION_REPLY, sc_onion_response_parse(&opened, t->env, sc_buffer_bytes(&out)));
done:
  sc_onion_opened_response_free(&opened);
  sc_buffer_free(&value);
  sc_buffer_free(&out);
}

static void an_invalid_response_is_not_written(sc_test *t) {
  const sc_onion_header split = header_of("a", "b\r\n\r\n"), unreadable = header_of("a", "\xff");
  sc_onion_response low = {.status = 99}, high = {.status = 600};
  sc_onion_response no_line = {.status = 200, .headers = &split, .header_count = 1};
  sc_onion_response no_text = {.status = 200, .headers = &unreadable, .header_count = 1};
  const sc_onion_header twice[] = {header_of("Set-Cookie", "a"), header_of("set-cookie", "b")};
  sc_onion_response two = {.status = 200, .headers = twice, .header_count = 2};
  const sc_onion_response *const wrong[] = {&low, &high, &no_line, &no_text, &two};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    FAILS(SC_ERR_ONION_REPLY, sc_onion_response_write(&out, wrong[i]));
    CHECK(out.len == 0);
  }
done:
  sc_buffer_free(&out);
}

SUITE(network_onion_server_response, "network/onion/server_response",
      {"the known response is written and read", the_known_response_is_written_and_read},
      {"a sealed response opens", a_sealed_response_opens},
      {"the content type determines the body's form", the_content_type_determines_the_bodys_form},
      {"a response may have no body", a_response_may_have_no_body},
      {"an invalid response is a protocol error", an_invalid_response_is_a_protocol_error},
      {"the number of headers is limited", the_number_of_headers_is_limited},
      {"everything but the body is limited", everything_but_the_body_is_limited},
      {"an invalid response is not written", an_invalid_response_is_not_written});
