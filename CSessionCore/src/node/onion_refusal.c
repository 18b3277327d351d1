/* Refusals by a node. Before a layer decrypts the reply can only be plain text; afterwards it is encrypted.
 */
#include "session-core/network/onion_failure.h"
#include "session-core/node/onion.h"

enum { refused_status = 400 };

static bool did_not_open(sc_status why) {
  return why == SC_ERR_KEY_INVALID || why == SC_ERR_TRUNCATED || why == SC_ERR_DECRYPT;
}

static sc_onion_failure_kind kind_of(sc_onion_arrival arrival, sc_status why) {
  if (arrival == SC_ONION_FROM_CLIENT)
    return SC_ONION_FAILED_REQUEST;
  if (arrival == SC_ONION_FROM_NODE)
    return why == SC_ERR_ONION_HOPS ? SC_ONION_FAILED_LENGTH : SC_ONION_FAILED_RELAY;
  if (why == SC_ERR_ONION_LOOP)
    return SC_ONION_FAILED_NEXT_UNKNOWN;
  return did_not_open(why) ? SC_ONION_FAILED_OPENING : SC_ONION_FAILED_OTHERWISE;
}

static sc_status seal_refusal(sc_buffer *out, const sc_env *env, sc_status why, const sc_onion_block *block,
                              const sc_keypair *node) {
  const sc_onion_answer answer = {
      .status = refused_status,
      .body = sc_bytes_text(why == SC_ERR_ONION_URL ? "Invalid url" : "Invalid json"),
      .wants_base64 = true,
  };
  return sc_onion_reply_seal(out, env, block, &node->x, &answer);
}

/* True if the node itself failed, not the request. */
static bool is_own_failure(sc_status why) {
  return why == SC_OK || why == SC_ERR_NO_MEMORY;
}

sc_status sc_onion_refuse(sc_buffer *out, int *code, const sc_env *env, sc_onion_arrival arrival,
                          sc_status why, const sc_onion_block *block, const sc_keypair *node) {
  enum { sealed_status = 200 };
  sc_buffer_clear(out);
  if (is_own_failure(why))
    return why == SC_OK ? SC_ERR_ARGUMENT : why;
  sc_onion_failure_kind kind = kind_of(arrival, why);
  if (kind != SC_ONION_FAILED_OTHERWISE)
    return sc_onion_failure_write(out, code, kind, node->ed.public_key, sc_bytes_text(sc_status_text(why)));
  sc_status status = seal_refusal(out, env, why, block, node);
  if (status == SC_OK)
    *code = sealed_status;
  return status;
}
