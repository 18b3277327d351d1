#include "parameters.h"

#include "../../base/text.h"

bool sc_parameter_fixed(uint8_t *out, size_t len, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return sc_rpc_member(&value, dict, key) && sc_rpc_fixed(out, len, value);
}

bool sc_parameter_is_time(uint64_t time, sc_storage_form form) {
  static const uint64_t smallest = 1000000000;
  return form == SC_STORAGE_BT || time >= smallest;
}

bool sc_parameter_time(uint64_t *out, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return sc_rpc_member(&value, dict, key) && sc_rpc_u64(out, value) && sc_parameter_is_time(*out, dict.form);
}

bool sc_parameter_number(uint64_t *out, sc_rpc_value value) {
  sc_bytes text;
  if (value.form == SC_STORAGE_JSON && sc_rpc_text(&text, value))
    return sc_text_number(out, text, UINT64_MAX);
  return sc_rpc_u64(out, value);
}

bool sc_parameter_account(sc_storage_request *request, sc_rpc_value dict) {
  sc_rpc_value value, alias;
  bool has = sc_rpc_member(&value, dict, "pubkey");
  bool takes_alias = request->method == SC_STORAGE_STORE || request->method == SC_STORAGE_RETRIEVE ||
                     request->method == SC_STORAGE_GET_SWARM;
  if (takes_alias && sc_rpc_member(&alias, dict, "pubKey")) {
    if (has)
      return false;
    value = alias;
    has = true;
  }
  return has && sc_rpc_key(request->account, sizeof request->account, value);
}

bool sc_parameter_token(uint8_t out[static SC_STORAGE_TOKEN_BYTES], sc_rpc_value value) {
  return sc_rpc_fixed(out, SC_STORAGE_TOKEN_BYTES, value) ||
         (value.form == SC_STORAGE_JSON && sc_rpc_key(out, SC_STORAGE_TOKEN_BYTES, value));
}

static bool read_subaccount(sc_storage_auth *auth, sc_rpc_value dict) {
  sc_rpc_value value;
  sc_bytes text;
  if (!sc_rpc_member(&value, dict, "subaccount"))
    return true;
  if (!sc_rpc_text(&text, value))
    return false;
  if (text.len == 0)
    return true;
  auth->has_subaccount = true;
  return sc_parameter_token(auth->subaccount, value) &&
         sc_parameter_fixed(auth->subaccount_signature, sizeof auth->subaccount_signature, dict,
                            "subaccount_sig");
}

static bool is_owners_alone(sc_storage_method method) {
  return method == SC_STORAGE_REVOKE || method == SC_STORAGE_UNREVOKE || method == SC_STORAGE_REVOKED;
}

bool sc_parameter_auth(sc_storage_request *request, sc_rpc_value dict) {
  sc_storage_auth *auth = &request->auth;
  sc_rpc_value value;
  if (sc_rpc_member(&value, dict, "pubkey_ed25519")) {
    auth->has_ed25519 = true;
    if (!sc_rpc_key(auth->ed25519, sizeof auth->ed25519, value))
      return false;
  }
  if (sc_rpc_member(&value, dict, "signature")) {
    auth->has_signature = true;
    if (!sc_rpc_fixed(auth->signature, sizeof auth->signature, value))
      return false;
  }
  return is_owners_alone(request->method) || read_subaccount(auth, dict);
}

bool sc_parameter_number16(int16_t *out, sc_rpc_value dict) {
  int64_t number = 0;
  if (!sc_rpc_member_i64(&number, dict, "namespace") || number < INT16_MIN || number > INT16_MAX)
    return false;
  *out = (int16_t)number;
  return true;
}

bool sc_parameter_namespace(sc_storage_namespace *out, sc_rpc_value dict) {
  sc_rpc_value value;
  sc_bytes text;
  if (!sc_rpc_member(&value, dict, "namespace") || !sc_rpc_text(&text, value))
    return sc_parameter_number16(&out->number, dict);
  out->all = sc_bytes_same(text, sc_bytes_text("all"));
  return out->all;
}

sc_status sc_parameter_hashes(sc_storage_hashes *out, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  if (!sc_rpc_member(&value, dict, "messages") || !sc_rpc_list_open_texts(&list, value) || list.count == 0 ||
      list.count > SC_STORAGE_MAX_HASHES)
    return SC_ERR_STORAGE_PARAMETER;
  sc_bytes *hashes = sc_storage_take(memory, list.count, sizeof *hashes);
  if (hashes == NULL)
    return SC_ERR_NO_MEMORY;
  *out = (sc_storage_hashes){hashes, list.count};
  for (; sc_rpc_list_next(&element, &list); hashes++)
    if (!sc_rpc_text(hashes, element))
      return SC_ERR_STORAGE_PARAMETER;
  return SC_OK;
}
