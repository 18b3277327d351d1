/* A request is sealed from the inside out. Two buffers take turns: one holds a block, the other the block
 * sealed, which is the middle of the next. */
#include <stdio.h>

#include "../../base/little.h"
#include "session-core/base/encoding.h"
#include "session-core/base/secret.h"
#include "session-core/network/onion.h"

enum {
  length_bytes = 4,
  most_route_chars = 256 + SC_ONION_MAX_HOST_CHARS + SC_ONION_MAX_TARGET_CHARS,
  layer_room = 320, /* overhead of one more layer: routes to nodes have about 185 characters */
};

/* The route to the hop of the last layer, for the control part around it. */
typedef struct route {
  const sc_onion_node *node; /* NULL: a server, or the hop the request is sent to */
  const sc_onion_url *url;   /* NULL: none */
  uint8_t ephemeral_key[SC_KEY_BYTES];
} route;

typedef struct builder {
  sc_hop_cipher cipher;
  const sc_env *env;
  sc_buffer block;
  sc_buffer sealed;
  route route;
  sc_onion_key *key;
} builder;

/* Replaces `out` with the length of `sealed` and `sealed`, making room for `extra` more bytes. */
static sc_status join(sc_buffer *out, sc_bytes sealed, size_t extra) {
  sc_buffer_clear(out);
  if (sealed.len > SC_ONION_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  uint8_t length[length_bytes];
  sc_store_u32(length, (uint32_t)sealed.len);
  sc_status status = sc_buffer_reserve(out, sizeof length + sealed.len + extra);
  if (status == SC_OK)
    status = sc_buffer_append(out, SC_BYTES(length));
  return status == SC_OK ? sc_buffer_append(out, sealed) : status;
}

static int write_url(char *out, size_t size, const sc_onion_url *url, const char *key, const char *cipher) {
  unsigned usual_port = url->is_http ? SC_ONION_HTTP_PORT : SC_ONION_HTTPS_PORT;
  return snprintf(out, size,
                  "{\"enc_type\":\"%s\",\"ephemeral_key\":\"%s\",\"host\":\"%.*s\",\"method\":\"POST\","
                  "\"port\":%u,\"protocol\":\"%s\",\"target\":\"%.*s\"}",
                  cipher, key, (int)url->host.len, (const char *)url->host.ptr,
                  url->port == 0 ? usual_port : url->port, url->is_http ? "http" : "https",
                  (int)url->target.len, (const char *)url->target.ptr);
}

/* Names of ciphers, digits and the characters of a checked address: nothing that JSON would escape. */
static sc_status append_route(sc_buffer *out, const route *route, sc_hop_cipher cipher) {
  char text[most_route_chars];
  char key[SC_HEX_CHARS(SC_KEY_BYTES) + 1], node[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  const char *name = sc_hop_cipher_name(cipher);
  int len;
  sc_hex_encode(key, SC_BYTES(route->ephemeral_key));
  if (route->url != NULL) {
    len = write_url(text, sizeof text, route->url, key, name);
  } else if (route->node != NULL) {
    sc_hex_encode(node, SC_BYTES(route->node->ed25519));
    len = snprintf(text, sizeof text, "{\"destination\":\"%s\",\"enc_type\":\"%s\",\"ephemeral_key\":\"%s\"}",
                   node, name, key);
  } else {
    len = snprintf(text, sizeof text, "{\"enc_type\":\"%s\",\"ephemeral_key\":\"%s\"}", name, key);
  }
  return sc_buffer_append(out, sc_bytes_make(text, (size_t)len));
}

/* Seals `block` with a fresh pair, which is left in `pair`, and notes the nonce, which comes first. */
static sc_status seal(builder *b, sc_x25519_pair *pair, sc_bytes block, const uint8_t *key) {
  sc_x25519_pair_generate(pair, b->env);
  memcpy(b->route.ephemeral_key, pair->public_key, SC_KEY_BYTES);
  sc_status status = sc_hop_seal(&b->sealed, b->env, b->cipher, SC_HOP_CLIENT, pair, key, block);
  if (status == SC_OK)
    memcpy(b->key->nonces[b->key->nonce_count++], b->sealed.ptr, SC_ONION_NONCE_BYTES);
  return status;
}

/* Joins the layer sealed last with the route to the hop that opens it. */
static sc_status join_route(sc_buffer *out, const builder *b) {
  sc_status status = join(out, sc_buffer_bytes(&b->sealed), layer_room);
  return status == SC_OK ? append_route(out, &b->route, b->cipher) : status;
}

static sc_status seal_for_destination(builder *b, const sc_onion_destination *destination, sc_bytes payload) {
  sc_onion_key *key = b->key;
  if (destination->kind == SC_ONION_TO_SERVER) {
    memcpy(key->destination, destination->server.x25519, SC_KEY_BYTES);
    b->route.url = &destination->server.url;
    return seal(b, &key->mine, payload, key->destination);
  }
  memcpy(key->destination, destination->node.x25519, SC_KEY_BYTES);
  b->route.node = &destination->node;
  static const char control[] = "{\"headers\":\"\"}";
  sc_status status = join(&b->block, payload, sizeof control);
  if (status == SC_OK)
    status = sc_buffer_append(&b->block, sc_bytes_text(control));
  return status == SC_OK ? seal(b, &key->mine, sc_buffer_bytes(&b->block), key->destination) : status;
}

static sc_status seal_for_hop(builder *b, const sc_onion_node *hop) {
  sc_x25519_pair pair = {0};
  sc_status status = join_route(&b->block, b);
  if (status == SC_OK)
    status = seal(b, &pair, sc_buffer_bytes(&b->block), hop->x25519);
  b->route.node = hop;
  b->route.url = NULL;
  sc_x25519_pair_wipe(&pair);
  return status;
}

static sc_status check(size_t hop_count, const sc_onion_destination *destination, sc_bytes payload) {
  if (hop_count > SC_ONION_MAX_HOPS)
    return SC_ERR_ONION_HOPS;
  if (payload.len > SC_ONION_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  if (destination->kind == SC_ONION_TO_SERVER)
    return sc_onion_url_check(&destination->server.url);
  return destination->kind == SC_ONION_TO_NODE ? SC_OK : SC_ERR_ARGUMENT;
}

/* Both buffers as large as they will become, so that nothing moves again. */
static sc_status make_room(builder *b, size_t hop_count, sc_bytes payload) {
  size_t room = payload.len + most_route_chars + (hop_count + 1) * layer_room;
  sc_status status = sc_buffer_reserve(&b->block, room);
  return status == SC_OK ? sc_buffer_reserve(&b->sealed, room) : status;
}

static sc_status build(sc_buffer *out, builder *b, const sc_onion_node *hops, size_t hop_count,
                       const sc_onion_destination *destination, sc_bytes payload) {
  sc_status status = make_room(b, hop_count, payload);
  if (status == SC_OK)
    status = seal_for_destination(b, destination, payload);
  for (size_t i = hop_count; i-- > 0 && status == SC_OK;)
    status = seal_for_hop(b, &hops[i]);
  b->route.node = NULL; /* The node that receives the request is not named in it. */
  b->route.url = NULL;
  if (status == SC_OK)
    status = join_route(out, b);
  return status == SC_OK && out->len > SC_ONION_MAX_BYTES ? SC_ERR_TOO_LARGE : status;
}

sc_status sc_onion_build(sc_buffer *out, sc_onion_key *key, const sc_env *env, sc_hop_cipher cipher,
                         const sc_onion_node *hops, size_t hop_count, const sc_onion_destination *destination,
                         sc_bytes payload) {
  sc_buffer_clear(out);
  sc_status status = check(hop_count, destination, payload);
  if (status != SC_OK)
    return status;
  sc_onion_key made = {.cipher = cipher};
  builder b = {.cipher = cipher, .env = env, .key = &made};
  sc_buffer_init(&b.block, env);
  sc_buffer_init(&b.sealed, env);
  status = build(out, &b, hops, hop_count, destination, payload);
  if (status == SC_OK)
    *key = made;
  else
    sc_buffer_clear(out);
  sc_onion_key_wipe(&made);
  sc_buffer_free(&b.block);
  sc_buffer_free(&b.sealed);
  return status;
}

void sc_onion_key_wipe(sc_onion_key *key) {
  sc_wipe(key, sizeof *key);
}
