#include "method.h"

#include "session-core/base/encoding.h"

typedef struct method_rule {
  const char *name;
  bool has_account;
  bool is_recursive;
  sc_storage_signing signing;
} method_rule;

static const method_rule rules[] = {
    [SC_STORAGE_STORE] = {"store", true, true, SC_STORAGE_MAY_BE_SIGNED},
    [SC_STORAGE_RETRIEVE] = {"retrieve", true, false, SC_STORAGE_MAY_BE_SIGNED},
    [SC_STORAGE_DELETE] = {"delete", true, true, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_DELETE_ALL] = {"delete_all", true, true, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_DELETE_BEFORE] = {"delete_before", true, true, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_EXPIRE] = {"expire", true, true, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_EXPIRE_ALL] = {"expire_all", true, true, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_GET_EXPIRIES] = {"get_expiries", true, false, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_REVOKE] = {"revoke_subaccount", true, true, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_UNREVOKE] = {"unrevoke_subaccount", true, true, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_REVOKED] = {"revoked_subaccounts", true, false, SC_STORAGE_ALWAYS_SIGNED},
    [SC_STORAGE_GET_SWARM] = {"get_swarm", true, false, SC_STORAGE_NEVER_SIGNED},
    [SC_STORAGE_SERVICE_NODES] = {"oxend_request", false, false, SC_STORAGE_NEVER_SIGNED},
    [SC_STORAGE_NAME] = {"oxend_request", false, false, SC_STORAGE_NEVER_SIGNED},
    [SC_STORAGE_INFO] = {"info", false, false, SC_STORAGE_NEVER_SIGNED},
    [SC_STORAGE_ACTIVE_NODES] = {"active_nodes_bin", false, false, SC_STORAGE_NEVER_SIGNED},
    [SC_STORAGE_BATCH] = {"batch", false, false, SC_STORAGE_NEVER_SIGNED},
    [SC_STORAGE_SEQUENCE] = {"sequence", false, false, SC_STORAGE_NEVER_SIGNED},
    [SC_STORAGE_BRANCH] = {"ifelse", false, false, SC_STORAGE_NEVER_SIGNED},
};
enum { method_count = sizeof rules / sizeof rules[0] };

const char *sc_storage_method_name(sc_storage_method method) {
  return rules[method].name;
}

bool sc_storage_method_is_recursive(sc_storage_method method) {
  return rules[method].is_recursive;
}

bool sc_storage_method_has_account(sc_storage_method method) {
  return rules[method].has_account;
}

sc_storage_signing sc_storage_method_signing(sc_storage_method method) {
  return rules[method].signing;
}

bool sc_storage_method_is_meta(sc_storage_method method) {
  return method == SC_STORAGE_BATCH || method == SC_STORAGE_SEQUENCE || method == SC_STORAGE_BRANCH;
}

bool sc_storage_method_find(sc_storage_method *out, sc_bytes name) {
  for (size_t i = 0; i < method_count; i++) {
    if (sc_bytes_same(name, sc_bytes_text(rules[i].name))) {
      *out = (sc_storage_method)i;
      return true;
    }
  }
  *out = SC_STORAGE_GET_SWARM;
  return sc_bytes_same(name, sc_bytes_text("get_snodes_for_pubkey"));
}

/* As the reference has it: the bits of the last character that belong to no byte may be set. */
bool sc_storage_is_hash(sc_bytes text) {
  uint8_t hash[SC_STORAGE_HASH_CHARS / 4 * 3];
  uint8_t rest[3];
  if (text.len != SC_STORAGE_HASH_CHARS)
    return false;
  const uint8_t *last = text.ptr + sizeof hash / 3 * 4;
  const uint8_t end[] = {'A', last[0], last[1], last[2]};
  return sc_base64_decode(hash, sizeof hash, sc_bytes_make(text.ptr, sizeof hash / 3 * 4),
                          SC_BASE64_STANDARD) == SC_OK &&
         sc_base64_decode(rest, sizeof rest, SC_BYTES(end), SC_BASE64_STANDARD) == SC_OK;
}

/* Only get_expiries accepts any text as a hash: an invalid one is not found. */
static bool hashes_are_valid(sc_storage_hashes hashes, bool any_text) {
  for (size_t i = 0; i < hashes.count; i++)
    if (!any_text && !sc_storage_is_hash(hashes.list[i]))
      return false;
  return hashes.count > 0 && hashes.count <= SC_STORAGE_MAX_HASHES;
}

/* Authentication is given completely or not at all. */
static bool retrieve_is_valid(const sc_storage_request *request) {
  const sc_storage_retrieve *retrieve = &request->of.retrieve;
  bool is_signed = request->auth.has_signature;
  bool time_fits = is_signed == (retrieve->signed_at != 0);
  bool key_fits = is_signed || !request->auth.has_ed25519;
  return time_fits && key_fits && (retrieve->last_hash.len == 0 || sc_storage_is_hash(retrieve->last_hash));
}

static bool expire_is_valid(const sc_storage_expire *expire) {
  bool count_fits = expire->expiry_count == 1 || expire->expiry_count == expire->hashes.count;
  return count_fits && hashes_are_valid(expire->hashes, false) &&
         (unsigned)expire->mode <= SC_STORAGE_EXPIRE_EXTEND;
}

static bool tokens_are_valid(const sc_storage_tokens *tokens) {
  return tokens->count > 0 && tokens->count <= SC_STORAGE_MAX_TOKENS;
}

static bool has_condition(const sc_storage_conditions *conditions) {
  return conditions->has_fork_at_least || conditions->has_fork_before || conditions->has_version_at_least ||
         conditions->has_version_before || conditions->has_height_at_least || conditions->has_height_before;
}

static bool parameters_are_valid(const sc_storage_request *request) {
  switch (request->method) {
  case SC_STORAGE_STORE:
    return request->of.store.data.len <= SC_STORAGE_MAX_DATA_BYTES;
  case SC_STORAGE_RETRIEVE:
    return retrieve_is_valid(request);
  case SC_STORAGE_DELETE:
    return hashes_are_valid(request->of.deletion.hashes, false);
  case SC_STORAGE_EXPIRE:
    return expire_is_valid(&request->of.expire);
  case SC_STORAGE_GET_EXPIRIES:
    return hashes_are_valid(request->of.expiries.hashes, true);
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
    return tokens_are_valid(&request->of.tokens);
  case SC_STORAGE_BRANCH:
    return has_condition(&request->of.branch.conditions) &&
           (request->of.branch.then != NULL || request->of.branch.otherwise != NULL);
  default:
    return true;
  }
}

/* Only an account whose key is X25519 has another key to sign with. */
static bool auth_is_valid(const sc_storage_request *request) {
  enum { standard_prefix = 0x05 };
  bool may_have_key =
      sc_storage_method_has_account(request->method) && request->account[0] == standard_prefix;
  bool must_sign = sc_storage_method_signing(request->method) == SC_STORAGE_ALWAYS_SIGNED;
  return (may_have_key || !request->auth.has_ed25519) && (request->auth.has_signature || !must_sign);
}

static sc_status check_batch(const sc_storage_batch *batch, unsigned outer) {
  if (batch->count == 0 || batch->count > SC_STORAGE_MAX_BATCH)
    return SC_ERR_STORAGE_BATCH;
  sc_status status = SC_OK;
  for (size_t i = 0; i < batch->count && status == SC_OK; i++) {
    bool meta = sc_storage_method_is_meta(batch->requests[i].method);
    status = meta ? SC_ERR_STORAGE_BATCH : sc_storage_request_check(&batch->requests[i], outer + 1);
  }
  return status;
}

static sc_status check_branch(const sc_storage_branch *branch, unsigned outer) {
  if (outer == SC_STORAGE_MAX_BRANCHES)
    return SC_ERR_STORAGE_BATCH;
  sc_status status = branch->then == NULL ? SC_OK : sc_storage_request_check(branch->then, outer + 1);
  if (status == SC_OK && branch->otherwise != NULL)
    status = sc_storage_request_check(branch->otherwise, outer + 1);
  return status;
}

sc_status sc_storage_request_check(const sc_storage_request *request, unsigned outer) {
  if ((unsigned)request->method >= method_count)
    return SC_ERR_STORAGE_METHOD;
  if (!auth_is_valid(request) || !parameters_are_valid(request))
    return SC_ERR_STORAGE_PARAMETER;
  if (request->method == SC_STORAGE_BATCH || request->method == SC_STORAGE_SEQUENCE)
    return check_batch(&request->of.batch, outer);
  return request->method == SC_STORAGE_BRANCH ? check_branch(&request->of.branch, outer) : SC_OK;
}
