#include "crypto/blinding.h"
#include "support/test.h"
#include "support/unsafe_keys.h"

static const char server_hex[] = "1d7e7f92b1ed3643855c98ecac02fc7274033a3467653f047d6e433540c03f17";
/* An account whose Ed25519 key is negative, and one whose key is positive. */
static const char negative_seed[] = "0123456789abcdef0123456789abcdef00000000000000000000000000000000";
static const char positive_seed[] = "00112233445566778899aabbccddeeff00000000000000000000000000000000";

static void key_from(uint8_t out[32], const char *hex) {
  sc_test_hex_into(out, 32, hex);
}

static void pair_from(sc_keypair *out, const char *seed) {
  uint8_t bytes[32];
  key_from(bytes, seed);
  sc_keypair_from_seed(out, bytes);
}

static sc_id id_from(const char *hex) {
  sc_id id;
  sc_test_hex_into(id.bytes, sizeof id.bytes, hex);
  return id;
}

static sc_id account_of(const sc_keypair *keys) {
  sc_id id;
  sc_id_make(&id, SC_ID_STANDARD, keys->x.public_key);
  return id;
}

/* A different pair for each number, with keys of either sign. */
static void numbered_pair(sc_keypair *out, uint8_t number) {
  uint8_t seed[32] = {number};
  sc_keypair_from_seed(out, seed);
}

typedef struct known_ids {
  const char *seed;
  const char *id15;
  const char *id25;
} known_ids;

static const known_ids known[] = {
    {negative_seed, "155678ab7f648665b1e90e3c19e56bbaa9d5890f367d1000101aebe265c46ae8c4",
     "258ce2ed7e357093056e9c4a72a1cba4718647134f2c23b76dedcc9c79b7a1f53a"},
    {positive_seed, "159ee46909a9656e978e9555fbbf62db8bf4629790fbc556ced2f363a0ae272aeb",
     "254a9f0487029641ea81a674ee06cbcf05fe1e53bcd1e6447d1cbf14ccfdabd78b"},
};

static void own_ids_have_the_known_values(sc_test *t) {
  uint8_t server[32];
  key_from(server, server_hex);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_keypair keys;
    sc_blinded_pair pair;
    pair_from(&keys, known[i].seed);
    OK(sc_blind15_pair(&pair, &keys, server));
    SAME(SC_BYTES(id_from(known[i].id15).bytes), SC_BYTES(pair.id.bytes));
    OK(sc_blind25_pair(&pair, &keys, server));
    SAME(SC_BYTES(id_from(known[i].id25).bytes), SC_BYTES(pair.id.bytes));
  }
done:;
}

static void an_account_id_gives_the_known_ids(sc_test *t) {
  uint8_t server[32];
  key_from(server, "abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789");
  sc_id account = id_from("05fe94b7ad4b7f1cc1bb92671f1f0d243f226e115b33770465e82b503fc3e96e1f");
  sc_id id15 = id_from("15b74ed205f1f931e1bb1291183778a9456b835937d923b0f2e248aa3a44c07844");
  sc_id id25 = id_from("253b991dcbba44cfdb45d5b38880d95cff723309e3ece6fd01415ad5fa1dccc7ac");
  sc_id candidates[2], only;
  OK(sc_blind15_ids(candidates, &account, server));
  SAME(SC_BYTES(id15.bytes), SC_BYTES(candidates[0].bytes));
  id15.bytes[32] ^= 0x80;
  SAME(SC_BYTES(id15.bytes), SC_BYTES(candidates[1].bytes));
  OK(sc_blind25_id(&only, &account, server));
  SAME(SC_BYTES(id25.bytes), SC_BYTES(only.bytes));
done:;
}

/* The reference library's values for a negative key. */
static void factors_and_scalars_have_the_known_values(sc_test *t) {
  sc_keypair keys;
  sc_blinded_pair pair;
  uint8_t server[32], factor[32], expected[32];
  pair_from(&keys, "bb87a7c74a1ba9d9bb0bd19ccf688e8d367110acc426c770e9ff9de66f7d7471");
  key_from(server, "4320ed57cf6dbb878013a5084db7b80662259ce7ea207aa3fb30b63c3166cec5");
  sc_id account = account_of(&keys);

  key_from(expected, "12d66be053351886ce65630efc59a4b4401b1bbac4b1601e19bb7578fd9a8b0c");
  sc_blind15_factor(factor, server);
  SAME(SC_BYTES(expected), SC_BYTES(factor));
  OK(sc_blind15_pair(&pair, &keys, server));
  SAME(SC_BYTES(expected), SC_BYTES(pair.factor));
  key_from(expected, "ff7615fbfa992a92cb34b79abc748ce558d428d71f8668bd4ec0d46a06955c0e");
  SAME(SC_BYTES(expected), SC_BYTES(pair.scalar));

  key_from(expected, "eed55f9aeaaa2a7390ab4d0740a9fc0f097cdca6929d779a46c2738d66259c0c");
  OK(sc_blind25_factor(factor, &account, server));
  SAME(SC_BYTES(expected), SC_BYTES(factor));
  OK(sc_blind25_pair(&pair, &keys, server));
  key_from(expected, "fffd95c22fb8e7e445f1a99b9e50e204f78323596d628865b93d8c7299da6303");
  SAME(SC_BYTES(expected), SC_BYTES(pair.factor));
  key_from(expected, "3caa7a1e0cc9ced9b668cc7ad47defcadacb9b6989dea041afaf67b5aab0430a");
  SAME(SC_BYTES(expected), SC_BYTES(pair.scalar));
done:;
}

static void every_way_to_compute_an_id_gives_the_same_result(sc_test *t) {
  uint8_t server[32];
  key_from(server, server_hex);
  unsigned negative = 0;
  for (uint8_t i = 0; i < (t->torture ? 2 : 16); i++) {
    sc_keypair keys;
    sc_blinded_pair pair;
    sc_id candidates[2], id;
    numbered_pair(&keys, i);
    negative += keys.ed.public_key[31] >> 7;
    sc_id account = account_of(&keys);

    OK(sc_blind15_pair(&pair, &keys, server));
    OK(sc_blind15_id_from_ed25519(&id, keys.ed.public_key, server));
    SAME(SC_BYTES(pair.id.bytes), SC_BYTES(id.bytes));
    OK(sc_blind15_ids(candidates, &account, server));
    SAME(SC_BYTES(pair.id.bytes), SC_BYTES(candidates[keys.ed.public_key[31] >> 7].bytes));

    OK(sc_blind25_pair(&pair, &keys, server));
    OK(sc_blind25_id_from_ed25519(&id, keys.ed.public_key, server));
    SAME(SC_BYTES(pair.id.bytes), SC_BYTES(id.bytes));
    OK(sc_blind25_id(&id, &account, server));
    SAME(SC_BYTES(pair.id.bytes), SC_BYTES(id.bytes));
  }
  CHECK(t->torture || (negative > 0 && negative < 16));
done:;
}

static void an_id_matches_only_its_account_and_server(sc_test *t) {
  sc_keypair keys, other;
  sc_blinded_pair pair;
  uint8_t server[32], elsewhere[32];
  bool matches;
  pair_from(&keys, negative_seed);
  pair_from(&other, positive_seed);
  key_from(server, server_hex);
  memcpy(elsewhere, server, 32);
  elsewhere[0] ^= 1;
  sc_id account = account_of(&keys);
  sc_id stranger = account_of(&other);
  for (int kind = 15; kind <= 25; kind += 10) {
    if (kind == 15)
      OK(sc_blind15_pair(&pair, &keys, server));
    else
      OK(sc_blind25_pair(&pair, &keys, server));
    OK(sc_blind_matches(&matches, &account, &pair.id, server));
    CHECK(matches);
    OK(sc_blind_matches(&matches, &stranger, &pair.id, server));
    CHECK(!matches);
    OK(sc_blind_matches(&matches, &account, &pair.id, elsewhere));
    CHECK(!matches);
    sc_id flipped = pair.id;
    flipped.bytes[32] ^= 0x80;
    OK(sc_blind_matches(&matches, &account, &flipped, server));
    CHECK(matches == (kind == 15));
    flipped = pair.id;
    flipped.bytes[31] ^= 0x80;
    OK(sc_blind_matches(&matches, &account, &flipped, server));
    CHECK(!matches);
  }
done:;
}

static void only_account_ids_can_be_blinded(sc_test *t) {
  static const sc_id_kind kinds[] = {SC_ID_UNBLINDED, SC_ID_GROUP, SC_ID_VERSION, SC_ID_BLINDED_15,
                                     SC_ID_BLINDED_25};
  sc_keypair keys;
  uint8_t server[32], factor[32];
  pair_from(&keys, positive_seed);
  key_from(server, server_hex);
  sc_id blinded = id_from(known[1].id15);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    sc_id id, out[2];
    bool matches = true;
    sc_id_make(&id, kinds[i], keys.x.public_key);
    FAILS(SC_ERR_ID_KIND, sc_blind25_factor(factor, &id, server));
    FAILS(SC_ERR_ID_KIND, sc_blind15_ids(out, &id, server));
    FAILS(SC_ERR_ID_KIND, sc_blind25_id(out, &id, server));
    FAILS(SC_ERR_ID_KIND, sc_blind_matches(&matches, &id, &blinded, server));
    CHECK(!matches);
  }
done:;
}

static void only_blinded_ids_can_be_matched(sc_test *t) {
  static const sc_id_kind kinds[] = {SC_ID_UNBLINDED, SC_ID_GROUP, SC_ID_STANDARD, SC_ID_VERSION};
  sc_keypair keys;
  uint8_t server[32];
  pair_from(&keys, positive_seed);
  key_from(server, server_hex);
  sc_id account = account_of(&keys);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    sc_id id = id_from(known[1].id15);
    bool matches = true;
    id.bytes[0] = (uint8_t)kinds[i];
    FAILS(SC_ERR_ID_KIND, sc_blind_matches(&matches, &account, &id, server));
    CHECK(!matches);
  }
done:;
}

static void an_account_id_with_an_unsafe_key_cannot_be_blinded(sc_test *t) {
  static const char *const no_points[] = {
      "bfbd63ded3cb941f13ae4fe73f7f0ef423d960e0c00362c238ae400ce8d4f145",
      "ebe86113dd07769084aa9a2d346085b4dad11d078b4268468ad3b59460151c7f",
  };
  enum { no_point_count = sizeof no_points / sizeof no_points[0] };
  uint8_t server[32];
  key_from(server, "4320ed57cf6dbb878013a5084db7b80662259ce7ea207aa3fb30b63c3166cec5");
  for (size_t i = 0; i < no_point_count + unsafe_x25519_count; i++) {
    uint8_t key[32];
    sc_id account;
    key_from(key, i < no_point_count ? no_points[i] : unsafe_x25519[i - no_point_count]);
    sc_id_make(&account, SC_ID_STANDARD, key);
    sc_id out[2] = {{{0}}}, untouched[2] = {{{0}}};
    sc_id id15 = id_from(known[0].id15), id25 = id_from(known[0].id25);
    bool matches = true;
    FAILS(SC_ERR_ID_BLIND, sc_blind15_ids(out, &account, server));
    FAILS(SC_ERR_ID_BLIND, sc_blind25_id(out, &account, server));
    CHECK(memcmp(out, untouched, sizeof out) == 0);
    FAILS(SC_ERR_ID_BLIND, sc_blind_matches(&matches, &account, &id15, server));
    FAILS(SC_ERR_ID_BLIND, sc_blind_matches(&matches, &account, &id25, server));
    CHECK(!matches);
  }
done:;
}

static void an_unsafe_ed25519_key_cannot_be_blinded(sc_test *t) {
  uint8_t server[32];
  key_from(server, server_hex);
  for (size_t i = 0; i < unsafe_ed25519_count; i++) {
    uint8_t key[32];
    sc_id out = {{0}}, untouched = {{0}};
    key_from(key, unsafe_ed25519[i]);
    FAILS(SC_ERR_ID_BLIND, sc_blind15_id_from_ed25519(&out, key, server));
    FAILS(SC_ERR_ID_BLIND, sc_blind25_id_from_ed25519(&out, key, server));
    CHECK(memcmp(&out, &untouched, sizeof out) == 0);
  }
done:;
}

static void blinded_signatures_have_the_known_bytes(sc_test *t) {
  sc_keypair keys;
  sc_blinded_pair pair;
  uint8_t server[32], signature[64], expected[64];
  pair_from(&keys, "bb87a7c74a1ba9d9bb0bd19ccf688e8d367110acc426c770e9ff9de66f7d7471");
  key_from(server, "38284a5ee64c4233321b22c84d9378769c4b4a03b5e7b5e8ce25447c5a5b511b");

  sc_test_hex_into(expected, 64,
                   "466937e627e7ec1e0d9e79152aa21991af34f2195eaade9185125b3f62c5b9db"
                   "140b0cc8b838dfd2ad199e0fb235592cc28a1a487887255923f2304ce10dd306");
  OK(sc_blind15_pair(&pair, &keys, server));
  sc_blind_sign(signature, &keys, &pair, sc_bytes_make(NULL, 0));
  SAME(SC_BYTES(expected), SC_BYTES(signature));

  sc_test_hex_into(expected, 64,
                   "0d23fe07d519f6ce274431bca881755246ef5677a838b0f25a78ea379ff2c79f"
                   "1c9f1dd9a6c588ad96e52d115167aca7296332e53de3eed77ebdfde5ed01b403");
  OK(sc_blind25_pair(&pair, &keys, server));
  sc_blind_sign(signature, &keys, &pair, sc_bytes_make(NULL, 0));
  SAME(SC_BYTES(expected), SC_BYTES(signature));
done:;
}

static void a_blinded_signature_verifies_as_plain_ed25519(sc_test *t) {
  uint8_t server[32];
  key_from(server, server_hex);
  sc_bytes message = sc_bytes_text("GET /rooms");
  for (uint8_t i = 0; i < (t->torture ? 2 : 16); i++) {
    sc_keypair keys;
    sc_blinded_pair pair15, pair25;
    uint8_t signature[64];
    numbered_pair(&keys, i);
    OK(sc_blind15_pair(&pair15, &keys, server));
    OK(sc_blind25_pair(&pair25, &keys, server));
    sc_bytes key15 = sc_bytes_make(sc_id_key(&pair15.id), 32);
    sc_bytes key25 = sc_bytes_make(sc_id_key(&pair25.id), 32);

    sc_blind_sign(signature, &keys, &pair15, message);
    OK(sc_ed25519_verify(key15, message, SC_BYTES(signature)));
    FAILS(SC_ERR_SIGNATURE, sc_ed25519_verify(key25, message, SC_BYTES(signature)));
    sc_blind_sign(signature, &keys, &pair25, message);
    OK(sc_ed25519_verify(key25, message, SC_BYTES(signature)));
    FAILS(SC_ERR_SIGNATURE, sc_ed25519_verify(key25, sc_bytes_text("GET /room"), SC_BYTES(signature)));
  }
done:;
}

/* Two signatures that share a nonce reveal the secret. */
static void another_message_has_another_nonce(sc_test *t) {
  sc_keypair keys;
  sc_blinded_pair pair;
  uint8_t server[32], first[64], second[64];
  pair_from(&keys, negative_seed);
  key_from(server, server_hex);
  for (int kind = 15; kind <= 25; kind += 10) {
    if (kind == 15)
      OK(sc_blind15_pair(&pair, &keys, server));
    else
      OK(sc_blind25_pair(&pair, &keys, server));
    sc_blind_sign(first, &keys, &pair, sc_bytes_text("one"));
    sc_blind_sign(second, &keys, &pair, sc_bytes_text("two"));
    CHECK(memcmp(first, second, 32) != 0);
    server[31] ^= 1;
  }
done:;
}

static void wiping_a_pair_leaves_zeros(sc_test *t) {
  sc_keypair keys;
  sc_blinded_pair pair, zeros;
  uint8_t server[32];
  pair_from(&keys, negative_seed);
  key_from(server, server_hex);
  memset(&zeros, 0, sizeof zeros);
  OK(sc_blind25_pair(&pair, &keys, server));
  CHECK(memcmp(&pair, &zeros, sizeof pair) != 0);
  sc_blinded_pair_wipe(&pair);
  CHECK(memcmp(&pair, &zeros, sizeof pair) == 0);
done:;
}

static void the_version_key_pair_has_the_known_bytes(sc_test *t) {
  sc_keypair keys;
  sc_ed25519_pair pair;
  uint8_t expected[32];
  pair_from(&keys, negative_seed);
  key_from(expected, "ab92099a2c017644c98414f11a178d21ce46529a0c4055c59e193bcd560b110e");
  sc_version_pair(&pair, &keys);
  SAME(SC_BYTES(expected), SC_BYTES(pair.public_key));
done:;
}

static void version_signatures_have_the_known_bytes(sc_test *t) {
  sc_keypair keys;
  sc_ed25519_pair pair;
  uint8_t body[12], signature[64], expected[64];
  pair_from(&keys, "bb87a7c74a1ba9d9bb0bd19ccf688e8d367110acc426c770e9ff9de66f7d7471");
  sc_test_hex_into(expected, 64,
                   "66cb0dcb6877244d62081bac1ffa85aef29479cfb4a523c073ae2888bd6f6d2b"
                   "977d1744fc81180afd0e4027621f827d30beebaf47b0417f9b727af74b89340b");
  sc_version_pair(&pair, &keys);
  OK(sc_version_sign_request(signature, t->env, &pair, 0, sc_bytes_text("GET"),
                             sc_bytes_text("/JF9-9btt?x=TqN"), sc_bytes_make(NULL, 0)));
  SAME(SC_BYTES(expected), SC_BYTES(signature));

  pair_from(&keys, "4857febc49682c497c62ef4b99e9376dfa9dd69f254189fac4f158e79df5b9c4");
  sc_test_hex_into(body, sizeof body, "0223a9b32ba96b3c522a8062");
  sc_test_hex_into(expected, 64,
                   "4e083cf8ee8466995610da08ea4ab50ae11c2390d7c29917a7c1571c77470071"
                   "0161beda35dbc0369a117a0be766b335a435f07b23ee42fef6c0140bf922bf05");
  sc_version_pair(&pair, &keys);
  OK(sc_version_sign_request(signature, t->env, &pair, 1719781656, sc_bytes_text("POST"),
                             sc_bytes_text("/vgJWBmep?x=dbE"), SC_BYTES(body)));
  SAME(SC_BYTES(expected), SC_BYTES(signature));
done:;
}

static void a_version_signature_covers_the_greatest_time(sc_test *t) {
  sc_keypair keys;
  sc_ed25519_pair pair;
  uint8_t signature[64];
  pair_from(&keys, positive_seed);
  sc_version_pair(&pair, &keys);
  OK(sc_version_sign_request(signature, t->env, &pair, UINT64_MAX, sc_bytes_text("GET"), sc_bytes_text("/"),
                             sc_bytes_make(NULL, 0)));
  OK(sc_ed25519_verify(SC_BYTES(pair.public_key), sc_bytes_text("18446744073709551615GET/"),
                       SC_BYTES(signature)));
done:;
}

static void an_id_of_kind_15_leads_to_its_account(sc_test *t) {
  uint8_t server[32];
  key_from(server, "c3b3c6f32f0ab5a57f853cc4f30f5da7fda5624b0c77b3fb0829de562ada081d");
  sc_id blinded = id_from("1598932d4bccbe595a8789d7eb1629cefc483a0eaddc7e20e8fe5c771efafd9af5");
  sc_id expected = id_from("0588672ccb97f40bb57238989226cf429b575ba355443f47bc76c5ab144a96c65b");
  sc_id account;
  OK(sc_blind15_account(&account, &blinded, server));
  SAME(SC_BYTES(expected.bytes), SC_BYTES(account.bytes));
  blinded.bytes[32] ^= 0x80;
  OK(sc_blind15_account(&account, &blinded, server));
  SAME(SC_BYTES(expected.bytes), SC_BYTES(account.bytes));
  for (uint8_t i = 0; i < 16; i++) {
    sc_keypair keys;
    sc_blinded_pair pair;
    numbered_pair(&keys, i);
    OK(sc_blind15_pair(&pair, &keys, server));
    OK(sc_blind15_account(&account, &pair.id, server));
    expected = account_of(&keys);
    SAME(SC_BYTES(expected.bytes), SC_BYTES(account.bytes));
  }
done:;
}

static void only_safe_ids_of_kind_15_lead_to_an_account(sc_test *t) {
  uint8_t server[32], key[32];
  key_from(server, server_hex);
  sc_id id, account;
  for (size_t i = 0; i < unsafe_ed25519_count; i++) {
    key_from(key, unsafe_ed25519[i]);
    sc_id_make(&id, SC_ID_BLINDED_15, key);
    FAILS(SC_ERR_ID_BLIND, sc_blind15_account(&account, &id, server));
  }
  id = id_from(known[0].id25);
  FAILS(SC_ERR_ID_KIND, sc_blind15_account(&account, &id, server));
done:;
}

SUITE(crypto_blinding, "crypto/blinding", {"own ids have the known values", own_ids_have_the_known_values},
      {"an account id gives the known ids", an_account_id_gives_the_known_ids},
      {"factors and scalars have the known values", factors_and_scalars_have_the_known_values},
      {"every way to compute an id gives the same result", every_way_to_compute_an_id_gives_the_same_result},
      {"an id matches only its account and server", an_id_matches_only_its_account_and_server},
      {"an id of kind 15 leads to its account", an_id_of_kind_15_leads_to_its_account},
      {"only safe ids of kind 15 lead to an account", only_safe_ids_of_kind_15_lead_to_an_account},
      {"only account ids can be blinded", only_account_ids_can_be_blinded},
      {"only blinded ids can be matched", only_blinded_ids_can_be_matched},
      {"an account id with an unsafe key cannot be blinded",
       an_account_id_with_an_unsafe_key_cannot_be_blinded},
      {"an unsafe Ed25519 key cannot be blinded", an_unsafe_ed25519_key_cannot_be_blinded},
      {"blinded signatures have the known bytes", blinded_signatures_have_the_known_bytes},
      {"a blinded signature verifies as plain Ed25519", a_blinded_signature_verifies_as_plain_ed25519},
      {"another message has another nonce", another_message_has_another_nonce},
      {"wiping a pair leaves zeros", wiping_a_pair_leaves_zeros},
      {"the version key pair has the known bytes", the_version_key_pair_has_the_known_bytes},
      {"version signatures have the known bytes", version_signatures_have_the_known_bytes},
      {"a version signature covers the greatest time", a_version_signature_covers_the_greatest_time});
