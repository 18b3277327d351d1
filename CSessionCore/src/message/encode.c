#include "session-core/message/encode.h"

#include "envelope.h"
#include "fields.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/blinded_seal.h"
#include "session-core/crypto/group_seal.h"
#include "session-core/crypto/seal.h"
#include "session-core/crypto/signature.h"
#include "session-core/message/content.h"
#include "session-core/message/padding.h"
#include "session-core/message/pro.h"

/* Writes a signature with the proof's key, or an indistinguishable decoy. */
static void sign_or_pretend(uint8_t out[static 64], const sc_env *env, const sc_ed25519_pair *pro,
                            sc_bytes message) {
  if (pro != NULL)
    sc_ed25519_sign(out, pro, message);
  else
    sc_pro_decoy(out, env);
}

static sc_status check_content(const sc_env *env, sc_bytes content, uint64_t sent_ms) {
  sc_content *parsed;
  sc_status status = sc_content_parse(&parsed, env, content);
  if (status != SC_OK)
    return status;
  status = sc_check_sent_time(sc_content_fields(parsed), sent_ms);
  sc_content_free(parsed);
  return status;
}

static sc_status check_stored_len(sc_buffer *out, sc_status status) {
  if (status == SC_OK && out->len > SC_STORED_MAX_BYTES)
    status = SC_ERR_TOO_LARGE;
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

static sc_status write_envelope(sc_buffer *out, const sc_env *env, Sc__Envelope__Type type, uint64_t sent_ms,
                                sc_bytes content, const sc_ed25519_pair *pro) {
  uint8_t signature[SC_SIGNATURE_BYTES];
  sign_or_pretend(signature, env, pro, content);
  return sc_envelope_write(out, type, sent_ms, content, signature);
}

sc_status sc_encode_for_contact(sc_buffer *out, const sc_env *env, const sc_keypair *from, const sc_id *to,
                                sc_bytes content, uint64_t sent_ms, const sc_ed25519_pair *pro) {
  sc_buffer_clear(out);
  if (sc_id_kind_of(to) != SC_ID_STANDARD)
    return SC_ERR_ID_KIND;
  sc_buffer padded, sealed, envelope;
  sc_buffer_init(&padded, env);
  sc_buffer_init(&sealed, env);
  sc_buffer_init(&envelope, env);
  sc_status status = check_content(env, content, sent_ms);
  if (status == SC_OK)
    status = sc_pad(&padded, content);
  if (status == SC_OK)
    status = sc_seal(&sealed, env, from, SC_BYTES(to->bytes), sc_buffer_bytes(&padded));
  if (status == SC_OK)
    status = write_envelope(&envelope, env, SC__ENVELOPE__TYPE__SESSION_MESSAGE, sent_ms,
                            sc_buffer_bytes(&sealed), pro);
  if (status == SC_OK)
    status = sc_wrapping_write(out, sc_buffer_bytes(&envelope));
  sc_buffer_free(&padded);
  sc_buffer_free(&sealed);
  sc_buffer_free(&envelope);
  return check_stored_len(out, status);
}

sc_status sc_encode_for_group(sc_buffer *out, const sc_env *env, const sc_keypair *from, const sc_id *group,
                              sc_bytes key, sc_bytes content, uint64_t sent_ms, const sc_ed25519_pair *pro) {
  sc_buffer_clear(out);
  if (sc_id_kind_of(group) != SC_ID_GROUP)
    return SC_ERR_ID_KIND;
  sc_buffer envelope;
  sc_buffer_init(&envelope, env);
  sc_status status = check_content(env, content, sent_ms);
  if (status == SC_OK)
    status = write_envelope(&envelope, env, SC__ENVELOPE__TYPE__CLOSED_GROUP_MESSAGE, sent_ms, content, pro);
  if (status == SC_OK)
    status = sc_group_seal(out, env, from, sc_id_key(group), key, sc_buffer_bytes(&envelope), NULL);
  sc_buffer_free(&envelope);
  return check_stored_len(out, status);
}

/* Replaces `out` with the content in the order peers know it by, signed over its padded form. */
static sc_status sign_content(sc_buffer *out, const sc_env *env, Sc__Content fields,
                              const sc_ed25519_pair *pro) {
  sc_buffer padded;
  sc_buffer_init(&padded, env);
  sc_status status = sc_content_write(out, &fields);
  if (status == SC_OK)
    status = sc_pad(&padded, sc_buffer_bytes(out));
  if (status == SC_OK) {
    uint8_t signature[SC_SIGNATURE_BYTES];
    sc_ed25519_sign(signature, pro, sc_buffer_bytes(&padded));
    fields.has_pro_sig_for_community_message_only = true;
    fields.pro_sig_for_community_message_only =
        (ProtobufCBinaryData){.len = sizeof signature, .data = signature};
    status = sc_content_write(out, &fields);
  }
  sc_buffer_free(&padded);
  return status;
}

static sc_status pad_signed(sc_buffer *out, const sc_env *env, const Sc__Content *fields,
                            const sc_ed25519_pair *pro) {
  sc_buffer content;
  sc_buffer_init(&content, env);
  sc_status status = sign_content(&content, env, *fields, pro);
  if (status == SC_OK)
    status = sc_pad(out, sc_buffer_bytes(&content));
  sc_buffer_free(&content);
  return status;
}

sc_status sc_encode_for_community(sc_buffer *out, const sc_env *env, sc_bytes content,
                                  const sc_ed25519_pair *pro) {
  sc_buffer_clear(out);
  sc_content *parsed;
  sc_status status = sc_content_parse(&parsed, env, content);
  if (status != SC_OK)
    return status;
  const Sc__Content *fields = sc_content_fields(parsed);
  if (fields->has_pro_sig_for_community_message_only)
    status = SC_ERR_PRO_SIGNATURE_TWICE;
  else if (pro != NULL)
    status = pad_signed(out, env, fields, pro);
  else
    status = sc_pad(out, content);
  sc_content_free(parsed);
  return status;
}

sc_status sc_encode_for_inbox(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                              const uint8_t server[static 32], const sc_id *to, sc_bytes content,
                              const sc_ed25519_pair *pro) {
  sc_buffer_clear(out);
  sc_buffer padded;
  sc_buffer_init(&padded, env);
  sc_status status = sc_encode_for_community(&padded, env, content, pro);
  if (status == SC_OK)
    status = sc_blinded_seal(out, env, from, server, to, sc_buffer_bytes(&padded));
  sc_buffer_free(&padded);
  return status;
}
