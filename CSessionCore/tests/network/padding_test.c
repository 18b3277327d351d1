#include "network/padding.h"

#include "session-core/network/onion_server.h"
#include "support/test.h"

/* P2 */
static void there_are_few_sizes(sc_test *t) {
  static const size_t known[][2] = {{0, 0},         {1, 512},        {512, 512},     {513, 1024},
                                    {2200, 2560},   {4096, 4096},    {4097, 4608},   {8192, 8192},
                                    {8193, 9216},   {16384, 16384},  {16385, 18432}, {65536, 65536},
                                    {65537, 73728}, {131071, 131072}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    CHECK(sc_padded_size(known[i][0]) == known[i][1]);
  for (size_t size = 4096; size < 300000; size += 7) {
    size_t padded = sc_padded_size(size);
    CHECK(padded >= size && padded - size < size / 8 && sc_padded_size(padded) == padded);
  }
  CHECK(sc_padded_size(SIZE_MAX) == SIZE_MAX);
done:;
}

/* P1 */
static void json_is_followed_by_spaces(sc_test *t) {
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  OK(sc_buffer_append(&text, sc_bytes_text("{\"method\":\"info\"}")));
  OK(sc_pad_json(&text, 511));
  CHECK(text.len == 17);
  OK(sc_pad_json(&text, 512));
  CHECK(text.len == 512 && text.ptr[16] == '}');
  for (size_t i = 17; i < 512; i++)
    CHECK(text.ptr[i] == ' ');
done:
  sc_buffer_free(&text);
}

/* P1: the head of a request to a server; all lengths, so that those are there at which it gets another digit.
 */
static void the_head_for_a_server_is_padded(sc_test *t) {
  static uint8_t body[3000];
  const sc_onion_request request = {
      .method = SC_ONION_POST, .endpoint = sc_bytes_text("/room/x/message"), .has_body = true};
  sc_buffer payload, padded;
  sc_onion_parsed_request parsed = {0};
  sc_buffer_init(&payload, t->env);
  sc_buffer_init(&padded, t->env);
  memset(body, 'b', sizeof body);
  for (size_t len = 0; len < sizeof body; len += t->torture ? 1000 : 1) {
    sc_onion_request sent = request;
    sent.body = sc_bytes_make(body, len);
    OK(sc_onion_request_write(&payload, &sent));
    OK(sc_pad_server_payload(&padded, sc_buffer_bytes(&payload)));
    CHECK(sc_padded_size(padded.len) == padded.len && padded.len <= sc_padded_size(payload.len) + 512);
    OK(sc_onion_request_parse(&parsed, t->env, sc_buffer_bytes(&padded)));
    CHECK(parsed.request.method == SC_ONION_POST && parsed.request.has_body);
    SAME(parsed.request.endpoint, request.endpoint);
    SAME(parsed.request.body, sent.body);
    sc_onion_parsed_request_free(&parsed);
  }
done:
  sc_onion_parsed_request_free(&parsed);
  sc_buffer_free(&payload);
  sc_buffer_free(&padded);
}

static void large_payloads_are_not_padded_beyond_the_limits(sc_test *t) {
  enum { large = 512 * 1024 - 80 }; /* the padding alone would be larger than heads may be */
  const sc_onion_request request = {
      .method = SC_ONION_POST, .endpoint = sc_bytes_text("/file"), .has_body = true};
  sc_buffer payload, padded, body;
  uint8_t *bytes;
  sc_buffer_init(&payload, t->env);
  sc_buffer_init(&padded, t->env);
  sc_buffer_init(&body, t->env);
  OK(sc_buffer_extend(&bytes, &body, large));
  memset(bytes, 'b', large);
  sc_onion_request sent = request;
  sent.body = sc_buffer_bytes(&body);
  OK(sc_onion_request_write(&payload, &sent));
  OK(sc_pad_server_payload(&padded, sc_buffer_bytes(&payload)));
  SAME(sc_buffer_bytes(&payload), sc_buffer_bytes(&padded));
  FAILS(SC_ERR_ONION_REQUEST, sc_pad_server_payload(&padded, sc_bytes_text("le")));
done:
  sc_buffer_free(&payload);
  sc_buffer_free(&padded);
  sc_buffer_free(&body);
}

SUITE(network_padding, "network/padding", {"there are few sizes", there_are_few_sizes},
      {"JSON is followed by spaces", json_is_followed_by_spaces},
      {"the head for a server is padded", the_head_for_a_server_is_padded},
      {"large payloads are not padded beyond the limits", large_payloads_are_not_padded_beyond_the_limits});
