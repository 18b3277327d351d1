#include "real_nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "session-core/network/storage_answer.h"
#include "session-core/node/onion.h"

static const char relay_command[] = "relay";

/* A failure here fails the test: there is no caller to report to. */
static void ok(sc_status status) {
  if (status == SC_OK)
    return;
  fprintf(stderr, "a node: %s\n", sc_status_name(status));
  abort();
}

static void put(sc_buffer *out, const char *text) {
  ok(sc_buffer_append(out, sc_bytes_text(text)));
}

/* ---- answers ---- */

static void put_list(sc_buffer *out, const real_nodes *nodes) {
  for (size_t i = 0; i < nodes->count; i++) {
    const sc_node *node = &nodes->list[i].node;
    sc_storage_node record = {
        .https_port = node->https_port, .quic_port = node->quic_port, .swarm = node->swarm};
    memcpy(record.ed25519, node->key, SC_KEY_BYTES);
    memcpy(record.ip, node->ip, sizeof record.ip);
    uint8_t *at;
    ok(sc_buffer_extend(&at, out, SC_STORAGE_ACTIVE_NODE_BYTES));
    sc_storage_active_node_write(at, &record);
  }
}

static void put_answer(sc_buffer *out, const sc_storage_request *request) {
  char text[128];
  int number = request->method == SC_STORAGE_RETRIEVE ? request->of.retrieve.number : 0;
  snprintf(text, sizeof text,
           "{\"messages\":[],\"number\":%d,\"version\":[2,11,0],\"t\":%" PRIu64 ",\"hf\":[19,6]}", number,
           sc_clock_wall_ms());
  put(out, text);
}

static void put_batch(sc_buffer *out, const sc_storage_request *request) {
  put(out, "{\"results\":[");
  for (size_t i = 0; i < request->of.batch.count; i++) {
    put(out, i == 0 ? "{\"code\":200,\"body\":" : ",{\"code\":200,\"body\":");
    put_answer(out, &request->of.batch.requests[i]);
    put(out, "}");
  }
  put(out, "]}");
}

static void answer_call(sc_buffer *out, real_node *self, sc_bytes call) {
  sc_storage_parsed_request parsed;
  ok(sc_storage_call_parse(&parsed, NULL, call));
  atomic_fetch_add(&self->answered, 1);
  if (parsed.request.method == SC_STORAGE_BATCH)
    put_batch(out, &parsed.request);
  else
    put_answer(out, &parsed.request);
  sc_storage_parsed_request_free(&parsed);
}

static void list_handler(void *user, const sc_quic_incoming *incoming) {
  real_node *self = user;
  sc_buffer body = {0};
  atomic_fetch_add(&self->listed, 1);
  put_list(&body, self->nodes);
  ok(sc_quic_reply(self->endpoint, incoming->request, sc_buffer_bytes(&body)));
  sc_buffer_free(&body);
}

/* ---- onions ---- */

/* A pending request to the next hop. */
typedef struct relayed {
  real_node *self;
  sc_quic_request request;
} relayed;

static void came_back(void *user, sc_quic_call call, const sc_quic_result *result) {
  relayed *r = user;
  sc_status status = SC_OK;
  (void)call;
  if (result->status == SC_OK)
    status = sc_quic_reply(r->self->endpoint, r->request, result->body);
  else if (result->status == SC_ERR_REQUEST_FAILED)
    status = sc_quic_reply_error(r->self->endpoint, r->request, result->body);
  else
    status = sc_quic_reply_error(r->self->endpoint, r->request,
                                 sc_bytes_text("504 Gateway Timeout\n\nRequest time out"));
  (void)status; /* the caller may be gone */
  free(r);
}

static const real_node *find_node(const real_nodes *nodes, const uint8_t *key) {
  for (size_t i = 0; i < nodes->count; i++)
    if (memcmp(nodes->list[i].node.key, key, SC_KEY_BYTES) == 0)
      return &nodes->list[i];
  return NULL;
}

static void hand_on(real_node *self, sc_quic_request request, const sc_onion_layer *layer) {
  const real_node *next = find_node(self->nodes, layer->destination);
  sc_buffer body = {0};
  relayed *r = malloc(sizeof *r);
  if (next == NULL || r == NULL)
    abort();
  *r = (relayed){self, request};
  atomic_fetch_add(&self->relayed, 1);
  ok(sc_onion_relay_write(&body, &layer->next));
  sc_quic_node peer = {.address = sc_node_address(&next->node)};
  memcpy(peer.key, next->node.key, SC_KEY_BYTES);
  const sc_quic_command command = {.name = sc_bytes_text(relay_command),
                                   .body = sc_buffer_bytes(&body),
                                   .timeout = 30 * SC_QUIC_SECOND,
                                   .done = came_back,
                                   .user = r};
  ok(sc_quic_pool_send(NULL, self->pool, sc_clock_now(), &peer, &command));
  sc_buffer_free(&body);
}

static void answer_layer(real_node *self, sc_quic_request request, const sc_onion_block *block,
                         const sc_onion_layer *layer) {
  sc_buffer body = {0}, sealed = {0};
  answer_call(&body, self, layer->payload);
  const sc_onion_answer answer = {.status = 200,
                                  .body = sc_buffer_bytes(&body),
                                  .is_json = true,
                                  .wants_json = layer->wants_json,
                                  .wants_base64 = layer->wants_base64};
  ok(sc_onion_reply_seal(&sealed, NULL, block, &self->keys.x, &answer));
  ok(sc_quic_reply(self->endpoint, request, sc_buffer_bytes(&sealed)));
  sc_buffer_free(&sealed);
  sc_buffer_free(&body);
}

static void take_block(real_node *self, sc_quic_request request, const sc_onion_block *block) {
  sc_onion_layer layer;
  ok(sc_onion_peel(&layer, NULL, block, &self->keys));
  if (layer.role == SC_ONION_RELAY)
    hand_on(self, request, &layer);
  else
    answer_layer(self, request, block, &layer);
  sc_onion_layer_free(&layer);
}

static void client_handler(void *user, const sc_quic_incoming *incoming) {
  sc_onion_block block;
  ok(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, incoming->body));
  take_block(user, incoming->request, &block);
}

static void relay_handler(void *user, const sc_quic_incoming *incoming) {
  sc_onion_block block;
  ok(sc_onion_relay_parse(&block, incoming->body));
  take_block(user, incoming->request, &block);
}

/* ---- life ---- */

static void close_node(void *user, uint64_t now) {
  real_node *self = user;
  sc_quic_pool_close_all(self->pool, now);
  sc_quic_stop(self->endpoint, now);
}

static sc_status make_endpoint(real_node *self) {
  sc_quic_options options;
  sc_quic_pool_options pool;
  sc_quic_options_default(&options);
  options.identity = &self->keys.ed;
  options.accepts = true;
  sc_quic_pool_options_default(&pool);
  sc_status status = sc_quic_endpoint_new(&self->endpoint, NULL, &options);
  if (status == SC_OK)
    status = sc_quic_pool_new(&self->pool, NULL, self->endpoint, &pool);
  if (status == SC_OK)
    status = sc_quic_handle(self->endpoint, sc_bytes_text("onion_req"), client_handler, self);
  if (status == SC_OK)
    status = sc_quic_handle(self->endpoint, sc_bytes_text(relay_command), relay_handler, self);
  return status == SC_OK
             ? sc_quic_handle(self->endpoint, sc_bytes_text("active_nodes_bin"), list_handler, self)
             : status;
}

static sc_status start_node(real_nodes *nodes, size_t index) {
  real_node *self = &nodes->list[index];
  const uint8_t seed[32] = {1, (uint8_t)index};
  self->nodes = nodes;
  sc_keypair_from_seed(&self->keys, seed);
  self->node = (sc_node){.ip = {127, 0, (uint8_t)(index + 1), 1}, .https_port = 1, .swarm = 5};
  memcpy(self->node.key, self->keys.ed.public_key, SC_KEY_BYTES);
  sc_status status = make_endpoint(self);
  if (status != SC_OK)
    return status;
  sc_address address;
  sc_address_ipv4(&address, self->node.ip, 0);
  const sc_guest_options options = {.driven = sc_quic_driven(self->endpoint),
                                    .addresses = &address,
                                    .address_count = 1,
                                    .close = close_node,
                                    .user = self};
  sc_guest *guest;
  status = sc_guest_new(&guest, nodes->runtime, &options);
  if (status == SC_OK)
    status = sc_guest_address(&address, guest, 0);
  self->node.quic_port = address.port;
  return status;
}

sc_status real_nodes_start(real_nodes *nodes, size_t count) {
  *nodes = (real_nodes){0};
  sc_status status = sc_runtime_new(&nodes->runtime, NULL, NULL);
  for (; nodes->count < count && status == SC_OK; nodes->count++)
    status = start_node(nodes, nodes->count);
  return status == SC_OK ? sc_runtime_start(nodes->runtime) : status;
}

void real_nodes_end(real_nodes *nodes) {
  sc_runtime_free(nodes->runtime);
  for (size_t i = 0; i < real_most_nodes; i++) {
    sc_quic_pool_free(nodes->list[i].pool);
    sc_quic_endpoint_free(nodes->list[i].endpoint);
  }
}
