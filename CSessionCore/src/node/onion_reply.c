/* Sealing replies to onion requests. */
#include <stdio.h>

#include "../base/json_text.h"
#include "../network/padding.h"
#include "../network/status_code.h"
#include "session-core/base/encoding.h"
#include "session-core/node/onion.h"

/* With room for what encryption adds. */
static const size_t most_padded = SC_ONION_MAX_REPLY_BYTES - 64;

static sc_status write_reply(sc_buffer *out, const sc_onion_answer *answer) {
  char start[sizeof "{\"status\":599,\"body\":"];
  int len = snprintf(start, sizeof start, "{\"status\":%d,\"body\":", answer->status);
  sc_status status = sc_buffer_append(out, sc_bytes_make(start, (size_t)len));
  if (status != SC_OK)
    return status;
  if (answer->is_json && answer->wants_json)
    status = sc_buffer_append(out, answer->body);
  else
    status = sc_json_text_append(out, answer->body);
  if (status == SC_OK)
    status = sc_buffer_append_byte(out, '}');
  return status == SC_OK && answer->padded ? sc_pad_json(out, most_padded) : status;
}

static sc_status append_base64(sc_buffer *out, sc_bytes bytes) {
  uint8_t *text;
  sc_status status = sc_buffer_extend(&text, out, SC_BASE64_CHARS(bytes.len) + 1);
  if (status != SC_OK)
    return status;
  sc_base64_encode((char *)text, bytes, SC_BASE64_STANDARD);
  sc_buffer_truncate(out, out->len - 1);
  return SC_OK;
}

sc_status sc_onion_reply_seal_raw(sc_buffer *out, const sc_env *env, const sc_onion_block *block,
                                  const sc_x25519_pair *mine, sc_bytes reply) {
  sc_buffer_clear(out);
  sc_status status = sc_hop_seal(out, env, block->cipher, SC_HOP_SERVER, mine, block->ephemeral_key, reply);
  if (status != SC_OK || out->len <= SC_ONION_MAX_BYTES)
    return status;
  sc_buffer_clear(out);
  return SC_ERR_TOO_LARGE;
}

static sc_status seal_answer(sc_buffer *out, const sc_env *env, const sc_onion_block *block,
                             const sc_x25519_pair *node, const sc_onion_answer *answer, sc_buffer *text,
                             sc_buffer *sealed) {
  sc_status status = write_reply(text, answer);
  sc_buffer *target = answer->wants_base64 ? sealed : out;
  if (status == SC_OK)
    status = sc_onion_reply_seal_raw(target, env, block, node, sc_buffer_bytes(text));
  if (status == SC_OK && target->len > SC_ONION_MAX_REPLY_BYTES)
    status = SC_ERR_TOO_LARGE;
  if (status == SC_OK && answer->wants_base64)
    status = append_base64(out, sc_buffer_bytes(sealed));
  return status;
}

sc_status sc_onion_reply_seal(sc_buffer *out, const sc_env *env, const sc_onion_block *block,
                              const sc_x25519_pair *node, const sc_onion_answer *answer) {
  sc_buffer_clear(out);
  if (!sc_is_status_code((uint64_t)answer->status))
    return SC_ERR_ARGUMENT;
  sc_buffer text, sealed;
  sc_buffer_init(&text, env);
  sc_buffer_init(&sealed, env);
  sc_status status = seal_answer(out, env, block, node, answer, &text, &sealed);
  if (status != SC_OK)
    sc_buffer_clear(out);
  sc_buffer_free(&text);
  sc_buffer_free(&sealed);
  return status;
}
