/* Keys, signatures and lists of sums of releases: what is read lies within the text, is refused when a byte
 * is added, and nothing but the genuine signature verifies. */
#include <string.h>

#include "fuzz.h"

enum { largest_input = 8192 };

static const char key_text[] = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

/* The signature of "test" by that key. */
static const uint8_t genuine[] = {0xe7, 0xde, 0xbd, 0xe0, 0xde, 0xd5, 0xd6, 0xa3};

static void within(sc_bytes part, sc_bytes text) {
  REQUIRE(part.ptr >= text.ptr && part.ptr + part.len <= text.ptr + text.len);
}

static void key_form(sc_bytes text) {
  sc_minisign_key key;
  sc_minisign_key zero = {{0}, {0}};
  sc_status status = sc_minisign_key_read(&key, text);
  REQUIRE(status == SC_OK || (status == SC_ERR_FILE_FORMAT && memcmp(&key, &zero, sizeof key) == 0));
}

static void signature_form(sc_bytes text) {
  sc_minisign_signature signature;
  sc_minisign_key key;
  sc_status status = sc_minisign_signature_read(&signature, text);
  REQUIRE(status == SC_OK || status == SC_ERR_FILE_FORMAT || status == SC_ERR_VERSION);
  if (status != SC_OK)
    return;
  within(signature.trusted_comment, text);
  REQUIRE(memchr(signature.trusted_comment.ptr, '\n', signature.trusted_comment.len) == NULL);
  REQUIRE(sc_minisign_key_read(&key, sc_bytes_text(key_text)) == SC_OK);
  status = sc_minisign_verify(&signature, &key, sc_bytes_text("test"));
  REQUIRE(status == SC_ERR_SIGNATURE || memcmp(signature.key_id, key.id, sizeof key.id) == 0);
  REQUIRE(sc_minisign_verify(&signature, &key, SC_BYTES(genuine)) == SC_ERR_SIGNATURE);
}

static void list_form(sc_bytes text) {
  uint8_t sum[32];
  uint8_t zero[32] = {0};
  sc_status status = sc_sums_find(sum, text, sc_bytes_text("a"));
  REQUIRE(status == SC_OK || status == SC_ERR_NOT_FOUND || status == SC_ERR_FILE_FORMAT);
  REQUIRE(status == SC_OK || memcmp(sum, zero, sizeof sum) == 0);
  /* A list that is read is refused without its last byte. */
  if (status != SC_ERR_FILE_FORMAT)
    REQUIRE(sc_sums_find(sum, sc_bytes_make(text.ptr, text.len - 1), sc_bytes_text("a")) ==
            SC_ERR_FILE_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes text = sc_bytes_make(data, size);
  if (size > largest_input)
    return 0;
  key_form(text);
  signature_form(text);
  list_form(text);
  return 0;
}
