#include "payload.h"

#include "../base/declassify.h"
#include "session-core/base/secret.h"
#include "session-core/ratchet/body.h"
#include "wire.h"

static sc_status decrypt(sc_buffer *out, const sc_ratchet_envelope *envelope,
                         const sc_ratchet_payload_keys *keys) {
  const sc_bytes payload = sc_ratchet_payload_of(envelope);
  const sc_bytes head = sc_bytes_make(envelope->message.ptr, sc_ratchet_head_bytes);
  bool same = sc_equal(keys->commitment, head.ptr + sc_ratchet_commitment_at, sizeof keys->commitment);
  sc_declassify(&same, sizeof same);
  if (!same)
    return SC_ERR_RATCHET_DAMAGED;
  uint8_t *space;
  sc_status status = sc_buffer_extend(&space, out, payload.len - SC_AEAD_TAG_BYTES);
  if (status != SC_OK)
    return status;
  return sc_ratchet_decrypt(space, keys->cipher.key, keys->cipher.nonce, head, payload)
             ? SC_OK
             : SC_ERR_RATCHET_DAMAGED;
}

/* The length of the body is no secret. */
static void strip_padding(sc_buffer *body) {
  size_t len = body->len;
  sc_declassify(body->ptr, body->len);
  while (len > 0 && body->ptr[len - 1] == 0)
    len--;
  sc_buffer_truncate(body, len);
}

sc_status sc_ratchet_payload_open(sc_buffer *out, const sc_ratchet_envelope *envelope,
                                  const uint8_t payload_key[static 32]) {
  sc_ratchet_payload_keys keys;
  sc_ratchet_body body;
  sc_buffer_clear(out);
  sc_ratchet_payload(&keys, payload_key);
  sc_status status = decrypt(out, envelope, &keys);
  if (status == SC_OK) {
    strip_padding(out);
    status = sc_ratchet_body_read(&body, sc_buffer_bytes(out));
  }
  if (status != SC_OK)
    sc_buffer_clear(out);
  sc_wipe(&keys, sizeof keys);
  return status;
}
