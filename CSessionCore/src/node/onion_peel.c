/* Peeling a layer. The order of the checks is part of the protocol: `headers` makes a block final, whatever
 * else it contains. */
#include "onion_control.h"

static bool has(const sc_json *control, const char *name) {
  const sc_json *value;
  return sc_json_member(&value, control, name) == SC_OK;
}

static sc_status read_final(sc_onion_layer *layer, sc_bytes sealed) {
  layer->role = SC_ONION_FINAL;
  layer->payload = sealed;
  layer->wants_base64 = true;
  sc_status status = sc_onion_control_bool(&layer->wants_json, layer->document, "json");
  return status == SC_OK ? sc_onion_control_bool(&layer->wants_base64, layer->document, "base64") : status;
}

static sc_status read_relay(sc_onion_layer *layer, sc_bytes sealed, const sc_onion_block *from,
                            const uint8_t *own_key) {
  layer->role = SC_ONION_RELAY;
  layer->next.sealed = sealed;
  layer->next.hop_number =
      from->hop_number > SC_ONION_MAX_HOP_NUMBER ? from->hop_number : from->hop_number + 1;
  sc_status status = sc_onion_control_key(layer->destination, layer->document, "destination", false);
  if (status == SC_OK)
    status = sc_onion_control_key(layer->next.ephemeral_key, layer->document, "ephemeral_key", false);
  if (status == SC_OK)
    status = sc_onion_control_cipher(&layer->next.cipher, layer->document);
  bool to_itself = status == SC_OK && memcmp(layer->destination, own_key, SC_KEY_BYTES) == 0;
  return to_itself ? SC_ERR_ONION_LOOP : status;
}

static sc_status read_protocol(bool *is_http, const sc_json *control) {
  sc_bytes protocol = sc_bytes_text("https");
  sc_status status = sc_json_member_string(&protocol, control, "protocol");
  if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return SC_ERR_ONION_CONTROL;
  *is_http = sc_bytes_same(protocol, sc_bytes_text("http"));
  return *is_http || sc_bytes_same(protocol, sc_bytes_text("https")) ? SC_OK : SC_ERR_ONION_URL;
}

/* Of both protocols the usual port is that of https. */
static sc_status read_port(uint16_t *out, const sc_json *control) {
  int64_t port = SC_ONION_HTTPS_PORT;
  sc_status status = sc_json_member_i64(&port, control, "port");
  if (status == SC_ERR_JSON_RANGE)
    return SC_ERR_ONION_URL;
  if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return SC_ERR_ONION_CONTROL;
  if (port < 1 || port > UINT16_MAX)
    return SC_ERR_ONION_URL;
  *out = (uint16_t)port;
  return SC_OK;
}

/* The server gets the whole block: the control part has the key for the ciphertext. */
static sc_status read_proxy(sc_onion_layer *layer, sc_bytes host) {
  layer->role = SC_ONION_PROXY;
  layer->payload = sc_buffer_bytes(&layer->plaintext);
  layer->url.host = host;
  if (sc_json_member_string(&layer->url.target, layer->document, "target") != SC_OK)
    return SC_ERR_ONION_CONTROL;
  sc_status status = read_protocol(&layer->url.is_http, layer->document);
  if (status == SC_OK)
    status = read_port(&layer->url.port, layer->document);
  return status == SC_OK ? sc_onion_url_check(&layer->url) : status;
}

static sc_status read_layer(sc_onion_layer *layer, const sc_onion_block *from, const uint8_t *own_key) {
  sc_bytes sealed, control, host;
  sc_status status = sc_onion_split(&sealed, &control, sc_buffer_bytes(&layer->plaintext));
  if (status == SC_OK)
    status = sc_onion_control_parse(&layer->document, control);
  if (status != SC_OK)
    return status;
  if (has(layer->document, "headers"))
    return read_final(layer, sealed);
  if (sc_json_member_string(&host, layer->document, "host") == SC_OK)
    return read_proxy(layer, host);
  return read_relay(layer, sealed, from, own_key);
}

sc_status sc_onion_peel(sc_onion_layer *out, const sc_env *env, const sc_onion_block *block,
                        const sc_keypair *node) {
  sc_onion_layer layer = {0};
  sc_buffer_init(&layer.plaintext, env);
  sc_status status = sc_hop_open(&layer.plaintext, block->cipher, SC_HOP_SERVER, &node->x,
                                 block->ephemeral_key, block->sealed);
  if (status == SC_OK)
    status = read_layer(&layer, block, node->ed.public_key);
  if (status == SC_OK)
    *out = layer;
  else
    sc_onion_layer_free(&layer);
  return status;
}

void sc_onion_layer_free(sc_onion_layer *layer) {
  sc_json_free(layer->document);
  sc_buffer_free(&layer->plaintext);
  *layer = (sc_onion_layer){0};
}
