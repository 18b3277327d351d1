/* Reads parameters into typed requests. Here is only what depends on the form; sc_storage_request_check has
 * the rules that hold for every request. */
#include "parameters.h"
#include "reply.h"

static sc_status wrong_unless(bool right) {
  return right ? SC_OK : SC_ERR_STORAGE_PARAMETER;
}

/* One of `ttl` and `expiry`. */
static bool read_expiry(sc_storage_store *store, sc_rpc_value dict) {
  sc_rpc_value ttl, expiry;
  uint64_t how_long;
  bool has_ttl = sc_rpc_member(&ttl, dict, "ttl");
  if (has_ttl == sc_rpc_member(&expiry, dict, "expiry"))
    return false;
  if (!has_ttl)
    return sc_parameter_number(&store->expiry, expiry) && sc_parameter_is_time(store->expiry, dict.form);
  return sc_parameter_number(&how_long, ttl) &&
         !__builtin_add_overflow(store->timestamp, how_long, &store->expiry);
}

static sc_status read_store(sc_storage_request *request, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_storage_store *store = &request->of.store;
  sc_rpc_value data, time;
  if (!sc_rpc_member(&time, dict, "timestamp") || !sc_parameter_number(&store->timestamp, time) ||
      !read_expiry(store, dict) || !sc_parameter_number16(&store->number, dict))
    return SC_ERR_STORAGE_PARAMETER;
  if (sc_rpc_member(&time, dict, "sig_timestamp") &&
      !sc_parameter_time(&store->signed_at, dict, "sig_timestamp"))
    return SC_ERR_STORAGE_PARAMETER;
  if (!sc_rpc_member(&data, dict, "data"))
    return SC_ERR_STORAGE_PARAMETER;
  return sc_rpc_binary(&store->data, memory, data, SC_ERR_STORAGE_PARAMETER);
}

static bool read_last_hash(sc_bytes *out, sc_rpc_value dict) {
  sc_rpc_value value, alias;
  bool has = sc_rpc_member(&value, dict, "last_hash");
  if (sc_rpc_member(&alias, dict, "lastHash")) {
    if (has)
      return false;
    value = alias;
    has = true;
  }
  return !has || sc_rpc_text(out, value);
}

static bool read_retrieve(sc_storage_request *request, sc_rpc_value dict) {
  sc_storage_retrieve *retrieve = &request->of.retrieve;
  sc_rpc_value value;
  bool has_time = sc_rpc_member(&value, dict, "timestamp");
  return (!has_time || sc_parameter_time(&retrieve->signed_at, dict, "timestamp")) &&
         read_last_hash(&retrieve->last_hash, dict) &&
         sc_rpc_member_u64(&retrieve->max_count, dict, "max_count") &&
         sc_rpc_member_i64(&retrieve->max_size, dict, "max_size") &&
         sc_parameter_number16(&retrieve->number, dict);
}

static sc_status read_deletion(sc_storage_request *request, sc_storage_memory *memory, sc_rpc_value dict) {
  if (!sc_rpc_member_bool(&request->of.deletion.required, dict, "required"))
    return SC_ERR_STORAGE_PARAMETER;
  return sc_parameter_hashes(&request->of.deletion.hashes, memory, dict);
}

static bool read_sweep(sc_storage_request *request, sc_rpc_value dict) {
  const char *key = "timestamp";
  if (request->method == SC_STORAGE_DELETE_BEFORE)
    key = "before";
  else if (request->method == SC_STORAGE_EXPIRE_ALL)
    key = "expiry";
  return sc_parameter_time(&request->of.sweep.time, dict, key) &&
         sc_parameter_namespace(&request->of.sweep.where, dict);
}

static sc_status read_expiry_list(sc_storage_expire *expire, sc_storage_memory *memory, sc_rpc_value value) {
  sc_rpc_list list;
  sc_rpc_value element;
  bool is_list = sc_rpc_list_open(&list, value);
  size_t count = is_list ? list.count : 1;
  if (count != 1 && count != expire->hashes.count)
    return SC_ERR_STORAGE_PARAMETER;
  uint64_t *expiries = sc_storage_take(memory, count, sizeof *expiries);
  if (expiries == NULL)
    return SC_ERR_NO_MEMORY;
  expire->expiries = expiries;
  expire->expiry_count = count;
  if (!is_list)
    return wrong_unless(sc_rpc_u64(expiries, value));
  for (; sc_rpc_list_next(&element, &list); expiries++)
    if (!sc_rpc_u64(expiries, element))
      return SC_ERR_STORAGE_PARAMETER;
  return SC_OK;
}

static sc_status read_expire(sc_storage_request *request, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_storage_expire *expire = &request->of.expire;
  bool shorten = false, extend = false;
  sc_rpc_value value;
  if (!sc_rpc_member_bool(&shorten, dict, "shorten") || !sc_rpc_member_bool(&extend, dict, "extend") ||
      (shorten && extend) || !sc_rpc_member(&value, dict, "expiry"))
    return SC_ERR_STORAGE_PARAMETER;
  if (shorten)
    expire->mode = SC_STORAGE_EXPIRE_SHORTEN;
  else if (extend)
    expire->mode = SC_STORAGE_EXPIRE_EXTEND;
  sc_status status = sc_parameter_hashes(&expire->hashes, memory, dict);
  return status == SC_OK ? read_expiry_list(expire, memory, value) : status;
}

static sc_status read_expiries(sc_storage_request *request, sc_storage_memory *memory, sc_rpc_value dict) {
  if (!sc_parameter_time(&request->of.expiries.signed_at, dict, "timestamp"))
    return SC_ERR_STORAGE_PARAMETER;
  return sc_parameter_hashes(&request->of.expiries.hashes, memory, dict);
}

static sc_status read_token_list(sc_storage_tokens *tokens, sc_storage_memory *memory, sc_rpc_value dict,
                                 const char *key) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  if (!sc_rpc_member(&value, dict, key) || !sc_rpc_list_open_texts(&list, value) || list.count == 0 ||
      list.count > SC_STORAGE_MAX_TOKENS)
    return SC_ERR_STORAGE_PARAMETER;
  uint8_t(*read)[SC_STORAGE_TOKEN_BYTES] = sc_storage_take(memory, list.count, sizeof *read);
  if (read == NULL)
    return SC_ERR_NO_MEMORY;
  tokens->list = (const uint8_t(*)[SC_STORAGE_TOKEN_BYTES])read;
  tokens->count = list.count;
  for (; sc_rpc_list_next(&element, &list); read++)
    if (!sc_parameter_token(*read, element))
      return SC_ERR_STORAGE_PARAMETER;
  return SC_OK;
}

static sc_status read_tokens(sc_storage_request *request, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_storage_tokens *tokens = &request->of.tokens;
  if (!sc_parameter_time(&tokens->signed_at, dict, "timestamp"))
    return SC_ERR_STORAGE_PARAMETER;
  if (request->method == SC_STORAGE_REVOKED)
    return SC_OK;
  return read_token_list(tokens, memory, dict, request->method == SC_STORAGE_REVOKE ? "revoke" : "unrevoke");
}

/* In bt the daemon's parameters are a text of JSON. */
static sc_status read_daemon_parameters(sc_rpc_value *out, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_bytes text;
  if (!sc_rpc_member(out, dict, "params"))
    return sc_storage_memory_json(&out->json, memory, sc_bytes_text("{}"));
  if (dict.form == SC_STORAGE_JSON)
    return wrong_unless(sc_rpc_is_dict(*out));
  if (!sc_rpc_text(&text, *out))
    return SC_ERR_STORAGE_PARAMETER;
  *out = (sc_rpc_value){.form = SC_STORAGE_JSON};
  sc_status status = sc_storage_memory_json(&out->json, memory, text);
  if (status == SC_ERR_STORAGE_SYNTAX)
    return SC_ERR_STORAGE_PARAMETER;
  return status == SC_OK ? wrong_unless(sc_rpc_is_dict(*out)) : status;
}

static bool read_name(sc_storage_name_request *out, sc_rpc_value dict) {
  uint64_t type = 0;
  return sc_rpc_member_u64(&type, dict, "type") && type == 0 &&
         sc_parameter_fixed(out->name_hash, sizeof out->name_hash, dict, "name_hash");
}

static sc_status read_daemon_request(sc_storage_request *request, sc_storage_memory *memory,
                                     sc_rpc_value dict) {
  sc_rpc_value parameters = {.form = SC_STORAGE_JSON};
  sc_bytes endpoint = {0};
  if (!sc_rpc_member_text(&endpoint, dict, "endpoint"))
    return SC_ERR_STORAGE_PARAMETER;
  sc_status status = read_daemon_parameters(&parameters, memory, dict);
  if (status != SC_OK)
    return status;
  if (sc_bytes_same(endpoint, sc_bytes_text("ons_resolve"))) {
    request->method = SC_STORAGE_NAME;
    return wrong_unless(read_name(&request->of.name, parameters));
  }
  sc_storage_service_nodes_request *wanted = &request->of.service_nodes;
  return wrong_unless(sc_bytes_same(endpoint, sc_bytes_text("get_service_nodes")) &&
                      sc_storage_service_node_fields_read(&wanted->fields, parameters) &&
                      sc_rpc_member_bool(&wanted->active_only, parameters, "active_only") &&
                      sc_rpc_member_u64(&wanted->limit, parameters, "limit") &&
                      sc_rpc_member_text(&wanted->poll_block_hash, parameters, "poll_block_hash"));
}

static sc_status read_request(sc_storage_request *request, sc_storage_memory *memory, sc_bytes method,
                              sc_rpc_value dict);

static sc_status read_call(sc_storage_request *request, sc_storage_memory *memory, sc_rpc_value call) {
  sc_bytes method;
  sc_rpc_value value, parameters;
  if (!sc_rpc_member(&value, call, "method") || !sc_rpc_text(&method, value))
    return SC_ERR_STORAGE_NO_METHOD;
  if (!sc_rpc_member(&parameters, call, "params") || !sc_rpc_is_dict(parameters))
    return SC_ERR_STORAGE_NO_PARAMETERS;
  return read_request(request, memory, method, parameters);
}

static sc_status read_batch(sc_storage_batch *batch, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  if (!sc_rpc_member(&value, dict, "requests") || !sc_rpc_list_open(&list, value))
    return SC_ERR_STORAGE_PARAMETER;
  if (list.count == 0 || list.count > SC_STORAGE_MAX_BATCH)
    return SC_ERR_STORAGE_BATCH;
  sc_storage_request *requests = sc_storage_take(memory, list.count, sizeof *requests);
  if (requests == NULL)
    return SC_ERR_NO_MEMORY;
  *batch = (sc_storage_batch){requests, list.count};
  sc_status status = SC_OK;
  for (; status == SC_OK && sc_rpc_list_next(&element, &list); requests++) {
    status = read_call(requests, memory, element);
    if (status == SC_OK && sc_storage_method_is_meta(requests->method))
      status = SC_ERR_STORAGE_BATCH;
  }
  return status;
}

/* Up to `count` numbers; too few are followed by zeros, too many are cut. */
static bool read_numbers(bool *has, uint16_t *out, size_t count, sc_rpc_value dict, const char *key) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  uint64_t number;
  if (!sc_rpc_member(&value, dict, key))
    return true;
  if (!sc_rpc_list_open(&list, value))
    return false;
  *has = list.count > 0;
  for (size_t i = 0; sc_rpc_list_next(&element, &list); i++) {
    if (!sc_rpc_u64(&number, element) || number > UINT16_MAX)
      return false;
    if (i < count)
      out[i] = (uint16_t)number;
  }
  return true;
}

static bool read_height(bool *has, uint64_t *out, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  *has = sc_rpc_member(&value, dict, key);
  return !*has || sc_rpc_u64(out, value);
}

static bool read_conditions(sc_storage_conditions *c, sc_rpc_value dict) {
  sc_rpc_value value;
  return sc_rpc_member(&value, dict, "if") && sc_rpc_is_dict(value) &&
         read_numbers(&c->has_fork_at_least, c->fork_at_least, 2, value, "hf_at_least") &&
         read_numbers(&c->has_fork_before, c->fork_before, 2, value, "hf_before") &&
         read_numbers(&c->has_version_at_least, c->version_at_least, 3, value, "v_at_least") &&
         read_numbers(&c->has_version_before, c->version_before, 3, value, "v_before") &&
         read_height(&c->has_height_at_least, &c->height_at_least, value, "height_at_least") &&
         read_height(&c->has_height_before, &c->height_before, value, "height_before");
}

/* Nesting of requests is checked after parsing; until then the depth of documents is the limit. */
static sc_status read_branch_of(const sc_storage_request **out, sc_storage_memory *memory, sc_rpc_value dict,
                                const char *key) {
  sc_rpc_value value;
  *out = NULL;
  if (!sc_rpc_member(&value, dict, key))
    return SC_OK;
  sc_storage_request *request = sc_storage_take(memory, 1, sizeof *request);
  if (request == NULL)
    return SC_ERR_NO_MEMORY;
  *out = request;
  return read_call(request, memory, value);
}

static sc_status read_branch(sc_storage_branch *branch, sc_storage_memory *memory, sc_rpc_value dict) {
  if (!read_conditions(&branch->conditions, dict))
    return SC_ERR_STORAGE_PARAMETER;
  sc_status status = read_branch_of(&branch->then, memory, dict, "then");
  return status == SC_OK ? read_branch_of(&branch->otherwise, memory, dict, "else") : status;
}

static sc_status read_members(sc_storage_request *request, sc_storage_memory *memory, sc_rpc_value dict) {
  switch (request->method) {
  case SC_STORAGE_STORE:
    return read_store(request, memory, dict);
  case SC_STORAGE_RETRIEVE:
    return wrong_unless(read_retrieve(request, dict));
  case SC_STORAGE_DELETE:
    return read_deletion(request, memory, dict);
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
  case SC_STORAGE_EXPIRE_ALL:
    return wrong_unless(read_sweep(request, dict));
  case SC_STORAGE_EXPIRE:
    return read_expire(request, memory, dict);
  case SC_STORAGE_GET_EXPIRIES:
    return read_expiries(request, memory, dict);
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
  case SC_STORAGE_REVOKED:
    return read_tokens(request, memory, dict);
  case SC_STORAGE_SERVICE_NODES:
  case SC_STORAGE_NAME:
    return read_daemon_request(request, memory, dict);
  case SC_STORAGE_BATCH:
  case SC_STORAGE_SEQUENCE:
    return read_batch(&request->of.batch, memory, dict);
  case SC_STORAGE_BRANCH:
    return read_branch(&request->of.branch, memory, dict);
  case SC_STORAGE_GET_SWARM:
  case SC_STORAGE_INFO:
  case SC_STORAGE_ACTIVE_NODES:
    break;
  }
  return SC_OK;
}

static sc_status read_request(sc_storage_request *request, sc_storage_memory *memory, sc_bytes method,
                              sc_rpc_value dict) {
  *request = (sc_storage_request){0};
  if (!sc_storage_method_find(&request->method, method))
    return SC_ERR_STORAGE_METHOD;
  if (!sc_rpc_is_dict(dict))
    return SC_ERR_STORAGE_PARAMETER;
  if (sc_storage_method_has_account(request->method) && !sc_parameter_account(request, dict))
    return SC_ERR_STORAGE_PARAMETER;
  if (sc_storage_method_signing(request->method) != SC_STORAGE_NEVER_SIGNED &&
      !sc_parameter_auth(request, dict))
    return SC_ERR_STORAGE_PARAMETER;
  return read_members(request, memory, dict);
}

typedef sc_status (*request_reader)(sc_storage_request *request, sc_storage_memory *memory,
                                    const sc_bytes *method, sc_rpc_value document);

static sc_status from_parameters(sc_storage_request *request, sc_storage_memory *memory,
                                 const sc_bytes *method, sc_rpc_value document) {
  return read_request(request, memory, *method, document);
}

static sc_status from_call(sc_storage_request *request, sc_storage_memory *memory, const sc_bytes *method,
                           sc_rpc_value document) {
  (void)method;
  return read_call(request, memory, document);
}

static sc_status parse(sc_storage_parsed_request *out, const sc_env *env, request_reader read,
                       const sc_bytes *method, sc_bytes body) {
  sc_storage_parsed_request parsed = {0};
  sc_rpc_value document;
  sc_status status = sc_storage_memory_new(&parsed.memory, env);
  if (status != SC_OK)
    return status;
  status = sc_rpc_open(&document, parsed.memory, body);
  if (status == SC_OK)
    status = read(&parsed.request, parsed.memory, method, document);
  if (status == SC_OK)
    status = sc_storage_request_check(&parsed.request, 0);
  parsed.form = document.form;
  if (status == SC_OK)
    *out = parsed;
  else
    sc_storage_memory_free(parsed.memory);
  return status;
}

sc_status sc_storage_request_parse(sc_storage_parsed_request *out, const sc_env *env, sc_bytes method,
                                   sc_bytes parameters) {
  return parse(out, env, from_parameters, &method, parameters);
}

/* A call is JSON, so bt can be none. */
sc_status sc_storage_call_parse(sc_storage_parsed_request *out, const sc_env *env, sc_bytes call) {
  if (call.len == 0 || call.ptr[0] == 'd')
    return SC_ERR_STORAGE_SYNTAX;
  return parse(out, env, from_call, NULL, call);
}

/* ---- the name of a method that there is not ---- */

static bool find_unknown(sc_bytes *out, sc_bytes method, sc_rpc_value parameters);

static bool find_unknown_in_call(sc_bytes *out, sc_rpc_value call) {
  sc_rpc_value method, parameters;
  sc_bytes name;
  return sc_rpc_member(&method, call, "method") && sc_rpc_text(&name, method) &&
         sc_rpc_member(&parameters, call, "params") && find_unknown(out, name, parameters);
}

/* No deeper than documents may be. */
static bool find_unknown(sc_bytes *out, sc_bytes method, sc_rpc_value parameters) {
  sc_storage_method known;
  sc_rpc_value value, element;
  sc_rpc_list list;
  if (!sc_storage_method_find(&known, method)) {
    *out = method;
    return true;
  }
  if (!sc_storage_method_is_meta(known) || !sc_rpc_is_dict(parameters))
    return false;
  if (sc_rpc_member(&value, parameters, "requests") && sc_rpc_list_open(&list, value))
    while (sc_rpc_list_next(&element, &list))
      if (sc_rpc_is_dict(element) && find_unknown_in_call(out, element))
        return true;
  for (size_t i = 0; i < 2; i++)
    if (sc_rpc_member(&value, parameters, i == 0 ? "then" : "else") && sc_rpc_is_dict(value) &&
        find_unknown_in_call(out, value))
      return true;
  return false;
}

sc_status sc_storage_unknown_method(sc_buffer *out, const sc_env *env, sc_bytes method, sc_bytes body) {
  sc_storage_memory *memory;
  sc_rpc_value document;
  sc_bytes name = {0};
  sc_buffer_clear(out);
  sc_status status = sc_storage_memory_new(&memory, env);
  if (status != SC_OK)
    return status;
  status = sc_rpc_open(&document, memory, body);
  if (status == SC_OK && sc_rpc_is_dict(document)) {
    bool found =
        method.len > 0 ? find_unknown(&name, method, document) : find_unknown_in_call(&name, document);
    status = found ? sc_buffer_append(out, name) : SC_ERR_NOT_FOUND;
  }
  sc_storage_memory_free(memory);
  return status;
}

void sc_storage_parsed_request_free(sc_storage_parsed_request *request) {
  sc_storage_memory_free(request->memory);
  *request = (sc_storage_parsed_request){0};
}
