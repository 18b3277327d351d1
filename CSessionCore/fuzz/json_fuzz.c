/* Writing an accepted document gives a text that is accepted too and is written the same again. A depth limit
 * only ever refuses more. */
#include "fuzz.h"

/* Reads with `max_depth`; a document that was refused is none. */
static sc_status parse(sc_json **out, sc_bytes text, unsigned max_depth) {
  sc_status status = sc_json_parse(out, text, max_depth);
  REQUIRE(status == SC_OK || *out == NULL);
  return status;
}

static void check_rewriting(const sc_json *document) {
  sc_buffer first = {0}, second = {0};
  sc_json *again;
  REQUIRE(sc_json_write(&first, document) == SC_OK);
  REQUIRE(parse(&again, sc_buffer_bytes(&first), SC_JSON_DEFAULT_DEPTH) == SC_OK);
  REQUIRE(sc_json_type_of(again) == sc_json_type_of(document));
  REQUIRE(sc_json_count(again) == sc_json_count(document));
  REQUIRE(sc_json_write(&second, again) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&first), sc_buffer_bytes(&second)));
  sc_json_free(again);
  sc_buffer_free(&first);
  sc_buffer_free(&second);
}

static sc_status find_member(void *user, sc_bytes key, const sc_json *value) {
  const sc_json *found;
  REQUIRE(sc_json_member(&found, user, (const char *)key.ptr) == SC_OK && found == value);
  return SC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes text = sc_bytes_make(data, size);
  sc_json *document, *shallow;
  sc_status status = parse(&document, text, SC_JSON_DEFAULT_DEPTH);
  sc_status in_two = parse(&shallow, text, 2);
  REQUIRE(in_two == SC_ERR_JSON_DEPTH || in_two == status);
  if (status == SC_OK) {
    check_rewriting(document);
    if (sc_json_type_of(document) == SC_JSON_OBJECT)
      REQUIRE(sc_json_each(document, find_member, document) == SC_OK);
  }
  sc_json_free(document);
  sc_json_free(shallow);
  return 0;
}
