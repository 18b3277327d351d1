#include "documents.h"

#include <stdio.h>

/* The text or number by which a file names a case. */
static void name_case(char *out, size_t size, const sc_json *json) {
  sc_bytes text;
  int64_t number;
  if (sc_json_member_string(&text, json, "id") == SC_OK ||
      sc_json_member_string(&text, json, "name") == SC_OK ||
      sc_json_member_string(&text, json, "kind") == SC_OK)
    snprintf(out, size, "%.*s", (int)text.len, (const char *)text.ptr);
  else if (sc_json_member_i64(&number, json, "tcId") == SC_OK)
    snprintf(out, size, "test %lld", (long long)number);
  else
    snprintf(out, size, "case");
}

void vector_report_case(vector_report *report, const char *part, known_case *c, sc_status status) {
  bool passed = known_case_verdict(c, status);
  report->tally.passed += passed;
  report->tally.failed += !passed;
  if (!passed) {
    char name[80];
    name_case(name, sizeof name, c->json);
    printf("FAILED %s: %s, %s: %s\n", report->path, part, name, c->flaw);
  }
  known_case_end(c);
}

const sc_json *vector_member(const sc_json *object, const char *key) {
  const sc_json *value = NULL;
  return sc_json_member(&value, object, key) == SC_OK ? value : NULL;
}

const sc_json *vector_element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

bool vector_says(const sc_json *object, const char *key, const char *text) {
  sc_bytes value;
  return sc_json_member_string(&value, object, key) == SC_OK && sc_bytes_same(value, sc_bytes_text(text));
}
