/* Compares the router's shallow reading of a node's reply with the full JSON parser's. */
#include "fuzz.h"
#include "network/router/facts.h"
#include "session-core/base/json.h"

enum { most_bytes = 1 << 16 };

/* A result's body lies in the reply, and is JSON by itself. */
static void check_body(sc_bytes whole, sc_bytes body) {
  sc_json *value;
  if (body.len == 0)
    return;
  REQUIRE(body.ptr >= whole.ptr && body.ptr + body.len <= whole.ptr + whole.len);
  sc_status status = sc_json_parse(&value, body, SC_JSON_DEFAULT_DEPTH);
  REQUIRE(status == SC_OK || status == SC_ERR_JSON_DUPLICATE_KEY || status == SC_ERR_JSON_RANGE);
  if (status == SC_OK)
    sc_json_free(value);
}

static void compare_result(const sc_reply_result *result, const sc_json *element) {
  int64_t code;
  if (result->code != 0 && sc_json_member_i64(&code, element, "code") == SC_OK)
    REQUIRE(code == result->code);
}

/* Keys may be written with escapes, which the router does not look through: so what it does not find may be
 * there all the same. */
static void compare(const sc_reply_facts *facts, const sc_json *document) {
  const sc_json *results;
  uint64_t time;
  if (facts->has_time && !facts->has_results && sc_json_member_u64(&time, document, "t") == SC_OK)
    REQUIRE(time == facts->time);
  if (!facts->has_results || sc_json_member(&results, document, "results") != SC_OK)
    return;
  REQUIRE(sc_json_count(results) == facts->results_named);
  for (size_t i = 0; i < facts->result_count; i++) {
    const sc_json *element;
    REQUIRE(sc_json_element(&element, results, i) == SC_OK);
    compare_result(&facts->results[i], element);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_reply_facts facts;
  sc_json *document;
  if (size > most_bytes || !sc_reply_facts_read(&facts, input))
    return 0;
  int uniform = sc_reply_facts_uniform_failure(&facts);
  REQUIRE(uniform == 0 || (facts.has_results && (uniform < 200 || uniform > 299)));
  for (size_t i = 0; i < facts.result_count; i++)
    check_body(input, facts.results[i].body);
  if (sc_json_parse(&document, input, SC_JSON_DEFAULT_DEPTH) == SC_OK) {
    compare(&facts, document);
    sc_json_free(document);
  }
  return 0;
}
