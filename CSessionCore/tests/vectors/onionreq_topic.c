/* The layer cipher, whole requests built and read, and node addresses. */
#include <stdio.h>

#include "topics.h"

typedef struct hop {
  sc_hop_cipher cipher;
  sc_hop_side side;
  sc_x25519_pair mine;
  const uint8_t *remote;
} hop;

static sc_status read_hop(hop *out, known_case *c) {
  out->side = known_flag(c, "i_am_server") ? SC_HOP_SERVER : SC_HOP_CLIENT;
  memcpy(out->mine.secret, known_key(c, "my_x25519_secret"), SC_KEY_BYTES);
  memcpy(out->mine.public_key, known_key(c, "my_x25519_pubkey"), SC_KEY_BYTES);
  out->remote = known_key(c, "remote_x25519_pubkey");
  return sc_hop_cipher_parse(&out->cipher, known_text(c, "enc_type"));
}

static sc_status hop_encrypt(known_case *c) {
  hop hop;
  sc_status status = read_hop(&hop, c);
  if (status != SC_OK)
    return status;
  const sc_env *env = known_has(c, "nonce") ? known_draws(c, known_hex(c, "nonce")) : known_env(c);
  sc_buffer *sealed = known_buffer(c);
  status = sc_hop_seal(sealed, env, hop.cipher, hop.side, &hop.mine, hop.remote, known_hex(c, "plaintext"));
  if (status == SC_OK)
    known_same(c, "ciphertext", sc_buffer_bytes(sealed));
  return status;
}

static sc_status hop_decrypt(known_case *c) {
  hop hop;
  sc_status status = read_hop(&hop, c);
  if (status != SC_OK)
    return status;
  sc_buffer *plaintext = known_buffer(c);
  status = sc_hop_open(plaintext, hop.cipher, hop.side, &hop.mine, hop.remote, known_hex(c, "ciphertext"));
  if (status == SC_OK)
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
  return status;
}

static sc_status response_decrypt(known_case *c) {
  sc_hop_cipher cipher;
  sc_status status = sc_hop_cipher_parse(&cipher, known_text(c, "enc_type"));
  if (status != SC_OK)
    return status;
  sc_x25519_pair mine;
  memcpy(mine.secret, known_key(c, "final_x25519_secret"), sizeof mine.secret);
  memcpy(mine.public_key, known_key(c, "final_x25519_pubkey"), sizeof mine.public_key);
  sc_buffer *plaintext = known_buffer(c);
  status = sc_hop_open_reply(plaintext, cipher, &mine, known_key(c, "destination_x25519_pubkey"),
                             known_hex(c, "ciphertext"));
  if (status == SC_OK)
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
  return status;
}

static sc_status snode_address(known_case *c) {
  char name[SC_BASE32Z_CHARS(SC_KEY_BYTES) + 1];
  char address[sizeof name + sizeof ".snode"];
  sc_base32z_encode(name, sc_bytes_make(known_key(c, "ed25519_pubkey"), SC_KEY_BYTES));
  snprintf(address, sizeof address, "%s.snode", name);
  known_same_text(c, "address", sc_bytes_text(address));
  return SC_OK;
}

static void read_member_key(uint8_t out[static SC_KEY_BYTES], known_case *c, const sc_json *object,
                            const char *name) {
  const sc_json *value = NULL;
  if (sc_json_member(&value, object, name) != SC_OK) {
    known_differs(c, "a node has no %s", name);
    return;
  }
  sc_bytes key = known_hex_of(c, value);
  if (key.len == SC_KEY_BYTES)
    memcpy(out, key.ptr, SC_KEY_BYTES);
}

static void read_node(sc_onion_node *out, known_case *c, const sc_json *json) {
  read_member_key(out->ed25519, c, json, "ed25519_pubkey");
  read_member_key(out->x25519, c, json, "x25519_pubkey");
}

static sc_bytes member_text(const sc_json *object, const char *name) {
  sc_bytes text;
  return sc_json_member_string(&text, object, name) == SC_OK ? text : sc_bytes_text("");
}

static void read_server(sc_onion_server *out, known_case *c, const sc_json *json) {
  uint64_t port;
  read_member_key(out->x25519, c, json, "x25519_pubkey");
  out->url.host = member_text(json, "host");
  out->url.target = member_text(json, "target");
  out->url.is_http = sc_bytes_same(member_text(json, "protocol"), sc_bytes_text("http"));
  out->url.port = sc_json_member_u64(&port, json, "port") == SC_OK ? (uint16_t)port : 0;
}

static void read_destination(sc_onion_destination *out, known_case *c, const sc_json *json) {
  sc_bytes type = member_text(json, "type");
  *out = (sc_onion_destination){0};
  if (sc_bytes_same(type, sc_bytes_text("snode"))) {
    out->kind = SC_ONION_TO_NODE;
    read_node(&out->node, c, json);
  } else if (sc_bytes_same(type, sc_bytes_text("server"))) {
    out->kind = SC_ONION_TO_SERVER;
    read_server(&out->server, c, json);
  }
}

/* A recipient that opens messages sealed for the key in `json`. */
static sc_keypair node_of(known_case *c, const sc_json *json) {
  sc_keypair node = {0};
  sc_onion_node keys;
  read_node(&keys, c, json);
  read_member_key(node.x.secret, c, json, "x25519_secret");
  memcpy(node.x.public_key, keys.x25519, SC_KEY_BYTES);
  memcpy(node.ed.public_key, keys.ed25519, SC_KEY_BYTES);
  return node;
}

static const sc_json *element_of(const sc_json *array, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, array, index) == SC_OK ? value : NULL;
}

/* Opens the request hop by hop, as its nodes would. */
static sc_status follow(known_case *c, const sc_onion_destination *destination, sc_bytes request) {
  const sc_json *hops = known_field(c, "hops");
  size_t count = sc_json_count(hops);
  bool to_node = destination->kind == SC_ONION_TO_NODE;
  sc_onion_block block;
  sc_onion_layer layer = {0}, last = {0};
  sc_status status = sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, request);
  for (size_t i = 0; i < count + to_node && status == SC_OK; i++) {
    sc_keypair node = node_of(c, i < count ? element_of(hops, i) : known_field(c, "destination"));
    status = sc_onion_peel(&layer, known_env(c), &block, &node);
    sc_onion_layer_free(&last);
    last = layer;
    layer = (sc_onion_layer){0};
    block = last.next;
  }
  if (status == SC_OK && last.role != (to_node ? SC_ONION_FINAL : SC_ONION_PROXY))
    known_differs(c, "the last layer has another role");
  if (status == SC_OK && to_node)
    known_same(c, "payload", last.payload);
  if (status == SC_OK && !to_node && !sc_bytes_same(last.url.host, destination->server.url.host))
    known_differs(c, "the last hop is to reach another host");
  sc_onion_layer_free(&last);
  return status;
}

static sc_status build(known_case *c) {
  enum { most_hops = 16 };
  sc_onion_node hops[most_hops];
  sc_onion_destination destination;
  sc_hop_cipher cipher;
  sc_onion_key key;
  const sc_json *list = known_field(c, "hops");
  size_t count = sc_json_count(list);
  for (size_t i = 0; i < count && i < most_hops; i++)
    read_node(&hops[i], c, element_of(list, i));
  read_destination(&destination, c, known_field(c, "destination"));
  sc_status status = sc_hop_cipher_parse(&cipher, known_text(c, "enc_type"));
  if (status != SC_OK)
    return status;
  const sc_env *env = known_has(c, "random") ? known_draws(c, known_hex(c, "random")) : known_env(c);
  sc_buffer *request = known_buffer(c);
  status = sc_onion_build(request, &key, env, cipher, hops, count, &destination, known_hex(c, "payload"));
  if (status != SC_OK)
    return status;
  known_same(c, "request", sc_buffer_bytes(request));
  known_same(c, "final_x25519_pubkey", SC_BYTES(key.mine.public_key));
  known_same(c, "final_x25519_secret", SC_BYTES(key.mine.secret));
  return follow(c, &destination, sc_buffer_bytes(request));
}

static sc_status parse(known_case *c) {
  sc_x25519_pair mine;
  sc_onion_block block;
  memcpy(mine.secret, known_key(c, "my_x25519_secret"), SC_KEY_BYTES);
  memcpy(mine.public_key, known_key(c, "my_x25519_pubkey"), SC_KEY_BYTES);
  size_t max_len = known_has(c, "max_size") ? (size_t)known_unsigned(c, "max_size") : SC_ONION_MAX_BYTES;
  sc_status status = sc_onion_block_parse(&block, SC_ONION_AT_SERVER, max_len, known_hex(c, "request"));
  if (status != SC_OK)
    return status;
  sc_buffer *payload = known_buffer(c);
  status = sc_hop_open(payload, block.cipher, SC_HOP_SERVER, &mine, block.ephemeral_key, block.sealed);
  if (status != SC_OK)
    return status;
  known_same(c, "payload", sc_buffer_bytes(payload));
  known_same(c, "remote_pubkey", SC_BYTES(block.ephemeral_key));
  if (!known_has(c, "reply"))
    return SC_OK;
  sc_buffer *reply = known_buffer(c);
  status = sc_onion_reply_seal_raw(reply, known_draws(c, known_hex(c, "reply_nonce")), &block, &mine,
                                   known_hex(c, "reply"));
  if (status == SC_OK)
    known_same(c, "reply_encrypted", sc_buffer_bytes(reply));
  return status;
}

TOPIC(onionreq, {"build", build}, {"parse", parse}, {"hop_encrypt", hop_encrypt},
      {"hop_decrypt", hop_decrypt}, {"response_decrypt", response_decrypt}, {"snode_address", snode_address});
