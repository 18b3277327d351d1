/* The network's own requests for lists of nodes. */
#include "network.h"
#include "session-core/network/storage_answer.h"
#include "session-core/network/storage_reply.h"

static sc_storage_request list_request(sc_storage_method method) {
  return (sc_storage_request){.method = method, .of.service_nodes.active_only = true};
}

sc_status sc_network_ask(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                         bool routed) {
  sc_network *network = user;
  sc_ask *ask = sc_allocate(network->env, sizeof *ask);
  if (ask == NULL)
    return SC_ERR_NO_MEMORY;
  *ask = (sc_ask){.next = network->asks,
                  .network = network,
                  .token = token,
                  .node = *node,
                  .method = method,
                  .routed = routed};
  network->asks = ask;
  return SC_OK;
}

/* ---- how it ends ---- */

/* A refresh that fails without memory is retried automatically. */
static void note(const sc_network *network, sc_status status) {
  if (status == SC_ERR_NO_MEMORY)
    sc_log(network->env, SC_LOG_WARNING, "network: no memory for a list of nodes");
}

static void failed(sc_ask *ask, sc_status why) {
  sc_network *network = ask->network;
  const sc_moment *moment = &network->moment;
  ask->finished = true;
  note(network, sc_nodes_failed(network->nodes, moment->now, moment->wall, ask->token, why));
}

/* The reply of nodes without the newer of the two methods. */
static sc_status why_of_code(int code) {
  return code == 400 || code == 404 ? SC_ERR_STORAGE_METHOD : SC_ERR_REQUEST_FAILED;
}

static void answered(sc_ask *ask, sc_bytes body) {
  sc_network *network = ask->network;
  const sc_moment *moment = &network->moment;
  ask->finished = true;
  sc_status status = sc_nodes_answered(network->nodes, moment->now, moment->wall, ask->token, body);
  network->counts.ignored += status == SC_ERR_NOT_FOUND;
  note(network, status);
}

static bool is_unknown_command(sc_bytes text) {
  sc_bytes start = sc_bytes_text("Invalid endpoint ");
  return text.len >= start.len && memcmp(text.ptr, start.ptr, start.len) == 0;
}

/* The binary list comes as it is; everything else with a code around it. */
static bool is_bare_list(const sc_ask *ask, const sc_quic_result *result) {
  return ask->method == SC_STORAGE_ACTIVE_NODES && result->status == SC_OK &&
         result->body.len % SC_STORAGE_ACTIVE_NODE_BYTES == 0;
}

static void came_back(void *user, sc_quic_call call, const sc_quic_result *result) {
  sc_ask *ask = user;
  sc_storage_answer answer;
  (void)call;
  if (is_bare_list(ask, result))
    answered(ask, result->body);
  else if (result->status != SC_OK && result->status != SC_ERR_REQUEST_FAILED)
    failed(ask, result->status);
  else if (result->status != SC_OK && is_unknown_command(result->body))
    failed(ask, SC_ERR_STORAGE_METHOD);
  else if (sc_storage_answer_parse(&answer, result->status != SC_OK, result->body) != SC_OK)
    failed(ask, SC_ERR_STORAGE_REPLY);
  else if (answer.code < 200 || answer.code > 299)
    failed(ask, why_of_code(answer.code));
  else
    answered(ask, answer.body);
}

static void came_through_path(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  sc_ask *ask = user;
  (void)ticket;
  if (reply->status == SC_OK)
    answered(ask, reply->body);
  else
    failed(ask, reply->status == SC_ERR_REQUEST_FAILED ? why_of_code(reply->code) : reply->status);
}

/* ---- how it begins ---- */

static sc_status ask_routed(sc_ask *ask) {
  const sc_storage_request list = list_request(ask->method);
  sc_own_request own = {.request = {.to = SC_NETWORK_TO_NODE,
                                    .storage = &list,
                                    .timeout = ask->network->options.probe_timeout,
                                    .attempts = 1,
                                    .overall = ask->network->options.probe_timeout,
                                    .done = came_through_path,
                                    .user = ask}};
  memcpy(own.request.node, ask->node.key, SC_KEY_BYTES);
  return sc_network_send_own(NULL, ask->network, &own);
}

static sc_status ask_directly(sc_ask *ask) {
  sc_network *network = ask->network;
  const sc_storage_request list = list_request(ask->method);
  sc_status status = sc_storage_request_write(&network->scratch, SC_STORAGE_JSON, &list);
  if (status != SC_OK)
    return status;
  const sc_transport_request request = {
      .command = sc_bytes_text(sc_storage_method_name(ask->method)),
      .body = sc_buffer_bytes(&network->scratch),
      .timeout = network->options.probe_timeout,
      .small = true,
      .done = came_back,
      .user = ask,
  };
  sc_quic_call call;
  return network->transport.methods->call(network->transport.self, &call, network->moment.now, &ask->node,
                                          &request);
}

static void begin(sc_ask *ask) {
  ask->begun = true;
  sc_status status = ask->routed ? ask_routed(ask) : ask_directly(ask);
  if (status != SC_OK)
    failed(ask, status);
}

/* As one is that could not give its list in one form, and is to in another. */
static bool is_being_asked(const sc_network *network, const sc_node *node) {
  for (const sc_ask *ask = network->asks; ask != NULL; ask = ask->next)
    if (!ask->finished && !ask->routed && sc_node_same(&ask->node, node))
      return true;
  return false;
}

/* Closes the connection once it is unused. */
static void let_go(sc_ask *ask) {
  sc_network *network = ask->network;
  bool is_needed = sc_guards_has(&network->guards, ask->node.key) ||
                   sc_paths_use_guard(&network->paths, &ask->node) || is_being_asked(network, &ask->node);
  if (!ask->routed && !is_needed)
    network->transport.methods->close(network->transport.self, network->moment.now, &ask->node);
  sc_release(network->env, ask);
}

bool sc_network_has_asks(const sc_network *network) {
  for (const sc_ask *ask = network->asks; ask != NULL; ask = ask->next)
    if (!ask->begun || ask->finished)
      return true;
  return false;
}

static sc_ask *next_to_begin(const sc_network *network) {
  sc_ask *ask = network->asks;
  while (ask != NULL && ask->begun)
    ask = ask->next;
  return ask;
}

/* Failing at once may ask the next node, which is then in the list. */
void sc_network_begin_asks(sc_network *network) {
  for (sc_ask *ask; (ask = next_to_begin(network)) != NULL;)
    begin(ask);
  for (sc_ask **at = &network->asks; *at != NULL;) {
    sc_ask *ask = *at;
    if (!ask->finished) {
      at = &ask->next;
      continue;
    }
    *at = ask->next;
    let_go(ask);
  }
}

/* All that were begun have come back, or never will. */
void sc_network_drop_asks(sc_network *network) {
  while (network->asks != NULL) {
    sc_ask *ask = network->asks;
    network->asks = ask->next;
    sc_release(network->env, ask);
  }
}
