#include "crypto/hash.h"
#include "support/known_bytes.h"

/* "abc" is from RFC 7693; the others were computed with Python's hashlib. */
static void blake2b_gives_the_known_hashes(sc_test *t) {
  static const struct {
    const char *key;
    const char *message;
    const char *hash;
  } known[] = {
      {"", "abc",
       "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
       "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
      {"", "", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
      {"", "message", "d75c836e59e98518a54f3471c92f490f"},
      {"key", "message", "a1b1483fd337f6b23318a53b756ad49d2541f3052ffb67515203dd7951b6e94e"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t expected[64];
    uint8_t hash[64];
    size_t len = strlen(known[i].hash) / 2;
    sc_test_hex_into(expected, len, known[i].hash);
    OK(sc_blake2b(hash, len, sc_bytes_text(known[i].key), sc_bytes_text(known[i].message)));
    SAME(sc_bytes_make(expected, len), sc_bytes_make(hash, len));
  }
done:;
}

static void blake2b_takes_a_key_of_64_bytes(sc_test *t) {
  KNOWN(expected, "f7bc8e8d6847457e4e6648721ff363dd87ef98676eea2ee7e9da3d33e74f83be"
                  "a69a13c97498e63d77660e728b29a3f220bd2121768c318328f9ea61fea66c88");
  uint8_t key[64];
  uint8_t hash[64];
  for (size_t i = 0; i < sizeof key; i++)
    key[i] = (uint8_t)i;
  OK(sc_blake2b(hash, sizeof hash, SC_BYTES(key), sc_bytes_text("message")));
  SAME(SC_BYTES(expected), SC_BYTES(hash));
done:;
}

static void blake2b_is_personalised(sc_test *t) {
  KNOWN(expected, "fd22e31afb0de0d490eae6770ffd1335d4e495aeda4e8441d36aaa6967572628");
  uint8_t hash[32];
  OK(sc_blake2b_personal(hash, sizeof hash, sc_bytes_make(NULL, 0), (const uint8_t *)"0123456789abcdef",
                         sc_bytes_text("message")));
  SAME(SC_BYTES(expected), SC_BYTES(hash));
done:;
}

/* The name that file servers give the content "hello". */
static void blake2b_is_salted(sc_test *t) {
  KNOWN(expected, "b4a3b655583524f1f0819bafa8affb6c31c9792a"
                  "f8509ffc8b5dc44e5c009f48c1");
  uint8_t hash[33];
  OK(sc_blake2b_salted(hash, sizeof hash, (const uint8_t *)"SessionFileSvr\0", sc_bytes_text("hello")));
  SAME(SC_BYTES(expected), SC_BYTES(hash));
  FAILS(SC_ERR_HASH_SIZE, sc_blake2b_salted(hash, 15, expected, sc_bytes_text("hello")));
  FAILS(SC_ERR_HASH_SIZE, sc_blake2b_salted(hash, 65, expected, sc_bytes_text("hello")));
done:;
}

static void blake2b_has_16_to_64_bytes_and_a_key_of_up_to_64(sc_test *t) {
  static const uint8_t key[65] = {1};
  static const uint8_t personal[16] = {2};
  uint8_t hash[70];
  for (size_t len = 0; len <= sizeof hash; len++) {
    sc_status expected = len >= 16 && len <= 64 ? SC_OK : SC_ERR_HASH_SIZE;
    FAILS(expected, sc_blake2b(hash, len, SC_BYTES(personal), sc_bytes_text("message")));
    FAILS(expected, sc_blake2b_personal(hash, len, SC_BYTES(personal), personal, sc_bytes_text("message")));
  }
  FAILS(SC_ERR_HASH_SIZE, sc_blake2b(hash, 32, SC_BYTES(key), sc_bytes_text("message")));
  FAILS(SC_ERR_HASH_SIZE, sc_blake2b_personal(hash, 32, SC_BYTES(key), personal, sc_bytes_text("message")));
done:;
}

/* FIPS 180-4's own examples. */
static void sha_2_gives_the_known_hashes(sc_test *t) {
  KNOWN(sha256_abc, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  KNOWN(sha256_empty, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  KNOWN(sha512_abc, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  KNOWN(sha512_empty, "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                      "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e");
  uint8_t short_hash[32];
  uint8_t long_hash[64];
  sc_sha256(short_hash, sc_bytes_text("abc"));
  SAME(SC_BYTES(sha256_abc), SC_BYTES(short_hash));
  sc_sha256(short_hash, sc_bytes_make(NULL, 0));
  SAME(SC_BYTES(sha256_empty), SC_BYTES(short_hash));
  sc_sha512(long_hash, sc_bytes_text("abc"));
  SAME(SC_BYTES(sha512_abc), SC_BYTES(long_hash));
  sc_sha512(long_hash, sc_bytes_make(NULL, 0));
  SAME(SC_BYTES(sha512_empty), SC_BYTES(long_hash));
done:;
}

/* RFC 4231, cases 1, 2 and 6: a short key, a text, and a key longer than a block. */
static void hmac_gives_the_known_codes(sc_test *t) {
  uint8_t short_key[20];
  uint8_t long_key[131];
  memset(short_key, 0x0b, sizeof short_key);
  memset(long_key, 0xaa, sizeof long_key);
  const struct {
    sc_bytes key;
    sc_bytes message;
    const char *sha256;
    const char *sha512;
  } known[] = {
      {SC_BYTES(short_key), sc_bytes_text("Hi There"),
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
       "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
       "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"},
      {sc_bytes_text("Jefe"), sc_bytes_text("what do ya want for nothing?"),
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
       "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
       "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
      {SC_BYTES(long_key), sc_bytes_text("Test Using Larger Than Block-Size Key - Hash Key First"),
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
       "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
       "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t expected[64];
    uint8_t code[64];
    sc_test_hex_into(expected, 32, known[i].sha256);
    sc_hmac_sha256(code, known[i].key, known[i].message);
    SAME(sc_bytes_make(expected, 32), sc_bytes_make(code, 32));
    sc_test_hex_into(expected, 64, known[i].sha512);
    sc_hmac_sha512(code, known[i].key, known[i].message);
    SAME(SC_BYTES(expected), SC_BYTES(code));
  }
done:;
}

/* RFC 5869, cases 1 to 3: ordinary, long, and without salt and info. */
static void hkdf_gives_the_known_keys(sc_test *t) {
  uint8_t bytes[256];
  uint8_t material[22];
  uint8_t out[82];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)i;
  memset(material, 0x0b, sizeof material);
  KNOWN(ordinary, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
  KNOWN(extended, "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                  "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                  "cc30c58179ec3e87c14c01d5c1f3434f1d87");
  KNOWN(bare, "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
  OK(sc_hkdf_sha256(out, 42, SC_BYTES(material), sc_bytes_make(bytes, 13), sc_bytes_make(bytes + 0xf0, 10)));
  SAME(SC_BYTES(ordinary), sc_bytes_make(out, 42));
  OK(sc_hkdf_sha256(out, 82, sc_bytes_make(bytes, 80), sc_bytes_make(bytes + 0x60, 80),
                    sc_bytes_make(bytes + 0xb0, 80)));
  SAME(SC_BYTES(extended), sc_bytes_make(out, 82));
  OK(sc_hkdf_sha256(out, 42, SC_BYTES(material), sc_bytes_make(NULL, 0), sc_bytes_make(NULL, 0)));
  SAME(SC_BYTES(bare), sc_bytes_make(out, 42));
done:;
}

static void sha_256_of_pieces_is_that_of_the_whole(sc_test *t) {
  uint8_t message[300];
  uint8_t whole[32], pieces[32];
  for (size_t i = 0; i < sizeof message; i++)
    message[i] = (uint8_t)(7 * i);
  for (size_t len = 0; len <= sizeof message; len += 37) {
    for (size_t cut = 0; cut <= len; cut += 31) {
      sc_sha256_stream stream;
      sc_sha256(whole, sc_bytes_make(message, len));
      sc_sha256_begin(&stream);
      sc_sha256_add(&stream, sc_bytes_make(message, cut));
      sc_sha256_add(&stream, sc_bytes_make(NULL, 0));
      sc_sha256_add(&stream, sc_bytes_make(message + cut, len - cut));
      sc_sha256_end(pieces, &stream);
      SAME(SC_BYTES(whole), SC_BYTES(pieces));
    }
  }
done:;
}

static void blake2b_of_pieces_is_that_of_the_whole(sc_test *t) {
  static uint8_t message[300];
  uint8_t whole[64], pieces[64];
  for (size_t i = 0; i < sizeof message; i++)
    message[i] = (uint8_t)(i * 7);
  for (size_t len = 0; len <= sizeof message; len += 50) {
    OK(sc_blake2b(whole, sizeof whole, sc_bytes_make(NULL, 0), sc_bytes_make(message, len)));
    for (size_t cut = 0; cut <= len; cut += 25) {
      sc_blake2b_stream stream;
      sc_blake2b_begin(&stream);
      sc_blake2b_add(&stream, sc_bytes_make(message, cut));
      sc_blake2b_add(&stream, sc_bytes_make(NULL, 0));
      sc_blake2b_add(&stream, sc_bytes_make(message + cut, len - cut));
      sc_blake2b_end(pieces, &stream);
      SAME(SC_BYTES(whole), SC_BYTES(pieces));
    }
  }
done:;
}

static void hkdf_stops_at_255_blocks(sc_test *t) {
  static uint8_t out[255 * 32 + 1];
  const sc_bytes material = sc_bytes_text("key material");
  const sc_bytes none = sc_bytes_make(NULL, 0);
  FAILS(SC_ERR_HASH_SIZE, sc_hkdf_sha256(out, sizeof out, material, none, none));
  OK(sc_hkdf_sha256(out, sizeof out - 1, material, none, none));
  uint8_t start[40];
  OK(sc_hkdf_sha256(start, sizeof start, material, none, none));
  SAME(sc_bytes_make(out, sizeof start), SC_BYTES(start));
  OK(sc_hkdf_sha256(start, 0, material, none, none));
done:;
}

SUITE(crypto_hash, "crypto/hash", {"BLAKE2b gives the known hashes", blake2b_gives_the_known_hashes},
      {"BLAKE2b takes a key of 64 bytes", blake2b_takes_a_key_of_64_bytes},
      {"BLAKE2b is personalised", blake2b_is_personalised}, {"BLAKE2b is salted", blake2b_is_salted},
      {"BLAKE2b has 16 to 64 bytes and a key of up to 64", blake2b_has_16_to_64_bytes_and_a_key_of_up_to_64},
      {"BLAKE2b of pieces is that of the whole", blake2b_of_pieces_is_that_of_the_whole},
      {"SHA-2 gives the known hashes", sha_2_gives_the_known_hashes},
      {"SHA-256 of pieces is that of the whole", sha_256_of_pieces_is_that_of_the_whole},
      {"HMAC gives the known codes", hmac_gives_the_known_codes},
      {"HKDF gives the known keys", hkdf_gives_the_known_keys},
      {"HKDF stops at 255 blocks", hkdf_stops_at_255_blocks});
