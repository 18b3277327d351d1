#include <stdio.h>

#include "../status_code.h"
#include "server_headers.h"

static bool is_valid(const sc_onion_response *response) {
  return sc_is_status_code((uint64_t)response->status) &&
         sc_onion_headers_are_valid(response->headers, response->header_count);
}

static sc_status append_json(sc_buffer *out, const sc_onion_response *response) {
  char start[sizeof "{\"code\":599,\"headers\":{"];
  int len = snprintf(start, sizeof start, "{\"code\":%d,\"headers\":{", response->status);
  sc_status status = sc_buffer_append(out, sc_bytes_make(start, (size_t)len));
  for (size_t i = 0; i < response->header_count && status == SC_OK; i++)
    status = sc_onion_header_append(out, &response->headers[i], SC_ONION_LETTERS_LOWER);
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text("}}")) : status;
}

sc_status sc_onion_response_write(sc_buffer *out, const sc_onion_response *response) {
  sc_buffer_clear(out);
  if (!is_valid(response))
    return SC_ERR_ONION_REPLY;
  sc_buffer json;
  sc_buffer_init(&json, out->env);
  bool has_body = response->kind != SC_ONION_BODY_NONE;
  sc_status status = append_json(&json, response);
  if (status == SC_OK && json.len > SC_ONION_MAX_HEAD_BYTES)
    status = SC_ERR_ONION_REPLY;
  if (status == SC_OK)
    status = sc_onion_payload_append(out, sc_buffer_bytes(&json), has_body, response->body);
  sc_buffer_free(&json);
  return status == SC_ERR_UTF8 ? SC_ERR_ONION_REPLY : status;
}

/* Without what may follow behind a semicolon. */
static sc_bytes media_type(sc_bytes content_type) {
  const uint8_t *semicolon = content_type.len == 0 ? NULL : memchr(content_type.ptr, ';', content_type.len);
  size_t len = semicolon == NULL ? content_type.len : (size_t)(semicolon - content_type.ptr);
  while (len > 0 && content_type.ptr[len - 1] == ' ')
    len--;
  return sc_bytes_make(content_type.ptr, len);
}

static sc_onion_body kind_of(const sc_onion_response *response) {
  const sc_bytes *content_type =
      sc_onion_header_find(response->headers, response->header_count, "content-type");
  if (content_type == NULL)
    return SC_ONION_BODY_BYTES;
  const sc_onion_header type = {.name = media_type(*content_type)};
  if (sc_onion_header_is(&type, "application/json"))
    return SC_ONION_BODY_JSON;
  return sc_onion_header_is(&type, "text/plain") ? SC_ONION_BODY_TEXT : SC_ONION_BODY_BYTES;
}

static bool read_code(int *out, const sc_json *document) {
  int64_t code;
  if (sc_json_member_i64(&code, document, "code") != SC_OK || !sc_is_status_code((uint64_t)code))
    return false;
  *out = (int)code;
  return true;
}

sc_status sc_onion_response_parse(sc_onion_opened_response *out, const sc_env *env, sc_bytes plaintext) {
  sc_onion_opened_response parsed = {0};
  sc_onion_response *response = &parsed.response;
  sc_bytes json;
  bool has_body;
  sc_buffer_init(&parsed.bytes, env);
  if (plaintext.len > SC_ONION_MAX_BYTES ||
      !sc_onion_payload_split(&json, &has_body, &response->body, plaintext))
    return SC_ERR_ONION_REPLY;
  sc_status status = sc_onion_headers_parse(&parsed.headers, env, json, SC_ERR_ONION_REPLY);
  if (status != SC_OK)
    return status;
  response->headers = parsed.headers.list;
  response->header_count = parsed.headers.count;
  response->kind = has_body ? kind_of(response) : SC_ONION_BODY_NONE;
  if (!read_code(&response->status, parsed.headers.document)) {
    sc_onion_headers_free(&parsed.headers);
    return SC_ERR_ONION_REPLY;
  }
  *out = parsed;
  return SC_OK;
}

sc_status sc_onion_response_open(sc_onion_opened_response *out, const sc_env *env, const sc_onion_key *key,
                                 sc_bytes reply) {
  sc_buffer plaintext;
  sc_buffer_init(&plaintext, env);
  sc_status status = sc_onion_unseal(&plaintext, key, SC_ONION_TO_SERVER, reply);
  if (status == SC_OK)
    status = sc_onion_response_parse(out, env, sc_buffer_bytes(&plaintext));
  if (status == SC_OK)
    out->bytes = plaintext;
  else
    sc_buffer_free(&plaintext);
  return status;
}

void sc_onion_opened_response_free(sc_onion_opened_response *response) {
  sc_onion_headers_free(&response->headers);
  sc_buffer_free(&response->bytes);
  *response = (sc_onion_opened_response){0};
}
