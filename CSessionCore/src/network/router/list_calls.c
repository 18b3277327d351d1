/* The network's own requests for lists of nodes. */
#include "network.h"
#include "session-core/network/storage_answer.h"
#include "session-core/network/storage_reply.h"

static sc_storage_request list_request(sc_storage_method method) {
  return (sc_storage_request){.method = method, .of.service_nodes.active_only = true};
}

sc_status sc_network_call_list(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                               bool routed) {
  sc_network *network = user;
  sc_list_call *call = sc_allocate(network->env, sizeof *call);
  if (call == NULL)
    return SC_ERR_NO_MEMORY;
  *call = (sc_list_call){.next = network->list_calls,
                         .network = network,
                         .token = token,
                         .node = *node,
                         .method = method,
                         .routed = routed};
  network->list_calls = call;
  return SC_OK;
}

/* ---- how it ends ---- */

/* A refresh that fails without memory is retried automatically. */
static void note(const sc_network *network, sc_status status) {
  if (status == SC_ERR_NO_MEMORY)
    sc_log(network->env, SC_LOG_WARNING, "network: no memory for a list of nodes");
}

static void failed(sc_list_call *call, sc_status why) {
  sc_network *network = call->network;
  const sc_moment *moment = &network->moment;
  call->finished = true;
  note(network, sc_nodes_failed(network->nodes, moment->now, moment->wall, call->token, why));
}

/* The reply of nodes without the newer of the two methods. */
static sc_status why_of_code(int code) {
  return code == 400 || code == 404 ? SC_ERR_STORAGE_METHOD : SC_ERR_REQUEST_FAILED;
}

static void replied(sc_list_call *call, sc_bytes body) {
  sc_network *network = call->network;
  const sc_moment *moment = &network->moment;
  call->finished = true;
  sc_status status = sc_nodes_replied(network->nodes, moment->now, moment->wall, call->token, body);
  network->counts.ignored += status == SC_ERR_NOT_FOUND;
  note(network, status);
}

static bool is_unknown_command(sc_bytes text) {
  sc_bytes start = sc_bytes_text("Invalid endpoint ");
  return text.len >= start.len && memcmp(text.ptr, start.ptr, start.len) == 0;
}

/* The binary list comes as it is; everything else with a code around it. */
static bool is_bare_list(const sc_list_call *call, const sc_quic_result *result) {
  return call->method == SC_STORAGE_ACTIVE_NODES && result->status == SC_OK &&
         result->body.len % SC_STORAGE_ACTIVE_NODE_BYTES == 0;
}

static void came_back(void *user, sc_quic_call number, const sc_quic_result *result) {
  sc_list_call *call = user;
  sc_storage_answer answer;
  (void)number;
  if (is_bare_list(call, result))
    replied(call, result->body);
  else if (result->status != SC_OK && result->status != SC_ERR_REQUEST_FAILED)
    failed(call, result->status);
  else if (result->status != SC_OK && is_unknown_command(result->body))
    failed(call, SC_ERR_STORAGE_METHOD);
  else if (sc_storage_answer_parse(&answer, result->status != SC_OK, result->body) != SC_OK)
    failed(call, SC_ERR_STORAGE_REPLY);
  else if (answer.code < 200 || answer.code > 299)
    failed(call, why_of_code(answer.code));
  else
    replied(call, answer.body);
}

static void came_through_path(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  sc_list_call *call = user;
  (void)ticket;
  if (reply->status == SC_OK)
    replied(call, reply->body);
  else
    failed(call, reply->status == SC_ERR_REQUEST_FAILED ? why_of_code(reply->code) : reply->status);
}

/* ---- how it begins ---- */

static sc_status call_routed(sc_list_call *call) {
  const sc_storage_request list = list_request(call->method);
  sc_own_request own = {.request = {.to = SC_NETWORK_TO_NODE,
                                    .storage = &list,
                                    .timeout = call->network->options.probe_timeout,
                                    .attempts = 1,
                                    .overall = call->network->options.probe_timeout,
                                    .done = came_through_path,
                                    .user = call}};
  memcpy(own.request.node, call->node.key, SC_KEY_BYTES);
  return sc_network_send_own(NULL, call->network, &own);
}

static sc_status call_directly(sc_list_call *call) {
  sc_network *network = call->network;
  const sc_storage_request list = list_request(call->method);
  sc_status status = sc_storage_request_write(&network->scratch, SC_STORAGE_JSON, &list);
  if (status != SC_OK)
    return status;
  const sc_transport_request request = {
      .command = sc_bytes_text(sc_storage_method_name(call->method)),
      .body = sc_buffer_bytes(&network->scratch),
      .timeout = network->options.probe_timeout,
      .small = true,
      .done = came_back,
      .user = call,
  };
  sc_quic_call number;
  return network->transport.methods->call(network->transport.self, &number, network->moment.now, &call->node,
                                          &request);
}

static void begin(sc_list_call *call) {
  call->begun = true;
  sc_status status = call->routed ? call_routed(call) : call_directly(call);
  if (status != SC_OK)
    failed(call, status);
}

/* As one is that could not give its list in one form, and is to in another. */
static bool is_being_called(const sc_network *network, const sc_node *node) {
  for (const sc_list_call *call = network->list_calls; call != NULL; call = call->next)
    if (!call->finished && !call->routed && sc_node_same(&call->node, node))
      return true;
  return false;
}

/* Closes the connection once it is unused. */
static void let_go(sc_list_call *call) {
  sc_network *network = call->network;
  bool is_needed = sc_guards_has(&network->guards, call->node.key) ||
                   sc_paths_use_guard(&network->paths, &call->node) || is_being_called(network, &call->node);
  if (!call->routed && !is_needed)
    network->transport.methods->close(network->transport.self, network->moment.now, &call->node);
  sc_release(network->env, call);
}

bool sc_network_has_list_calls(const sc_network *network) {
  for (const sc_list_call *call = network->list_calls; call != NULL; call = call->next)
    if (!call->begun || call->finished)
      return true;
  return false;
}

static sc_list_call *next_to_begin(const sc_network *network) {
  sc_list_call *call = network->list_calls;
  while (call != NULL && call->begun)
    call = call->next;
  return call;
}

/* Failing at once may ask the next node, which is then in the list. */
void sc_network_begin_list_calls(sc_network *network) {
  for (sc_list_call *call; (call = next_to_begin(network)) != NULL;)
    begin(call);
  for (sc_list_call **at = &network->list_calls; *at != NULL;) {
    sc_list_call *call = *at;
    if (!call->finished) {
      at = &call->next;
      continue;
    }
    *at = call->next;
    let_go(call);
  }
}

/* All that were begun have come back, or never will. */
void sc_network_drop_list_calls(sc_network *network) {
  while (network->list_calls != NULL) {
    sc_list_call *call = network->list_calls;
    network->list_calls = call->next;
    sc_release(network->env, call);
  }
}
