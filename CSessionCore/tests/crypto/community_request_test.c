#include "session-core/crypto/community_request.h"

#include "session-core/crypto/blinding.h"
#include "session-core/crypto/hash.h"
#include "session-core/crypto/signature.h"
#include "support/test.h"

static const char seed_hex[] = "c010d89eccbaf5d1c6d19df766c6eedf965d4a28a56f87c9fc819edb59896dd9";
static const char server_hex[] = "c3b3c6f32f0ab5a57f853cc4f30f5da7fda5624b0c77b3fb0829de562ada081d";
static const char nonce_hex[] = "09d0799f2295990182c3ab3406fbfc5b";

/* Signatures of the reference implementations. */
typedef struct known_request {
  const char *method;
  const char *path;
  const char *body;
  const char *unblinded;
  const char *blinded;
} known_request;

static const known_request known[] = {
    {"GET", "/room/the-best-room/messages/recent?limit=25", "",
     "c712e95c76e898024c07d02d18ccaabc1b17add776d38d32f8e97f20acc49567"
     "ca25adc461946fd462cee824cb86b0c55305507bc3cf96dc86b39e0a77b3b90a",
     "917c4c6e0ebee3dda3788f83eb5b3deb7ea2c5872d9ffaa78649e1521413b79e"
     "1447778ff6fb2571cde21127410b28a4a6a632c9f10ea74cfe863baf5c65b209"},
    {"POST", "/room/the-best-room/message", "{\"data\":\"aGVsbG+A\",\"signature\":\"AAAA\"}",
     "ced64c858c6a7d69281583950f2099de55cbbc60ab5315fa21baf0544c0efa0d"
     "e92be30f8fc174f3a35d746b09ae5f0f6780199a903f8b799831aab06d7d0d06",
     "a44309456c46a8d4e3957a0ed59319f3cfa09f84b55019dc43bca4b9c42ec0e9"
     "806c2a2c0e3dcea6548391e6824fe474538e07c644f5c520f69e1d8a30cbb609"},
};

static sc_community_request request_of(const known_request *known) {
  sc_community_request request = {
      .timestamp_s = 1642472103,
      .method = sc_bytes_text(known->method),
      .path = sc_bytes_text(known->path),
      .body = sc_bytes_text(known->body),
  };
  sc_test_hex_into(request.server, sizeof request.server, server_hex);
  sc_test_hex_into(request.nonce, sizeof request.nonce, nonce_hex);
  return request;
}

static void known_signatures_cover_the_text(sc_test *t) {
  uint8_t seed[32], signature[SC_SIGNATURE_BYTES];
  sc_keypair keys;
  sc_blinded_pair pair;
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  sc_test_hex_into(seed, sizeof seed, seed_hex);
  sc_keypair_from_seed(&keys, seed);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_community_request request = request_of(&known[i]);
    OK(sc_community_request_text(&text, &request));
    sc_test_hex_into(signature, sizeof signature, known[i].unblinded);
    OK(sc_ed25519_verify(SC_BYTES(keys.ed.public_key), sc_buffer_bytes(&text), SC_BYTES(signature)));
    OK(sc_blind15_pair(&pair, &keys, request.server));
    sc_test_hex_into(signature, sizeof signature, known[i].blinded);
    OK(sc_ed25519_verify(sc_bytes_make(sc_id_key(&pair.id), SC_KEY_BYTES), sc_buffer_bytes(&text),
                         SC_BYTES(signature)));
  }
done:
  sc_buffer_free(&text);
}

static void the_text_of_an_empty_body_ends_with_the_path(sc_test *t) {
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  sc_community_request request = request_of(&known[0]);
  request.timestamp_s = UINT64_MAX;
  request.path = sc_bytes_text("/room/x/reaction/1/\xf0\x9f\x91\x8d");
  OK(sc_community_request_text(&text, &request));
  sc_bytes tail = sc_bytes_text("18446744073709551615GET/room/x/reaction/1/\xf0\x9f\x91\x8d");
  CHECK(text.len == 32 + 16 + tail.len);
  SAME(tail, sc_bytes_make(text.ptr + 48, tail.len));
  request.body = sc_bytes_text("{}");
  OK(sc_community_request_text(&text, &request));
  CHECK(text.len == 32 + 16 + tail.len + 64);
done:
  sc_buffer_free(&text);
}

static void a_body_may_be_known_by_its_hash(sc_test *t) {
  uint8_t hash[64];
  sc_buffer whole, hashed;
  sc_buffer_init(&whole, t->env);
  sc_buffer_init(&hashed, t->env);
  sc_community_request request = request_of(&known[1]);
  OK(sc_community_request_text(&whole, &request));
  OK(sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), request.body));
  request.body = sc_bytes_make(NULL, 0);
  request.body_hash = hash;
  OK(sc_community_request_text(&hashed, &request));
  SAME(sc_buffer_bytes(&whole), sc_buffer_bytes(&hashed));
done:
  sc_buffer_free(&whole);
  sc_buffer_free(&hashed);
}

SUITE(crypto_community_request, "crypto/community_request",
      {"known signatures cover the text", known_signatures_cover_the_text},
      {"the text of an empty body ends with the path", the_text_of_an_empty_body_ends_with_the_path},
      {"a body may be known by its hash", a_body_may_be_known_by_its_hash});
