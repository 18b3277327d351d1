#include "session-core/network/storage_answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "../status_code.h"
#include "session-core/base/bt.h"

enum { code_digits = 3, success = 200 };

static sc_bytes from(sc_bytes text, size_t start) {
  return sc_bytes_make(text.ptr + start, text.len - start);
}

/* Three digits at the front. */
static bool take_code(int *code, sc_bytes *bytes) {
  int number = 0;
  if (bytes->len < code_digits)
    return false;
  for (size_t i = 0; i < code_digits; i++) {
    if (bytes->ptr[i] < '0' || bytes->ptr[i] > '9')
      return false;
    number = number * 10 + (bytes->ptr[i] - '0');
  }
  *code = number;
  *bytes = from(*bytes, code_digits);
  return sc_is_status_code((uint64_t)number);
}

static bool take(sc_bytes *bytes, uint8_t byte) {
  if (bytes->len == 0 || bytes->ptr[0] != byte)
    return false;
  *bytes = from(*bytes, 1);
  return true;
}

static bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static void skip_space(sc_bytes *bytes) {
  while (bytes->len > 0 && is_space(bytes->ptr[0]))
    *bytes = from(*bytes, 1);
}

/* "[code, body]": the body is everything before the last bracket; the caller parses it. */
static bool take_json_list(sc_storage_answer *out, sc_bytes bytes) {
  if (!take(&bytes, '['))
    return false;
  skip_space(&bytes);
  if (!take_code(&out->code, &bytes))
    return false;
  skip_space(&bytes);
  if (!take(&bytes, ','))
    return false;
  while (bytes.len > 0 && is_space(bytes.ptr[bytes.len - 1]))
    bytes.len--;
  if (bytes.len == 0 || bytes.ptr[bytes.len - 1] != ']')
    return false;
  bytes.len--;
  skip_space(&bytes);
  out->body = bytes;
  return true;
}

static bool take_bt_list(sc_storage_answer *out, sc_bytes bytes) {
  sc_bt_reader reader;
  uint64_t code;
  sc_bt_reader_init(&reader, bytes);
  if (sc_bt_enter_list(&reader) != SC_OK || sc_bt_read_u64(&code, &reader) != SC_OK ||
      !sc_is_status_code(code) || sc_bt_read_raw(&out->body, &reader) != SC_OK ||
      sc_bt_peek(&reader) != SC_BT_END)
    return false;
  out->code = (int)code;
  return sc_bt_leave(&reader) == SC_OK && sc_bt_finish(&reader) == SC_OK;
}

/* "<code> <reason>", an empty line, and the body. */
static bool take_error_line(int *code, sc_bytes *bytes) {
  if (!take_code(code, bytes) || !take(bytes, ' '))
    return false;
  const uint8_t *end = bytes->len == 0 ? NULL : memchr(bytes->ptr, '\n', bytes->len);
  if (end == NULL)
    return false;
  *bytes = from(*bytes, (size_t)(end - bytes->ptr) + 1);
  return take(bytes, '\n');
}

sc_status sc_storage_answer_parse(sc_storage_answer *out, bool is_error, sc_bytes bytes) {
  sc_storage_answer answer = {.code = success}, inner = {0};
  if (bytes.len > SC_STORAGE_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  if (is_error && !take_error_line(&answer.code, &bytes))
    return SC_ERR_STORAGE_REPLY;
  answer.body = bytes;
  bool is_list =
      bytes.len > 0 && (bytes.ptr[0] == '[' || (bytes.ptr[0] == 'l' && bytes.len > 1 && bytes.ptr[1] == 'i'));
  bool taken = is_list && (bytes.ptr[0] == '[' ? take_json_list(&inner, bytes) : take_bt_list(&inner, bytes));
  bool contradicts = taken && is_error && inner.code != answer.code;
  if (contradicts || (taken && !is_error && (inner.code < success || inner.code > 299)))
    return SC_ERR_STORAGE_REPLY;
  *out = taken ? inner : answer;
  return SC_OK;
}

typedef struct reason {
  int code;
  const char *text;
} reason;

static const char *reason_of(int code) {
  static const reason reasons[] = {
      {400, "Bad Request"},         {401, "Unauthorized"},        {403, "Forbidden"},
      {404, "Not Found"},           {406, "Not Acceptable"},      {413, "Content Too Large"},
      {421, "Misdirected Request"}, {429, "Too Many Requests"},   {500, "Internal Server Error"},
      {502, "Bad Gateway"},         {503, "Service Unavailable"}, {504, "Gateway Timeout"},
  };
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (reasons[i].code == code)
      return reasons[i].text;
  return "Error";
}

static sc_status append_list(sc_buffer *out, sc_storage_body kind, const sc_storage_answer *answer) {
  char start[32];
  bool bt = kind == SC_STORAGE_BODY_BT;
  snprintf(start, sizeof start, bt ? "li%de" : "[%d,", answer->code);
  sc_status status = sc_buffer_append(out, sc_bytes_text(start));
  if (status == SC_OK)
    status = sc_buffer_append(out, answer->body);
  return status == SC_OK ? sc_buffer_append_byte(out, bt ? 'e' : ']') : status;
}

sc_status sc_storage_answer_write(sc_buffer *out, bool *is_error, sc_storage_body kind,
                                  const sc_storage_answer *answer) {
  char line[64] = "";
  sc_buffer_clear(out);
  if (!sc_is_status_code((uint64_t)answer->code))
    return SC_ERR_ARGUMENT;
  *is_error = answer->code < success || answer->code > 299;
  if (*is_error)
    snprintf(line, sizeof line, "%d %s\n\n", answer->code, reason_of(answer->code));
  sc_status status = sc_buffer_append(out, sc_bytes_text(line));
  if (status == SC_OK && kind == SC_STORAGE_BODY_PLAIN)
    status = sc_buffer_append(out, answer->body);
  else if (status == SC_OK)
    status = append_list(out, kind, answer);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

int sc_storage_refusal_code(sc_status why) {
  switch (why) {
  case SC_ERR_STORAGE_SYNTAX:
  case SC_ERR_STORAGE_NO_METHOD:
  case SC_ERR_STORAGE_NO_PARAMETERS:
  case SC_ERR_STORAGE_METHOD:
  case SC_ERR_STORAGE_PARAMETER:
  case SC_ERR_STORAGE_BATCH:
    return 400;
  case SC_ERR_STORAGE_UNAUTHORIZED:
    return 401;
  case SC_ERR_STORAGE_LIFETIME:
    return 403;
  case SC_ERR_STORAGE_CLOCK:
    return 406;
  case SC_ERR_TOO_LARGE:
    return 413;
  default:
    return 500;
  }
}

typedef struct refusal_text {
  const char *before; /* the method's name */
  bool names_method;
  const char *after;
} refusal_text;

static refusal_text text_of(sc_status why, bool has_method) {
  switch (why) {
  case SC_ERR_STORAGE_SYNTAX:
    return (refusal_text){has_method ? "invalid body: expected json or bt_dict" : "invalid json", false, ""};
  case SC_ERR_STORAGE_NO_METHOD:
    return (refusal_text){"invalid json: no `method` field", false, ""};
  case SC_ERR_STORAGE_NO_PARAMETERS:
    return (refusal_text){"invalid json: no `params` field", false, ""};
  case SC_ERR_STORAGE_METHOD:
    return (refusal_text){"no method ", true, ""};
  case SC_ERR_STORAGE_UNAUTHORIZED:
    return (refusal_text){"", true, " signature verification failed"};
  case SC_ERR_STORAGE_LIFETIME:
    return (refusal_text){"Provided expiry/TTL is not valid.", false, ""};
  case SC_ERR_STORAGE_CLOCK:
    return (refusal_text){"Timestamp error: check your clock", false, ""};
  case SC_ERR_STORAGE_PARAMETER:
  case SC_ERR_STORAGE_BATCH:
  case SC_ERR_TOO_LARGE:
    return (refusal_text){"invalid request: ", false, sc_status_text(why)};
  default:
    return (refusal_text){"request failed", false, ""};
  }
}

sc_status sc_storage_refusal_write(sc_buffer *out, sc_status why, sc_bytes method) {
  refusal_text text = text_of(why, method.len > 0);
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, sc_bytes_text(text.before));
  if (status == SC_OK && text.names_method)
    status = sc_buffer_append(out, method);
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text(text.after));
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
