/* Parsing contents. A parsed content can be written; parsing and writing that again gives the same bytes. */
#include "message/fields.h"
#include "sealed.h"

static void write_and_read_again(const sc_content *content, size_t size) {
  sc_buffer written, again;
  sc_content *reread;
  sc_buffer_init(&written, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  REQUIRE(sc_content_write(&written, sc_content_fields(content)) == SC_OK);
  REQUIRE(written.len <= 2 * size); /* packed numbers are written one by one */
  REQUIRE(sc_content_parse(&reread, fuzz_env(), sc_buffer_bytes(&written)) == SC_OK);
  REQUIRE(sc_content_write(&again, sc_content_fields(reread)) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&written), sc_buffer_bytes(&again)));
  sc_content_free(reread);
  sc_buffer_free(&written);
  sc_buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_content *content;
  sc_status status = sc_content_parse(&content, fuzz_env(), sc_bytes_make(data, size));
  REQUIRE((status == SC_OK) == (content != NULL));
  REQUIRE(status == SC_OK || status == SC_ERR_CONTENT || status == SC_ERR_PROTO_TAG ||
          status == SC_ERR_TOO_LARGE || status == SC_ERR_UTF8);
  if (status == SC_OK)
    write_and_read_again(content, size);
  sc_content_free(content);
  return 0;
}
