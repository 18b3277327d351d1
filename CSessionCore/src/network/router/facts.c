/* The text is checked as a whole first, so that walking through it can be simple: every value is well
 * formed, and ends before the text does. */
#include "facts.h"

#include "../../base/json_scan.h"
#include "../../base/text.h"
#include "../status_code.h"

enum { most_depth = SC_JSON_DEFAULT_DEPTH };

static const uint64_t latest_time = UINT64_C(1) << 53;

static const uint8_t *skip_space(const uint8_t *at) {
  while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
    at++;
  return at;
}

static const uint8_t *skip_string(const uint8_t *at) {
  for (at++; *at != '"'; at++)
    if (*at == '\\')
      at++;
  return at + 1;
}

static bool ends_scalar(uint8_t byte) {
  return byte == ',' || byte == '}' || byte == ']' || byte == ' ' || byte == '\t' || byte == '\n' ||
         byte == '\r';
}

static const uint8_t *skip_value(const uint8_t *at) {
  unsigned depth = 0;
  do {
    if (*at == '"') {
      at = skip_string(at);
    } else if (*at == '{' || *at == '[') {
      depth++;
      at++;
    } else if (*at == '}' || *at == ']') {
      depth--;
      at++;
    } else if (depth > 0) {
      at++;
    } else {
      while (!ends_scalar(*at))
        at++;
    }
  } while (depth > 0);
  return at;
}

/* The next member of an object or element of a list. `*at` is behind what opens it, or behind the value
 * before. False at its end. `key` is empty in a list. */
static bool next_value(sc_bytes *key, sc_bytes *value, const uint8_t **at) {
  const uint8_t *start = skip_space(*at);
  if (*start == ',')
    start = skip_space(start + 1);
  if (*start == '}' || *start == ']')
    return false;
  if (key != NULL) {
    const uint8_t *end = skip_string(start);
    *key = sc_bytes_make(start + 1, (size_t)(end - start) - 2);
    start = skip_space(skip_space(end) + 1);
  }
  *at = skip_value(start);
  *value = sc_bytes_make(start, (size_t)(*at - start));
  return true;
}

static bool is_key(sc_bytes key, const char *name) {
  return sc_bytes_same(key, sc_bytes_text(name));
}

static bool read_fork(uint16_t out[2], sc_bytes text) {
  if (text.ptr[0] != '[')
    return false;
  const uint8_t *at = text.ptr + 1;
  sc_bytes value;
  uint64_t parts[2];
  for (size_t i = 0; i < 2; i++)
    if (!next_value(NULL, &value, &at) || !sc_text_number(&parts[i], value, UINT16_MAX))
      return false;
  if (next_value(NULL, &value, &at))
    return false;
  out[0] = (uint16_t)parts[0];
  out[1] = (uint16_t)parts[1];
  return true;
}

/* Time and fork of one object. */
static void read_clock(sc_reply_facts *out, const uint8_t *object) {
  sc_bytes key, value;
  const uint8_t *at = object + 1;
  while (next_value(&key, &value, &at)) {
    if (is_key(key, "t"))
      out->has_time = sc_text_number(&out->time, value, latest_time);
    else if (is_key(key, "hf"))
      out->has_fork = read_fork(out->fork, value);
  }
}

static void keep_latest(sc_reply_facts *out, sc_bytes body) {
  sc_reply_facts facts = {0};
  if (body.len == 0 || body.ptr[0] != '{')
    return;
  read_clock(&facts, body.ptr);
  if (!facts.has_time || (out->has_time && facts.time < out->time))
    return;
  out->has_time = true;
  out->time = facts.time;
  if (!facts.has_fork)
    return;
  out->has_fork = true;
  memcpy(out->fork, facts.fork, sizeof out->fork);
}

static bool read_result(sc_reply_result *out, sc_bytes object) {
  uint64_t code = 0;
  if (object.ptr[0] != '{')
    return false;
  sc_bytes key, value;
  const uint8_t *at = object.ptr + 1;
  while (next_value(&key, &value, &at)) {
    if (is_key(key, "code") && (code != 0 || !sc_text_number(&code, value, SC_HIGHEST_STATUS_CODE)))
      return false;
    if (is_key(key, "body"))
      out->body = value;
  }
  out->code = (int)code;
  return sc_is_status_code(code);
}

static bool read_results(sc_reply_facts *out, sc_bytes list) {
  if (out->has_results || list.ptr[0] != '[')
    return false;
  out->has_results = true;
  const uint8_t *at = list.ptr + 1;
  sc_bytes value;
  while (next_value(NULL, &value, &at)) {
    sc_reply_result result = {0};
    if (!read_result(&result, value))
      result = (sc_reply_result){0};
    out->results_named++;
    if (out->result_count < SC_STORAGE_MAX_BATCH)
      out->results[out->result_count++] = result;
    keep_latest(out, result.body);
  }
  return true;
}

bool sc_reply_facts_read(sc_reply_facts *out, sc_bytes body) {
  sc_reply_facts facts = {0};
  size_t members;
  *out = facts;
  if (sc_json_scan(&members, body, most_depth) != SC_OK)
    return false;
  const uint8_t *start = skip_space(body.ptr);
  if (*start != '{')
    return false;
  read_clock(&facts, start);
  sc_bytes key, value;
  const uint8_t *at = start + 1;
  while (next_value(&key, &value, &at))
    if (is_key(key, "results") && !read_results(&facts, value))
      return false;
  *out = facts;
  return true;
}

int sc_reply_facts_uniform_failure(const sc_reply_facts *facts) {
  if (!facts->has_results || facts->result_count == 0)
    return 0;
  int code = facts->results[0].code;
  if (code >= 200 && code <= 299)
    return 0;
  for (size_t i = 1; i < facts->result_count; i++)
    if (facts->results[i].code != code)
      return 0;
  return facts->results_named == facts->result_count ? code : 0;
}
