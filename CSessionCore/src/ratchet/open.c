#include "payload.h"
#include "receive.h"
#include "session-core/base/secret.h"

/* Opens the message with a session through one slot. */
static sc_status open_slot(sc_buffer *out, sc_ratchet_session *session, sc_ratchet_receipt *receipt,
                           const sc_env *env, const sc_ratchet_envelope *envelope, size_t slot,
                           const sc_ratchet_open_options *options) {
  sc_status status = sc_ratchet_receive(receipt, session, env, envelope, slot, options);
  if (status == SC_OK)
    status = sc_ratchet_payload_open(out, envelope, receipt->payload_key);
  if (status == SC_OK)
    status = sc_ratchet_receipt_commit(session, receipt, options);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

sc_status sc_ratchet_open_slot(sc_buffer *out, const sc_env *env, const sc_ratchet_envelope *envelope,
                               size_t slot, sc_ratchet_session *session,
                               const sc_ratchet_open_options *options) {
  sc_buffer_clear(out);
  if (slot >= envelope->slot_count)
    return SC_ERR_ARGUMENT;
  sc_ratchet_receipt receipt;
  sc_ratchet_receipt_init(&receipt, env);
  sc_status status = open_slot(out, session, &receipt, env, envelope, slot, options);
  sc_ratchet_receipt_free(&receipt);
  return status;
}

/* The slots that have a tag of the session, as bits. */
static sc_status matching_slots(uint32_t *out, sc_buffer *tag_keys, const sc_ratchet_session *session,
                                const sc_ratchet_envelope *envelope) {
  *out = 0;
  sc_buffer_clear(tag_keys);
  sc_status status = sc_ratchet_session_tag_keys(tag_keys, session);
  for (size_t at = 0; status == SC_OK && at < tag_keys->len; at += SC_RATCHET_TAG_KEY_BYTES) {
    uint8_t tag[sc_ratchet_tag_bytes];
    sc_ratchet_tag(tag, tag_keys->ptr + at, sc_ratchet_ephemeral(envelope));
    for (size_t slot = 0; slot < envelope->slot_count; slot++)
      if (memcmp(tag, sc_ratchet_slot(envelope, slot), sizeof tag) == 0)
        *out |= (uint32_t)1 << slot;
  }
  return status;
}

/* Failures that tell more come later. */
static int telling(sc_status status) {
  static const sc_status order[] = {SC_ERR_RATCHET_OTHER, SC_ERR_RATCHET_DAMAGED, SC_ERR_RATCHET_BODY,
                                    SC_ERR_RATCHET_DUPLICATE, SC_ERR_RATCHET_BROKEN};
  for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++)
    if (order[i] == status)
      return i;
  return -1;
}

/* A try at opening: what it works with, and the most telling failure so far. */
typedef struct attempt {
  sc_ratchet_receipt receipt;
  sc_buffer tag_keys;
  sc_status failure;
} attempt;

/* SC_OK, or a failure that ends it all. */
static sc_status note(attempt *a, sc_status status, size_t *index, size_t session) {
  if (telling(status) < 0)
    return status;
  if (telling(status) > telling(a->failure)) {
    a->failure = status;
    *index = session;
  }
  return SC_OK;
}

static sc_status try_session(sc_buffer *out, bool *opened, attempt *a, size_t *index, const sc_env *env,
                             const sc_ratchet_envelope *envelope, sc_ratchet_session *const *sessions,
                             size_t i, const sc_ratchet_open_options *options) {
  uint32_t slots;
  sc_status status = matching_slots(&slots, &a->tag_keys, sessions[i], envelope);
  for (size_t slot = 0; status == SC_OK && slot < envelope->slot_count; slot++) {
    if ((slots >> slot & 1) == 0)
      continue;
    status = open_slot(out, sessions[i], &a->receipt, env, envelope, slot, options);
    if (status == SC_OK) {
      *opened = true;
      *index = i;
      return SC_OK;
    }
    status = note(a, status, index, i);
  }
  return status;
}

sc_status sc_ratchet_open(sc_buffer *out, size_t *index, const sc_env *env,
                          const sc_ratchet_envelope *envelope, sc_ratchet_session *const *sessions,
                          size_t session_count, const sc_ratchet_open_options *options) {
  sc_buffer_clear(out);
  *index = 0;
  attempt a = {.failure = SC_ERR_RATCHET_OTHER};
  bool opened = false;
  sc_ratchet_receipt_init(&a.receipt, env);
  sc_buffer_init(&a.tag_keys, env);
  sc_status status = SC_OK;
  for (size_t i = 0; i < session_count && status == SC_OK && !opened; i++)
    status = try_session(out, &opened, &a, index, env, envelope, sessions, i, options);
  sc_buffer_free(&a.tag_keys);
  sc_ratchet_receipt_free(&a.receipt);
  return status != SC_OK || opened ? status : a.failure;
}
