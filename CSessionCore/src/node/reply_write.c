/* Keys come in ascending order, which bt demands and JSON does not mind. */
#include "../network/storage/method.h"
#include "../network/storage/reply.h"
#include "session-core/base/encoding.h"
#include "session-core/node/storage.h"

void sc_storage_put_fork(sc_rpc_writer *w, const sc_storage_clock *clock) {
  if (!clock->has_fork)
    return;
  sc_rpc_put_key(w, "hf");
  sc_rpc_begin_list(w);
  sc_rpc_put_u64(w, clock->fork[0]);
  sc_rpc_put_u64(w, clock->fork[1]);
  sc_rpc_end_list(w);
}

void sc_storage_put_time(sc_rpc_writer *w, const sc_storage_clock *clock) {
  if (!clock->has_time)
    return;
  sc_rpc_put_key(w, "t");
  sc_rpc_put_u64(w, clock->time);
}

static void put_version(sc_rpc_writer *w, const char *key, const uint16_t version[static 3]) {
  sc_rpc_put_key(w, key);
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < 3; i++)
    sc_rpc_put_u64(w, version[i]);
  sc_rpc_end_list(w);
}

/* A message has the same name everywhere. */
static void put_stored_hash(sc_rpc_writer *w, const sc_storage_members *members) {
  for (size_t i = 0; i < members->count; i++) {
    if (members->list[i].failed)
      continue;
    sc_rpc_put_key(w, "hash");
    sc_rpc_put_text(w, members->list[i].hash);
    return;
  }
}

static void put_clocked(sc_rpc_writer *w, const sc_storage_request *request, const sc_storage_reply *reply) {
  if (request->method == SC_STORAGE_STORE)
    put_stored_hash(w, &reply->of.members);
  sc_storage_put_fork(w, &reply->clock);
  if (request->method == SC_STORAGE_RETRIEVE)
    sc_storage_messages_put(w, &reply->of.messages);
  else
    sc_storage_members_put(w, request, &reply->of.members);
  sc_storage_put_time(w, &reply->clock);
}

static void put_revoked(sc_rpc_writer *w, const sc_storage_reply *reply) {
  const sc_storage_token_list *tokens = &reply->of.tokens;
  sc_storage_put_fork(w, &reply->clock);
  sc_rpc_put_key(w, "revoked_subaccounts");
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < tokens->count; i++)
    sc_rpc_put_binary(w, SC_BYTES(tokens->list[i]));
  sc_rpc_end_list(w);
  sc_storage_put_time(w, &reply->clock);
}

static void put_name(sc_rpc_writer *w, const sc_storage_name *name) {
  sc_rpc_begin_dict(w);
  if (name->registered) {
    sc_rpc_put_key(w, "encrypted_value");
    sc_rpc_put_hex(w, name->encrypted);
    sc_rpc_put_key(w, "nonce");
    sc_rpc_put_hex(w, SC_BYTES(name->nonce));
  }
  sc_rpc_end_dict(w);
}

static void put_daemon_result(sc_rpc_writer *w, const sc_storage_request *request,
                              const sc_storage_reply *reply) {
  sc_storage_put_fork(w, &reply->clock);
  sc_rpc_put_key(w, "result");
  if (request->method == SC_STORAGE_NAME)
    put_name(w, &reply->of.name);
  else
    sc_storage_service_nodes_put(w, &reply->of.service_nodes, request->of.service_nodes.fields,
                                 &reply->clock);
  sc_storage_put_time(w, &reply->clock);
}

static void put_info(sc_rpc_writer *w, const sc_storage_reply *reply) {
  sc_storage_put_fork(w, &reply->clock);
  sc_storage_put_time(w, &reply->clock);
  sc_rpc_put_key(w, "timestamp");
  sc_rpc_put_u64(w, reply->of.info.timestamp);
  put_version(w, "version", reply->of.info.version);
}

static void put_reply(sc_rpc_writer *w, const sc_storage_request *request, const sc_storage_reply *reply);

static void put_redirect(sc_rpc_writer *w, const sc_storage_swarm *swarm, const sc_storage_clock *clock) {
  sc_rpc_begin_dict(w);
  sc_storage_swarm_put(w, swarm, clock);
  sc_rpc_end_dict(w);
}

static void put_result(sc_rpc_writer *w, const sc_storage_request *request, const sc_storage_result *result,
                       const sc_storage_clock *clock) {
  sc_rpc_begin_dict(w);
  sc_rpc_put_key(w, "body");
  if (result->reply != NULL)
    put_reply(w, request, result->reply);
  else if (result->swarm != NULL)
    put_redirect(w, result->swarm, clock);
  else
    sc_rpc_put_text(w, result->text);
  sc_rpc_put_key(w, "code");
  sc_rpc_put_i64(w, result->code);
  sc_rpc_end_dict(w);
}

static void put_results(sc_rpc_writer *w, const sc_storage_request *request, const sc_storage_reply *reply) {
  const sc_storage_results *results = &reply->of.results;
  if (results->count > request->of.batch.count) {
    sc_rpc_fail(w, SC_ERR_ARGUMENT);
    return;
  }
  sc_rpc_put_key(w, "results");
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < results->count; i++)
    put_result(w, &request->of.batch.requests[i], &results->list[i], &reply->clock);
  sc_rpc_end_list(w);
}

static void put_outcome(sc_rpc_writer *w, const sc_storage_branch *branch, const sc_storage_reply *reply) {
  const sc_storage_outcome *outcome = &reply->of.outcome;
  const sc_storage_request *taken = outcome->condition ? branch->then : branch->otherwise;
  sc_rpc_put_key(w, "condition");
  sc_rpc_put_bool(w, outcome->condition);
  sc_rpc_put_key(w, "height");
  sc_rpc_put_u64(w, outcome->height);
  sc_storage_put_fork(w, &reply->clock);
  if (outcome->result != NULL && taken != NULL) {
    sc_rpc_put_key(w, "result");
    put_result(w, taken, outcome->result, &reply->clock);
  }
  put_version(w, "v", outcome->version);
}

static void put_members_of(sc_rpc_writer *w, const sc_storage_request *request,
                           const sc_storage_reply *reply) {
  switch (request->method) {
  case SC_STORAGE_GET_EXPIRIES:
    sc_rpc_put_key(w, "expiries");
    sc_storage_expiries_put(w, &reply->of.expiries);
    break;
  case SC_STORAGE_REVOKED:
    put_revoked(w, reply);
    break;
  case SC_STORAGE_GET_SWARM:
    sc_storage_swarm_put(w, &reply->of.swarm, &reply->clock);
    break;
  case SC_STORAGE_SERVICE_NODES:
  case SC_STORAGE_NAME:
    put_daemon_result(w, request, reply);
    break;
  case SC_STORAGE_INFO:
    put_info(w, reply);
    break;
  case SC_STORAGE_BATCH:
  case SC_STORAGE_SEQUENCE:
    put_results(w, request, reply);
    break;
  case SC_STORAGE_BRANCH:
    put_outcome(w, &request->of.branch, reply);
    break;
  default:
    put_clocked(w, request, reply);
    break;
  }
}

/* Inside another reply, binary must be written as text. */
static void put_active_nodes(sc_rpc_writer *w, const sc_storage_node_list *nodes) {
  sc_buffer records;
  sc_buffer_init(&records, w->out->env);
  sc_status status = sc_storage_active_nodes_write(&records, nodes);
  if (status != SC_OK)
    sc_rpc_fail(w, status);
  sc_rpc_put_binary(w, sc_buffer_bytes(&records));
  sc_buffer_free(&records);
}

static void put_reply(sc_rpc_writer *w, const sc_storage_request *request, const sc_storage_reply *reply) {
  if (request->method == SC_STORAGE_ACTIVE_NODES) {
    put_active_nodes(w, &reply->of.active_nodes);
    return;
  }
  sc_rpc_begin_dict(w);
  put_members_of(w, request, reply);
  sc_rpc_end_dict(w);
}

static sc_status limited(sc_buffer *out, sc_status status) {
  if (status == SC_OK && out->len <= SC_STORAGE_MAX_BYTES)
    return SC_OK;
  sc_buffer_clear(out);
  return status == SC_OK ? SC_ERR_TOO_LARGE : status;
}

sc_status sc_storage_reply_write(sc_buffer *out, sc_storage_form form, const sc_storage_request *request,
                                 const sc_storage_reply *reply) {
  sc_rpc_writer writer;
  sc_buffer_clear(out);
  if (request->method == SC_STORAGE_ACTIVE_NODES)
    return limited(out, sc_storage_active_nodes_write(out, &reply->of.active_nodes));
  sc_rpc_writer_init(&writer, out, form);
  put_reply(&writer, request, reply);
  return limited(out, sc_rpc_writer_finish(&writer));
}

sc_status sc_storage_swarm_write(sc_buffer *out, sc_storage_form form, const sc_storage_swarm *swarm,
                                 const sc_storage_clock *clock) {
  sc_rpc_writer writer;
  sc_buffer_clear(out);
  sc_rpc_writer_init(&writer, out, form);
  put_redirect(&writer, swarm, clock);
  return limited(out, sc_rpc_writer_finish(&writer));
}
