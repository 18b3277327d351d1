#include <sodium.h>

#include "support/test.h"

static void hex_decodes_both_cases_and_encodes_lower_case(sc_test *t) {
  uint8_t bytes[8];
  char text[SC_HEX_CHARS(8) + 1];
  OK(sc_hex_decode(bytes, 8, sc_bytes_text("00ff7F80aAbBCc1e")));
  sc_hex_encode(text, SC_BYTES(bytes));
  CHECK(strcmp(text, "00ff7f80aabbcc1e") == 0);
  OK(sc_hex_decode(bytes, 0, sc_bytes_text("")));
done:;
}

static void hex_refuses_invalid_text(sc_test *t) {
  uint8_t bytes[4];
  static const char *const bad[] = {"0011223",  "001122334", "0011223344", "0011223g", "001122 3", "0x112233",
                                    "/0112233", ":0112233",  "@0112233",   "`0112233", "G0112233"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    memset(bytes, 0xee, sizeof bytes);
    FAILS(SC_ERR_HEX, sc_hex_decode(bytes, 4, sc_bytes_text(bad[i])));
    CHECK(bytes[0] == 0 || bytes[0] == 0xee);
  }
done:;
}

/* libsodium's own encoder is the peer for both alphabets. */
static void base64_agrees_with_libsodium(sc_test *t) {
  uint8_t bytes[64], back[64];
  char ours[SC_BASE64_CHARS(64) + 1], theirs[SC_BASE64_CHARS(64) + 1];
  for (size_t len = 0; len <= sizeof bytes; len++) {
    for (int round = 0; round < 50; round++) {
      sc_random(t->env, bytes, len);
      sc_bytes in = sc_bytes_make(bytes, len);
      size_t chars = sc_base64_encode(ours, in, SC_BASE64_STANDARD);
      sodium_bin2base64(theirs, sizeof theirs, bytes, len, sodium_base64_VARIANT_ORIGINAL);
      CHECK(strcmp(ours, theirs) == 0 && chars == strlen(ours));
      OK(sc_base64_decode(back, len, sc_bytes_text(ours), SC_BASE64_STANDARD));
      SAME(in, sc_bytes_make(back, len));
      size_t decoded_len;
      OK(sc_base64_decoded_len(&decoded_len, sc_bytes_text(ours)));
      CHECK(decoded_len == len);
      chars = sc_base64_encode(ours, in, SC_BASE64_URL);
      sodium_bin2base64(theirs, sizeof theirs, bytes, len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
      CHECK(strcmp(ours, theirs) == 0 && chars == strlen(ours));
      OK(sc_base64_decode(back, len, sc_bytes_text(ours), SC_BASE64_URL));
      SAME(in, sc_bytes_make(back, len));
      OK(sc_base64_decoded_len(&decoded_len, sc_bytes_text(ours)));
      CHECK(decoded_len == len);
    }
  }
done:;
}

static void base64_padding_is_complete_or_absent(sc_test *t) {
  uint8_t bytes[4];
  OK(sc_base64_decode(bytes, 4, sc_bytes_text("AAECAw=="), SC_BASE64_STANDARD));
  OK(sc_base64_decode(bytes, 4, sc_bytes_text("AAECAw"), SC_BASE64_STANDARD));
  OK(sc_base64_decode(bytes, 4, sc_bytes_text("AAECAw=="), SC_BASE64_URL));
  FAILS(SC_ERR_BASE64, sc_base64_decode(bytes, 4, sc_bytes_text("AAECAw="), SC_BASE64_STANDARD));
  FAILS(SC_ERR_BASE64, sc_base64_decode(bytes, 4, sc_bytes_text("AAECAw=A"), SC_BASE64_STANDARD));
done:;
}

static void base64_refuses_invalid_text(sc_test *t) {
  uint8_t bytes[4];
  static const char *const bad[] = {"AAEC\nAw", "AAE-Aw",  "AAE_Aw",   "AAECAx",  "AAEC Aw",
                                    "AAECA",    "AAECAwA", "=AECAw==", "AA=CAw=="};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_BASE64, sc_base64_decode(bytes, 4, sc_bytes_text(bad[i]), SC_BASE64_STANDARD));
  FAILS(SC_ERR_BASE64, sc_base64_decode(bytes, 3, sc_bytes_text("+//+"), SC_BASE64_URL));
  FAILS(SC_ERR_BASE64, sc_base64_decode(bytes, 1, sc_bytes_text("A==="), SC_BASE64_STANDARD));
  static const char *const impossible[] = {"A", "AAAAA", "=", "==", "===", "AA=", "AAA==", "AAAA=", "AAAA=="};
  size_t len;
  for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++)
    FAILS(SC_ERR_BASE64, sc_base64_decoded_len(&len, sc_bytes_text(impossible[i])));
done:;
}

static void base32z_writes_a_node_address(sc_test *t) {
  uint8_t key[32], back[32];
  char text[SC_BASE32Z_CHARS(32) + 1];
  sc_test_hex_into(key, 32, "29d3867b1299398df1fb52f0c72caa5136cc1961c4f8f83e15bb10237e4b5765");
  sc_base32z_encode(text, SC_BYTES(key));
  CHECK(strcmp(text, "f8jac6a1urha5hx5kmacqmfkkr5cagmbauhxoxoizceng91mk71o") == 0);
  OK(sc_base32z_decode(back, 32, sc_bytes_text(text)));
  SAME(SC_BYTES(key), SC_BYTES(back));
  OK(sc_base32z_decode(back, 32, sc_bytes_text("F8JAC6A1URHA5HX5KMACQMFKKR5CAGMBAUHXOXOIZCENG91MK71O")));
  SAME(SC_BYTES(key), SC_BYTES(back));
done:;
}

static void base32z_round_trips_every_length(sc_test *t) {
  uint8_t bytes[33], back[33];
  char text[SC_BASE32Z_CHARS(33) + 1];
  for (size_t len = 0; len <= sizeof bytes; len++) {
    sc_random(t->env, bytes, len);
    sc_base32z_encode(text, sc_bytes_make(bytes, len));
    CHECK(strlen(text) == SC_BASE32Z_CHARS(len));
    OK(sc_base32z_decode(back, len, sc_bytes_text(text)));
    SAME(sc_bytes_make(bytes, len), sc_bytes_make(back, len));
  }
done:;
}

static void base32z_refuses_invalid_text(sc_test *t) {
  uint8_t bytes[2];
  OK(sc_base32z_decode(bytes, 2, sc_bytes_text("yyyo")));
  static const char *const bad[] = {"yyy", "yyyyy", "yyyb", "yyyl", "yyyv", "yyy2", "yyy0", "yyy-"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_BASE32Z, sc_base32z_decode(bytes, 2, sc_bytes_text(bad[i])));
done:;
}

SUITE(base_encoding, "base/encoding",
      {"hex decodes both cases and encodes lower case", hex_decodes_both_cases_and_encodes_lower_case},
      {"hex refuses invalid text", hex_refuses_invalid_text},
      {"base64 agrees with libsodium", base64_agrees_with_libsodium},
      {"base64 padding is complete or absent", base64_padding_is_complete_or_absent},
      {"base64 refuses invalid text", base64_refuses_invalid_text},
      {"base32z writes a node address", base32z_writes_a_node_address},
      {"base32z round trips every length", base32z_round_trips_every_length},
      {"base32z refuses invalid text", base32z_refuses_invalid_text});
