#include "session-core/crypto/release.h"
#include "support/test.h"

/* Keys and signatures that minisign made. */
static const char key_text[] = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
#define SIGNATURE_OF_TEST                                                                                    \
  "RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo="
#define COMMENT_OF_TEST "timestamp:1556193335\tfile:test"
#define SIGNATURE_OF_COMMENT                                                                                 \
  "y/rUw2y8/hOUYjZU71eHp/Wo1KZ40fGy2VJEDl34XMJM+TX48Ss/17u3IvIfbVR1FkZZSNCisQbuQY+bHwhEBg=="
#define UNTRUSTED "untrusted comment: signature from minisign secret key\n"

static const char signature_text[] =
    UNTRUSTED SIGNATURE_OF_TEST "\ntrusted comment: " COMMENT_OF_TEST "\n" SIGNATURE_OF_COMMENT "\n";

static const char older_text[] = UNTRUSTED
    "RWQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+dP9eKL8OC351vwIasSSbXxwA=\n"
    "trusted comment: timestamp:1555779966\tfile:test\n"
    "QtKMXWyYcwdpZAlPF7tE2ENJkRd1ujvKjlj1m9RtHTBnZPa5WKU5uWRs5GoP5M/VqE81QFuMKI5k/SfNQUaOAA==\n";

static void a_signature_of_minisign_verifies(sc_test *t) {
  sc_minisign_key key;
  sc_minisign_signature signature;
  OK(sc_minisign_key_read(&key, sc_bytes_text(key_text)));
  OK(sc_minisign_signature_read(&signature, sc_bytes_text(signature_text)));
  SAME(SC_BYTES(key.id), SC_BYTES(signature.key_id));
  SAME(sc_bytes_text(COMMENT_OF_TEST), signature.trusted_comment);
  OK(sc_minisign_verify(&signature, &key, sc_bytes_text("test")));
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&signature, &key, sc_bytes_text("Test")));
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&signature, &key, sc_bytes_text("")));
done:;
}

static void nothing_in_a_signature_can_be_changed(sc_test *t) {
  sc_minisign_key key;
  sc_minisign_signature genuine;
  OK(sc_minisign_key_read(&key, sc_bytes_text(key_text)));
  OK(sc_minisign_signature_read(&genuine, sc_bytes_text(signature_text)));
  sc_minisign_signature changed = genuine;
  changed.trusted_comment = sc_bytes_text("timestamp:1556193336\tfile:test");
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&changed, &key, sc_bytes_text("test")));
  changed = genuine;
  changed.trusted_comment.len--;
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&changed, &key, sc_bytes_text("test")));
  changed = genuine;
  changed.signature[0] ^= 1;
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&changed, &key, sc_bytes_text("test")));
  changed = genuine;
  changed.comment_signature[0] ^= 1;
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&changed, &key, sc_bytes_text("test")));
  changed = genuine;
  changed.key_id[7] ^= 1;
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&changed, &key, sc_bytes_text("test")));
  key.key[5] ^= 1;
  FAILS(SC_ERR_SIGNATURE, sc_minisign_verify(&genuine, &key, sc_bytes_text("test")));
done:;
}

static void the_older_form_is_refused(sc_test *t) {
  sc_minisign_signature signature;
  FAILS(SC_ERR_VERSION, sc_minisign_signature_read(&signature, sc_bytes_text(older_text)));
  CHECK(signature.trusted_comment.ptr == NULL);
done:;
}

static void other_texts_are_no_signatures(sc_test *t) {
  static const char *const texts[] = {
      "",
      UNTRUSTED,
      UNTRUSTED SIGNATURE_OF_TEST "\n",
      UNTRUSTED SIGNATURE_OF_TEST "\ntrusted comment: x\n",
      SIGNATURE_OF_TEST "\ntrusted comment: x\n" SIGNATURE_OF_COMMENT "\n",
      UNTRUSTED SIGNATURE_OF_TEST "\ntrusted comment:x\n" SIGNATURE_OF_COMMENT "\n",
      UNTRUSTED SIGNATURE_OF_TEST "\r\ntrusted comment: x\r\n" SIGNATURE_OF_COMMENT "\r\n",
      UNTRUSTED SIGNATURE_OF_TEST "\ntrusted comment: x\x01\n" SIGNATURE_OF_COMMENT "\n",
      UNTRUSTED SIGNATURE_OF_TEST "\ntrusted comment: \xff\n" SIGNATURE_OF_COMMENT "\n",
      UNTRUSTED SIGNATURE_OF_TEST "\ntrusted comment: x\n" SIGNATURE_OF_COMMENT "\n\n",
      UNTRUSTED SIGNATURE_OF_TEST "\ntrusted comment: x\n" SIGNATURE_OF_TEST "\n",
      UNTRUSTED SIGNATURE_OF_COMMENT "\ntrusted comment: x\n" SIGNATURE_OF_COMMENT "\n",
      UNTRUSTED " " SIGNATURE_OF_TEST "\ntrusted comment: x\n" SIGNATURE_OF_COMMENT "\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    sc_minisign_signature signature;
    FAILS(SC_ERR_FILE_FORMAT, sc_minisign_signature_read(&signature, sc_bytes_text(texts[i])));
    CHECK(signature.trusted_comment.ptr == NULL && signature.trusted_comment.len == 0);
  }
done:;
}

static void a_key_is_a_line_or_a_file(sc_test *t) {
  static const char *const texts[] = {
      "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n",
      "untrusted comment: minisign public key E7620F1842B4E81F\n"
      "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
  };
  static const char *const others[] = {
      "",
      "\n",
      "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO",
      "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3=",
      "RUQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
      " RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
      "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\nmore",
      "untrusted comment: only a comment\n",
      SIGNATURE_OF_TEST,
  };
  sc_minisign_key key;
  sc_minisign_key same;
  OK(sc_minisign_key_read(&key, sc_bytes_text(key_text)));
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    OK(sc_minisign_key_read(&same, sc_bytes_text(texts[i])));
    SAME(SC_BYTES(key.id), SC_BYTES(same.id));
    SAME(SC_BYTES(key.key), SC_BYTES(same.key));
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    FAILS(SC_ERR_FILE_FORMAT, sc_minisign_key_read(&key, sc_bytes_text(others[i])));
done:;
}

#define SUM_A "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
#define SUM_B "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"

static void a_sum_is_found_by_its_name(sc_test *t) {
  static const char list[] = SUM_A "  a file.tar.zst\n" SUM_B "  b\n";
  uint8_t sum[32], expected[32];
  sc_test_hex_into(expected, sizeof expected, SUM_A);
  OK(sc_sums_find(sum, sc_bytes_text(list), sc_bytes_text("a file.tar.zst")));
  SAME(SC_BYTES(expected), SC_BYTES(sum));
  sc_test_hex_into(expected, sizeof expected, SUM_B);
  OK(sc_sums_find(sum, sc_bytes_text(list), sc_bytes_text("b")));
  SAME(SC_BYTES(expected), SC_BYTES(sum));
  FAILS(SC_ERR_NOT_FOUND, sc_sums_find(sum, sc_bytes_text(list), sc_bytes_text("a")));
  FAILS(SC_ERR_NOT_FOUND, sc_sums_find(sum, sc_bytes_text(list), sc_bytes_text("")));
done:;
}

static void other_lists_are_refused(sc_test *t) {
  static const char *const lists[] = {
      "",
      "\n",
      SUM_A "  a",                   /* no end */
      SUM_A "  a\r\n",               /* CRLF */
      SUM_A " a\n",                  /* one blank */
      SUM_A "   a\n",                /* three */
      SUM_A "  a \n",                /* one behind it */
      SUM_A " *a\n",                 /* the binary mark of sha256sum */
      SUM_A "  *a\n",                /* and as a name */
      SUM_A "  \n",                  /* no name */
      SUM_A "  x/a\n",               /* another folder */
      SUM_A "  a\tb\n",              /* a tab */
      SUM_A "  a\x1b[2J\n",          /* an escape */
      SUM_A "  \xff\n",              /* no UTF-8 */
      SUM_A "  a\n\n",               /* an empty line */
      SUM_A "  a\n" SUM_B "  a\n",   /* twice */
      SUM_A "  b\n" SUM_B "  a\n",   /* another order */
      SUM_A "  a\n# " SUM_B "  b\n", /* a comment */
      "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08  a\n", /* capitals */
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a0  a\n",  /* a digit too few */
      SUM_A "0  a\n",                                                          /* one too many */
  };
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    uint8_t sum[32] = {1};
    FAILS(SC_ERR_FILE_FORMAT, sc_sums_find(sum, sc_bytes_text(lists[i]), sc_bytes_text("a")));
    CHECK(sum[0] == 0);
  }
done:;
}

static void a_list_is_read_to_its_end(sc_test *t) {
  uint8_t sum[32];
  FAILS(SC_ERR_FILE_FORMAT, sc_sums_find(sum, sc_bytes_text(SUM_A "  a\nx"), sc_bytes_text("a")));
done:;
}

SUITE(crypto_release, "crypto/release",
      {"a signature of minisign verifies", a_signature_of_minisign_verifies},
      {"nothing in a signature can be changed", nothing_in_a_signature_can_be_changed},
      {"the older form is refused", the_older_form_is_refused},
      {"other texts are no signatures", other_texts_are_no_signatures},
      {"a key is a line or a file", a_key_is_a_line_or_a_file},
      {"a sum is found by its name", a_sum_is_found_by_its_name},
      {"other lists are refused", other_lists_are_refused},
      {"a list is read to its end", a_list_is_read_to_its_end});
