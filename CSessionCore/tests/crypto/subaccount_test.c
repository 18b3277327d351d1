#include "session-core/crypto/subaccount.h"

#include "session-core/base/secret.h"
#include "support/known_bytes.h"
#include "support/unsafe_keys.h"

#define TOKEN "030300002004148194285376eb118b56b35d1d53a60a17582321e76a8e3db1971b1b96c4"
#define TOKEN_SIGNATURE                                                                                      \
  "ab5057cc67dd05ed7543e716c83a8dda4ecf50a4fd8b972682f9a55eb88ed079fa81f5012ffe0472cf798eec024032f613a51949" \
  "23c083704b1a3a22e0ad7a0f"
#define ACCESS "030300007afb2f0c5785c01a309f84e0c2c3fe138b2936a843c5a90177042f6140e1ae05" TOKEN_SIGNATURE
#define HELLO_SIGNATURE                                                                                      \
  "e66ce9574a693493ca74c60651e43582a6562b04c74224e1bb7759d1a016955e13cbe63741633d1e9e83f1913959030acb41264d" \
  "09b9953bd871f1d1d1c13209"

enum { flags_at = 1, factor_end = 35 };

/* A group, and two members whose Ed25519 keys differ in sign. */
typedef struct scene {
  sc_keypair group;
  sc_id group_id;
  sc_keypair members[2];
  sc_id ids[2];
  uint8_t access[SC_SUBACCOUNT_ACCESS_BYTES];
} scene;

static void keypair_of(sc_keypair *out, int seed_byte) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  memset(seed, seed_byte, sizeof seed);
  sc_keypair_from_seed(out, seed);
}

SC_NODISCARD static sc_status set_scene(scene *out) {
  static const int seed_bytes[] = {0x33, 0x44};
  keypair_of(&out->group, 0x11);
  sc_id_make(&out->group_id, SC_ID_GROUP, out->group.ed.public_key);
  for (int i = 0; i < 2; i++) {
    keypair_of(&out->members[i], seed_bytes[i]);
    sc_id_make(&out->ids[i], SC_ID_STANDARD, out->members[i].x.public_key);
  }
  return sc_subaccount_grant(out->access, &out->group.ed, &out->ids[0], SC_SUBACCOUNT_MEMBER);
}

static sc_status verify(const scene *s, sc_bytes access, unsigned needed) {
  return sc_subaccount_verify(&s->group_id, &s->members[0], access, needed);
}

static void token_and_access_have_the_known_bytes(sc_test *t) {
  scene s;
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
  KNOWN(known_token, TOKEN);
  KNOWN(known_access, ACCESS);
  OK(set_scene(&s));
  OK(sc_subaccount_token(token, &s.group.ed, &s.ids[0], SC_SUBACCOUNT_MEMBER));
  SAME(SC_BYTES(known_token), SC_BYTES(token));
  SAME(SC_BYTES(known_access), SC_BYTES(s.access));
  OK(verify(&s, SC_BYTES(s.access), SC_SUBACCOUNT_WRITE));
done:;
}

static void a_request_has_the_known_signature(sc_test *t) {
  scene s;
  sc_subaccount_proof proof;
  KNOWN(known_token, TOKEN);
  KNOWN(known_token_signature, TOKEN_SIGNATURE);
  KNOWN(known_signature, HELLO_SIGNATURE);
  OK(set_scene(&s));
  CHECK(s.members[0].ed.public_key[31] >> 7 == 1); /* so that this proves the negation */
  OK(sc_subaccount_sign(&proof, &s.members[0], SC_BYTES(s.access), sc_bytes_text("hello")));
  SAME(SC_BYTES(known_token), SC_BYTES(proof.token));
  SAME(SC_BYTES(known_token_signature), SC_BYTES(proof.token_signature));
  SAME(SC_BYTES(known_signature), SC_BYTES(proof.signature));
done:;
}

static void signatures_verify_for_members_of_either_sign(sc_test *t) {
  scene s;
  sc_subaccount_proof proof;
  OK(set_scene(&s));
  CHECK((s.members[0].ed.public_key[31] ^ s.members[1].ed.public_key[31]) >> 7 == 1);
  for (int i = 0; i < 2; i++) {
    OK(sc_subaccount_grant(s.access, &s.group.ed, &s.ids[i], SC_SUBACCOUNT_MEMBER));
    OK(sc_subaccount_verify(&s.group_id, &s.members[i], SC_BYTES(s.access), 0));
    OK(sc_subaccount_sign(&proof, &s.members[i], SC_BYTES(s.access), sc_bytes_text("retrieve1690000000000")));
    OK(sc_ed25519_verify(sc_bytes_make(proof.token + 4, SC_KEY_BYTES), sc_bytes_text("retrieve1690000000000"),
                         SC_BYTES(proof.signature)));
    OK(sc_ed25519_verify(SC_BYTES(s.group.ed.public_key), SC_BYTES(proof.token),
                         SC_BYTES(proof.token_signature)));
  }
done:;
}

static void access_grants_exactly_its_rights(sc_test *t) {
  scene s;
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
  OK(set_scene(&s));
  for (unsigned rights = 0; rights < 16; rights++) {
    OK(sc_subaccount_grant(s.access, &s.group.ed, &s.ids[0], rights));
    OK(sc_subaccount_token(token, &s.group.ed, &s.ids[0], rights));
    CHECK(s.access[flags_at] == rights && token[flags_at] == rights);
    for (unsigned needed = 0; needed < 8; needed++) {
      bool allowed = ((needed | SC_SUBACCOUNT_READ) & ~rights) == 0;
      FAILS(allowed ? SC_OK : SC_ERR_SUBACCOUNT_RIGHTS, verify(&s, SC_BYTES(s.access), needed));
    }
  }
  FAILS(SC_ERR_ARGUMENT, sc_subaccount_grant(s.access, &s.group.ed, &s.ids[0], 16));
  FAILS(SC_ERR_ARGUMENT, sc_subaccount_token(token, &s.group.ed, &s.ids[0], 0x103));
done:;
}

/* Every byte matters except the factor's top bit, which multiplication ignores. */
static void tampered_access_is_refused(sc_test *t) {
  scene s;
  OK(set_scene(&s));
  for (size_t i = 0; i < sizeof s.access; i++) {
    for (int bit = 0; bit < 8; bit += 7) {
      s.access[i] ^= (uint8_t)(1 << bit);
      bool ignored = i == factor_end && bit == 7;
      FAILS(ignored ? SC_OK : SC_ERR_SUBACCOUNT, verify(&s, SC_BYTES(s.access), 0));
      s.access[i] ^= (uint8_t)(1 << bit);
    }
  }
  OK(verify(&s, SC_BYTES(s.access), 0));
done:;
}

static void an_ignored_bit_does_not_change_signatures(sc_test *t) {
  scene s;
  sc_subaccount_proof proof;
  KNOWN(known_signature, HELLO_SIGNATURE);
  OK(set_scene(&s));
  s.access[factor_end] ^= 0x80;
  OK(sc_subaccount_sign(&proof, &s.members[0], SC_BYTES(s.access), sc_bytes_text("hello")));
  SAME(SC_BYTES(known_signature), SC_BYTES(proof.signature));
done:;
}

static void access_of_the_wrong_size_is_refused(sc_test *t) {
  scene s;
  sc_subaccount_proof proof;
  uint8_t longer[SC_SUBACCOUNT_ACCESS_BYTES + 1] = {0};
  OK(set_scene(&s));
  memcpy(longer, s.access, sizeof s.access);
  for (size_t len = 0; len <= sizeof longer; len++) {
    if (len == sizeof s.access)
      continue;
    const sc_bytes access = sc_bytes_make(longer, len);
    FAILS(SC_ERR_SUBACCOUNT, verify(&s, access, 0));
    FAILS(SC_ERR_SUBACCOUNT, sc_subaccount_sign(&proof, &s.members[0], access, sc_bytes_text("hello")));
  }
done:;
}

static void access_is_valid_for_one_member_of_one_group(sc_test *t) {
  scene s;
  sc_keypair other;
  sc_id other_group;
  OK(set_scene(&s));
  FAILS(SC_ERR_SUBACCOUNT, sc_subaccount_verify(&s.group_id, &s.members[1], SC_BYTES(s.access), 0));
  keypair_of(&other, 0x55);
  sc_id_make(&other_group, SC_ID_GROUP, other.ed.public_key);
  FAILS(SC_ERR_SUBACCOUNT, sc_subaccount_verify(&other_group, &s.members[0], SC_BYTES(s.access), 0));
  FAILS(SC_ERR_ID_KIND, sc_subaccount_verify(&s.ids[0], &s.members[0], SC_BYTES(s.access), 0));
done:;
}

/* Signed by the group, but with a different first byte. */
static void another_prefix_needs_the_any_prefix_right(sc_test *t) {
  scene s;
  OK(set_scene(&s));
  for (unsigned rights = SC_SUBACCOUNT_MEMBER; rights <= (SC_SUBACCOUNT_MEMBER | SC_SUBACCOUNT_ANY_PREFIX);
       rights += SC_SUBACCOUNT_ANY_PREFIX) {
    uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
    OK(sc_subaccount_token(token, &s.group.ed, &s.ids[0], rights));
    token[0] = s.access[0] = SC_ID_STANDARD;
    s.access[flags_at] = token[flags_at];
    sc_ed25519_sign(s.access + sizeof token, &s.group.ed, SC_BYTES(token));
    FAILS((rights & SC_SUBACCOUNT_ANY_PREFIX) != 0 ? SC_OK : SC_ERR_SUBACCOUNT,
          verify(&s, SC_BYTES(s.access), 0));
  }
done:;
}

static void only_safe_account_ids_can_be_granted_access(sc_test *t) {
  scene s;
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES] = {0};
  uint8_t untouched[SC_SUBACCOUNT_ACCESS_BYTES];
  OK(set_scene(&s));
  memcpy(untouched, s.access, sizeof untouched);
  FAILS(SC_ERR_ID_KIND, sc_subaccount_token(token, &s.group.ed, &s.group_id, SC_SUBACCOUNT_MEMBER));
  FAILS(SC_ERR_ID_KIND, sc_subaccount_grant(s.access, &s.group.ed, &s.group_id, SC_SUBACCOUNT_MEMBER));
  for (int i = 0; i < unsafe_x25519_count; i++) { /* among them u = -1, which has no y */
    uint8_t key[SC_KEY_BYTES];
    sc_id unsafe;
    sc_test_hex_into(key, sizeof key, unsafe_x25519[i]);
    sc_id_make(&unsafe, SC_ID_STANDARD, key);
    FAILS(SC_ERR_KEY_INVALID, sc_subaccount_token(token, &s.group.ed, &unsafe, SC_SUBACCOUNT_MEMBER));
    FAILS(SC_ERR_KEY_INVALID, sc_subaccount_grant(s.access, &s.group.ed, &unsafe, SC_SUBACCOUNT_MEMBER));
  }
  SAME(SC_BYTES(untouched), SC_BYTES(s.access));
done:;
}

SUITE(crypto_subaccount, "crypto/subaccount",
      {"token and access have the known bytes", token_and_access_have_the_known_bytes},
      {"a request has the known signature", a_request_has_the_known_signature},
      {"signatures verify for members of either sign", signatures_verify_for_members_of_either_sign},
      {"access grants exactly its rights", access_grants_exactly_its_rights},
      {"tampered access is refused", tampered_access_is_refused},
      {"an ignored bit does not change signatures", an_ignored_bit_does_not_change_signatures},
      {"access of the wrong size is refused", access_of_the_wrong_size_is_refused},
      {"access is valid for one member of one group", access_is_valid_for_one_member_of_one_group},
      {"another prefix needs the any-prefix right", another_prefix_needs_the_any_prefix_right},
      {"only safe account ids can be granted access", only_safe_account_ids_can_be_granted_access});
