#include "../../base/json_text.h"
#include "server_headers.h"

static const char *const method_names[] = {
    [SC_ONION_GET] = "GET",       [SC_ONION_POST] = "POST",   [SC_ONION_PUT] = "PUT",
    [SC_ONION_DELETE] = "DELETE", [SC_ONION_PATCH] = "PATCH", [SC_ONION_HEAD] = "HEAD",
};
enum { method_count = sizeof method_names / sizeof method_names[0] };

/* Text of one line: what an HTTP library is given as it is. */
static bool endpoint_is_valid(sc_bytes endpoint) {
  if (endpoint.len == 0 || endpoint.ptr[0] != '/')
    return false;
  for (size_t i = 0; i < endpoint.len; i++)
    if (endpoint.ptr[i] <= ' ' || endpoint.ptr[i] == 0x7f)
      return false;
  return true;
}

static bool is_valid(const sc_onion_request *request) {
  return (unsigned)request->method < method_count && endpoint_is_valid(request->endpoint) &&
         sc_onion_headers_are_valid(request->headers, request->header_count);
}

static bool has_header(const sc_onion_request *request, const char *name) {
  return sc_onion_header_find(request->headers, request->header_count, name) != NULL;
}

/* True for a body without a content type. */
static bool needs_type(const sc_onion_request *request) {
  return request->has_body && !has_header(request, "Content-Type");
}

/* Checks the size after leaving out and adding headers. */
static bool fits_when_written(const sc_onion_request *request) {
  return request->header_count + needs_type(request) - has_header(request, "User-Agent") <=
         SC_ONION_MAX_HEADERS;
}

static sc_status append_headers(sc_buffer *out, const sc_onion_request *request) {
  const sc_onion_header json = {sc_bytes_text("Content-Type"), sc_bytes_text("application/json")};
  sc_status status = SC_OK;
  for (size_t i = 0; i < request->header_count && status == SC_OK; i++)
    if (!sc_onion_header_is(&request->headers[i], "User-Agent"))
      status = sc_onion_header_append(out, &request->headers[i], SC_ONION_LETTERS_KEPT);
  if (status == SC_OK && needs_type(request))
    status = sc_onion_header_append(out, &json, SC_ONION_LETTERS_KEPT);
  return status;
}

static sc_status append_json(sc_buffer *out, const sc_onion_request *request) {
  sc_status status = sc_buffer_append(out, sc_bytes_text("{\"method\":\""));
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text(method_names[request->method]));
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text("\",\"endpoint\":"));
  if (status == SC_OK)
    status = sc_json_text_append(out, request->endpoint);
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text(",\"headers\":{"));
  if (status == SC_OK)
    status = append_headers(out, request);
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text("}}")) : status;
}

sc_status sc_onion_request_write(sc_buffer *out, const sc_onion_request *request) {
  sc_buffer_clear(out);
  if (!is_valid(request) || !fits_when_written(request))
    return SC_ERR_ONION_REQUEST;
  sc_buffer json;
  sc_buffer_init(&json, out->env);
  sc_status status = append_json(&json, request);
  if (status == SC_OK && json.len > SC_ONION_MAX_HEAD_BYTES)
    status = SC_ERR_ONION_REQUEST;
  if (status == SC_OK)
    status = sc_onion_payload_append(out, sc_buffer_bytes(&json), request->has_body, request->body);
  sc_buffer_free(&json);
  return status == SC_ERR_UTF8 ? SC_ERR_ONION_REQUEST : status;
}

static bool read_method(sc_onion_method *out, const sc_json *document) {
  sc_bytes name;
  if (sc_json_member_string(&name, document, "method") != SC_OK)
    return false;
  for (size_t i = 0; i < method_count; i++) {
    if (sc_bytes_same(name, sc_bytes_text(method_names[i]))) {
      *out = (sc_onion_method)i;
      return true;
    }
  }
  return false;
}

sc_status sc_onion_request_parse(sc_onion_parsed_request *out, const sc_env *env, sc_bytes payload) {
  sc_onion_parsed_request parsed = {0};
  sc_onion_request *request = &parsed.request;
  sc_bytes json;
  if (payload.len > SC_ONION_MAX_BYTES ||
      !sc_onion_payload_split(&json, &request->has_body, &request->body, payload))
    return SC_ERR_ONION_REQUEST;
  sc_status status = sc_onion_headers_parse(&parsed.headers, env, json, SC_ERR_ONION_REQUEST);
  if (status != SC_OK)
    return status;
  request->headers = parsed.headers.list;
  request->header_count = parsed.headers.count;
  const sc_json *document = parsed.headers.document;
  if (!read_method(&request->method, document) ||
      sc_json_member_string(&request->endpoint, document, "endpoint") != SC_OK || !is_valid(request)) {
    sc_onion_headers_free(&parsed.headers);
    return SC_ERR_ONION_REQUEST;
  }
  *out = parsed;
  return SC_OK;
}

void sc_onion_parsed_request_free(sc_onion_parsed_request *request) {
  sc_onion_headers_free(&request->headers);
  *request = (sc_onion_parsed_request){0};
}
