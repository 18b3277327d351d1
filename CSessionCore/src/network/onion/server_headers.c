#include "server_headers.h"

#include "../../base/json_text.h"

enum { json_depth = 8 };

bool sc_onion_payload_split(sc_bytes *json, bool *has_body, sc_bytes *body, sc_bytes payload) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, payload);
  if (sc_bt_enter_list(&reader) != SC_OK || sc_bt_read_string(json, &reader) != SC_OK)
    return false;
  *has_body = sc_bt_peek(&reader) == SC_BT_STRING;
  *body = (sc_bytes){0};
  if (*has_body && sc_bt_read_string(body, &reader) != SC_OK)
    return false;
  bool nothing_else = sc_bt_peek(&reader) == SC_BT_END;
  return nothing_else && sc_bt_leave(&reader) == SC_OK && sc_bt_finish(&reader) == SC_OK;
}

sc_status sc_onion_payload_append(sc_buffer *out, sc_bytes json, bool has_body, sc_bytes body) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_list(&writer);
  sc_bt_write_string(&writer, json);
  if (has_body)
    sc_bt_write_string(&writer, body);
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

/* Characters of names of headers, by HTTP's grammar. */
static bool is_token(uint8_t c) {
  bool letter_or_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter_or_digit || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_control(uint8_t c) {
  return (c < 0x20 && c != '\t') || c == 0x7f;
}

static bool header_is_valid(const sc_onion_header *header) {
  for (size_t i = 0; i < header->name.len; i++)
    if (!is_token(header->name.ptr[i]))
      return false;
  for (size_t i = 0; i < header->value.len; i++)
    if (is_control(header->value.ptr[i]))
      return false;
  return header->name.len > 0;
}

static uint8_t lower(uint8_t c) {
  return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

static bool is_same_name(sc_bytes a, sc_bytes b) {
  if (a.len != b.len)
    return false;
  for (size_t i = 0; i < a.len; i++)
    if (lower(a.ptr[i]) != lower(b.ptr[i]))
      return false;
  return true;
}

bool sc_onion_header_is(const sc_onion_header *header, const char *name) {
  return is_same_name(header->name, sc_bytes_text(name));
}

bool sc_onion_headers_are_valid(const sc_onion_header *list, size_t count) {
  if (count > SC_ONION_MAX_HEADERS)
    return false;
  for (size_t i = 0; i < count; i++) {
    if (!header_is_valid(&list[i]))
      return false;
    for (size_t j = 0; j < i; j++)
      if (is_same_name(list[i].name, list[j].name))
        return false;
  }
  return true;
}

const sc_bytes *sc_onion_header_find(const sc_onion_header *headers, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (sc_onion_header_is(&headers[i], name))
      return &headers[i].value;
  return NULL;
}

sc_status sc_onion_header_append(sc_buffer *out, const sc_onion_header *header, sc_onion_letters letters) {
  sc_status status = SC_OK;
  if (out->len > 0 && out->ptr[out->len - 1] != '{')
    status = sc_buffer_append_byte(out, ',');
  size_t name_at = out->len;
  if (status == SC_OK)
    status = sc_json_text_append(out, header->name);
  for (size_t i = name_at; status == SC_OK && letters == SC_ONION_LETTERS_LOWER && i < out->len; i++)
    out->ptr[i] = lower(out->ptr[i]);
  if (status == SC_OK)
    status = sc_buffer_append_byte(out, ':');
  return status == SC_OK ? sc_json_text_append(out, header->value) : status;
}

typedef struct collector {
  sc_onion_headers *headers;
  sc_status wrong;
} collector;

static sc_status collect(void *user, sc_bytes key, const sc_json *value) {
  collector *c = user;
  sc_onion_header header = {.name = key};
  if (sc_json_string(&header.value, value) != SC_OK || !header_is_valid(&header))
    return c->wrong;
  c->headers->list[c->headers->count++] = header;
  return SC_OK;
}

static sc_status read_headers(sc_onion_headers *headers, sc_status wrong) {
  const sc_json *object;
  collector c = {headers, wrong};
  sc_status status = sc_json_member(&object, headers->document, "headers");
  if (status == SC_ERR_NOT_FOUND)
    return SC_OK;
  size_t count = status == SC_OK ? sc_json_count(object) : 0;
  if (status != SC_OK || sc_json_type_of(object) != SC_JSON_OBJECT || count > SC_ONION_MAX_HEADERS)
    return wrong;
  if (count == 0)
    return SC_OK;
  headers->list = sc_allocate(headers->env, count * sizeof *headers->list);
  return headers->list == NULL ? SC_ERR_NO_MEMORY : sc_json_each(object, collect, &c);
}

sc_status sc_onion_headers_parse(sc_onion_headers *out, const sc_env *env, sc_bytes json, sc_status wrong) {
  sc_onion_headers headers = {.env = env};
  if (json.len > SC_ONION_MAX_HEAD_BYTES)
    return wrong;
  sc_status status = sc_json_parse(&headers.document, json, json_depth);
  if (status != SC_OK)
    return status == SC_ERR_NO_MEMORY ? status : wrong;
  status = read_headers(&headers, wrong);
  if (status == SC_OK)
    *out = headers;
  else
    sc_onion_headers_free(&headers);
  return status;
}

void sc_onion_headers_free(sc_onion_headers *headers) {
  sc_json_free(headers->document);
  sc_release(headers->env, headers->list);
  *headers = (sc_onion_headers){0};
}
