#include "network/storage/cast.h"
#include "support/test.h"

static sc_status authorize(const sc_storage_request *request, sc_test *t, uint64_t now, bool forwarded) {
  const sc_storage_judge judge = {.now = now, .forwarded = forwarded};
  sc_storage_grant grant;
  return sc_storage_request_authorize(&grant, t->env, request, &judge);
}

static void the_accounts_owner_may_do_everything(sc_test *t) {
  for (int method = SC_STORAGE_STORE; method <= SC_STORAGE_REVOKED; method++) {
    sc_storage_request request = cast_any((sc_storage_method)method);
    OK(cast_sign(&request, t->env));
    OK(authorize(&request, t, cast_now, false));
  }
done:;
}

static void a_wrong_signature_is_refused(sc_test *t) {
  for (int method = SC_STORAGE_STORE; method <= SC_STORAGE_REVOKED; method++) {
    sc_storage_request request = cast_any((sc_storage_method)method);
    OK(cast_sign(&request, t->env));
    request.auth.signature[5] ^= 1;
    FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
    request.auth.signature[5] ^= 1;
    request.auth.has_signature = false;
    FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
  }
done:;
}

static void public_methods_need_no_signature(sc_test *t) {
  static const sc_storage_method methods[] = {SC_STORAGE_GET_SWARM, SC_STORAGE_INFO, SC_STORAGE_ACTIVE_NODES,
                                              SC_STORAGE_SERVICE_NODES};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    sc_storage_request request = cast_any(methods[i]);
    OK(authorize(&request, t, cast_now, false));
  }
done:;
}

/* An invalid key, another account's key, and one for another kind of account. */
static void a_signing_key_must_be_the_accounts(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  sc_keypair other = cast_keys(0x22);
  OK(cast_sign(&request, t->env));
  sc_storage_request no_point = request, strange = request, group = request;
  memset(no_point.auth.ed25519, 0, sizeof no_point.auth.ed25519);
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&no_point, t, cast_now, false));
  sc_storage_signer signer = sc_storage_account_signer(&other.ed);
  OK(sc_storage_request_sign(&strange, t->env, &signer));
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&strange, t, cast_now, false));
  group.account[0] = 0x03;
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&group, t, cast_now, false));
  request.auth.has_ed25519 = false;
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
done:;
}

typedef struct window {
  sc_storage_method method;
  int64_t past, future;       /* maximum clock difference in seconds; -1 for any */
  int64_t past_by, future_by; /* when relayed by another node */
  sc_status failure;
} window;

static void set_time(sc_storage_request *request, uint64_t time) {
  static uint64_t expiry;
  switch (request->method) {
  case SC_STORAGE_STORE:
    request->of.store.signed_at = time;
    break;
  case SC_STORAGE_RETRIEVE:
    request->of.retrieve.signed_at = time;
    break;
  case SC_STORAGE_GET_EXPIRIES:
    request->of.expiries.signed_at = time;
    break;
  case SC_STORAGE_EXPIRE:
    expiry = time;
    request->of.expire.expiries = &expiry;
    request->of.expire.expiry_count = 1;
    break;
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
  case SC_STORAGE_REVOKED:
    request->of.tokens.signed_at = time;
    break;
  default:
    request->of.sweep.time = time;
    break;
  }
}

/* The status of a request with this time. */
static sc_status authorize_at(sc_test *t, sc_storage_method method, uint64_t time, bool forwarded) {
  sc_storage_request request = cast_any(method);
  set_time(&request, time);
  sc_status status = cast_sign(&request, t->env);
  return status == SC_OK ? authorize(&request, t, cast_now, forwarded) : status;
}

static void every_method_has_its_time_window(sc_test *t) {
  static const window windows[] = {
      {SC_STORAGE_STORE, 60, 60, 60, 60, SC_ERR_STORAGE_CLOCK},
      {SC_STORAGE_RETRIEVE, 60, 60, 60, 60, SC_ERR_STORAGE_CLOCK},
      {SC_STORAGE_DELETE_ALL, 60, 60, 70, 70, SC_ERR_STORAGE_CLOCK},
      {SC_STORAGE_DELETE_BEFORE, -1, 60, -1, 60, SC_ERR_STORAGE_UNAUTHORIZED},
      {SC_STORAGE_EXPIRE_ALL, 60, -1, 70, -1, SC_ERR_STORAGE_CLOCK},
      {SC_STORAGE_EXPIRE, 60, -1, 60, -1, SC_ERR_STORAGE_UNAUTHORIZED},
      {SC_STORAGE_GET_EXPIRIES, 60, 60, 60, 60, SC_ERR_STORAGE_CLOCK},
      {SC_STORAGE_REVOKE, 60, 60, 60, 60, SC_ERR_STORAGE_CLOCK},
      {SC_STORAGE_UNREVOKE, 60, 60, 60, 60, SC_ERR_STORAGE_CLOCK},
      {SC_STORAGE_REVOKED, 60, 60, 60, 60, SC_ERR_STORAGE_CLOCK},
  };
  for (size_t i = 0; i < (t->torture ? 1 : sizeof windows / sizeof windows[0]); i++) {
    const window *w = &windows[i];
    for (int forwarded = 0; forwarded < 2; forwarded++) {
      int64_t past = (forwarded ? w->past_by : w->past) * 1000;
      int64_t future = (forwarded ? w->future_by : w->future) * 1000;
      uint64_t earliest = past < 0 ? 1000000000000 : cast_now - (uint64_t)past;
      uint64_t latest = future < 0 ? cast_now * 2 : cast_now + (uint64_t)future;
      OK(authorize_at(t, w->method, earliest, forwarded));
      OK(authorize_at(t, w->method, latest, forwarded));
      if (past >= 0)
        FAILS(w->failure, authorize_at(t, w->method, earliest - 1, forwarded));
      if (future >= 0)
        FAILS(w->failure, authorize_at(t, w->method, latest + 1, forwarded));
    }
  }
done:;
}

static sc_status store(sc_test *t, int16_t number, uint64_t timestamp, uint64_t expiry) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  request.of.store.number = number;
  request.of.store.timestamp = timestamp;
  request.of.store.expiry = expiry;
  sc_status status = cast_sign(&request, t->env);
  return status == SC_OK ? authorize(&request, t, cast_now, false) : status;
}

static void a_messages_lifetime_has_limits(sc_test *t) {
  OK(store(t, 2, cast_now, cast_now + 10000));
  FAILS(SC_ERR_STORAGE_LIFETIME, store(t, 2, cast_now, cast_now + 9999));
  FAILS(SC_ERR_STORAGE_LIFETIME, store(t, 2, cast_now, cast_now - 1));
  OK(store(t, 2, cast_now, cast_now + 30 * cast_day));
  FAILS(SC_ERR_STORAGE_LIFETIME, store(t, 2, cast_now, cast_now + 30 * cast_day + 1));
  OK(store(t, 0, cast_now, cast_now + 14 * cast_day));
  FAILS(SC_ERR_STORAGE_LIFETIME, store(t, 0, cast_now, cast_now + 14 * cast_day + 1));
  FAILS(SC_ERR_STORAGE_LIFETIME, store(t, 2, 1, UINT64_MAX));
done:;
}

/* The past is limited only by the message's expiry. */
static void future_and_expired_messages_are_refused(sc_test *t) {
  OK(store(t, 2, cast_now + 10000, cast_now + cast_day));
  FAILS(SC_ERR_STORAGE_CLOCK, store(t, 2, cast_now + 10001, cast_now + cast_day));
  OK(store(t, 2, cast_now - cast_day, cast_now - 10000));
  FAILS(SC_ERR_STORAGE_CLOCK, store(t, 2, cast_now - cast_day, cast_now - 10001));
done:;
}

/* The documents differ; a node that checked it would refuse messages the network accepts. */
static void a_signature_on_a_store_to_an_inbox_is_ignored(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  request.of.store.number = 0;
  request.auth.has_signature = true;
  OK(authorize(&request, t, cast_now, false));
  request.auth.has_signature = false;
  OK(authorize(&request, t, cast_now, false));
  request.of.store.number = -10;
  OK(authorize(&request, t, cast_now, false));
done:;
}

static void anyone_may_read_an_outbox(sc_test *t) {
  static const int16_t open[] = {-1, -21, -10};
  static const int16_t closed[] = {0, 2, -11, -20};
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  request.of.retrieve.signed_at = 0;
  for (size_t i = 0; i < 3; i++) {
    request.of.retrieve.number = open[i];
    OK(authorize(&request, t, cast_now, false));
  }
  for (size_t i = 0; i < 4; i++) {
    request.of.retrieve.number = closed[i];
    FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
  }
  request.of.retrieve.number = -1;
  request.of.retrieve.signed_at = cast_now;
  request.auth.has_signature = true;
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
done:;
}

/* The known member of the known group, with these flags. */
static void make_member(sc_storage_auth *auth, uint8_t flags, uint8_t prefix) {
  sc_keypair group = cast_keys(0x11), member = cast_keys(0x22);
  *auth = (sc_storage_auth){.has_subaccount = true, .subaccount = {prefix, flags}};
  memcpy(auth->subaccount + 4, member.ed.public_key, SC_KEY_BYTES);
  sc_ed25519_sign(auth->subaccount_signature, &group.ed, SC_BYTES(auth->subaccount));
}

static sc_status sign_as_member(sc_storage_request *request, sc_test *t, uint8_t flags, uint8_t prefix) {
  sc_keypair member = cast_keys(0x22);
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  make_member(&request->auth, flags, prefix);
  sc_status status = sc_storage_request_signed(&text, request);
  request->auth.has_signature = true;
  if (status == SC_OK)
    sc_ed25519_sign(request->auth.signature, &member.ed, sc_buffer_bytes(&text));
  sc_buffer_free(&text);
  return status;
}

static sc_storage_request group_request(sc_storage_method method) {
  sc_storage_request request = cast_any(method), group = cast_group_request(method);
  memcpy(request.account, group.account, sizeof request.account);
  return request;
}

static void a_known_subaccount_may_read(sc_test *t) {
  static const char token[] = "AwMAAKCapfR6Z1mAL/lV+NwtKhSlyZ0jvpf4ZBJ/+Tg0VaTw";
  static const char token_signature[] =
      "fDsB5Ebk5WWKR/htEntlWng3n//s4Vuy3q9uMOWfGxsRMYe6E3Q6MdbiUR4Q0J8fmo1SiRqorcTO4hFW3Jz5Dg==";
  static const char signature[] =
      "DM0xinAd8mxzGxU4mGzc/9Smwq8DtaiHPAjgmiYNb85TImbpgtbPTJ71lUn15PxhYKJ5iugUpuBcA47+4gmVAQ==";
  sc_storage_request request = group_request(SC_STORAGE_RETRIEVE);
  sc_storage_auth *auth = &request.auth;
  request.of.retrieve.number = 11;
  auth->has_signature = true;
  auth->has_subaccount = true;
  OK(sc_base64_decode(auth->subaccount, sizeof auth->subaccount, sc_bytes_text(token), SC_BASE64_STANDARD));
  OK(sc_base64_decode(auth->subaccount_signature, 64, sc_bytes_text(token_signature), SC_BASE64_STANDARD));
  OK(sc_base64_decode(auth->signature, 64, sc_bytes_text(signature), SC_BASE64_STANDARD));
  OK(authorize(&request, t, cast_now, false));
  auth->subaccount_signature[0] ^= 1;
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
done:;
}

typedef struct known_rights {
  sc_storage_method method;
  int16_t number;
  uint8_t needed;
} known_rights;

static void members_may_do_what_their_flags_allow(sc_test *t) {
  static const known_rights known[] = {
      {SC_STORAGE_STORE, 11, SC_SUBACCOUNT_WRITE},
      {SC_STORAGE_STORE, -1, SC_SUBACCOUNT_WRITE | SC_SUBACCOUNT_DELETE},
      {SC_STORAGE_RETRIEVE, 11, SC_SUBACCOUNT_READ},
      {SC_STORAGE_DELETE, 0, SC_SUBACCOUNT_DELETE},
      {SC_STORAGE_DELETE_ALL, 0, SC_SUBACCOUNT_DELETE},
      {SC_STORAGE_DELETE_BEFORE, 0, SC_SUBACCOUNT_DELETE},
      {SC_STORAGE_EXPIRE, 0, SC_SUBACCOUNT_WRITE},
      {SC_STORAGE_EXPIRE_ALL, 0, SC_SUBACCOUNT_DELETE},
      {SC_STORAGE_GET_EXPIRIES, 0, SC_SUBACCOUNT_READ},
  };
  for (size_t i = 0; i < (t->torture ? 1 : sizeof known / sizeof known[0]); i++) {
    for (uint8_t flags = 0; flags < 8; flags++) {
      sc_storage_request request = group_request(known[i].method);
      if (known[i].method == SC_STORAGE_STORE)
        request.of.store.number = known[i].number;
      if (known[i].method == SC_STORAGE_RETRIEVE)
        request.of.retrieve.number = known[i].number;
      bool may = (flags & known[i].needed) == known[i].needed;
      OK(sign_as_member(&request, t, flags, 0x03));
      FAILS(may ? SC_OK : SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
    }
  }
done:;
}

static void a_token_is_valid_for_one_kind_of_account_unless_flagged_otherwise(sc_test *t) {
  sc_storage_request request = group_request(SC_STORAGE_RETRIEVE);
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_READ, 0x05));
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, authorize(&request, t, cast_now, false));
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_READ | SC_SUBACCOUNT_ANY_PREFIX, 0x05));
  OK(authorize(&request, t, cast_now, false));
done:;
}

static void without_the_delete_right_a_member_may_only_extend(sc_test *t) {
  const sc_storage_judge judge = {.now = cast_now};
  sc_storage_request request = group_request(SC_STORAGE_EXPIRE);
  sc_storage_grant grant;
  request.of.expire.mode = SC_STORAGE_EXPIRE_SET;
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_WRITE, 0x03));
  OK(sc_storage_request_authorize(&grant, t->env, &request, &judge));
  CHECK(grant.extend_only);
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_WRITE | SC_SUBACCOUNT_DELETE, 0x03));
  OK(sc_storage_request_authorize(&grant, t->env, &request, &judge));
  CHECK(!grant.extend_only);
  request.of.expire.mode = SC_STORAGE_EXPIRE_SHORTEN;
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_WRITE, 0x03));
  FAILS(SC_ERR_STORAGE_PARAMETER, sc_storage_request_authorize(&grant, t->env, &request, &judge));
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_WRITE | SC_SUBACCOUNT_DELETE, 0x03));
  OK(sc_storage_request_authorize(&grant, t->env, &request, &judge));
done:;
}

static bool is_revoked(void *user, const uint8_t *account, const uint8_t *token) {
  (void)account, (void)token;
  (*(size_t *)user)++;
  return true;
}

static void a_removed_member_may_read_only_the_kick_notice(sc_test *t) {
  size_t asked = 0;
  const sc_storage_judge judge = {.now = cast_now, .is_revoked = is_revoked, .user = &asked};
  sc_storage_request request = group_request(SC_STORAGE_RETRIEVE);
  sc_storage_grant grant;
  request.of.retrieve.number = 11;
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_READ, 0x03));
  FAILS(SC_ERR_STORAGE_UNAUTHORIZED, sc_storage_request_authorize(&grant, t->env, &request, &judge));
  CHECK(asked == 1);
  request.of.retrieve.number = -11;
  OK(sign_as_member(&request, t, SC_SUBACCOUNT_READ, 0x03));
  OK(sc_storage_request_authorize(&grant, t->env, &request, &judge));
  CHECK(asked == 1);
done:;
}

SUITE(node_authorize, "node/authorize",
      {"the account's owner may do everything", the_accounts_owner_may_do_everything},
      {"a wrong signature is refused", a_wrong_signature_is_refused},
      {"public methods need no signature", public_methods_need_no_signature},
      {"a signing key must be the account's", a_signing_key_must_be_the_accounts},
      {"every method has its time window", every_method_has_its_time_window},
      {"a message's lifetime has limits", a_messages_lifetime_has_limits},
      {"future and expired messages are refused", future_and_expired_messages_are_refused},
      {"a signature on a store to an inbox is ignored", a_signature_on_a_store_to_an_inbox_is_ignored},
      {"anyone may read an outbox", anyone_may_read_an_outbox},
      {"a known subaccount may read", a_known_subaccount_may_read},
      {"members may do what their flags allow", members_may_do_what_their_flags_allow},
      {"a token is valid for one kind of account unless flagged otherwise",
       a_token_is_valid_for_one_kind_of_account_unless_flagged_otherwise},
      {"without the delete right a member may only extend",
       without_the_delete_right_a_member_may_only_extend},
      {"a removed member may read only the kick notice", a_removed_member_may_read_only_the_kick_notice});
