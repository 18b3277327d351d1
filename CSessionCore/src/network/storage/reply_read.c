#include "../status_code.h"
#include "method.h"
#include "reply.h"
#include <string.h>

static bool is_list_of(size_t count, sc_rpc_value value) {
  sc_rpc_list list;
  return sc_rpc_list_open(&list, value) && list.count == count;
}

bool sc_storage_numbers_read(uint16_t *out, size_t count, sc_rpc_value value) {
  sc_rpc_list list;
  sc_rpc_value element;
  uint64_t number;
  if (!sc_rpc_list_open(&list, value) || list.count < count)
    return false;
  for (size_t i = 0; i < count; i++) {
    if (!sc_rpc_list_next(&element, &list) || !sc_rpc_u64(&number, element) || number > UINT16_MAX)
      return false;
    out[i] = (uint16_t)number;
  }
  return true;
}

/* Invalid incidental values count as missing. */
void sc_storage_clock_read(sc_storage_clock *out, sc_rpc_value dict) {
  static const uint64_t latest = (uint64_t)1 << 53;
  sc_rpc_value value;
  sc_storage_clock clock = {0};
  uint64_t time;
  uint16_t fork[2];
  if (sc_rpc_member(&value, dict, "t") && sc_rpc_u64(&time, value) && time <= latest) {
    clock.has_time = true;
    clock.time = time;
  }
  if (sc_rpc_member(&value, dict, "hf") && is_list_of(2, value) && sc_storage_numbers_read(fork, 2, value)) {
    clock.has_fork = true;
    memcpy(clock.fork, fork, sizeof fork);
  }
  *out = clock;
}

bool sc_storage_clock_offset(int64_t *out, const sc_storage_clock *clock, uint64_t sent, uint64_t received) {
  static const int64_t ten_years = (int64_t)3652 * 24 * 60 * 60 * 1000;
  if (!clock->has_time || clock->time > INT64_MAX || sent > received || received > INT64_MAX)
    return false;
  int64_t offset = (int64_t)clock->time - (int64_t)(sent + (received - sent) / 2);
  if (offset < -ten_years || offset > ten_years)
    return false;
  *out = offset;
  return true;
}

static sc_status wrong_unless(bool right) {
  return right ? SC_OK : SC_ERR_STORAGE_REPLY;
}

static sc_status read_expiries(sc_storage_reply *reply, sc_storage_memory *memory,
                               const sc_storage_request *request, sc_rpc_value dict) {
  sc_rpc_value value;
  if (!sc_rpc_member(&value, dict, "expiries"))
    return SC_ERR_STORAGE_REPLY;
  return sc_storage_expiries_read(&reply->of.expiries, memory, request->of.expiries.hashes.count, value);
}

static sc_status read_revoked(sc_storage_token_list *out, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  if (!sc_rpc_member(&value, dict, "revoked_subaccounts") || !sc_rpc_list_open(&list, value) ||
      list.count > SC_STORAGE_MAX_TOKENS)
    return SC_ERR_STORAGE_REPLY;
  uint8_t(*tokens)[SC_STORAGE_TOKEN_BYTES] = sc_storage_take(memory, list.count, sizeof *tokens);
  if (tokens == NULL)
    return SC_ERR_NO_MEMORY;
  *out = (sc_storage_token_list){(const uint8_t(*)[SC_STORAGE_TOKEN_BYTES])tokens, list.count};
  for (; sc_rpc_list_next(&element, &list); tokens++)
    if (!sc_rpc_fixed(*tokens, sizeof *tokens, element))
      return SC_ERR_STORAGE_REPLY;
  return SC_OK;
}

/* The daemon's own list says the fork where the envelope may not. */
static void read_daemon_fork(sc_storage_clock *clock, sc_rpc_value result) {
  uint64_t fork[2] = {0};
  sc_rpc_value value;
  if (clock->has_fork || !sc_rpc_member(&value, result, "hardfork") || !sc_rpc_u64(&fork[0], value) ||
      !sc_rpc_member_u64(&fork[1], result, "snode_revision") || fork[0] > UINT16_MAX || fork[1] > UINT16_MAX)
    return;
  clock->has_fork = true;
  clock->fork[0] = (uint16_t)fork[0];
  clock->fork[1] = (uint16_t)fork[1];
}

static sc_status read_service_nodes(sc_storage_reply *reply, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_rpc_value result;
  if (!sc_rpc_member(&result, dict, "result"))
    return SC_ERR_STORAGE_REPLY;
  read_daemon_fork(&reply->clock, result);
  return sc_storage_service_nodes_read(&reply->of.service_nodes, memory, result);
}

/* Hexadecimal text as bytes. */
static sc_status read_hex(sc_bytes *out, sc_storage_memory *memory, sc_rpc_value value) {
  sc_bytes text;
  if (!sc_rpc_text(&text, value) || text.len % 2 != 0)
    return SC_ERR_STORAGE_REPLY;
  uint8_t *bytes = sc_storage_take(memory, text.len / 2, 1);
  if (bytes == NULL)
    return SC_ERR_NO_MEMORY;
  *out = sc_bytes_make(bytes, text.len / 2);
  return wrong_unless(sc_rpc_key(bytes, text.len / 2, value));
}

/* A record without a nonce is of a form given up long ago. */
static sc_status read_name(sc_storage_name *name, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_rpc_value result, encrypted, nonce;
  if (!sc_rpc_member(&result, dict, "result") || !sc_rpc_is_dict(result))
    return SC_ERR_STORAGE_REPLY;
  name->registered = sc_rpc_member(&encrypted, result, "encrypted_value");
  if (!name->registered)
    return SC_OK;
  if (!sc_rpc_member(&nonce, result, "nonce") || !sc_rpc_key(name->nonce, sizeof name->nonce, nonce))
    return SC_ERR_STORAGE_REPLY;
  return read_hex(&name->encrypted, memory, encrypted);
}

static bool read_info(sc_storage_info *info, sc_rpc_value dict) {
  sc_rpc_value version, time;
  return sc_rpc_member(&version, dict, "version") && sc_storage_numbers_read(info->version, 3, version) &&
         sc_rpc_member(&time, dict, "timestamp") && sc_rpc_u64(&info->timestamp, time);
}

static sc_status read_reply(sc_storage_reply *reply, sc_storage_memory *memory,
                            const sc_storage_request *request, sc_rpc_value body);

static bool read_code(int *out, sc_rpc_value dict) {
  uint64_t code;
  sc_rpc_value value;
  if (!sc_rpc_member(&value, dict, "code") || !sc_rpc_u64(&code, value) || !sc_is_status_code(code))
    return false;
  *out = (int)code;
  return true;
}

static bool carries_reply(int code, const sc_storage_request *request) {
  bool nothing_deleted = code == 404 && request->method == SC_STORAGE_DELETE;
  return (code >= 200 && code <= 299) || nothing_deleted;
}

/* Reads a redirect, which must name a node. */
static sc_status read_redirect(sc_storage_swarm *swarm, sc_storage_memory *memory, sc_rpc_value body) {
  sc_status status = sc_storage_swarm_read(swarm, memory, body);
  if (status == SC_ERR_STORAGE_REPLY || (status == SC_OK && swarm->nodes.count == 0))
    return SC_ERR_STORAGE_SWARM;
  return status;
}

/* One unreadable result does not fail the batch. */
static sc_status read_result_body(sc_storage_result *result, sc_storage_memory *memory,
                                  const sc_storage_request *request, sc_rpc_value body) {
  if (carries_reply(result->code, request)) {
    sc_storage_reply *reply = sc_storage_take(memory, 1, sizeof *reply);
    if (reply == NULL)
      return SC_ERR_NO_MEMORY;
    result->status = read_reply(reply, memory, request, body);
    result->reply = result->status == SC_OK ? reply : NULL;
  } else if (result->code == 421) {
    sc_storage_swarm *swarm = sc_storage_take(memory, 1, sizeof *swarm);
    if (swarm == NULL)
      return SC_ERR_NO_MEMORY;
    result->status = read_redirect(swarm, memory, body);
    result->swarm = result->status == SC_OK ? swarm : NULL;
  } else if (!sc_rpc_text(&result->text, body)) {
    result->text = (sc_bytes){0};
  }
  return result->status == SC_ERR_NO_MEMORY ? SC_ERR_NO_MEMORY : SC_OK;
}

static sc_status read_result(sc_storage_result *result, sc_storage_memory *memory,
                             const sc_storage_request *request, sc_rpc_value dict) {
  sc_rpc_value body;
  if (!read_code(&result->code, dict) || !sc_rpc_member(&body, dict, "body")) {
    *result = (sc_storage_result){.status = SC_ERR_STORAGE_REPLY};
    return SC_OK;
  }
  return read_result_body(result, memory, request, body);
}

static sc_status read_results(sc_storage_results *out, sc_storage_memory *memory,
                              const sc_storage_request *request, sc_rpc_value dict) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  const sc_storage_batch *batch = &request->of.batch;
  if (!sc_rpc_member(&value, dict, "results") || !sc_rpc_list_open(&list, value) ||
      list.count > batch->count || (request->method == SC_STORAGE_BATCH && list.count != batch->count))
    return SC_ERR_STORAGE_REPLY;
  sc_storage_result *results = sc_storage_take(memory, list.count, sizeof *results);
  if (results == NULL)
    return SC_ERR_NO_MEMORY;
  *out = (sc_storage_results){results, list.count};
  sc_status status = SC_OK;
  for (size_t i = 0; status == SC_OK && sc_rpc_list_next(&element, &list); i++)
    status = read_result(&results[i], memory, &batch->requests[i], element);
  return status;
}

static sc_status read_outcome(sc_storage_outcome *outcome, sc_storage_memory *memory,
                              const sc_storage_branch *branch, sc_rpc_value dict) {
  sc_rpc_value value;
  if (!sc_rpc_member(&value, dict, "condition") || !sc_rpc_flag(&outcome->condition, value) ||
      !sc_rpc_member_u64(&outcome->height, dict, "height") ||
      (sc_rpc_member(&value, dict, "v") && !sc_storage_numbers_read(outcome->version, 3, value)))
    return SC_ERR_STORAGE_REPLY;
  if (!sc_rpc_member(&value, dict, "result"))
    return SC_OK;
  const sc_storage_request *taken = outcome->condition ? branch->then : branch->otherwise;
  if (taken == NULL)
    return SC_ERR_STORAGE_REPLY;
  sc_storage_result *result = sc_storage_take(memory, 1, sizeof *result);
  if (result == NULL)
    return SC_ERR_NO_MEMORY;
  outcome->result = result;
  return read_result(result, memory, taken, value);
}

static sc_status read_of(sc_storage_reply *reply, sc_storage_memory *memory,
                         const sc_storage_request *request, sc_rpc_value dict) {
  switch (request->method) {
  case SC_STORAGE_RETRIEVE:
    return sc_storage_messages_read(&reply->of.messages, memory, request, dict);
  case SC_STORAGE_GET_EXPIRIES:
    return read_expiries(reply, memory, request, dict);
  case SC_STORAGE_REVOKED:
    return read_revoked(&reply->of.tokens, memory, dict);
  case SC_STORAGE_GET_SWARM:
    return sc_storage_swarm_read(&reply->of.swarm, memory, dict);
  case SC_STORAGE_SERVICE_NODES:
    return read_service_nodes(reply, memory, dict);
  case SC_STORAGE_NAME:
    return read_name(&reply->of.name, memory, dict);
  case SC_STORAGE_INFO:
    return wrong_unless(read_info(&reply->of.info, dict));
  case SC_STORAGE_BATCH:
  case SC_STORAGE_SEQUENCE:
    return read_results(&reply->of.results, memory, request, dict);
  case SC_STORAGE_BRANCH:
    return read_outcome(&reply->of.outcome, memory, &request->of.branch, dict);
  default:
    return sc_storage_members_read(&reply->of.members, memory, request, dict);
  }
}

static sc_status read_reply(sc_storage_reply *reply, sc_storage_memory *memory,
                            const sc_storage_request *request, sc_rpc_value body) {
  sc_bytes records;
  if (request->method == SC_STORAGE_ACTIVE_NODES) {
    if (!sc_rpc_text(&records, body))
      return SC_ERR_STORAGE_REPLY;
    return sc_storage_active_nodes_read(&reply->of.active_nodes, memory, records);
  }
  if (!sc_rpc_is_dict(body))
    return SC_ERR_STORAGE_REPLY;
  sc_storage_clock_read(&reply->clock, body);
  return read_of(reply, memory, request, body);
}

/* A body that cannot be parsed is no reply. */
static sc_status open_body(sc_rpc_value *out, sc_storage_memory *memory, sc_bytes body) {
  sc_status status = body.len == 0 ? SC_ERR_STORAGE_SYNTAX : sc_rpc_open(out, memory, body);
  return status == SC_ERR_STORAGE_SYNTAX ? SC_ERR_STORAGE_REPLY : status;
}

static sc_status parse_reply(sc_storage_reply *reply, sc_storage_memory *memory,
                             const sc_storage_request *request, sc_bytes body) {
  sc_rpc_value document;
  if (request->method == SC_STORAGE_ACTIVE_NODES)
    return sc_storage_active_nodes_read(&reply->of.active_nodes, memory, body);
  sc_status status = open_body(&document, memory, body);
  return status == SC_OK ? read_reply(reply, memory, request, document) : status;
}

sc_status sc_storage_reply_parse(sc_storage_parsed_reply *out, const sc_env *env,
                                 const sc_storage_request *request, sc_bytes body) {
  sc_storage_parsed_reply parsed = {0};
  if (body.len > SC_STORAGE_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_storage_memory_new(&parsed.memory, env);
  if (status != SC_OK)
    return status;
  status = parse_reply(&parsed.reply, parsed.memory, request, body);
  if (status == SC_OK)
    *out = parsed;
  else
    sc_storage_memory_free(parsed.memory);
  return status;
}

void sc_storage_parsed_reply_free(sc_storage_parsed_reply *reply) {
  sc_storage_memory_free(reply->memory);
  *reply = (sc_storage_parsed_reply){0};
}

static sc_status parse_swarm(sc_storage_parsed_swarm *parsed, sc_bytes body) {
  sc_rpc_value document;
  sc_status status = open_body(&document, parsed->memory, body);
  if (status == SC_OK) {
    sc_storage_clock_read(&parsed->clock, document);
    status = read_redirect(&parsed->swarm, parsed->memory, document);
  }
  return status == SC_ERR_STORAGE_REPLY ? SC_ERR_STORAGE_SWARM : status;
}

sc_status sc_storage_swarm_parse(sc_storage_parsed_swarm *out, const sc_env *env, sc_bytes body) {
  sc_storage_parsed_swarm parsed = {0};
  if (body.len > SC_STORAGE_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_storage_memory_new(&parsed.memory, env);
  if (status != SC_OK)
    return status;
  status = parse_swarm(&parsed, body);
  if (status == SC_OK)
    *out = parsed;
  else
    sc_storage_memory_free(parsed.memory);
  return status;
}

void sc_storage_parsed_swarm_free(sc_storage_parsed_swarm *swarm) {
  sc_storage_memory_free(swarm->memory);
  *swarm = (sc_storage_parsed_swarm){0};
}
