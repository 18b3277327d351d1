/* Requests to servers and their responses, inside the encryption: they survive a round trip both ways. */
#include "fuzz.h"

static bool same_headers(const sc_onion_header *a, const sc_onion_header *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (a[i].name.len != b[i].name.len || !sc_bytes_same(a[i].value, b[i].value))
      return false;
  return true;
}

/* User-Agent is left out and a type may be added, so the second time writes what the first wrote. */
static void request(sc_bytes input) {
  sc_onion_parsed_request first, second;
  sc_buffer written, again;
  sc_buffer_init(&written, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  sc_status status = sc_onion_request_parse(&first, fuzz_env(), input);
  REQUIRE(status == SC_OK || status == SC_ERR_ONION_REQUEST);
  if (status != SC_OK)
    return;
  status = sc_onion_request_write(&written, &first.request);
  bool one_too_many = first.request.header_count == SC_ONION_MAX_HEADERS;
  REQUIRE(status == SC_OK || one_too_many);
  if (status == SC_OK) {
    REQUIRE(sc_onion_request_parse(&second, fuzz_env(), sc_buffer_bytes(&written)) == SC_OK);
    REQUIRE(second.request.method == first.request.method);
    REQUIRE(sc_bytes_same(second.request.endpoint, first.request.endpoint));
    REQUIRE(second.request.has_body == first.request.has_body);
    REQUIRE(sc_bytes_same(second.request.body, first.request.body));
    REQUIRE(sc_onion_request_write(&again, &second.request) == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&again), sc_buffer_bytes(&written)));
    sc_onion_parsed_request_free(&second);
  }
  sc_onion_parsed_request_free(&first);
  sc_buffer_free(&written);
  sc_buffer_free(&again);
}

static void response(sc_bytes input) {
  sc_onion_opened_response first, second;
  sc_buffer written;
  sc_buffer_init(&written, fuzz_env());
  sc_status status = sc_onion_response_parse(&first, fuzz_env(), input);
  REQUIRE(status == SC_OK || status == SC_ERR_ONION_REPLY);
  if (status != SC_OK)
    return;
  status = sc_onion_response_write(&written, &first.response);
  /* Two names may be one in lower case. */
  REQUIRE(status == SC_OK || first.response.header_count > 1);
  if (status == SC_OK) {
    REQUIRE(sc_onion_response_parse(&second, fuzz_env(), sc_buffer_bytes(&written)) == SC_OK);
    const sc_onion_response *a = &first.response, *b = &second.response;
    REQUIRE(a->status == b->status && a->kind == b->kind && sc_bytes_same(a->body, b->body));
    REQUIRE(a->header_count == b->header_count && same_headers(a->headers, b->headers, a->header_count));
    sc_onion_opened_response_free(&second);
  }
  sc_onion_opened_response_free(&first);
  sc_buffer_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  request(input);
  response(input);
  return 0;
}
