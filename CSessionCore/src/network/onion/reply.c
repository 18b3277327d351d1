/* Replies of nodes: a status and a text in JSON, sealed with the key of the request's innermost layer, in
 * base64. */
#include "../status_code.h"
#include "session-core/base/encoding.h"
#include "session-core/network/onion.h"

enum { reply_depth = SC_JSON_DEFAULT_DEPTH };

static sc_status decode_base64(sc_buffer *out, sc_bytes text) {
  size_t len;
  uint8_t *bytes;
  if (sc_base64_decoded_len(&len, text) != SC_OK)
    return SC_ERR_ONION_UNAUTHENTICATED;
  sc_status status = sc_buffer_extend(&bytes, out, len);
  if (status != SC_OK)
    return status;
  bool good = sc_base64_decode(bytes, len, text, SC_BASE64_STANDARD) == SC_OK;
  return good ? SC_OK : SC_ERR_ONION_UNAUTHENTICATED;
}

/* True for a layer of the request itself: a node that saw the innermost one could send it back, and it would
 * decrypt. */
static bool is_reflection(const sc_onion_key *key, sc_bytes sealed) {
  for (size_t i = 0; i < key->nonce_count && sealed.len >= SC_ONION_NONCE_BYTES; i++)
    if (memcmp(key->nonces[i], sealed.ptr, SC_ONION_NONCE_BYTES) == 0)
      return true;
  return false;
}

/* A reply that does not decrypt may come from any hop. */
static sc_status open_sealed(sc_buffer *out, const sc_onion_key *key, sc_bytes sealed) {
  if (is_reflection(key, sealed))
    return SC_ERR_ONION_UNAUTHENTICATED;
  sc_status status = sc_hop_open_reply(out, key->cipher, &key->mine, key->destination, sealed);
  return status == SC_OK || status == SC_ERR_NO_MEMORY ? status : SC_ERR_ONION_UNAUTHENTICATED;
}

sc_status sc_onion_unseal(sc_buffer *out, const sc_onion_key *key, sc_onion_destination_kind from,
                          sc_bytes reply) {
  sc_buffer_clear(out);
  if (reply.len > SC_ONION_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  if (from == SC_ONION_TO_SERVER)
    return open_sealed(out, key, reply);
  sc_buffer sealed;
  sc_buffer_init(&sealed, out->env);
  sc_status status = decode_base64(&sealed, reply);
  if (status == SC_OK)
    status = open_sealed(out, key, sc_buffer_bytes(&sealed));
  sc_buffer_free(&sealed);
  return status;
}

static sc_status read_status(int *out, const sc_json *document) {
  int64_t code;
  sc_status status = sc_json_member_i64(&code, document, "status");
  if (status == SC_ERR_NOT_FOUND)
    status = sc_json_member_i64(&code, document, "status_code");
  if (status != SC_OK || !sc_is_status_code((uint64_t)code))
    return SC_ERR_ONION_REPLY;
  *out = (int)code;
  return SC_OK;
}

/* A text, or an object as old nodes embed it; the latter becomes text again. */
static sc_status read_body(sc_onion_reply *reply) {
  const sc_json *body;
  sc_status status = sc_json_member(&body, reply->document, "body");
  if (status == SC_ERR_NOT_FOUND)
    return SC_OK;
  if (sc_json_string(&reply->body, body) == SC_OK)
    return SC_OK;
  if (sc_json_type_of(body) != SC_JSON_OBJECT)
    return SC_ERR_ONION_REPLY;
  status = sc_json_write(&reply->bytes, body);
  reply->body = sc_buffer_bytes(&reply->bytes);
  return status;
}

static sc_status parse_reply(sc_onion_reply *reply, sc_bytes text) {
  sc_status status = sc_json_parse(&reply->document, text, reply_depth);
  if (status != SC_OK)
    return status == SC_ERR_NO_MEMORY ? status : SC_ERR_ONION_REPLY;
  status = read_status(&reply->status, reply->document);
  return status == SC_OK ? read_body(reply) : status;
}

sc_status sc_onion_reply_open(sc_onion_reply *out, const sc_env *env, const sc_onion_key *key,
                              sc_bytes reply) {
  sc_buffer text;
  sc_buffer_init(&text, env);
  sc_onion_reply opened = {0};
  sc_buffer_init(&opened.bytes, env);
  sc_status status = sc_onion_unseal(&text, key, SC_ONION_TO_NODE, reply);
  if (status == SC_OK)
    status = parse_reply(&opened, sc_buffer_bytes(&text));
  if (status == SC_OK)
    *out = opened;
  else
    sc_onion_reply_free(&opened);
  sc_buffer_free(&text);
  return status;
}

void sc_onion_reply_free(sc_onion_reply *reply) {
  sc_json_free(reply->document);
  sc_buffer_free(&reply->bytes);
  *reply = (sc_onion_reply){0};
}
