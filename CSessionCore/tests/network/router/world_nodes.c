#include "world_nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "session-core/base/encoding.h"
#include "session-core/node/onion.h"

void world_stop(const char *why) {
  fprintf(stderr, "world: %s\n", why);
  abort();
}

void world_must(sc_status status) {
  if (status != SC_OK)
    world_stop(sc_status_name(status));
}

void world_put(sc_buffer *out, const char *text) {
  world_must(sc_buffer_append(out, sc_bytes_text(text)));
}

/* ---- destinations ---- */

static void put_clock(const world *w, const world_node *node, sc_buffer *out) {
  char text[80];
  snprintf(text, sizeof text, "\"t\":%" PRId64 ",\"hf\":[19,6]}",
           (int64_t)(WORLD_WALL + w->now / WORLD_MS) + node->clock_offset);
  world_put(out, text);
}

static void put_moved(const world *w, const world_node *node, sc_buffer *out) {
  sc_storage_node named[8];
  for (size_t i = 0; i < node->name_count; i++) {
    const world_node *other = &w->nodes[node->names[i]];
    named[i] = (sc_storage_node){.ip = {127, 0, 0, 9}, .https_port = 9, .quic_port = 9};
    memcpy(named[i].ed25519, other->keys.ed.public_key, SC_KEY_BYTES);
    memcpy(named[i].legacy, other->keys.ed.public_key, SC_KEY_BYTES);
    memcpy(named[i].x25519, other->keys.x.public_key, SC_KEY_BYTES);
  }
  const sc_storage_swarm swarm = {.id = 1, .nodes = {.list = named, .count = node->name_count}};
  const sc_storage_clock clock = {.has_time = true, .time = WORLD_WALL + w->now / WORLD_MS};
  world_must(sc_storage_swarm_write(out, SC_STORAGE_JSON, &swarm, &clock));
}

static void put_list(const world *w, sc_buffer *out) {
  for (size_t i = 0; i < w->node_count; i++) {
    const sc_node *node = &w->nodes[i].node;
    sc_storage_node record = {.https_port = node->https_port,
                              .quic_port = node->quic_port,
                              .version = {2, 11, 0},
                              .swarm = node->swarm};
    memcpy(record.ed25519, node->key, SC_KEY_BYTES);
    memcpy(record.ip, node->ip, sizeof record.ip);
    uint8_t *at;
    world_must(sc_buffer_extend(&at, out, SC_STORAGE_ACTIVE_NODE_BYTES));
    sc_storage_active_node_write(at, &record);
  }
}

static void put_states(const world *w, sc_buffer *out) {
  sc_storage_node states[world_most_nodes];
  for (size_t i = 0; i < w->node_count; i++) {
    const world_node *node = &w->nodes[i];
    states[i] = (sc_storage_node){.https_port = node->node.https_port,
                                  .quic_port = node->node.quic_port,
                                  .version = {2, 8, 0},
                                  .swarm = node->node.swarm,
                                  .funded = true};
    memcpy(states[i].ed25519, node->keys.ed.public_key, SC_KEY_BYTES);
    memcpy(states[i].legacy, node->keys.ed.public_key, SC_KEY_BYTES);
    memcpy(states[i].x25519, node->keys.x.public_key, SC_KEY_BYTES);
    memcpy(states[i].ip, node->node.ip, sizeof states[i].ip);
  }
  const sc_storage_request list = {.method = SC_STORAGE_SERVICE_NODES};
  const sc_storage_reply reply = {.of.service_nodes = {.height = 9,
                                                       .block_hash = sc_bytes_text("00"),
                                                       .nodes = {states, w->node_count, 0}}};
  world_must(sc_storage_reply_write(out, SC_STORAGE_JSON, &list, &reply));
}

static int answer(world *w, world_node *node, const sc_storage_request *request, sc_buffer *out);

static int answer_batch(world *w, world_node *node, const sc_storage_request *request, sc_buffer *out) {
  size_t count = request->of.batch.count;
  count -= w->short_batches < count ? w->short_batches : count;
  if (w->refuses_batches) {
    world_put(out, "invalid request: batch");
    return 400;
  }
  world_put(out, "{\"results\":[");
  for (size_t i = 0; i < count; i++) {
    char text[32];
    sc_buffer body = {0};
    int code = answer(w, node, &request->of.batch.requests[i], &body);
    snprintf(text, sizeof text, "%s{\"code\":%d,\"body\":", i == 0 ? "" : ",", code);
    world_put(out, text);
    if (body.len > 0 && body.ptr[0] == '{') {
      world_must(sc_buffer_append(out, sc_buffer_bytes(&body)));
    } else {
      world_put(out, "\"");
      world_must(sc_buffer_append(out, sc_buffer_bytes(&body)));
      world_put(out, "\"");
    }
    world_put(out, "}");
    sc_buffer_free(&body);
  }
  for (size_t i = 0; i < w->spare_results; i++)
    world_put(out, ",{\"code\":200,\"body\":{\"messages\":[]}}");
  world_put(out, "]}");
  return 200;
}

static int answer(world *w, world_node *node, const sc_storage_request *request, sc_buffer *out) {
  char text[64];
  if (request->method == SC_STORAGE_BATCH || request->method == SC_STORAGE_SEQUENCE)
    return answer_batch(w, node, request, out);
  if (node->mood == WORLD_ANSWERS) {
    world_put(out, node->text);
    return node->code;
  }
  if (node->mood == WORLD_HAS_MOVED && sc_storage_method_has_account(request->method)) {
    put_moved(w, node, out);
    return 421;
  }
  if (w->are_old && request->method == SC_STORAGE_ACTIVE_NODES) {
    world_put(out, "no method active_nodes_bin");
    return 400;
  }
  switch (request->method) {
  case SC_STORAGE_SERVICE_NODES:
    put_states(w, out);
    return 200;
  case SC_STORAGE_ACTIVE_NODES:
    put_list(w, out);
    return 200;
  case SC_STORAGE_INFO:
    world_put(out, "{\"version\":[2,11,0],\"timestamp\":1700000000000,");
    break;
  case SC_STORAGE_RETRIEVE:
    snprintf(text, sizeof text, "{\"messages\":[],\"number\":%d,\"more\":false,",
             request->of.retrieve.number);
    world_put(out, text);
    break;
  default:
    world_put(out, "{");
    break;
  }
  put_clock(w, node, out);
  return 200;
}

static void note_seen(world *w, size_t node, sc_storage_method method, size_t batch, sc_bytes text) {
  if (w->seen_count == world_most_seen)
    world_stop("too much was seen");
  world_seen *seen = &w->seen[w->seen_count++];
  *seen = (world_seen){.node = node, .method = method, .batch = batch};
  size_t len = text.len < sizeof seen->text - 1 ? text.len : sizeof seen->text - 1;
  memcpy(seen->text, text.ptr, len);
}

static int answer_call(world *w, world_node *node, sc_bytes call, sc_buffer *out) {
  sc_storage_parsed_request parsed;
  if (sc_storage_call_parse(&parsed, NULL, call) != SC_OK) {
    world_put(out, "invalid json");
    return 400;
  }
  bool is_batch = parsed.request.method == SC_STORAGE_BATCH || parsed.request.method == SC_STORAGE_SEQUENCE;
  note_seen(w, (size_t)(node - w->nodes), parsed.request.method, is_batch ? parsed.request.of.batch.count : 0,
            call);
  node->answered++;
  int code = answer(w, node, &parsed.request, out);
  bool is_binary = parsed.request.method == SC_STORAGE_ACTIVE_NODES && code == 200;
  sc_storage_parsed_request_free(&parsed);
  if (is_binary) {
    sc_buffer raw = *out;
    *out = (sc_buffer){0};
    uint8_t *at;
    world_must(sc_buffer_extend(&at, out, SC_BASE64_CHARS(raw.len) + 1));
    sc_base64_encode((char *)at, sc_buffer_bytes(&raw), SC_BASE64_STANDARD);
    sc_buffer_truncate(out, out->len - 1);
    sc_buffer_free(&raw);
  }
  return code;
}

/* ---- onions ---- */

static sc_onion_response serve_endpoint(sc_bytes endpoint) {
  static const struct {
    const char *endpoint;
    int status;
    const char *body;
  } known[] = {{"/missing", 404, "served"},
               {"/moved", 421, "served"},
               {"/early", 425, "served"},
               {"/forked", 200, "{\"t\":1700000000,\"hf\":[99,9]}"}};
  sc_onion_response response = {.status = 200, .kind = SC_ONION_BODY_TEXT, .body = sc_bytes_text("served")};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (sc_bytes_same(endpoint, sc_bytes_text(known[i].endpoint))) {
      response.status = known[i].status;
      response.body = sc_bytes_text(known[i].body);
    }
  return response;
}

static void serve(world *w, const sc_onion_layer *layer, world_carried *out) {
  sc_onion_block block;
  sc_buffer plaintext = {0};
  sc_onion_parsed_request request;
  world_must(sc_onion_block_parse(&block, SC_ONION_AT_SERVER, SC_ONION_MAX_BYTES, layer->payload));
  world_must(
      sc_hop_open(&plaintext, block.cipher, SC_HOP_SERVER, &w->server.x, block.ephemeral_key, block.sealed));
  world_must(sc_onion_request_parse(&request, NULL, sc_buffer_bytes(&plaintext)));
  note_seen(w, world_most_nodes, SC_STORAGE_INFO, 0, request.request.endpoint);
  const sc_onion_response response = serve_endpoint(request.request.endpoint);
  sc_buffer text = {0};
  world_must(sc_onion_response_write(&text, &response));
  out->code = 200;
  world_must(sc_onion_reply_seal_raw(&out->body, NULL, &block, &w->server.x, sc_buffer_bytes(&text)));
  sc_buffer_free(&text);
  sc_buffer_free(&plaintext);
  sc_onion_parsed_request_free(&request);
}

static void put_base64(sc_buffer *out, sc_bytes bytes) {
  uint8_t *at;
  world_must(sc_buffer_extend(&at, out, SC_BASE64_CHARS(bytes.len) + 1));
  sc_base64_encode((char *)at, bytes, SC_BASE64_STANDARD);
  sc_buffer_truncate(out, out->len - 1);
}

static void finish(world *w, world_node *node, const sc_onion_block *block, const sc_onion_layer *layer,
                   world_carried *out) {
  sc_buffer body = {0};
  int code = answer_call(w, node, layer->payload, &body);
  const sc_onion_answer answered = {.status = code,
                                    .body = sc_buffer_bytes(&body),
                                    .is_json = body.len > 0 && body.ptr[0] == '{',
                                    .wants_json = layer->wants_json,
                                    .wants_base64 = layer->wants_base64};
  out->code = 200;
  if (node->mood == WORLD_GARBLES)
    world_must(sc_onion_reply_seal_raw(&out->body, NULL, block, &node->keys.x, sc_bytes_text("[]")));
  else
    world_must(sc_onion_reply_seal(&out->body, NULL, block, &node->keys.x, &answered));
  if (node->mood == WORLD_GARBLES) {
    sc_buffer raw = out->body;
    out->body = (sc_buffer){0};
    put_base64(&out->body, sc_buffer_bytes(&raw));
    sc_buffer_free(&raw);
  }
  sc_buffer_free(&body);
}

static void say(world_carried *out, int code, const char *text, const uint8_t *named) {
  char hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1] = "";
  if (named != NULL)
    sc_hex_encode(hex, sc_bytes_make(named, SC_KEY_BYTES));
  out->code = code;
  world_put(&out->body, text);
  world_put(&out->body, hex);
}

void world_pass_on(world *w, size_t index, const sc_onion_block *block, world_carried *out) {
  world_node *node = &w->nodes[index];
  sc_onion_layer layer;
  if (node->mood == WORLD_DEAF || node->mood == WORLD_SILENT) {
    out->silent = true;
    return;
  }
  world_must(sc_onion_peel(&layer, NULL, block, &node->keys));
  bool is_final = layer.role == SC_ONION_FINAL;
  size_t next = layer.role == SC_ONION_RELAY ? world_index(w, layer.destination) : world_most_nodes;
  if (node->mood == WORLD_SAYS && !is_final)
    say(out, node->code, node->text, node->names_next ? layer.destination : NULL);
  else if (node->mood == WORLD_FORGES && !is_final)
    say(out, 200, "bm9ib2R5IHNlYWxlZCB0aGlzIHJlcGx5IG9mIG1pbmUsIGJ1dCBoZXJlIGl0IGlz", NULL);
  else if (node->mood == WORLD_REFLECTS && layer.role == SC_ONION_RELAY) {
    out->code = 200;
    put_base64(&out->body, layer.next.sealed);
  } else if (is_final)
    finish(w, node, block, &layer, out);
  else if (layer.role == SC_ONION_PROXY)
    serve(w, &layer, out);
  else if (next == world_most_nodes)
    say(out, 502, "Next node not found: ", layer.destination);
  else if (w->nodes[next].mood == WORLD_DEAF)
    say(out, 502, "Next node is currently unreachable: ", layer.destination);
  else
    world_pass_on(w, next, &layer.next, out);
  sc_onion_layer_free(&layer);
}

void world_answer_directly(world *w, world_node *node, sc_bytes command, sc_bytes body, world_carried *out) {
  sc_storage_parsed_request parsed;
  node->called_directly++;
  world_must(sc_storage_request_parse(&parsed, NULL, command, body));
  out->code = answer(w, node, &parsed.request, &out->body);
  sc_storage_parsed_request_free(&parsed);
}
