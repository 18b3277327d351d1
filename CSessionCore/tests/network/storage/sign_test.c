#include "cast.h"
#include "support/test.h"

typedef struct known_text {
  sc_storage_method method;
  const char *text;
} known_text;

static void every_signature_covers_the_known_text(sc_test *t) {
  static const known_text known[] = {
      {SC_STORAGE_STORE, "store21700000000001"},
      {SC_STORAGE_RETRIEVE, "retrieve21700000000000"},
      {SC_STORAGE_DELETE, "delete" CAST_HASH_0 CAST_HASH_2},
      {SC_STORAGE_DELETE_ALL, "delete_all-111700000000000"},
      {SC_STORAGE_DELETE_BEFORE, "delete_before-111700000000000"},
      {SC_STORAGE_EXPIRE_ALL, "expire_all-111700000000000"},
      {SC_STORAGE_EXPIRE, "expireextend17000006000001700000700000" CAST_HASH_0 CAST_HASH_2},
      {SC_STORAGE_GET_EXPIRIES, "get_expiries1700000000000" CAST_HASH_0 CAST_HASH_2},
      {SC_STORAGE_REVOKED, "revoked_subaccounts1700000000000"},
  };
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_storage_request request = cast_any(known[i].method);
    OK(sc_storage_request_signed(&text, &request));
    SAME(sc_bytes_text(known[i].text), sc_buffer_bytes(&text));
  }
done:
  sc_buffer_free(&text);
}

static void tokens_are_signed_as_raw_bytes(sc_test *t) {
  sc_storage_request revoke = cast_any(SC_STORAGE_REVOKE), unrevoke = cast_any(SC_STORAGE_UNREVOKE);
  sc_buffer text, expected;
  sc_buffer_init(&text, t->env);
  sc_buffer_init(&expected, t->env);
  OK(sc_buffer_append(&expected, sc_bytes_text("revoke_subaccount1700000000000")));
  OK(sc_buffer_append(&expected, SC_BYTES(cast_tokens)));
  OK(sc_storage_request_signed(&text, &revoke));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&text));
  OK(sc_storage_request_signed(&text, &unrevoke));
  CHECK(text.len == expected.len + 2);
  SAME(sc_bytes_text("unrevoke_subaccount"), sc_bytes_make(text.ptr, 19));
done:
  sc_buffer_free(&text);
  sc_buffer_free(&expected);
}

/* Namespace 0 is the empty string, every namespace is "all", a missing mode is the empty string. */
static void default_values_are_omitted_from_the_text(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_DELETE_ALL);
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  request.of.sweep.where.number = 0;
  OK(sc_storage_request_signed(&text, &request));
  SAME(sc_bytes_text("delete_all1700000000000"), sc_buffer_bytes(&text));
  request.of.sweep.where.all = true;
  OK(sc_storage_request_signed(&text, &request));
  SAME(sc_bytes_text("delete_allall1700000000000"), sc_buffer_bytes(&text));
  request = cast_any(SC_STORAGE_EXPIRE);
  request.of.expire.mode = SC_STORAGE_EXPIRE_SET;
  request.of.expire.expiry_count = 1;
  request.of.expire.hashes.count = 1;
  OK(sc_storage_request_signed(&text, &request));
  SAME(sc_bytes_text("expire1700000600000" CAST_HASH_0), sc_buffer_bytes(&text));
  request.of.expire.mode = SC_STORAGE_EXPIRE_SHORTEN;
  OK(sc_storage_request_signed(&text, &request));
  SAME(sc_bytes_text("expireshorten1700000600000" CAST_HASH_0), sc_buffer_bytes(&text));
  request = cast_any(SC_STORAGE_STORE);
  request.of.store.number = 0;
  request.of.store.signed_at = 0;
  OK(sc_storage_request_signed(&text, &request));
  SAME(sc_bytes_text("store1700000000000"), sc_buffer_bytes(&text));
done:
  sc_buffer_free(&text);
}

static void signatures_have_the_known_bytes(sc_test *t) {
  static const char *const known[] = {
      "RmRCJ3nPhaFug4AB8jINXur5kyTGwHO1bsHA7cXrxLyQ5EXbDGkrSB3LKQzymcuvtAyW+rlkdJx66UX28NliDw==",
      "4Ky0fUtkfoO1FXiC4EajtUfuze4UbM+Ob/gbBgzN4SelP6H/QNmrG523BCqldf8yKZDJ3yYffdYp6/cyUf8YCg==",
      "YQyILGAq+EuIyzxxRAVumYDmPXtV75Bo37ffvubZfzK1UGT7vR4JnisuD/qijc3N3++4NKIvbOdeIgYCKGrmCw==",
  };
  sc_storage_request requests[] = {cast_any(SC_STORAGE_RETRIEVE), cast_any(SC_STORAGE_STORE),
                                   cast_any(SC_STORAGE_DELETE_ALL)};
  sc_keypair keys = cast_account();
  requests[0].of.retrieve.number = 0;
  requests[1].of.store.signed_at = cast_now;
  requests[2].of.sweep.where.all = true;
  for (size_t i = 0; i < 3; i++) {
    char text[SC_BASE64_CHARS(SC_SIGNATURE_BYTES) + 1];
    OK(cast_sign(&requests[i], t->env));
    const sc_storage_auth *auth = &requests[i].auth;
    sc_base64_encode(text, SC_BYTES(auth->signature), SC_BASE64_STANDARD);
    SAME(sc_bytes_text(known[i]), sc_bytes_text(text));
    CHECK(auth->has_signature && auth->has_ed25519 && !auth->has_subaccount);
    SAME(SC_BYTES(keys.ed.public_key), SC_BYTES(auth->ed25519));
  }
done:;
}

static void a_group_signs_with_its_own_key(sc_test *t) {
  sc_storage_request request = cast_group_request(SC_STORAGE_REVOKED);
  sc_keypair group = cast_keys(0x11);
  sc_storage_signer signer = sc_storage_group_signer(&group.ed);
  request.of.tokens.signed_at = cast_now;
  OK(sc_storage_request_sign(&request, t->env, &signer));
  CHECK(request.auth.has_signature && !request.auth.has_ed25519);
  OK(sc_ed25519_verify(SC_BYTES(group.ed.public_key), sc_bytes_text("revoked_subaccounts1700000000000"),
                       SC_BYTES(request.auth.signature)));
done:;
}

static void a_member_signs_with_its_subaccount(sc_test *t) {
  sc_keypair group = cast_keys(0x11), member = cast_account();
  uint8_t access[SC_SUBACCOUNT_ACCESS_BYTES];
  sc_id id;
  sc_storage_request request = cast_group_request(SC_STORAGE_RETRIEVE);
  const sc_storage_judge judge = {.now = cast_now};
  sc_storage_grant grant;
  sc_storage_subaccount subaccount = {&member, SC_BYTES(access)};
  sc_storage_signer signer = sc_storage_subaccount_signer(&subaccount);
  request.of.retrieve = (sc_storage_retrieve){.number = 11, .signed_at = cast_now};
  OK(sc_id_parse(&id, sc_bytes_text(CAST_ACCOUNT)));
  OK(sc_subaccount_grant(access, &group.ed, &id, SC_SUBACCOUNT_READ));
  OK(sc_storage_request_sign(&request, t->env, &signer));
  CHECK(request.auth.has_subaccount && request.auth.subaccount[1] == SC_SUBACCOUNT_READ &&
        !request.auth.has_ed25519);
  OK(sc_storage_request_authorize(&grant, t->env, &request, &judge));
  request.of.retrieve.number = 12;
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, sc_storage_request_authorize(&grant, t->env, &request, &judge));
  subaccount.access.len--;
  request.auth = (sc_storage_auth){0};
  FAILS(SC_ERR_SUBACCOUNT, sc_storage_request_sign(&request, t->env, &signer));
  CHECK(!request.auth.has_signature && !request.auth.has_subaccount);
done:;
}

static sc_status refuse_to_sign(const void *user, sc_storage_auth *auth, sc_bytes message) {
  (void)user, (void)message;
  auth->has_signature = true;
  return SC_ERR_NO_KEY;
}

static void a_failing_signer_leaves_the_request_unchanged(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  const sc_storage_signer signer = {refuse_to_sign, NULL};
  FAILS(SC_ERR_NO_KEY, sc_storage_request_sign(&request, t->env, &signer));
  CHECK(!request.auth.has_signature);
done:;
}

static void an_unsigned_method_has_no_text(sc_test *t) {
  static const sc_storage_method methods[] = {SC_STORAGE_GET_SWARM, SC_STORAGE_INFO, SC_STORAGE_BATCH,
                                              SC_STORAGE_NAME, SC_STORAGE_BRANCH};
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    sc_storage_request request = cast_any(methods[i]);
    FAILS(SC_ERR_ARGUMENT, sc_storage_request_signed(&text, &request));
    FAILS(SC_ERR_ARGUMENT, cast_sign(&request, t->env));
  }
done:
  sc_buffer_free(&text);
}

SUITE(network_storage_sign, "network/storage/sign",
      {"every signature covers the known text", every_signature_covers_the_known_text},
      {"tokens are signed as raw bytes", tokens_are_signed_as_raw_bytes},
      {"default values are omitted from the text", default_values_are_omitted_from_the_text},
      {"signatures have the known bytes", signatures_have_the_known_bytes},
      {"a group signs with its own key", a_group_signs_with_its_own_key},
      {"a member signs with its subaccount", a_member_signs_with_its_subaccount},
      {"a failing signer leaves the request unchanged", a_failing_signer_leaves_the_request_unchanged},
      {"an unsigned method has no text", an_unsigned_method_has_no_text});
