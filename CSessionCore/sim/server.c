#include "server.h"

#include <stdlib.h>

#include "session-core/network/onion_server.h"
#include "session-core/node/onion.h"
#include "world.h"

static void handle(void *user, const wire_request *request);

void server_init(server *s, world *w, uint32_t index) {
  uint8_t seed[SC_ED25519_SEED_BYTES] = {'s', (uint8_t)index};
  *s = (server){.world = w, .host = wire_add(&w->wire, handle, s)};
  sc_keypair_from_seed(&s->keys, seed);
  snprintf(s->name, sizeof s->name, "server%u.example", index);
}

sc_onion_server server_address(const server *s) {
  sc_onion_server address = {
      .url = {.host = sc_bytes_text(s->name), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(address.x25519, s->keys.x.public_key, SC_KEY_BYTES);
  return address;
}

server *server_find(world *w, sc_bytes name) {
  for (size_t i = 0; i < world_server_count; i++)
    if (sc_bytes_same(name, sc_bytes_text(w->servers[i].name)))
      return &w->servers[i];
  return NULL;
}

static int status_of(server *s) {
  static const int errors[] = {400, 404, 425, 429, 500, 503};
  draws *from = &s->world->chance;
  if (draw_below(from, 1000) >= s->errors)
    return 200;
  return errors[draw_below(from, sizeof errors / sizeof errors[0])];
}

static sc_status echo(sc_buffer *out, server *s, uint64_t client, sc_bytes payload) {
  const sc_env *env = &s->world->node_env;
  static const char type[] = "application/octet-stream";
  const sc_onion_header headers[] = {{sc_bytes_text("content-type"), sc_bytes_text(type)}};
  sc_onion_parsed_request parsed;
  sc_onion_response response = {
      .status = 400, .headers = headers, .header_count = 1, .kind = SC_ONION_BODY_BYTES};
  sc_status status = sc_onion_request_parse(&parsed, env, payload);
  if (status == SC_OK) {
    response.status = status_of(s);
    response.body = parsed.request.body;
  }
  const ledger_entry made = {
      .client = oracle_client_of(client), .host = s->host, .code = response.status, .body = response.body};
  ledger_note(&s->world->ledger, &made);
  sc_status written = sc_onion_response_write(out, &response);
  if (status == SC_OK)
    sc_onion_parsed_request_free(&parsed);
  return written;
}

static void handle(void *user, const wire_request *request) {
  server *s = user;
  const sc_env *env = &s->world->node_env;
  sc_onion_block block;
  sc_buffer payload, response, sealed;
  sc_buffer_init(&payload, env);
  sc_buffer_init(&response, env);
  sc_buffer_init(&sealed, env);
  sc_status status =
      sc_onion_block_parse(&block, SC_ONION_AT_SERVER, SC_ONION_MAX_BYTES, blob_bytes(request->body));
  if (status == SC_OK)
    status =
        sc_hop_open(&payload, block.cipher, SC_HOP_SERVER, &s->keys.x, block.ephemeral_key, block.sealed);
  if (status == SC_OK)
    status = echo(&response, s, request->tag, sc_buffer_bytes(&payload));
  if (status == SC_OK)
    status = sc_onion_reply_seal_raw(&sealed, env, &block, &s->keys.x, sc_buffer_bytes(&response));
  wire_answer(&s->world->wire, request->call, false, sc_buffer_bytes(&sealed));
  sc_buffer_free(&payload);
  sc_buffer_free(&response);
  sc_buffer_free(&sealed);
}
