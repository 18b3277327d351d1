/* Keys come in ascending order, which bt demands and JSON does not mind. */
#include "method.h"
#include "rpc.h"

static void put_keys(sc_rpc_writer *w, const sc_storage_request *request) {
  sc_rpc_put_key(w, "pubkey");
  sc_rpc_put_raw_key(w, SC_BYTES(request->account));
  if (request->auth.has_ed25519) {
    sc_rpc_put_key(w, "pubkey_ed25519");
    sc_rpc_put_raw_key(w, SC_BYTES(request->auth.ed25519));
  }
}

static void put_signature(sc_rpc_writer *w, const sc_storage_request *request) {
  if (request->auth.has_signature) {
    sc_rpc_put_key(w, "signature");
    sc_rpc_put_binary(w, SC_BYTES(request->auth.signature));
  }
  if (request->auth.has_subaccount) {
    sc_rpc_put_key(w, "subaccount");
    sc_rpc_put_binary(w, SC_BYTES(request->auth.subaccount));
    sc_rpc_put_key(w, "subaccount_sig");
    sc_rpc_put_binary(w, SC_BYTES(request->auth.subaccount_signature));
  }
}

static void put_member_u64(sc_rpc_writer *w, const char *key, uint64_t value) {
  sc_rpc_put_key(w, key);
  sc_rpc_put_u64(w, value);
}

static void put_namespace(sc_rpc_writer *w, sc_storage_namespace where) {
  sc_rpc_put_key(w, "namespace");
  if (where.all)
    sc_rpc_put_text(w, sc_bytes_text("all"));
  else
    sc_rpc_put_i64(w, where.number);
}

static void put_hashes(sc_rpc_writer *w, sc_storage_hashes hashes) {
  sc_rpc_put_key(w, "messages");
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < hashes.count; i++)
    sc_rpc_put_text(w, hashes.list[i]);
  sc_rpc_end_list(w);
}

/* Clients say how long, nodes until when. */
static void put_store(sc_rpc_writer *w, const sc_storage_request *request) {
  const sc_storage_store *store = &request->of.store;
  bool how_long = w->form == SC_STORAGE_JSON && store->expiry >= store->timestamp;
  sc_rpc_put_key(w, "data");
  sc_rpc_put_binary(w, store->data);
  if (!how_long)
    put_member_u64(w, "expiry", store->expiry);
  put_namespace(w, (sc_storage_namespace){.number = store->number});
  put_keys(w, request);
  if (store->signed_at != 0)
    put_member_u64(w, "sig_timestamp", store->signed_at);
  put_signature(w, request);
  put_member_u64(w, "timestamp", store->timestamp);
  if (how_long)
    put_member_u64(w, "ttl", store->expiry - store->timestamp);
}

static void put_retrieve(sc_rpc_writer *w, const sc_storage_request *request) {
  const sc_storage_retrieve *retrieve = &request->of.retrieve;
  if (retrieve->last_hash.len > 0) {
    sc_rpc_put_key(w, "last_hash");
    sc_rpc_put_text(w, retrieve->last_hash);
  }
  if (retrieve->max_count > 0)
    put_member_u64(w, "max_count", retrieve->max_count);
  if (retrieve->max_size != 0) {
    sc_rpc_put_key(w, "max_size");
    sc_rpc_put_i64(w, retrieve->max_size);
  }
  put_namespace(w, (sc_storage_namespace){.number = retrieve->number});
  put_keys(w, request);
  put_signature(w, request);
  if (retrieve->signed_at != 0)
    put_member_u64(w, "timestamp", retrieve->signed_at);
}

static void put_deletion(sc_rpc_writer *w, const sc_storage_request *request) {
  put_hashes(w, request->of.deletion.hashes);
  put_keys(w, request);
  if (request->of.deletion.required) {
    sc_rpc_put_key(w, "required");
    sc_rpc_put_bool(w, true);
  }
  put_signature(w, request);
}

static void put_sweep(sc_rpc_writer *w, const sc_storage_request *request) {
  const sc_storage_sweep *sweep = &request->of.sweep;
  if (request->method == SC_STORAGE_DELETE_BEFORE)
    put_member_u64(w, "before", sweep->time);
  if (request->method == SC_STORAGE_EXPIRE_ALL)
    put_member_u64(w, "expiry", sweep->time);
  put_namespace(w, sweep->where);
  put_keys(w, request);
  put_signature(w, request);
  if (request->method == SC_STORAGE_DELETE_ALL)
    put_member_u64(w, "timestamp", sweep->time);
}

static void put_mode(sc_rpc_writer *w, const char *key, bool is_set) {
  if (!is_set)
    return;
  sc_rpc_put_key(w, key);
  sc_rpc_put_bool(w, true);
}

static void put_expire(sc_rpc_writer *w, const sc_storage_request *request) {
  const sc_storage_expire *expire = &request->of.expire;
  sc_rpc_put_key(w, "expiry");
  if (expire->expiry_count == 1) {
    sc_rpc_put_u64(w, expire->expiries[0]);
  } else {
    sc_rpc_begin_list(w);
    for (size_t i = 0; i < expire->expiry_count; i++)
      sc_rpc_put_u64(w, expire->expiries[i]);
    sc_rpc_end_list(w);
  }
  put_mode(w, "extend", expire->mode == SC_STORAGE_EXPIRE_EXTEND);
  put_hashes(w, expire->hashes);
  put_keys(w, request);
  put_mode(w, "shorten", expire->mode == SC_STORAGE_EXPIRE_SHORTEN);
  put_signature(w, request);
}

static void put_expiries(sc_rpc_writer *w, const sc_storage_request *request) {
  put_hashes(w, request->of.expiries.hashes);
  put_keys(w, request);
  put_signature(w, request);
  put_member_u64(w, "timestamp", request->of.expiries.signed_at);
}

static void put_token_list(sc_rpc_writer *w, const char *key, const sc_storage_tokens *tokens) {
  sc_rpc_put_key(w, key);
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < tokens->count; i++)
    sc_rpc_put_binary(w, SC_BYTES(tokens->list[i]));
  sc_rpc_end_list(w);
}

static void put_tokens(sc_rpc_writer *w, const sc_storage_request *request) {
  const sc_storage_tokens *tokens = &request->of.tokens;
  put_keys(w, request);
  if (request->method == SC_STORAGE_REVOKE)
    put_token_list(w, "revoke", tokens);
  put_signature(w, request);
  put_member_u64(w, "timestamp", tokens->signed_at);
  if (request->method == SC_STORAGE_UNREVOKE)
    put_token_list(w, "unrevoke", tokens);
}

/* Everything that sc_storage_node has room for. */
static void put_service_node_fields(sc_rpc_writer *w) {
  static const char *const fields[] = {
      "block_hash",
      "funded",
      "hardfork",
      "height",
      "pubkey_ed25519",
      "pubkey_x25519",
      "public_ip",
      "requested_unlock_height",
      "service_node_pubkey",
      "snode_revision",
      "storage_lmq_port",
      "storage_port",
      "storage_server_version",
      "swarm_id",
  };
  sc_rpc_put_key(w, "fields");
  sc_rpc_begin_dict(w);
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    sc_rpc_put_key(w, fields[i]);
    sc_rpc_put_bool(w, true);
  }
  sc_rpc_end_dict(w);
}

static void put_service_nodes(sc_rpc_writer *w, const sc_storage_service_nodes_request *wanted) {
  sc_rpc_begin_dict(w);
  sc_rpc_put_key(w, "active_only");
  sc_rpc_put_bool(w, wanted->active_only);
  put_service_node_fields(w);
  if (wanted->limit != 0)
    put_member_u64(w, "limit", wanted->limit);
  if (wanted->poll_block_hash.len > 0) {
    sc_rpc_put_key(w, "poll_block_hash");
    sc_rpc_put_text(w, wanted->poll_block_hash);
  }
  sc_rpc_end_dict(w);
}

static void put_name(sc_rpc_writer *w, const sc_storage_name_request *wanted) {
  sc_rpc_begin_dict(w);
  sc_rpc_put_key(w, "name_hash");
  sc_rpc_put_binary(w, SC_BYTES(wanted->name_hash));
  sc_rpc_put_key(w, "type");
  sc_rpc_put_u64(w, 0);
  sc_rpc_end_dict(w);
}

/* A daemon request is JSON, whatever form surrounds it. */
static void put_daemon_request(sc_rpc_writer *w, const sc_storage_request *request) {
  bool name = request->method == SC_STORAGE_NAME;
  sc_buffer json;
  sc_rpc_writer inner;
  sc_buffer_init(&json, w->out->env);
  sc_rpc_writer_init(&inner, &json, SC_STORAGE_JSON);
  if (name)
    put_name(&inner, &request->of.name);
  else
    put_service_nodes(&inner, &request->of.service_nodes);
  sc_status status = sc_rpc_writer_finish(&inner);
  if (status != SC_OK)
    sc_rpc_fail(w, status);
  sc_rpc_put_key(w, "endpoint");
  sc_rpc_put_text(w, sc_bytes_text(name ? "ons_resolve" : "get_service_nodes"));
  sc_rpc_put_key(w, "params");
  sc_rpc_put_json(w, sc_buffer_bytes(&json));
  sc_buffer_free(&json);
}

static void put_parameters(sc_rpc_writer *w, const sc_storage_request *request);

static void put_call(sc_rpc_writer *w, const sc_storage_request *request) {
  sc_rpc_begin_dict(w);
  sc_rpc_put_key(w, "method");
  sc_rpc_put_text(w, sc_bytes_text(sc_storage_method_name(request->method)));
  sc_rpc_put_key(w, "params");
  put_parameters(w, request);
  sc_rpc_end_dict(w);
}

static void put_batch(sc_rpc_writer *w, const sc_storage_batch *batch) {
  sc_rpc_put_key(w, "requests");
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < batch->count; i++)
    put_call(w, &batch->requests[i]);
  sc_rpc_end_list(w);
}

static void put_numbers(sc_rpc_writer *w, const char *key, bool has, const uint16_t *numbers, size_t count) {
  if (!has)
    return;
  sc_rpc_put_key(w, key);
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < count; i++)
    sc_rpc_put_u64(w, numbers[i]);
  sc_rpc_end_list(w);
}

static void put_conditions(sc_rpc_writer *w, const sc_storage_conditions *c) {
  sc_rpc_put_key(w, "if");
  sc_rpc_begin_dict(w);
  if (c->has_height_at_least)
    put_member_u64(w, "height_at_least", c->height_at_least);
  if (c->has_height_before)
    put_member_u64(w, "height_before", c->height_before);
  put_numbers(w, "hf_at_least", c->has_fork_at_least, c->fork_at_least, 2);
  put_numbers(w, "hf_before", c->has_fork_before, c->fork_before, 2);
  put_numbers(w, "v_at_least", c->has_version_at_least, c->version_at_least, 3);
  put_numbers(w, "v_before", c->has_version_before, c->version_before, 3);
  sc_rpc_end_dict(w);
}

static void put_branch(sc_rpc_writer *w, const sc_storage_branch *branch) {
  if (branch->otherwise != NULL) {
    sc_rpc_put_key(w, "else");
    put_call(w, branch->otherwise);
  }
  put_conditions(w, &branch->conditions);
  if (branch->then != NULL) {
    sc_rpc_put_key(w, "then");
    put_call(w, branch->then);
  }
}

static void put_members(sc_rpc_writer *w, const sc_storage_request *request) {
  switch (request->method) {
  case SC_STORAGE_STORE:
    put_store(w, request);
    break;
  case SC_STORAGE_RETRIEVE:
    put_retrieve(w, request);
    break;
  case SC_STORAGE_DELETE:
    put_deletion(w, request);
    break;
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
  case SC_STORAGE_EXPIRE_ALL:
    put_sweep(w, request);
    break;
  case SC_STORAGE_EXPIRE:
    put_expire(w, request);
    break;
  case SC_STORAGE_GET_EXPIRIES:
    put_expiries(w, request);
    break;
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
  case SC_STORAGE_REVOKED:
    put_tokens(w, request);
    break;
  case SC_STORAGE_GET_SWARM:
    put_keys(w, request);
    break;
  case SC_STORAGE_SERVICE_NODES:
  case SC_STORAGE_NAME:
    put_daemon_request(w, request);
    break;
  case SC_STORAGE_BATCH:
  case SC_STORAGE_SEQUENCE:
    put_batch(w, &request->of.batch);
    break;
  case SC_STORAGE_BRANCH:
    put_branch(w, &request->of.branch);
    break;
  case SC_STORAGE_INFO:
  case SC_STORAGE_ACTIVE_NODES:
    break;
  }
}

static void put_parameters(sc_rpc_writer *w, const sc_storage_request *request) {
  sc_rpc_begin_dict(w);
  put_members(w, request);
  sc_rpc_end_dict(w);
}

static sc_status write_request(sc_buffer *out, sc_storage_form form, const sc_storage_request *request,
                               void (*put)(sc_rpc_writer *w, const sc_storage_request *request)) {
  sc_rpc_writer writer;
  sc_buffer_clear(out);
  sc_status status = sc_storage_request_check(request, 0);
  if (status != SC_OK)
    return status;
  sc_rpc_writer_init(&writer, out, form);
  put(&writer, request);
  status = sc_rpc_writer_finish(&writer);
  if (status == SC_OK && out->len > SC_STORAGE_MAX_BYTES) {
    sc_buffer_clear(out);
    return SC_ERR_TOO_LARGE;
  }
  return status == SC_ERR_UTF8 ? SC_ERR_STORAGE_PARAMETER : status;
}

sc_status sc_storage_request_write(sc_buffer *out, sc_storage_form form, const sc_storage_request *request) {
  return write_request(out, form, request, put_parameters);
}

sc_status sc_storage_call_write(sc_buffer *out, const sc_storage_request *request) {
  return write_request(out, SC_STORAGE_JSON, request, put_call);
}
