/* The signed bytes of each request, and signing. */
#include "session-core/network/storage_auth.h"
#include "signed_text.h"

static sc_status append_namespace(sc_buffer *out, sc_storage_namespace where) {
  char text[SC_STORAGE_MAX_NUMBER_CHARS];
  sc_storage_namespace_text(text, where);
  return sc_signed_text(out, text);
}

static sc_status append_place_and_time(sc_buffer *out, sc_storage_namespace where, uint64_t time) {
  sc_status status = append_namespace(out, where);
  return status == SC_OK ? sc_signed_number(out, time) : status;
}

static sc_status append_number(sc_buffer *out, int16_t number, uint64_t time) {
  return append_place_and_time(out, (sc_storage_namespace){.number = number}, time);
}

/* The requested ones, although a node may lower them. */
static sc_status append_expire(sc_buffer *out, const sc_storage_expire *expire) {
  static const char *const modes[] = {"", "shorten", "extend"};
  sc_status status = sc_signed_text(out, modes[expire->mode]);
  for (size_t i = 0; i < expire->expiry_count && status == SC_OK; i++)
    status = sc_signed_number(out, expire->expiries[i]);
  return status == SC_OK ? sc_signed_hashes(out, expire->hashes) : status;
}

static sc_status append_parameters(sc_buffer *out, const sc_storage_request *request) {
  const sc_storage_store *store = &request->of.store;
  sc_status status;
  switch (request->method) {
  case SC_STORAGE_STORE:
    return append_number(out, store->number, store->signed_at != 0 ? store->signed_at : store->timestamp);
  case SC_STORAGE_RETRIEVE:
    return append_number(out, request->of.retrieve.number, request->of.retrieve.signed_at);
  case SC_STORAGE_DELETE:
    return sc_signed_hashes(out, request->of.deletion.hashes);
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
  case SC_STORAGE_EXPIRE_ALL:
    return append_place_and_time(out, request->of.sweep.where, request->of.sweep.time);
  case SC_STORAGE_EXPIRE:
    return append_expire(out, &request->of.expire);
  case SC_STORAGE_GET_EXPIRIES:
    status = sc_signed_number(out, request->of.expiries.signed_at);
    return status == SC_OK ? sc_signed_hashes(out, request->of.expiries.hashes) : status;
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
    status = sc_signed_number(out, request->of.tokens.signed_at);
    return status == SC_OK ? sc_signed_tokens(out, &request->of.tokens) : status;
  case SC_STORAGE_REVOKED:
    return sc_signed_number(out, request->of.tokens.signed_at);
  default:
    return SC_ERR_ARGUMENT;
  }
}

sc_status sc_storage_request_signed(sc_buffer *out, const sc_storage_request *request) {
  sc_buffer_clear(out);
  if (sc_storage_method_signing(request->method) == SC_STORAGE_NEVER_SIGNED)
    return SC_ERR_ARGUMENT;
  sc_status status = sc_signed_text(out, sc_storage_method_name(request->method));
  if (status == SC_OK)
    status = append_parameters(out, request);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

sc_status sc_storage_request_sign(sc_storage_request *request, const sc_env *env,
                                  const sc_storage_signer *signer) {
  sc_storage_auth auth = {0};
  sc_buffer message;
  sc_buffer_init(&message, env);
  sc_status status = sc_storage_request_signed(&message, request);
  if (status == SC_OK)
    status = signer->sign(signer->user, &auth, sc_buffer_bytes(&message));
  if (status == SC_OK)
    request->auth = auth;
  sc_buffer_free(&message);
  return status;
}

static sc_status sign_for_group(const void *user, sc_storage_auth *auth, sc_bytes message) {
  auth->has_signature = true;
  sc_ed25519_sign(auth->signature, user, message);
  return SC_OK;
}

static sc_status sign_for_account(const void *user, sc_storage_auth *auth, sc_bytes message) {
  const sc_ed25519_pair *pair = user;
  auth->has_ed25519 = true;
  memcpy(auth->ed25519, pair->public_key, sizeof auth->ed25519);
  return sign_for_group(user, auth, message);
}

sc_storage_signer sc_storage_account_signer(const sc_ed25519_pair *pair) {
  return (sc_storage_signer){sign_for_account, pair};
}

sc_storage_signer sc_storage_group_signer(const sc_ed25519_pair *pair) {
  return (sc_storage_signer){sign_for_group, pair};
}

static sc_status sign_for_subaccount(const void *user, sc_storage_auth *auth, sc_bytes message) {
  const sc_storage_subaccount *subaccount = user;
  sc_subaccount_proof proof;
  sc_status status = sc_subaccount_sign(&proof, subaccount->me, subaccount->access, message);
  if (status != SC_OK)
    return status;
  auth->has_signature = true;
  memcpy(auth->signature, proof.signature, sizeof auth->signature);
  auth->has_subaccount = true;
  memcpy(auth->subaccount, proof.token, sizeof auth->subaccount);
  memcpy(auth->subaccount_signature, proof.token_signature, sizeof auth->subaccount_signature);
  return SC_OK;
}

sc_storage_signer sc_storage_subaccount_signer(const sc_storage_subaccount *subaccount) {
  return (sc_storage_signer){sign_for_subaccount, subaccount};
}
